//! Requests a second, pages of a long list, turns of sessions, event streams and memory, beside a bare server. Run by `cargo xtask bench
//! server`.
//!
//! Client and server share the machine. Tokens, a rate limit and JSON logs are on.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::Scope;
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_testing::ChildGuard;
use serde_json::{Value, json};

const SKILLS: usize = 10_000;
/// Threads of clients, and connections of each.
const THREADS: usize = 2;
const CONNECTIONS: usize = 16;
const ROUND: Duration = Duration::from_secs(4);
const ROUNDS: usize = 3;
const PAGES: usize = 2_000;
const TURNS: usize = 500;
const STREAMS: usize = 1_000;
/// Set for the copy of this program that is the bare server.
const BARE: &str = "PROWESS_BENCH_BARE";

/// A server in a process of its own.
struct Server {
    child: ChildGuard,
    address: String,
    token: String,
}

impl Server {
    fn of(command: &mut Command, token: &str) -> Self {
        let mut child = ChildGuard(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut out = Vec::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_until(b'}', &mut out).unwrap();
        let said: Value = serde_json::from_slice(&out).unwrap();
        let url = said["url"].as_str().unwrap().trim_start_matches("http://");
        Self {
            child,
            address: url.split('/').next().unwrap().to_owned(),
            token: token.to_owned(),
        }
    }

    /// Prowess as it runs for others.
    fn prowess(root: &Path) -> Self {
        let command = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
            command.env("HOME", root.join("home")).current_dir(root);
            command
        };
        let created = command()
            .args(["token", "create", "bench", "--scope", "admin", "--json"])
            .output();
        let created: Value = serde_json::from_slice(&created.unwrap().stdout).unwrap();
        let token = created["token"].as_str().unwrap();
        let log = File::create(root.join("log")).unwrap();
        let arguments =
            "serve --json --bind 127.0.0.1:0 --log=json --rate-limit 1000000 --in skills";
        Self::of(command().args(arguments.split(' ')).stderr(log), token)
    }

    /// The least that our libraries can do.
    fn bare() -> Self {
        Self::of(
            Command::new(std::env::current_exe().unwrap()).env(BARE, "1"),
            "",
        )
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client {
            stream,
            buffer: Vec::new(),
        }
    }

    fn request(&self, method: &str, target: &str, body: &str) -> Vec<u8> {
        let (address, token) = (&self.address, &self.token);
        let content = match body.len() {
            0 => String::new(),
            length => {
                format!("content-type: application/json\r\ncontent-length: {length}\r\n")
            }
        };
        format!(
            "{method} {target} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{content}\r\n{body}"
        )
        .into_bytes()
    }

    /// Requests a second of several clients with several connections.
    fn rate(&self, target: &str) -> f64 {
        let request = self.request("GET", target, "");
        let began = Instant::now();
        let counts = thread::scope(|scope| {
            let work = || {
                let mut clients: Vec<Client> = (0..CONNECTIONS).map(|_| self.client()).collect();
                let mut count = 0;
                while began.elapsed() < ROUND {
                    for client in &mut clients {
                        client.stream.write_all(&request).unwrap();
                    }
                    for client in &mut clients {
                        client.read();
                        count += 1;
                    }
                }
                count
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .map(|it| it.join().unwrap())
                .sum::<u64>()
        });
        counts as f64 / began.elapsed().as_secs_f64()
    }

    fn megabytes(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse::<f64>()
            .unwrap()
            / 1024.0
    }
}

/// One connection that stays open.
struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Reads one answer; the buffer has it, and its body begins at the result. The client works on the same cores, so it
    /// does as little as it can.
    fn read(&mut self) -> usize {
        self.buffer.clear();
        let mut part = [0; 16 * 1024];
        let mut whole = None;
        loop {
            let count = self.stream.read(&mut part).unwrap();
            assert!(count > 0, "the server hung up");
            self.buffer.extend_from_slice(&part[..count]);
            whole = whole.or_else(|| {
                let text = String::from_utf8_lossy(&self.buffer);
                let end = text.find("\r\n\r\n")? + 4;
                assert!(text.starts_with("HTTP/1.1 2"), "{text}");
                let length = text.split("content-length: ").nth(1)?;
                let length: usize = length.lines().next()?.parse().ok()?;
                Some((end, end + length))
            });
            // One request at a time, so nothing comes after its answer.
            if let Some((start, _)) = whole.filter(|(_, end)| self.buffer.len() >= *end) {
                return start;
            }
        }
    }

    fn ask(&mut self, request: &[u8]) -> (Duration, Vec<u8>) {
        let began = Instant::now();
        self.stream.write_all(request).unwrap();
        let start = self.read();
        let took = began.elapsed();
        (took, self.buffer[start..].to_vec())
    }
}

fn milliseconds(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0
}

fn skill(number: usize) -> String {
    format!("group-{:02}/skill-{number:05}", number % 50)
}

