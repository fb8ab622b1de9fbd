//! Measures a worker: `cargo run --release -p prowess-worker --example round_trip`.
//!
//! The worker is the binary beside this example: build it first, with the same profile.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const CALLS: usize = 10_000;
const STARTS: usize = 50;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Worker {
    fn start(binary: &PathBuf) -> Outcome<Self> {
        let mut child = Command::new(binary)
            .arg("starlark")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut worker = Self {
            child,
            input,
            output,
            line: String::new(),
        };
        let source = "def answer(input):\n    return 'fine ' + input['name']\nregister_tool('answer', 'Answers', answer)\n";
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocol": 1, "name": "example", "version": "1.0.0", "permissions": [],
            "code": {"entrypoint": "skill.star", "files": {"skill.star": source}},
        }});
        worker.ask(&request)?;
        Ok(worker)
    }

    fn ask(&mut self, request: &Value) -> Outcome<Value> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        let answer: Value = serde_json::from_str(&self.line)?;
        match answer.get("result") {
            Some(_) => Ok(answer),
            None => Err(self.line.clone().into()),
        }
    }

    /// What it holds of memory, and what of it is its own.
    fn resident(&self) -> Outcome<(u64, u64)> {
        let sizes = fs::read_to_string(format!("/proc/{}/statm", self.child.id()))?;
        let pages =
            |at: usize| -> Outcome<u64> { Ok(sizes.split(' ').nth(at).ok_or("no size")?.parse()?) };
        let (resident, shared) = (pages(1)?, pages(2)?);
        Ok((resident * 4096, (resident - shared) * 4096))
    }

    fn end(self) -> Outcome<()> {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        child.wait()?;
        Ok(())
    }
}

fn quantiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .copied()
            .unwrap_or_default()
    };
    format!(
        "median {:.1?}, p90 {:.1?}, p99 {:.1?}",
        at(50),
        at(90),
        at(99)
    )
}

fn main() -> Outcome<()> {
    let mut binary = env::current_exe()?;
    binary.pop();
    binary.pop();
    binary.push("prowess-worker");
    let mut report = io::stdout().lock();

    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let worker = Worker::start(&binary)?;
        starts.push(began.elapsed());
        worker.end()?;
    }
    writeln!(
        report,
        "start to initialized, {STARTS} times: {}",
        quantiles(starts)
    )?;

    let mut worker = Worker::start(&binary)?;
    let kib = |bytes: u64| bytes / 1024;
    let (resident, own) = worker.resident()?;
    writeln!(
        report,
        "idle worker: {} KiB resident, {} KiB of it its own",
        kib(resident),
        kib(own)
    )?;
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tool/execute",
        "params": {"name": "answer", "input": {"name": "you"}}});
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let began = Instant::now();
        worker.ask(&request)?;
        times.push(began.elapsed());
    }
    writeln!(report, "tool call, {CALLS} times: {}", quantiles(times))?;
    let (resident, own) = worker.resident()?;
    writeln!(
        report,
        "after them: {} KiB resident, {} KiB of it its own",
        kib(resident),
        kib(own)
    )?;
    worker.end()?;
    Ok(())
}
