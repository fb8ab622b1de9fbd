//! The shapes of what crosses a wire or a disk.
#![allow(clippy::too_many_lines, reason = "there are many shapes")]

use prowess_agent::wire::{AgentEvent, By, ChatEntry, Cut, KeptReply};
use prowess_agent::{Ending, SkillTokens, ToolCall, TurnTokens, Usage};
use prowess_core::SkillId;
use serde_json::{Value, json};

fn id() -> SkillId {
    "a/b".parse().unwrap()
}

fn check(event: &AgentEvent, expected: &Value) {
    let written = serde_json::to_string(event).unwrap();
    assert_eq!(&serde_json::from_str::<Value>(&written).unwrap(), expected);
    assert_eq!(
        serde_json::from_str::<AgentEvent>(&written).unwrap(),
        *event
    );
}

/// Others read this: a field or a kind may be added here, and none may be changed.
#[test]
fn events_have_a_stable_format() {
    let text = |text: &str| text.to_owned();
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/chat.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for (event, expected) in [
        (
            AgentEvent::Text { delta: text("x") },
            json!({"type": "text", "delta": "x"}),
        ),
        (
            AgentEvent::Reasoning { delta: text("x") },
            json!({"type": "reasoning", "delta": "x"}),
        ),
        (
            AgentEvent::Notice { text: text("x") },
            json!({"type": "notice", "text": "x"}),
        ),
        (
            AgentEvent::SkillLoaded {
                id: id(),
                by: By::Model,
                bytes: 2,
                dropped_bytes: 1,
            },
            json!({"type": "skill-loaded", "id": "a/b", "by": "model", "bytes": 2, "dropped_bytes": 1}),
        ),
        (
            AgentEvent::SkillAlreadyActive { id: id() },
            json!({"type": "skill-already-active", "id": "a/b"}),
        ),
        (
            AgentEvent::SkillUnresolved {
                reference: text("x"),
                nearest: vec![text("y")],
            },
            json!({"type": "skill-unresolved", "reference": "x", "nearest": ["y"]}),
        ),
        (
            AgentEvent::SkillFailed {
                id: id(),
                reason: text("x"),
            },
            json!({"type": "skill-failed", "id": "a/b", "reason": "x"}),
        ),
        (
            AgentEvent::AccessDenied {
                id: id(),
                path: text("x"),
            },
            json!({"type": "access-denied", "id": "a/b", "path": "x"}),
        ),
        (
            AgentEvent::ToolStarted {
                call: text("c"),
                tool: text("t"),
                skill: None,
                arguments: json!({"n": 0.5}),
            },
            json!({"type": "tool-started", "call": "c", "tool": "t", "skill": null, "arguments": {"n": 0.5}}),
        ),
        (
            AgentEvent::ToolFinished {
                call: text("c"),
                tool: text("t"),
                skill: Some(id()),
                is_error: false,
                duration_ms: 3,
                bytes: 4,
                truncated: true,
                content: String::new(),
            },
            json!({"type": "tool-finished", "call": "c", "tool": "t", "skill": "a/b", "is_error": false, "duration_ms": 3, "bytes": 4, "truncated": true}),
        ),
        (
            AgentEvent::ToolNotAllowed { tool: text("t") },
            json!({"type": "tool-not-allowed", "tool": "t"}),
        ),
        (
            AgentEvent::ToolCancelled {
                call: text("c"),
                tool: text("t"),
                skill: id(),
                reason: text("x"),
            },
            json!({"type": "tool-cancelled", "call": "c", "tool": "t", "skill": "a/b", "reason": "x"}),
        ),
        (
            AgentEvent::ActivationFailed {
                id: id(),
                reason: text("x"),
            },
            json!({"type": "activation-failed", "id": "a/b", "reason": "x"}),
        ),
        (
            AgentEvent::SkillState {
                id: id(),
                from: text("inactive"),
                to: text("active"),
                reason: text(""),
            },
            json!({"type": "skill-state", "id": "a/b", "from": "inactive", "to": "active", "reason": ""}),
        ),
        (
            AgentEvent::PermissionDenied {
                id: id(),
                call: text("c"),
                reason: text("x"),
            },
            json!({"type": "permission-denied", "id": "a/b", "call": "c", "reason": "x"}),
        ),
        (
            AgentEvent::SkillTrouble {
                id: id(),
                reason: text("x"),
            },
            json!({"type": "skill-trouble", "id": "a/b", "reason": "x"}),
        ),
        (
            AgentEvent::SkillLog {
                id: id(),
                message: text("x"),
            },
            json!({"type": "skill-log", "id": "a/b", "message": "x"}),
        ),
        (
            AgentEvent::CatalogCut {
                total: 3,
                shortened: 2,
                undescribed: 0,
                omitted: 1,
            },
            json!({"type": "catalog-cut", "total": 3, "shortened": 2, "undescribed": 0, "omitted": 1}),
        ),
        (
            AgentEvent::PromptCut {
                id: None,
                tokens: 1,
            },
            json!({"type": "prompt-cut", "id": null, "tokens": 1}),
        ),
        (
            AgentEvent::Retry {
                attempt: 1,
                of: 4,
                wait_ms: 5,
                reason: text("x"),
            },
            json!({"type": "retry", "attempt": 1, "of": 4, "wait_ms": 5, "reason": "x"}),
        ),
        (
            AgentEvent::Compacted {
                messages: 1,
                results: 2,
                tokens_before: 3,
                tokens_after: 4,
                summarised: true,
                pinned: vec![id()],
            },
            json!({"type": "compacted", "messages": 1, "results": 2, "tokens_before": 3, "tokens_after": 4, "summarised": true, "pinned": ["a/b"]}),
        ),
        (
            AgentEvent::Replaced { text: text("x") },
            json!({"type": "replaced", "text": "x"}),
        ),
        (
            AgentEvent::Failed { reason: text("x") },
            json!({"type": "failed", "reason": "x"}),
        ),
        (
            AgentEvent::NotSaved { reason: text("x") },
            json!({"type": "not-saved", "reason": "x"}),
        ),
        (AgentEvent::Saved, json!({"type": "saved"})),
        (
            AgentEvent::Done {
                ending: Ending::TooManyRounds,
                text: text("x"),
                rounds: 2,
            },
            json!({"type": "done", "ending": "too-many-rounds", "text": "x", "rounds": 2}),
        ),
    ] {
        check(&event, &expected);
        let named = format!("`{}`", expected["type"].as_str().unwrap());
        assert!(guide.contains(&named), "docs/chat.md does not name {named}");
    }
}

