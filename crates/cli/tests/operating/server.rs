//! The server as a program, with everything that it prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use prowess_testing::ChildGuard;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long to wait for what must happen.
pub(crate) const DEADLINE: Duration = Duration::from_mins(2);

pub(crate) struct Server {
    pub(crate) child: ChildGuard,
    pub(crate) port: u16,
    /// What it said when it was ready.
    pub(crate) ready: Value,
    /// Lines of standard error, read to the end, so that the server never waits for a reader.
    pub(crate) lines: Receiver<String>,
}

impl Server {
    /// Starts `serve --json` and waits until it is ready.
    pub(crate) fn start(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = ChildGuard(command.spawn().unwrap());
        let lines = lines(child.stderr.take().unwrap());
        let mut text = Vec::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_until(b'}', &mut text).unwrap();
        let ready: Value = serde_json::from_slice(&text)
            .unwrap_or_else(|_| panic!("{:?}", lines.iter().collect::<Vec<_>>()));
        let url = ready["url"].as_str().unwrap();
        let port = url.split([':', '/']).nth(4).unwrap().parse().unwrap();
        Self {
            child,
            port,
            ready,
            lines,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    /// The whole answer to a request; `head` has no end.
    pub(crate) fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = self.connect();
        let length = body.len();
        let request = format!(
            "{head}\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn status(&self, head: &str) -> u16 {
        status(&self.ask(head, ""))
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for a line.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(DEADLINE) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => seen.push(line),
                Err(error) => panic!("{text}: {error}: {seen:#?}"),
            }
        }
    }

    /// Stops it; the remaining lines.
    pub(crate) fn stop(mut self) -> Vec<String> {
        self.signal(Signal::TERM);
        assert!(self.child.wait().unwrap().success());
        self.lines.iter().collect()
    }
}

pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

fn lines(stderr: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}
