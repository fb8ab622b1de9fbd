//! `cargo xtask bench mcp`: skills over MCP, with the program at the other end of a pipe.
#![cfg(test)]
#![allow(clippy::needless_pass_by_value, reason = "callers pass `json!`")]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use prowess_testing::ChildGuard;
use serde_json::{Value, json};

const SKILLS: usize = 1_000;
const ROUNDS: usize = 9;

struct Client {
    _child: ChildGuard,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    id: u64,
}

impl Client {
    fn start(root: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_prowess"))
            .args(["mcp", "--in"])
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self {
            _child: ChildGuard(child),
            input,
            lines,
            id: 0,
        };
        client.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}));
        writeln!(
            client.input,
            r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
        )
        .unwrap();
        client
    }

    fn ask(&mut self, method: &str, params: Value) -> String {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        writeln!(self.input, "{message}").unwrap();
        self.lines.next().unwrap().unwrap()
    }

    /// Every page of the list; how many skills there were. Pages are counted, not parsed: that would be the
    /// client's time.
    fn list(&mut self) -> usize {
        let mut count = 0;
        let mut params = json!({});
        loop {
            let line = self.ask("skills/list", params);
            count += line.matches("\"frontmatter\":").count();
            if !line.contains("\"nextCursor\":") {
                return count;
            }
            let answer: Value = serde_json::from_str(&line).unwrap();
            params = json!({"cursor": answer["result"]["nextCursor"]});
        }
    }
}

fn median(times: Vec<Duration>) -> f64 {
    prowess_testing::median(times).as_secs_f64() * 1_000.0
}

fn main() {
    let place = tempfile::tempdir().unwrap();
    for index in 0..SKILLS {
        let directory = place.path().join(format!("skill-{index:04}"));
        fs::create_dir_all(directory.join("references")).unwrap();
        let body = format!("Step {index}: do what is asked, then say so.\n").repeat(60);
        let text = format!(
            "---\nname: skill-{index:04}\ndescription: Does thing number {index} when somebody asks for it\n---\n{body}"
        );
        fs::write(directory.join("SKILL.md"), text).unwrap();
        fs::write(directory.join("references/guide.md"), &body).unwrap();
    }
    // What any program would have to do for the digests, once the files are in memory of the system.
    let baseline = median((0..ROUNDS).map(|_| reading(place.path())).collect());
    let (mut starts, mut cold, mut warm, mut calls) = (vec![], vec![], vec![], vec![]);
    // The first 100 calls of a session, and the last, in which all other skills are active.
    let (mut first, mut last) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut client = Client::start(place.path());
        starts.push(start.elapsed());
        let start = Instant::now();
        assert_eq!(client.list(), SKILLS);
        cold.push(start.elapsed());
        let start = Instant::now();
        assert_eq!(client.list(), SKILLS);
        warm.push(start.elapsed());
        for index in 0..SKILLS {
            let id = format!("skill-{index:04}");
            let start = Instant::now();
            client.ask(
                "tools/call",
                json!({"name": "load_skill", "arguments": {"id": id}}),
            );
            calls.push(start.elapsed());
        }
        first.extend_from_slice(&calls[calls.len() - SKILLS..][..100]);
        last.extend_from_slice(&calls[calls.len() - 100..]);
    }
    println!(
        "reading {} files of {SKILLS} skills on one core: {baseline:.1} ms\n",
        SKILLS * 2
    );
    println!("| over stdio, median, client included | ms | target, ms |\n|---|---|---|");
    println!("| start to first answer | {:.1} | 60 |", median(starts));
    println!(
        "| `skills/list`, digests included, cold | {:.1} | 30 |",
        median(cold)
    );
    println!("| the same, warm | {:.1} | 2 |", median(warm));
    println!("| `load_skill` | {:.3} | 0.3 |", median(calls));
    println!(
        "| `load_skill`, 50 active, {} active | {:.3}, {:.3} | the same |",
        SKILLS - 50,
        median(first),
        median(last)
    );
}

fn reading(root: &Path) -> Duration {
    let start = Instant::now();
    for index in 0..SKILLS {
        let directory = root.join(format!("skill-{index:04}"));
        fs::read(directory.join("SKILL.md")).unwrap();
        fs::read(directory.join("references/guide.md")).unwrap();
    }
    start.elapsed()
}
