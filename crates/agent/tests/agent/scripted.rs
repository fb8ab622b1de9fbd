//! A model that says what a script says, over the wire formats of `openai` and `anthropic`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::post;
use futures_util::{StreamExt, stream};
use prowess_agent::{GenaiProvider, ModelChoice, Provider};
use serde_json::{Value, json};
use tokio::sync::Notify;

pub(crate) const KEY: &str = "sk-test-1234";

/// How a model is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
}

pub(crate) const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

/// What the model does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Says something.
    Say(&'static str),
    /// Says something, then calls tools: name and arguments as text, which may be no JSON.
    Call(&'static str, Vec<(&'static str, String)>),
    /// Says something and reaches its limit.
    Long(&'static str),
    /// Answers with a status, headers and a body.
    Status(u16, Vec<(&'static str, &'static str)>, String),
    /// Says something, then the connection is gone.
    Die(&'static str),
    /// Says something, then the connection ends as if that were all.
    End(&'static str),
    /// Says something, then nothing more.
    Hang(&'static str),
    /// Says something, then reports an error in the stream.
    Report(&'static str),
}

/// One call with JSON arguments.
pub(crate) fn call(tool: &'static str, arguments: &Value) -> Step {
    Step::Call("", vec![(tool, arguments.to_string())])
}

/// A request as it came, and what is the same in both formats.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) wire: Wire,
    pub(crate) body: Value,
    pub(crate) headers: HeaderMap,
}

impl Seen {
    /// The system prompt.
    pub(crate) fn system(&self) -> String {
        match self.wire {
            Wire::Anthropic => self.body["system"].as_str().unwrap_or_default().to_owned(),
            Wire::OpenAi => {
                let messages = self.body["messages"].as_array().unwrap();
                let system = messages
                    .iter()
                    .filter(|message| message["role"] == "system");
                system
                    .map(|message| message["content"].as_str().unwrap())
                    .collect()
            }
        }
    }

    /// Everything but the system prompt: who, and what.
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let messages = self.body["messages"].as_array().unwrap();
        let others = messages
            .iter()
            .filter(|message| message["role"] != "system");
        others.flat_map(parts_of).collect()
    }

    /// What tools had to say, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        let messages = self
            .messages()
            .into_iter()
            .filter(|(role, _)| role == "tool");
        messages.map(|(_, text)| text).collect()
    }

    /// Names and schemas of the tools.
    pub(crate) fn tools(&self) -> Vec<(String, Value)> {
        let tools = self.body["tools"].as_array().cloned().unwrap_or_default();
        let one = |tool: Value| match self.wire {
            Wire::OpenAi => (
                tool["function"]["name"].as_str().unwrap().to_owned(),
                tool["function"]["parameters"].clone(),
            ),
            Wire::Anthropic => (
                tool["name"].as_str().unwrap().to_owned(),
                tool["input_schema"].clone(),
            ),
        };
        tools.into_iter().map(one).collect()
    }

    /// Every call has a result, right behind it.
    pub(crate) fn assert_whole(&self) {
        let mut open: Vec<String> = Vec::new();
        let mut last = String::new();
        for message in self.body["messages"].as_array().unwrap() {
            let role = message["role"].as_str().unwrap();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let blocks: Vec<&Value> = message["content"]
                .as_array()
                .into_iter()
                .flatten()
                .collect();
            let answered = blocks
                .iter()
                .filter(|block| block["type"] == "tool_result")
                .map(|block| text(&block["tool_use_id"]));
            let answered = answered.chain((role == "tool").then(|| text(&message["tool_call_id"])));
            for id in answered {
                let at = open.iter().position(|call| *call == id);
                open.remove(at.unwrap_or_else(|| panic!("nobody called {id}: {message}")));
            }
            if role == "assistant" {
                assert!(open.is_empty(), "without a result: {open:?}");
            }
            let called = blocks
                .iter()
                .filter(|block| block["type"] == "tool_use")
                .map(|block| text(&block["id"]));
            let theirs = message["tool_calls"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|call| text(&call["id"]));
            open.extend(called.chain(theirs));
            assert!(
                role != "user" || last != "user" || self.wire == Wire::Anthropic,
                "two messages of the user's"
            );
            role.clone_into(&mut last);
        }
        assert!(open.is_empty(), "without a result: {open:?}");
    }
}

/// The parts of a message: who, and what.
fn parts_of(message: &Value) -> Vec<(String, String)> {
    let role = message["role"].as_str().unwrap().to_owned();
    let mut parts = Vec::new();
    match &message["content"] {
        Value::String(text) if !text.is_empty() => parts.push((role, text.clone())),
        Value::Array(blocks) => {
            for block in blocks {
                parts.push(match block["type"].as_str().unwrap() {
                    "text" => (role.clone(), block["text"].as_str().unwrap().to_owned()),
                    "tool_use" => (
                        "call".to_owned(),
                        format!("{} {}", block["name"].as_str().unwrap(), block["input"]),
                    ),
                    "tool_result" => (
                        "tool".to_owned(),
                        block["content"].as_str().unwrap().to_owned(),
                    ),
                    other => panic!("{other}"),
                });
            }
        }
        _ => {}
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let text = format!(
            "{} {}",
            function["name"].as_str().unwrap(),
            function["arguments"].as_str().unwrap()
        );
        parts.push(("call".to_owned(), text));
    }
    parts
}

struct Inner {
    wire: Wire,
    steps: Mutex<VecDeque<Step>>,
    seen: Mutex<Vec<Seen>>,
    arrived: Notify,
}

/// The model, listening.
#[derive(Clone)]
pub(crate) struct Scripted {
    inner: Arc<Inner>,
    pub(crate) url: String,
}

impl Scripted {
    pub(crate) async fn start(wire: Wire, steps: impl IntoIterator<Item = Step>) -> Self {
        let inner = Arc::new(Inner {
            wire,
            steps: Mutex::new(steps.into_iter().collect()),
            seen: Mutex::default(),
            arrived: Notify::new(),
        });
        let path = match wire {
            Wire::OpenAi => "/v1/chat/completions",
            Wire::Anthropic => "/v1/messages",
        };
        let router = Router::new()
            .route(path, post(answer))
            .with_state(Arc::clone(&inner));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { inner, url }
    }

    pub(crate) fn choice(&self) -> ModelChoice {
        let provider = match self.inner.wire {
            Wire::OpenAi => "openai",
            Wire::Anthropic => "anthropic",
        };
        ModelChoice {
            provider: provider.to_owned(),
            model: "scripted-1".to_owned(),
            base_url: Some(self.url.clone()),
            ..ModelChoice::default()
        }
    }

    pub(crate) fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(GenaiProvider::new(&self.choice(), &|_| Some(KEY.to_owned())).unwrap())
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.inner.seen.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Seen {
        self.seen().pop().unwrap()
    }

    /// Waits until another request is there.
    pub(crate) async fn arrived(&self) {
        self.inner.arrived.notified().await;
    }
}

async fn answer(
    State(inner): State<Arc<Inner>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let wire = inner.wire;
    assert_eq!(body["stream"], true);
    let number = {
        let mut seen = inner.seen.lock().unwrap();
        seen.push(Seen {
            wire,
            body,
            headers,
        });
        seen.len()
    };
    inner.arrived.notify_one();
    let step = inner
        .steps
        .lock()
        .unwrap()
        .pop_front()
        .expect("the script has an end");
    if let Step::Status(status, headers, body) = step {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(name, value);
        }
        return response
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap();
    }
    let events = match wire {
        Wire::OpenAi => openai(&step, number),
        Wire::Anthropic => anthropic(&step, number),
    };
    let events = stream::iter(
        events
            .into_iter()
            .map(|event| Ok::<_, std::io::Error>(Bytes::from(event))),
    );
    // What was said goes out before the connection is gone.
    let breath = stream::once(async {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        Err(std::io::Error::other("gone"))
    });
    let body = match step {
        Step::Die(_) => Body::from_stream(events.chain(breath)),
        Step::Hang(_) => Body::from_stream(events.chain(stream::pending())),
        _ => Body::from_stream(events),
    };
    let response = Response::builder().header("content-type", "text/event-stream");
    let _: Infallible = match response.body(body) {
        Ok(response) => return response,
        Err(error) => panic!("{error}"),
    };
}

