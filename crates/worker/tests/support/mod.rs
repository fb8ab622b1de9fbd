//! A host for tests: starts the real worker, answers its questions from a script.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use prowess_sdk::{Limit, limit_of};
use prowess_testing::ChildGuard;
use serde_json::{Value, json};

/// Longer than any limit of a worker.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the host says to a question: a result, or a code and a message.
pub(crate) type Reply = Result<Value, (i64, &'static str)>;

pub(crate) struct Worker {
    child: ChildGuard,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    asked: u64,
    /// Every question that the worker asked.
    pub(crate) questions: Vec<(String, Value)>,
}

/// How a worker ended.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stderr: String,
}

impl End {
    pub(crate) fn limit(&self) -> Option<Limit> {
        limit_of(&self.stderr, self.signal)
    }
}

impl Worker {
    pub(crate) fn start() -> Self {
        Self::spawn(&["starlark".as_ref()])
    }

    pub(crate) fn spawn(arguments: &[&OsStr]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_prowess-worker"))
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = child.stderr.take().unwrap();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        Self {
            input: child.stdin.take(),
            child: ChildGuard(child),
            lines,
            stderr: Some(stderr),
            asked: 0,
            questions: Vec::new(),
        }
    }

    /// A worker with a skill of one file.
    pub(crate) fn with(source: &str) -> Self {
        let mut worker = Self::start();
        let answer = worker.initialize(&[("skill.star", source)]);
        assert!(answer.get("result").is_some(), "{answer}");
        worker
    }

    /// Gives it code; the first file is the entrypoint.
    pub(crate) fn initialize(&mut self, files: &[(&str, &str)]) -> Value {
        self.initialize_with(files, |_, _| Ok(Value::Null))
    }

    pub(crate) fn initialize_with(
        &mut self,
        files: &[(&str, &str)],
        host: impl FnMut(&str, &Value) -> Reply,
    ) -> Value {
        let entrypoint = files[0].0;
        let files: BTreeMap<_, _> = files.iter().copied().collect();
        let params = json!({
            "protocol": 1, "name": "test", "version": "1.0.0", "permissions": [],
            "skill_dir": "/skill", "project_root": "/project",
            "code": {"entrypoint": entrypoint, "files": files},
        });
        self.ask_with("initialize", &params, host)
    }

    /// Sends a request without waiting for its answer; its id.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send_line(&request);
        self.asked
    }

    pub(crate) fn send_line(&mut self, line: impl Display) {
        let input = self.input.as_mut().unwrap();
        // A worker that is gone shows in what is read next.
        let _ = input.write_all(format!("{line}\n").as_bytes());
    }

    /// The next line that it writes; nothing if it is gone.
    pub(crate) fn read(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap()),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the worker hangs"),
        }
    }

    /// Reads until something that is no question comes, and answers the questions.
    pub(crate) fn read_answer(
        &mut self,
        mut host: impl FnMut(&str, &Value) -> Reply,
    ) -> Option<Value> {
        loop {
            let message = self.read()?;
            let Some(method) = message["method"].as_str() else {
                return Some(message);
            };
            let id = &message["id"];
            let reply = match host(method, &message["params"]) {
                Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Err((code, message)) => {
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
                }
            };
            self.questions
                .push((method.to_owned(), message["params"].clone()));
            self.send_line(&reply);
        }
    }

    pub(crate) fn ask_with(
        &mut self,
        method: &str,
        params: &Value,
        host: impl FnMut(&str, &Value) -> Reply,
    ) -> Value {
        let id = self.send(method, params);
        let answer = self.read_answer(host).expect("the worker is gone");
        assert_eq!(answer["id"], json!(id), "{answer}");
        answer
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_with(method, params, |_, _| Ok(Value::Null))
    }

    /// Runs a tool that is to succeed.
    pub(crate) fn tool(&mut self, name: &str, input: &Value) -> String {
        let answer = self.ask("tool/execute", &json!({"name": name, "input": input}));
        assert_eq!(answer["result"]["is_error"], json!(false), "{answer}");
        answer["result"]["content"].as_str().unwrap().to_owned()
    }

    /// Runs a tool that is to fail.
    pub(crate) fn failing(&mut self, name: &str, input: &Value) -> String {
        let answer = self.ask("tool/execute", &json!({"name": name, "input": input}));
        assert_eq!(answer["result"]["is_error"], json!(true), "{answer}");
        answer["result"]["content"].as_str().unwrap().to_owned()
    }

    /// Ends it from outside, as a host does at its deadline.
    pub(crate) fn kill(mut self) -> End {
        self.child.kill().unwrap();
        self.end()
    }

    /// Closes its input and waits.
    pub(crate) fn end(mut self) -> End {
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        End {
            code: status.code(),
            signal: status.signal(),
            stderr: self.stderr.take().unwrap().join().unwrap(),
        }
    }
}
