//! The messages of a chat: as saved, and as sent to the model.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_spec::estimate_tokens;

use crate::provider::{Message, ToolCall, ToolReply};
use crate::wire::{ChatEntry, Cut, KeptReply};

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// As it is saved.
    pub(crate) entry: ChatEntry,
    /// As the model gets it.
    pub(crate) message: Option<Arc<Message>>,
    /// About how many tokens it takes.
    pub(crate) tokens: usize,
    /// Skills whose instructions are in it.
    pub(crate) skills: Vec<SkillId>,
}

/// A reply and its saved form.
#[derive(Clone, Debug)]
pub(crate) struct Replied {
    pub(crate) reply: ToolReply,
    /// The same call returns the same instructions, so they are not saved.
    pub(crate) again: bool,
    /// The skill whose instructions it holds.
    pub(crate) skill: Option<SkillId>,
}

impl Line {
    /// A message of the user's; `content` is what the model gets.
    pub(crate) fn user(
        text: &str,
        references: &[SkillId],
        content: String,
        skills: Vec<SkillId>,
    ) -> Self {
        Self {
            entry: ChatEntry::User {
                text: text.to_owned(),
                references: references.to_vec(),
                run: None,
            },
            tokens: estimate_tokens(&content),
            message: Some(Arc::new(Message::User(content))),
            skills,
        }
    }

    /// A message of the model's.
    pub(crate) fn model(
        text: String,
        calls: Vec<ToolCall>,
        state: Option<serde_json::Value>,
        cut: Option<Cut>,
    ) -> Self {
        let shown = match cut.and_then(remark) {
            None => text.clone(),
            Some(remark) if text.is_empty() => remark.to_owned(),
            Some(remark) => format!("{text}\n\n{remark}"),
        };
        let sizes = calls
            .iter()
            .map(|call| estimate_tokens(&call.arguments.to_string()) + 8);
        Self {
            tokens: estimate_tokens(&shown) + sizes.sum::<usize>(),
            message: Some(Arc::new(Message::Model {
                text: shown,
                calls: calls.clone(),
                state: state.clone(),
            })),
            entry: ChatEntry::Model {
                text,
                calls,
                state,
                cut,
            },
            skills: Vec::new(),
        }
    }

    /// The results of tools.
    pub(crate) fn tools(replies: Vec<Replied>) -> Self {
        let kept = replies.iter().map(|it| KeptReply {
            call: it.reply.call.clone(),
            tool: it.reply.tool.clone(),
            content: (!it.again).then(|| it.reply.content.clone()),
            is_error: it.reply.is_error,
        });
        Self {
            entry: ChatEntry::Tools {
                replies: kept.collect(),
            },
            tokens: replies
                .iter()
                .map(|it| estimate_tokens(&it.reply.content) + 8)
                .sum(),
            skills: replies.iter().filter_map(|it| it.skill.clone()).collect(),
            message: Some(Arc::new(Message::Tools(
                replies.into_iter().map(|it| it.reply).collect(),
            ))),
        }
    }

    /// A note that older messages are no longer seen.
    pub(crate) fn compacted(from: usize, summary: Option<String>) -> Self {
        Self {
            entry: ChatEntry::Compacted { from, summary },
            message: None,
            tokens: 0,
            skills: Vec::new(),
        }
    }

    pub(crate) fn is_user(&self) -> bool {
        matches!(self.entry, ChatEntry::User { .. })
    }
}

/// The note to the model about an incomplete answer.
fn remark(cut: Cut) -> Option<&'static str> {
    match cut {
        Cut::BrokeOff => Some("[The answer was interrupted here.]"),
        Cut::Cancelled => Some("[The user cancelled the answer here.]"),
        Cut::Rounds => Some("[Stopped: too many tool calls in one turn.]"),
        Cut::Length => None,
    }
}

/// The messages of a request: the summary of older ones first, then one user message at a time.
pub(crate) fn messages(lines: &[Line], lead: &str) -> Vec<Arc<Message>> {
    let mut messages: Vec<Arc<Message>> = Vec::with_capacity(lines.len());
    let mut before = lead.to_owned();
    for message in lines.iter().filter_map(|line| line.message.as_ref()) {
        let Message::User(text) = &**message else {
            messages.push(Arc::clone(message));
            continue;
        };
        // Several in a row are one: providers want both sides to take turns.
        if let Some(Message::User(last)) = messages.last().map(|last| &**last) {
            before.clone_from(last);
            messages.pop();
        }
        if before.is_empty() {
            messages.push(Arc::clone(message));
        } else {
            messages.push(Arc::new(Message::User(format!("{before}\n\n{text}"))));
            before.clear();
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_alternate() {
        let user = |text: &str| Line::user(text, &[], text.to_owned(), Vec::new());
        let model = |text: &str| Line::model(text.to_owned(), Vec::new(), None, None);
        let lines = [
            user("a"),
            user("b"),
            model("c"),
            Line::compacted(0, None),
            user("d"),
        ];
        let texts: Vec<String> = messages(&lines, "lead")
            .iter()
            .map(|message| match &**message {
                Message::User(text) => format!("user: {text}"),
                Message::Model { text, .. } => format!("model: {text}"),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts, ["user: lead\n\na\n\nb", "model: c", "user: d"]);
    }

    #[test]
    fn incomplete_response_is_marked() {
        let line = Line::model("half".to_owned(), Vec::new(), None, Some(Cut::BrokeOff));
        let Some(Message::Model { text, .. }) = line.message.as_deref() else {
            panic!("{line:?}");
        };
        assert_eq!(text, "half\n\n[The answer was interrupted here.]");
        assert!(matches!(&line.entry, ChatEntry::Model { text, .. } if text == "half"));
    }
}
