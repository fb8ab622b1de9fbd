//! A request that a model received.

use std::io::{self, BufRead};

use serde_json::Value;

use super::Wire;

/// A request, and what is common to all formats.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The format of the body.
    pub wire: Wire,
    /// The request line and the headers, in lower case.
    pub head: String,
    /// The body.
    pub body: Value,
}

impl ModelRequest {
    pub(super) fn read(wire: Wire, reader: &mut impl BufRead) -> io::Result<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        head.make_ascii_lowercase();
        let mut request = Self {
            wire,
            head,
            body: Value::Null,
        };
        let length = request.header("content-length").unwrap_or("0");
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body)?;
        request.body = serde_json::from_slice(&body).unwrap();
        Ok(request)
    }

    /// The value of a header, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = headers.filter(|(known, _)| *known == name);
        values.next().map(|(_, value)| value)
    }

    fn list(&self) -> &[Value] {
        self.body["messages"].as_array().unwrap()
    }

    /// The system prompt.
    pub fn system(&self) -> String {
        match self.wire {
            Wire::Anthropic => text(&self.body["system"]),
            Wire::OpenAi => self.said("system").concat(),
        }
    }

    /// The content of every message with this role.
    pub fn said(&self, role: &str) -> Vec<String> {
        let messages = self.list().iter();
        let of_role = messages.filter(|message| message["role"] == role);
        of_role.map(|message| text(&message["content"])).collect()
    }

    /// Everything but the system prompt: role and content. Tool calls have the role `call`, their results `tool`.
    pub fn messages(&self) -> Vec<(String, String)> {
        let messages = self.list().iter();
        let others = messages.filter(|message| message["role"] != "system");
        others.flat_map(parts).collect()
    }

    /// The role of the last message.
    pub fn last_role(&self) -> String {
        self.messages().pop().unwrap().0
    }

    /// The content of the last message.
    pub fn last_text(&self) -> String {
        self.messages().pop().unwrap().1
    }

    /// The results of tools, in order.
    pub fn results(&self) -> Vec<String> {
        let messages = self.messages().into_iter();
        let results = messages.filter(|(role, _)| role == "tool");
        results.map(|(_, text)| text).collect()
    }

    /// Names and schemas of the tools.
    pub fn tools(&self) -> Vec<(String, Value)> {
        let tool = |tool: &Value| match self.wire {
            Wire::Anthropic => (text(&tool["name"]), tool["input_schema"].clone()),
            Wire::OpenAi => {
                let function = &tool["function"];
                (text(&function["name"]), function["parameters"].clone())
            }
        };
        self.body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(tool)
            .collect()
    }

    /// Names of the tools.
    pub fn tool_names(&self) -> Vec<String> {
        self.tools().into_iter().map(|(name, _)| name).collect()
    }

    /// Asserts that every tool call is followed by its result.
    pub fn assert_whole(&self) {
        let mut open: Vec<String> = Vec::new();
        let mut last = "";
        for message in self.list() {
            let role = message["role"].as_str().unwrap();
            let blocks = |kind: &'static str, key: &'static str| {
                let blocks = message["content"].as_array().into_iter().flatten();
                let of_kind = blocks.filter(move |block| block["type"] == kind);
                of_kind.map(move |block| text(&block[key]))
            };
            let answer = (role == "tool").then(|| text(&message["tool_call_id"]));
            for id in blocks("tool_result", "tool_use_id").chain(answer) {
                let at = open.iter().position(|call| *call == id);
                open.remove(
                    at.unwrap_or_else(|| panic!("a result without a call, {id}: {message}")),
                );
            }
            if role == "assistant" {
                assert!(open.is_empty(), "without a result: {open:?}");
            }
            open.extend(blocks("tool_use", "id"));
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            open.extend(calls.map(|call| text(&call["id"])));
            assert!(
                role != "user" || last != "user" || self.wire == Wire::Anthropic,
                "two messages of the user's"
            );
            last = role;
        }
        assert!(open.is_empty(), "without a result: {open:?}");
    }
}

/// A text, or the texts of a list.
fn text(value: &Value) -> String {
    match value {
        Value::Array(parts) => parts.iter().map(|part| text(&part["text"])).collect(),
        Value::Null => String::new(),
        value => value.as_str().unwrap().to_owned(),
    }
}

/// The parts of a message: role and content.
fn parts(message: &Value) -> Vec<(String, String)> {
    let role = text(&message["role"]);
    let call = |name: &Value, input: &str| ("call".to_owned(), format!("{} {input}", text(name)));
    let mut parts = match &message["content"] {
        Value::String(text) if !text.is_empty() => vec![(role, text.clone())],
        Value::Array(blocks) => {
            let part = |block: &Value| match block["type"].as_str().unwrap() {
                "text" => (role.clone(), text(&block["text"])),
                "tool_use" => call(&block["name"], &block["input"].to_string()),
                "tool_result" => ("tool".to_owned(), text(&block["content"])),
                other => panic!("{other}"),
            };
            blocks.iter().map(part).collect()
        }
        _ => Vec::new(),
    };
    for tool_call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &tool_call["function"];
        parts.push(call(&function["name"], &text(&function["arguments"])));
    }
    parts
}
