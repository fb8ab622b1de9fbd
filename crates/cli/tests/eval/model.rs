//! A model behind a real endpoint for chat completions, which does what a function says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the model does.
pub(crate) enum Reply {
    Say(String),
    /// Says something, and not how many tokens it was.
    Uncounted(String),
    /// Loads a skill.
    Load(&'static str),
    /// Answers with this status, and that it is not worth trying again.
    Status(u16),
    /// Says nothing, ever.
    Hang,
}

/// A request to the model.
pub(crate) struct ModelRequest {
    pub(crate) system: String,
    /// The last message, and whose it is.
    pub(crate) last: String,
    pub(crate) role: String,
    pub(crate) tools: Vec<String>,
}

impl ModelRequest {
    fn of(body: &Value) -> Self {
        let messages = body["messages"].as_array().unwrap();
        let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        let system = messages.iter().filter(|it| it["role"] == "system");
        let last = messages.last().unwrap();
        Self {
            system: system.map(text).collect(),
            last: text(last),
            role: last["role"].as_str().unwrap().to_owned(),
            tools: body["tools"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
                .collect(),
        }
    }
}

type Behaviour = dyn Fn(&ModelRequest) -> Reply + Send + Sync;

/// The model, listening.
pub(crate) struct Model {
    pub(crate) url: String,
    requests: Arc<Mutex<usize>>,
    hanging: Receiver<()>,
}

impl Model {
    pub(crate) fn new(mind: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (mind, requests): (Arc<Behaviour>, _) = (Arc::new(mind), Arc::new(Mutex::new(0)));
        let (hangs, hanging) = channel();
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (mind, count, hangs) = (Arc::clone(&mind), Arc::clone(&count), hangs.clone());
                thread::spawn(move || {
                    // A client that goes away in the middle is no failure of ours.
                    let _ = answer(connection.unwrap(), &*mind, &count, &hangs);
                });
            }
        });
        Self {
            url,
            requests,
            hanging,
        }
    }

    /// How many requests it received.
    pub(crate) fn requests(&self) -> usize {
        *self.requests.lock().unwrap()
    }

    /// Waits until a client waits for a response that never comes.
    pub(crate) fn hangs(&self) {
        self.hanging.recv().unwrap();
    }
}

fn answer(
    connection: TcpStream,
    mind: &Behaviour,
    count: &Mutex<usize>,
    hangs: &Sender<()>,
) -> std::io::Result<()> {
    let mut out = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    *count.lock().unwrap() += 1;
    let asked = ModelRequest::of(&serde_json::from_slice(&body).unwrap());
    let reply = mind(&asked);
    let counts = !matches!(reply, Reply::Uncounted(_));
    let (delta, finish) = match reply {
        Reply::Say(text) | Reply::Uncounted(text) => (json!({"content": text}), "stop"),
        Reply::Load(id) => {
            let function =
                json!({"name": "load_skill", "arguments": json!({"id": id}).to_string()});
            let call =
                json!({"index": 0, "id": "call_1", "type": "function", "function": function});
            (json!({"tool_calls": [call]}), "tool_calls")
        }
        Reply::Status(status) => {
            let body = json!({"error": {"message": "it is down"}}).to_string();
            return write!(
                out,
                "HTTP/1.1 {status} No\r\ncontent-type: application/json\r\nretry-after: 3600\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
        Reply::Hang => {
            hangs.send(()).unwrap();
            // Until the other end is gone.
            let _ = reader.read(&mut [0]);
            return Ok(());
        }
    };
    let chunk = |delta: &Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let value = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]});
        format!("data: {value}\n\n")
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let usage =
        json!({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage});
    let usage = if counts {
        format!("data: {usage}\n\n")
    } else {
        String::new()
    };
    write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{}{}{usage}data: [DONE]\n\n",
        chunk(&delta, Value::Null),
        chunk(&json!({}), json!(finish))
    )
}