fn write_skills(root: &Path) {
    for number in 0..SKILLS {
        let id = skill(number);
        let directory = root.join("skills").join(&id);
        fs::create_dir_all(&directory).unwrap();
        let name = id.rsplit('/').next().unwrap();
        let steps = "Read the input, check every field, and write the result.\n".repeat(10);
        let text = format!(
            "---\nname: {name}\ndescription: Handles task {number} of many. Use when task {number} is given.\n---\n# Task {number}\n\n{steps}"
        );
        fs::write(directory.join("SKILL.md"), text).unwrap();
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    (low, values.iter().copied().fold(0.0, f64::max))
}

/// A turn with a reference to a skill: by the library, and over HTTP. Medians in milliseconds.
fn turns(root: &Path, server: &Server) -> (f64, f64) {
    let message = |number: usize| format!("/{} begin with item {number}", skill(number * 17));
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(root.join("skills"), options);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut own: Vec<Duration> = runtime.block_on(async {
        let skills = prowess_core::Skills::builder()
            .source("skills", source)
            .build();
        let session = skills.await.unwrap().session();
        let mut times = Vec::new();
        for number in 0..TURNS {
            let began = Instant::now();
            let mut turn = session.turn(&message(number)).await;
            assert!(session.content(&mut turn).is_some());
            times.push(began.elapsed());
        }
        times
    });
    let mut client = server.client();
    let created = client.ask(&server.request("POST", "/api/sessions", "{}")).1;
    let created: Value = serde_json::from_slice(&created).unwrap();
    let target = format!("/api/sessions/{}/turn", created["id"].as_str().unwrap());
    let mut over_http: Vec<Duration> = (0..TURNS)
        .map(|number| {
            let body = json!({"message": message(number)}).to_string();
            client.ask(&server.request("POST", &target, &body)).0
        })
        .collect();
    (milliseconds(&mut own, 50), milliseconds(&mut over_http, 50))
}

/// Opens event streams of one chat, and returns how much memory the server has then.
fn streams(server: &Server) -> f64 {
    let mut client = server.client();
    let created = client.ask(&server.request("POST", "/api/chats", "{}")).1;
    let created: Value = serde_json::from_slice(&created).unwrap();
    let target = format!("/api/chats/{}/events", created["id"].as_str().unwrap());
    let request = server.request("GET", &target, "");
    let open: Vec<Client> = (0..STREAMS)
        .map(|_| {
            let mut client = server.client();
            client.stream.write_all(&request).unwrap();
            // The head and the first line say that it is open.
            let mut part = [0; 1024];
            let count = client.stream.read(&mut part).unwrap();
            assert!(part[..count].starts_with(b"HTTP/1.1 200"));
            client
        })
        .collect();
    let megabytes = server.megabytes();
    drop(open);
    megabytes
}

/// A route that says hello, until the process is killed.
fn serve_hello() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!(
            "{}",
            json!({"url": format!("http://{}/", listener.local_addr().unwrap())})
        );
        let router = axum::Router::new().route("/", axum::routing::get(async || "hello"));
        axum::serve(listener, router).await.unwrap();
    });
}

fn main() {
    if std::env::var_os(BARE).is_some() {
        return serve_hello();
    }
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    write_skills(root);
    let (bare, server) = (Server::bare(), Server::prowess(root));
    let target = format!("/api/skills/{}", skill(77).replace('/', "%2F"));
    let (mut baseline, mut measured) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        baseline.push(bare.rate("/"));
        measured.push(server.rate(&target));
    }
    println!("\n| | measured | target | baseline |");
    println!("|---|---|---|---|");
    let ((low, high), (bare_low, bare_high)) = (range(&measured), range(&baseline));
    println!(
        "| `GET /api/skills/{{id}}` a second | {low:.0} to {high:.0} | 30,000 | {bare_low:.0} to {bare_high:.0}, a bare route |"
    );
    let mut client = server.client();
    let page = server.request("GET", "/api/skills?limit=100", "");
    let mut pages: Vec<Duration> = (0..PAGES).map(|_| client.ask(&page).0).collect();
    let (p50, p99) = (milliseconds(&mut pages, 50), milliseconds(&mut pages, 99));
    println!("| a page of {SKILLS} skills, p50 and p99 | {p50:.2} and {p99:.2} ms | 5 ms | |");
    let (own, over_http) = turns(root, &server);
    println!(
        "| a turn of a session over HTTP, added to the library's | {:.2} ms | 1 ms | {own:.2} ms, the library |",
        over_http - own
    );
    println!(
        "| memory after that | {:.0} MB | | {:.0} MB, a bare server |",
        server.megabytes(),
        bare.megabytes()
    );
    println!(
        "| memory with {STREAMS} idle event streams | {:.0} MB | 100 MB | |",
        streams(&server)
    );
}