/// Text in two parts, so that somebody has to put it together.
fn halves(text: &str) -> Vec<&str> {
    let middle = text.floor_char_boundary(text.len() / 2);
    let (first, second) = text.split_at(middle);
    [first, second]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect()
}

fn parts(step: &Step) -> (&'static str, Vec<(&'static str, String)>, bool) {
    match step {
        Step::Say(text) | Step::Long(text) => (text, Vec::new(), true),
        Step::Call(text, calls) => (text, calls.clone(), true),
        Step::Die(text) | Step::Hang(text) | Step::End(text) | Step::Report(text) => {
            (text, Vec::new(), false)
        }
        Step::Status(..) => unreachable!(),
    }
}

fn openai(step: &Step, number: usize) -> Vec<String> {
    let (text, calls, whole) = parts(step);
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null});
        // A number with a fraction: with `arbitrary_precision`, some types cannot read those.
        let value = json!({"id": "c", "object": "chat.completion.chunk", "created": 1.5, "model": "m", "choices": [choice]});
        format!("data: {value}\n\n")
    };
    let mut events = vec![chunk(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    events.extend(
        halves(text)
            .into_iter()
            .map(|part| chunk(json!({"content": part}), Value::Null)),
    );
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{number}_{index}");
        let begin = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [begin]}), Value::Null));
        for part in halves(arguments) {
            let more = json!({"index": index, "function": {"arguments": part}});
            events.push(chunk(json!({"tool_calls": [more]}), Value::Null));
        }
    }
    if let Step::Report(_) = step {
        events.push(format!(
            "data: {}\n\n",
            json!({"error": {"type": "server_error", "message": "it hurts"}})
        ));
    }
    if !whole {
        return events;
    }
    let finish = match step {
        Step::Long(_) => "length",
        _ if calls.is_empty() => "stop",
        _ => "tool_calls",
    };
    events.push(chunk(json!({}), json!(finish)));
    let usage = json!({
        "prompt_tokens": 100 * number, "completion_tokens": 7, "total_tokens": 100 * number + 7,
        "prompt_tokens_details": {"cached_tokens": 30}, "completion_tokens_details": {"reasoning_tokens": 0},
        "cost": 0.000_123, "queue_time": 0.25,
    });
    let value =
        json!({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage});
    events.push(format!("data: {value}\n\n"));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn anthropic(step: &Step, number: usize) -> Vec<String> {
    let (text, calls, whole) = parts(step);
    let event = |name: &str, value: Value| format!("event: {name}\ndata: {value}\n\n");
    let usage = json!({"input_tokens": 100 * number - 30, "cache_read_input_tokens": 30, "output_tokens": 1, "share": 0.5});
    let message =
        json!({"id": "m", "role": "assistant", "content": [], "model": "m", "usage": usage});
    let mut events = vec![
        event(
            "message_start",
            json!({"type": "message_start", "message": message}),
        ),
        event("ping", json!({"type": "ping"})),
    ];
    let mut index = 0;
    if !text.is_empty() {
        let block = json!({"type": "text", "text": ""});
        events.push(event(
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
        ));
        for part in halves(text) {
            let delta = json!({"type": "text_delta", "text": part});
            events.push(event(
                "content_block_delta",
                json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            ));
        }
        if whole {
            events.push(event(
                "content_block_stop",
                json!({"type": "content_block_stop", "index": 0}),
            ));
        }
        index = 1;
    }
    for (call, (name, arguments)) in calls.iter().enumerate() {
        let block = json!({"type": "tool_use", "id": format!("toolu_{number}_{call}"), "name": name, "input": {}});
        events.push(event(
            "content_block_start",
            json!({"type": "content_block_start", "index": index, "content_block": block}),
        ));
        for part in halves(arguments) {
            let delta = json!({"type": "input_json_delta", "partial_json": part});
            events.push(event(
                "content_block_delta",
                json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        events.push(event(
            "content_block_stop",
            json!({"type": "content_block_stop", "index": index}),
        ));
        index += 1;
    }
    if let Step::Report(_) = step {
        let error =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "it hurts"}});
        events.push(event("error", error));
    }
    if !whole {
        return events;
    }
    let reason = match step {
        Step::Long(_) => "max_tokens",
        _ if calls.is_empty() => "end_turn",
        _ => "tool_use",
    };
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(event(
        "message_delta",
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}),
    ));
    events.push(event("message_stop", json!({"type": "message_stop"})));
    events
}