#[test]
fn usage_has_a_stable_format() {
    let tokens = TurnTokens {
        provider: Usage {
            input: 1,
            cached: 2,
            output: 3,
        },
        estimated: Usage::default(),
        requests: 4,
        system: 5,
        catalog: 6,
        tools: 7,
        messages: 8,
        skills: vec![SkillTokens {
            id: id(),
            catalog: 9,
            instructions: 10,
            files: 11,
        }],
    };
    let expected = json!({
        "type": "usage",
        "provider": {"input": 1, "cached": 2, "output": 3},
        "requests": 4, "system": 5, "catalog": 6, "tools": 7, "messages": 8,
        "skills": [{"id": "a/b", "catalog": 9, "instructions": 10, "files": 11}],
    });
    check(&AgentEvent::Usage(tokens), &expected);
    for (ending, word) in [
        (Ending::Answered, "answered"),
        (Ending::Activated, "activated"),
        (Ending::Length, "length"),
        (Ending::Filtered, "filtered"),
        (Ending::Cancelled, "cancelled"),
        (Ending::Failed, "failed"),
    ] {
        assert_eq!(serde_json::to_value(ending).unwrap(), word);
    }
}

/// What is in the stores of users: a field may be added, and none may be changed.
#[test]
fn saved_entries_have_a_stable_format() {
    let call = ToolCall {
        id: "c".to_owned(),
        tool: "t".to_owned(),
        arguments: json!({"n": 0.1, "s": "x"}),
    };
    for (entry, expected) in [
        (
            ChatEntry::User {
                text: "x".to_owned(),
                references: vec![id()],
                run: None,
            },
            json!({"role": "user", "text": "x", "references": ["a/b"]}),
        ),
        (
            ChatEntry::Model {
                text: "x".to_owned(),
                calls: vec![call],
                state: Some(json!([{"a": 1.5}])),
                cut: Some(Cut::BrokeOff),
            },
            json!({"role": "model", "text": "x", "calls": [{"id": "c", "tool": "t", "arguments": {"n": 0.1, "s": "x"}}], "state": [{"a": 1.5}], "cut": "broke-off"}),
        ),
        (
            ChatEntry::Model {
                text: "x".to_owned(),
                calls: Vec::new(),
                state: None,
                cut: None,
            },
            json!({"role": "model", "text": "x"}),
        ),
        (
            ChatEntry::Tools {
                replies: vec![
                    KeptReply {
                        call: "c".to_owned(),
                        tool: "t".to_owned(),
                        content: Some("x".to_owned()),
                        is_error: true,
                    },
                    KeptReply {
                        call: "d".to_owned(),
                        tool: "t".to_owned(),
                        content: None,
                        is_error: false,
                    },
                ],
            },
            json!({"role": "tools", "replies": [{"call": "c", "tool": "t", "content": "x", "is_error": true}, {"call": "d", "tool": "t"}]}),
        ),
        (
            ChatEntry::Compacted {
                from: 3,
                summary: Some("x".to_owned()),
            },
            json!({"role": "compacted", "from": 3, "summary": "x"}),
        ),
    ] {
        let written = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), expected);
        assert_eq!(serde_json::from_str::<ChatEntry>(&written).unwrap(), entry);
    }
    for (cut, word) in [
        (Cut::Cancelled, "cancelled"),
        (Cut::Length, "length"),
        (Cut::Rounds, "rounds"),
    ] {
        assert_eq!(serde_json::to_value(cut).unwrap(), word);
    }
}
