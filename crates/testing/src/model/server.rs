//! The endpoint: one connection for each request, a thread for each connection.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use super::events::{anthropic, completion, openai};
use super::{ModelRequest, Step, Usage, Wire};

type Answers = dyn Fn(&ModelRequest, usize) -> (Step, Usage) + Send + Sync;

struct Endpoint {
    wire: Wire,
    streams: bool,
    answers: Box<Answers>,
    requests: Mutex<Vec<ModelRequest>>,
    hangs: Mutex<Sender<()>>,
}

/// A model that answers from a script or a function.
pub struct ScriptedModel {
    endpoint: Arc<Endpoint>,
    hanging: Receiver<()>,
    /// The base URL.
    pub url: String,
}

impl ScriptedModel {
    /// Answers each request with the next step. Request number `n` counts as `100 * n` tokens.
    pub fn start(wire: Wire, steps: impl IntoIterator<Item = Step>) -> Self {
        Self::listen(wire, true, script(steps))
    }

    /// The same in OpenAI's format for clients that do not stream.
    pub fn without_streams(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::listen(Wire::OpenAi, false, script(steps))
    }

    /// Answers each request with a step that a function returns. Every request counts as 100 tokens.
    pub fn from_fn(answer: impl Fn(&ModelRequest) -> Step + Send + Sync + 'static) -> Self {
        let answers = move |request: &ModelRequest, _| (answer(request), (100, 10));
        Self::listen(Wire::OpenAi, true, Box::new(answers))
    }

    fn listen(wire: Wire, streams: bool, answers: Box<Answers>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (hangs, hanging) = channel();
        let endpoint = Arc::new(Endpoint {
            wire,
            streams,
            answers,
            requests: Mutex::default(),
            hangs: Mutex::new(hangs),
        });
        let shared = Arc::clone(&endpoint);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let endpoint = Arc::clone(&shared);
                // A client may disconnect at any time.
                thread::spawn(move || endpoint.answer(connection.unwrap()));
            }
        });
        Self {
            endpoint,
            hanging,
            url,
        }
    }

    /// The name of the provider.
    pub fn provider_name(&self) -> &'static str {
        match self.endpoint.wire {
            Wire::OpenAi => "openai",
            Wire::Anthropic => "anthropic",
        }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<ModelRequest> {
        self.endpoint.requests.lock().unwrap().clone()
    }

    /// The last request.
    pub fn last(&self) -> ModelRequest {
        self.seen().pop().unwrap()
    }

    /// Waits until a client waits for an answer that hangs.
    pub fn wait_for_hang(&self) {
        self.hanging.recv().unwrap();
    }
}

impl Endpoint {
    fn answer(&self, connection: TcpStream) -> io::Result<()> {
        let mut out = connection.try_clone()?;
        let mut reader = BufReader::new(connection);
        let request = ModelRequest::read(self.wire, &mut reader)?;
        let path = match self.wire {
            Wire::OpenAi => "/v1/chat/completions",
            Wire::Anthropic => "/v1/messages",
        };
        assert!(request.head.starts_with(&format!("post {path} ")));
        assert_eq!(request.body["stream"] == true, self.streams);
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            requests.len()
        };
        let (step, usage) = (self.answers)(&request, number);
        if let Step::Status(status, headers, body) = &step {
            return send(&mut out, *status, headers, body);
        }
        if !self.streams {
            return send(&mut out, 200, &[], &completion(&step, usage));
        }
        let events = match self.wire {
            Wire::OpenAi => openai(&step, number, usage),
            Wire::Anthropic => anthropic(&step, number, usage),
        };
        let mut text = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
            transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
            .to_owned();
        for event in events {
            let _ = write!(text, "{:x}\r\n{event}\r\n", event.len());
        }
        if !matches!(step, Step::Die(_) | Step::Hang(_)) {
            text.push_str("0\r\n\r\n");
        }
        out.write_all(text.as_bytes())?;
        if let Step::Hang(_) = step {
            let _ = self.hangs.lock().unwrap().send(());
            let _ = reader.read(&mut [0])?;
        }
        Ok(())
    }
}

fn script(steps: impl IntoIterator<Item = Step>) -> Box<Answers> {
    let steps: Mutex<VecDeque<Step>> = Mutex::new(steps.into_iter().collect());
    Box::new(move |_, number| {
        let step = steps.lock().unwrap().pop_front();
        (step.expect("the script has an end"), (100 * number, 7))
    })
}

fn send(out: &mut TcpStream, status: u16, headers: &[(&str, &str)], body: &str) -> io::Result<()> {
    let headers = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers = headers.collect::<String>();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n{headers}\r\n{body}"
    );
    out.write_all(text.as_bytes())
}
