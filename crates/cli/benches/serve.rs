//! A quick request beside clients that hang, and memory after many sessions. Run by `cargo xtask bench serve`.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use prowess_testing::ChildGuard;

const SLOW: usize = 1_000;
const IDLE: usize = 1_000;
const SESSIONS: usize = 20_000;
const REQUESTS: usize = 500;

struct Server {
    child: ChildGuard,
    address: String,
}

impl Server {
    fn start(skills: &std::path::Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_prowess"))
            .args([
                "serve",
                "--read-only",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--in",
            ])
            .arg(skills)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = Vec::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_until(b'}', &mut out).unwrap();
        let said: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let url = said["url"].as_str().unwrap();
        let address = url.trim_start_matches("http://").split('/').next();
        let address = address.unwrap().to_owned();
        Self {
            child: ChildGuard(child),
            address,
        }
    }

    fn connect(&self) -> Option<TcpStream> {
        let stream = TcpStream::connect(&self.address).ok()?;
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .ok()?;
        Some(stream)
    }

    /// A whole request over a connection of its own; whether it was answered with 200.
    fn ask(&self, request: &str) -> bool {
        let Some(mut stream) = self.connect() else {
            return false;
        };
        let mut answer = Vec::new();
        let sent = stream.write_all(request.as_bytes());
        sent.is_ok()
            && stream.read_to_end(&mut answer).is_ok()
            && answer.starts_with(b"HTTP/1.1 200")
    }

    /// The 99th of a hundred quick requests, in milliseconds.
    fn p99(&self) -> f64 {
        let request = format!(
            "GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            self.address
        );
        let mut times: Vec<Duration> = (0..REQUESTS)
            .map(|_| {
                let began = Instant::now();
                assert!(self.ask(&request), "a quick request was not answered");
                began.elapsed()
            })
            .collect();
        times.sort_unstable();
        times[REQUESTS * 99 / 100].as_secs_f64() * 1000.0
    }

    fn megabytes(&self, key: &str) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }
}

fn main() {
    let place = tempfile::tempdir().unwrap();
    let skill = place.path().join("haiku");
    fs::create_dir(&skill).unwrap();
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n",
    )
    .unwrap();
    let server = Server::start(place.path());
    println!("\n| clients that hang | p99 of a quick request, ms | target | memory, MB | target |");
    println!("|---|---|---|---|---|");
    println!(
        "| none | {:.1} | | {:.0} | |",
        server.p99(),
        server.megabytes("VmRSS:")
    );
    let slow = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: 1000\r\n\r\n{{",
        server.address
    );
    let mut hanging: Vec<TcpStream> = Vec::new();
    for _ in 0..SLOW {
        if let Some(mut stream) = server.connect() {
            let _ = stream.write_all(slow.as_bytes());
            hanging.push(stream);
        }
    }
    hanging.extend((0..IDLE).filter_map(|_| server.connect()));
    println!(
        "| {} slow bodies and idle connections | {:.1} | 50 | {:.0} | 100 |",
        hanging.len(),
        server.p99(),
        server.megabytes("VmRSS:")
    );
    drop(hanging);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let initialize = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let answered = (0..SESSIONS).filter(|_| server.ask(&initialize)).count();
    println!(
        "| after {answered} of {SESSIONS} `initialize` | {:.1} | 50 | {:.0} | 100 |",
        server.p99(),
        server.megabytes("VmHWM:")
    );
}
