//! Answers as each format writes them.

use serde_json::{Value, json};

use super::{Step, Usage};

/// A text in two parts, which the client has to join.
fn halves(text: &str) -> impl Iterator<Item = &str> {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    [first, second].into_iter().filter(|part| !part.is_empty())
}

/// The text, the tool calls, and whether the answer is complete.
fn content(step: &Step) -> (&str, &[(&'static str, String)], bool) {
    match step {
        Step::Say(text) | Step::Uncounted(text) | Step::Long(text) => (text, &[], true),
        Step::Call(text, calls) => (text, calls, true),
        Step::Die(text) | Step::Hang(text) | Step::End(text) | Step::Report(text) => {
            (text, &[], false)
        }
        Step::Status(..) => unreachable!("a status has no content"),
    }
}

/// The first reason for an answer that reached its limit, the second for a text, the third for tool calls.
fn finish(step: &Step, [limit, text, calls]: [&'static str; 3]) -> &'static str {
    match step {
        Step::Long(_) => limit,
        Step::Call(..) => calls,
        _ => text,
    }
}

const OPENAI_REASONS: [&str; 3] = ["length", "stop", "tool_calls"];

/// Costs and times are numbers with a fraction: with `arbitrary_precision`, some types cannot read those.
fn openai_usage((input, output): Usage) -> Value {
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": 30}, "completion_tokens_details": {"reasoning_tokens": 0},
        "cost": 0.000_123, "queue_time": 0.25,
    })
}

/// A chat completion in one piece.
pub(super) fn completion(step: &Step, usage: Usage) -> String {
    let (text, calls, _) = content(step);
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let call = |(index, (name, arguments)): (usize, &(&str, String))| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": format!("call_{index}"), "type": "function", "function": function})
        };
        let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
        message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    }
    let reason = finish(step, OPENAI_REASONS);
    let choice = json!({"index": 0, "message": message, "finish_reason": reason, "logprobs": null});
    json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
        "usage": openai_usage(usage),
    })
    .to_string()
}

/// The events of a streamed chat completion.
pub(super) fn openai(step: &Step, number: usize, usage: Usage) -> Vec<String> {
    let (text, calls, whole) = content(step);
    let data = |value: &Value| format!("data: {value}\n\n");
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason, "logprobs": null});
        data(&json!({
            "id": "c", "object": "chat.completion.chunk", "created": 1.5, "model": "m", "choices": [choice],
        }))
    };
    let part = |delta: Value| chunk(delta, Value::Null);
    let mut events = vec![part(json!({"role": "assistant", "content": ""}))];
    events.extend(halves(text).map(|text| part(json!({"content": text}))));
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{number}_{index}");
        let begin = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        events.push(part(json!({"tool_calls": [begin]})));
        for text in halves(arguments) {
            let more = json!({"index": index, "function": {"arguments": text}});
            events.push(part(json!({"tool_calls": [more]})));
        }
    }
    if let Step::Report(_) = step {
        let error = json!({"error": {"type": "server_error", "message": "it hurts"}});
        events.push(data(&error));
    }
    if whole {
        events.push(chunk(json!({}), json!(finish(step, OPENAI_REASONS))));
        if !matches!(step, Step::Uncounted(_)) {
            events.push(data(&json!({
                "id": "c", "object": "chat.completion.chunk", "choices": [], "usage": openai_usage(usage),
            })));
        }
        events.push("data: [DONE]\n\n".to_owned());
    }
    events
}

/// The events of a streamed message.
pub(super) fn anthropic(step: &Step, number: usize, (input, output): Usage) -> Vec<String> {
    let (text, calls, whole) = content(step);
    let mut events = Vec::new();
    let mut event = |value: Value| {
        let name = value["type"].as_str().unwrap();
        events.push(format!("event: {name}\ndata: {value}\n\n"));
    };
    let usage = json!({"input_tokens": input - 30, "cache_read_input_tokens": 30, "output_tokens": 1, "share": 0.5});
    let message =
        json!({"id": "m", "role": "assistant", "content": [], "model": "m", "usage": usage});
    event(json!({"type": "message_start", "message": message}));
    event(json!({"type": "ping"}));
    let mut block = |index: usize, block: Value, deltas: Vec<Value>, ends: bool| {
        event(json!({"type": "content_block_start", "index": index, "content_block": block}));
        for delta in deltas {
            event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        if ends {
            event(json!({"type": "content_block_stop", "index": index}));
        }
    };
    if !text.is_empty() {
        let deltas = halves(text).map(|text| json!({"type": "text_delta", "text": text}));
        let begin = json!({"type": "text", "text": ""});
        block(0, begin, deltas.collect(), whole);
    }
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}_{index}");
        let begin = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        let deltas =
            halves(arguments).map(|text| json!({"type": "input_json_delta", "partial_json": text}));
        let position = index + usize::from(!text.is_empty());
        block(position, begin, deltas.collect(), true);
    }
    if let Step::Report(_) = step {
        let error = json!({"type": "overloaded_error", "message": "it hurts"});
        event(json!({"type": "error", "error": error}));
    }
    if whole {
        let reason = finish(step, ["max_tokens", "end_turn", "tool_use"]);
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        event(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}}));
        event(json!({"type": "message_stop"}));
    }
    events
}
