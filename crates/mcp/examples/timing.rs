//! How long a server takes with a thousand skills: `cargo run --release -p prowess-mcp --example timing`.
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use prowess_core::{Scope, Skills};
use prowess_mcp::{ServerOptions, SkillsServer, serve_stdio};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

const SKILLS: usize = 1_000;
const CALLS: usize = 2_000;
const COLD: usize = 10;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    write_skills(directory.path())?;
    let mut cold = Vec::new();
    let mut warm = Vec::new();
    for _ in 0..COLD {
        let server = server(directory.path()).await?;
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(async move { serve_stdio(&server, reader, writer).await });
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Client::new(reader, writer);
        client.ask("tools/list", json!({})).await?;
        let (skills, time) = client.list().await?;
        assert_eq!(skills, SKILLS);
        cold.push(time);
        for _ in 0..20 {
            warm.push(client.list().await?.1);
        }
    }
    report("skills/list of 1,000, cold, in memory", &mut cold);
    report("skills/list of 1,000, warm, in memory", &mut warm);

    let program = std::env::current_exe()?.with_file_name("serve");
    let mut first = Vec::new();
    let mut load = Vec::new();
    let mut list = Vec::new();
    for _ in 0..COLD {
        let begun = Instant::now();
        let mut child = tokio::process::Command::new(&program)
            .arg(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let streams = child
            .stdout
            .take()
            .zip(child.stdin.take())
            .ok_or("no streams")?;
        let mut client = Client::new(streams.0, streams.1);
        client.ask("tools/list", json!({})).await?;
        first.push(begun.elapsed());
        for index in 0..CALLS / COLD {
            let arguments = json!({"id": format!("group-{}/skill-{index:04}", index % 10)});
            let begun = Instant::now();
            client
                .ask(
                    "tools/call",
                    json!({"name": "load_skill", "arguments": arguments}),
                )
                .await?;
            load.push(begun.elapsed());
        }
        client.list().await?;
        list.push(client.list().await?.1);
    }
    report("start to the first answer, stdio", &mut first);
    report("load_skill, stdio", &mut load);
    report("skills/list of 1,000, warm, stdio", &mut list);
    Ok(())
}

async fn server(directory: &Path) -> Result<SkillsServer, Box<dyn Error>> {
    let source = FilesystemSource::new(directory, FilesystemOptions::new(Scope::Project));
    let skills = Skills::builder().source("files", source).build().await?;
    Ok(SkillsServer::new(skills, ServerOptions::default()))
}

fn write_skills(root: &Path) -> Result<(), Box<dyn Error>> {
    for index in 0..SKILLS {
        let name = format!("skill-{index:04}");
        let skill = root.join(format!("group-{}", index % 10)).join(&name);
        fs::create_dir_all(skill.join("references"))?;
        let body = "Do this, then that, and look at references/MORE.md for the rest.\n".repeat(30);
        let text = format!(
            "---\nname: {name}\ndescription: Does the thing number {index} when somebody asks for it\n\
             license: MIT\nmetadata:\n  version: \"1.0\"\n---\n# {name}\n\n{body}"
        );
        fs::write(skill.join("SKILL.md"), text)?;
        fs::write(
            skill.join("references/MORE.md"),
            "More of it.\n".repeat(100),
        )?;
    }
    Ok(())
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .copied()
            .unwrap_or_default()
    };
    let least = times.first().copied().unwrap_or_default();
    println!(
        "{what:40} min {least:>9.2?}  median {:>9.2?}  p95 {:>9.2?}",
        at(50),
        at(95)
    );
}

struct Client<R, W> {
    reader: BufReader<R>,
    writer: W,
    line: String,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Client<R, W> {
    fn new(reader: R, writer: W) -> Self {
        let reader = BufReader::with_capacity(1 << 20, reader);
        Self {
            reader,
            writer,
            line: String::new(),
        }
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Result<&str, Box<dyn Error>> {
        if let Some(params) = params.as_object_mut() {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.insert("_meta".to_owned(), meta);
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.writer
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        self.writer.flush().await?;
        self.line.clear();
        self.reader.read_line(&mut self.line).await?;
        if self.line.contains("\"error\":{\"code\"") {
            return Err(self.line.clone().into());
        }
        Ok(&self.line)
    }

    /// How many skills there are, and how long the pages took; reading them is the client's own time.
    async fn list(&mut self) -> Result<(usize, Duration), Box<dyn Error>> {
        let mut params = json!({});
        let (mut skills, mut time) = (0, Duration::ZERO);
        loop {
            let begun = Instant::now();
            self.ask("skills/list", params).await?;
            time += begun.elapsed();
            let page: Value = serde_json::from_str(&self.line)?;
            let result = page.get("result").cloned().unwrap_or_default();
            skills += result
                .get("skills")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            match result.get("nextCursor") {
                Some(next) => params = json!({"cursor": next}),
                None => return Ok((skills, time)),
            }
        }
    }
}
