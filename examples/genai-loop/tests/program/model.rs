//! A server of chat completions that says what a script says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the model answers.
pub(crate) enum Step {
    Say(&'static str),
    /// Calls tools at once: name and arguments.
    Call(Vec<(&'static str, Value)>),
    /// Refuses with a status.
    Status(u16),
}

/// A request, as it came.
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Seen {
    /// What was said in one role, in order.
    pub(crate) fn said(&self, role: &str) -> Vec<String> {
        let messages = self.body["messages"].as_array().unwrap();
        let of_role = messages.iter().filter(|message| message["role"] == role);
        of_role.map(|message| text(&message["content"])).collect()
    }

    pub(crate) fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| &tool["function"]["name"]);
        names.map(|name| name.as_str().unwrap()).collect()
    }
}

/// Content is a text, or a list of them.
fn text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().unwrap())
            .collect(),
        Value::Null => String::new(),
        text => text.as_str().unwrap().to_owned(),
    }
}

/// Serves the steps, one to a request, and keeps what was asked.
pub(crate) fn serve(steps: Vec<Step>) -> (String, Arc<Mutex<Vec<Seen>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    thread::spawn(move || {
        for step in steps {
            let (stream, _) = listener.accept().unwrap();
            let request = read(&stream);
            kept.lock().unwrap().push(request);
            answer(stream, &step);
        }
    });
    (url, seen)
}

fn read(stream: &TcpStream) -> Seen {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0);
    }
    head.make_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap();
    let mut body = vec![0; length.split("\r\n").next().unwrap().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    Seen { head, body }
}

fn answer(mut stream: TcpStream, step: &Step) {
    let (status, message, finish) = match step {
        Step::Say(text) => (200, json!({"role": "assistant", "content": text}), "stop"),
        Step::Call(calls) => {
            let one = |(index, (name, arguments)): (usize, &(&str, Value))| {
                let function = json!({"name": name, "arguments": arguments.to_string()});
                json!({"id": format!("call_{index}"), "type": "function", "function": function})
            };
            let calls: Vec<Value> = calls.iter().enumerate().map(one).collect();
            let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
            (200, message, "tool_calls")
        }
        Step::Status(status) => (*status, Value::Null, ""),
    };
    // Some servers tell costs, and types of others stumble over fractions.
    let usage =
        json!({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": 0.25});
    let body = if status == 200 {
        let choice =
            json!({"index": 0, "message": message, "finish_reason": finish, "logprobs": null});
        json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage})
    } else {
        json!({"error": {"message": "not today", "type": "server_error"}})
    };
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} S\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
}
