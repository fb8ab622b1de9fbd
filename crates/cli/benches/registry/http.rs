//! Servers in processes of their own, and clients that do as little as they can: they share the cores.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use prowess_testing::ChildGuard;
use serde_json::Value;

/// Threads of clients, and connections of each.
const THREADS: usize = 2;
const CONNECTIONS: usize = 16;
const ROUND: Duration = Duration::from_secs(4);
/// Downloads at the same time.
const DOWNLOADS: usize = 4;

pub(crate) struct Server {
    child: ChildGuard,
    address: String,
    token: String,
    /// From the start of the process until it said that it is ready.
    pub(crate) start: Duration,
}

impl Server {
    pub(crate) fn start(command: &mut Command, token: &str) -> Self {
        let began = Instant::now();
        let mut child = ChildGuard(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut out = Vec::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_until(b'}', &mut out).unwrap();
        let start = began.elapsed();
        let said: Value = serde_json::from_slice(&out).unwrap();
        let url = said["url"].as_str().unwrap().trim_start_matches("http://");
        Self {
            child,
            address: url.split('/').next().unwrap().to_owned(),
            token: token.to_owned(),
            start,
        }
    }

    pub(crate) fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        Client {
            stream,
            buffer: Vec::new(),
        }
    }

    pub(crate) fn request(&self, method: &str, target: &str, length: usize) -> Vec<u8> {
        let (address, token) = (&self.address, &self.token);
        let content = match length {
            0 => String::new(),
            length => format!("content-length: {length}\r\n"),
        };
        format!(
            "{method} {target} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{content}\r\n"
        )
        .into_bytes()
    }

    /// Requests a second of several clients with several connections; each request is the next of the targets.
    pub(crate) fn rate(&self, targets: &[String]) -> f64 {
        let requests: Vec<Vec<u8>> = targets
            .iter()
            .map(|it| self.request("GET", it, 0))
            .collect();
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let counts = thread::scope(|scope| {
            let work = || {
                let mut clients: Vec<Client> = (0..CONNECTIONS).map(|_| self.client()).collect();
                let mut count = 0_u64;
                while began.elapsed() < ROUND {
                    for client in &mut clients {
                        let request = next.fetch_add(1, Ordering::Relaxed) % requests.len();
                        client.stream.write_all(&requests[request]).unwrap();
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

    /// Downloads everything, some at the same time; bytes a second.
    pub(crate) fn download(&self, targets: &[String]) -> f64 {
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let bytes = thread::scope(|scope| {
            let work = || {
                let (mut client, mut bytes) = (self.client(), 0);
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    client
                        .stream
                        .write_all(&self.request("GET", target, 0))
                        .unwrap();
                    bytes += client.discard();
                }
                bytes
            };
            let threads: Vec<_> = (0..DOWNLOADS).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .map(|it| it.join().unwrap())
                .sum::<usize>()
        });
        bytes as f64 / began.elapsed().as_secs_f64()
    }

    /// `VmRSS` or `VmHWM`, in MiB.
    pub(crate) fn memory(&self, name: &str) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kilobytes: f64 = line
            .unwrap()
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap();
        kilobytes / 1024.0
    }
}

/// One connection that stays open.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    /// Reads until the head and `body` of its bytes are there; where the body begins, and its length.
    fn read_part(&mut self, body: impl Fn(usize) -> usize) -> (usize, usize) {
        self.buffer.clear();
        let mut part = [0; 16 * 1024];
        let mut whole = None;
        loop {
            let count = self.stream.read(&mut part).unwrap();
            assert!(count > 0, "the server hung up");
            self.buffer.extend_from_slice(&part[..count]);
            whole = whole.or_else(|| {
                let end = self.buffer.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
                let head = String::from_utf8_lossy(&self.buffer[..end]);
                assert!(
                    head.starts_with("HTTP/1.1 2"),
                    "{}",
                    String::from_utf8_lossy(&self.buffer)
                );
                let length = head.split("content-length: ").nth(1)?;
                Some((end, length.lines().next()?.parse::<usize>().ok()?))
            });
            if let Some((start, length)) = whole
                && self.buffer.len() >= start + body(length)
            {
                return (start, length);
            }
        }
    }

    fn read(&mut self) -> usize {
        self.read_part(|length| length).0
    }

    /// Reads a body without having it.
    fn discard(&mut self) -> usize {
        let (start, length) = self.read_part(|_| 0);
        let mut left = start + length - self.buffer.len();
        let mut part = vec![0; 256 * 1024];
        while left > 0 {
            let count = self.stream.read(&mut part).unwrap();
            assert!(count > 0, "the server hung up");
            left -= count;
        }
        length
    }

    pub(crate) fn ask(&mut self, head: &[u8], body: &[u8]) -> (Duration, Vec<u8>) {
        let began = Instant::now();
        self.stream.write_all(head).unwrap();
        self.stream.write_all(body).unwrap();
        let start = self.read();
        let took = began.elapsed();
        (took, self.buffer[start..].to_vec())
    }
}
