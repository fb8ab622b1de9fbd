//! Making room: older messages go, the instructions of active skills stay.

use std::fmt::Write as _;

use prowess_spec::estimate_tokens;

use crate::cancel::Cancel;
use crate::chat::Chat;
use crate::history::Line;
use crate::limits::SUMMARY_TOKENS;
use crate::model::counted;
use crate::options::Compaction;
use crate::provider::{Message, Provider, Usage};
use crate::runtime_handle::EventSink;
use crate::wire::{AgentEvent, ChatEntry};

/// The target share of the window, in percent.
const AIM: usize = 40;
/// Results of tools that are shorter than this many tokens are not worth dropping.
const WORTH_DROPPING: usize = 100;
/// The replacement of a removed result.
const DROPPED: &str =
    "[This result was removed to save space. Call the tool again if you need it.]";

const SUMMARISE: &str = "You summarize conversations. Include decisions, open tasks, names, numbers and paths. Omit greetings. Answer with the summary only.";

impl Chat {
    /// Estimated tokens of the messages that the model sees.
    pub(crate) fn message_tokens(&self) -> usize {
        let lines = self.lines.iter().skip(self.view.from);
        estimate_tokens(&self.view.lead) + lines.map(|line| line.tokens).sum::<usize>()
    }

    /// Makes room if the next request would take too much. `start` is where this turn begins, `rest` what the prompt
    /// and the tools take. What a summary costs is added to `usage`.
    pub(crate) async fn make_room(
        &mut self,
        start: usize,
        rest: usize,
        usage: &mut Usage,
        emit: &EventSink<'_>,
        cancel: &Cancel,
    ) {
        let options = &self.agent.inner.options;
        let window = self.window.unwrap_or(options.context_window);
        let limit = window * usize::from(options.compact_above) / 100;
        let before = rest + self.message_tokens();
        if before <= limit {
            return;
        }
        let seen = self.lines.len() - self.view.from;
        let compacted = self
            .drop_turns(
                start,
                before - (window * AIM / 100).min(before),
                usage,
                cancel,
            )
            .await;
        let messages = if compacted {
            seen - (self.lines.len() - 1 - self.view.from)
        } else {
            0
        };
        let over = (rest + self.message_tokens()).saturating_sub(limit);
        let results = self.drop_results(start, over);
        if messages + results > 0 {
            emit(AgentEvent::Compacted {
                messages,
                results,
                tokens_before: before,
                tokens_after: rest + self.message_tokens(),
                summarised: compacted && self.view.summary.is_some(),
                pinned: self.view.pinned.clone(),
            });
        }
    }

    /// Drops whole turns, the oldest first, until `excess` tokens are gone or only this turn is left.
    async fn drop_turns(
        &mut self,
        start: usize,
        excess: usize,
        usage: &mut Usage,
        cancel: &Cancel,
    ) -> bool {
        let mut gone = 0;
        let mut cut = None;
        for (index, line) in self
            .lines
            .iter()
            .enumerate()
            .take(start + 1)
            .skip(self.view.from)
        {
            if line.is_user() && index > self.view.from {
                cut = Some(index);
                if gone >= excess {
                    break;
                }
            }
            gone += line.tokens;
        }
        let Some(cut) = cut else {
            return false;
        };
        let dropped = self.lines.get(self.view.from..cut).unwrap_or_default();
        let inner = &self.agent.inner;
        let summary =
            if inner.options.compaction == Compaction::Summarise && inner.provider.summarises() {
                let bytes = inner.options.context_window * 3;
                let text = transcript(self.view.summary.as_deref(), dropped, bytes);
                let asked = summarise(&*inner.provider, &text, usage);
                cancel.unless(asked).await.flatten()
            } else {
                None
            };
        self.view.from = cut;
        self.view.summary = summary.or(self.view.summary.take());
        self.lines
            .push(Line::compacted(cut, self.view.summary.clone()));
        self.view
            .rebuild(&self.session, &self.lines, &self.in_prompt)
            .await;
        true
    }

    /// Drops results of tools in this turn, the oldest first, but not those that the model has not seen yet.
    fn drop_results(&mut self, start: usize, over: usize) -> usize {
        let last = self
            .lines
            .iter()
            .rposition(|line| matches!(line.entry, ChatEntry::Tools { .. }));
        let mut gone = 0;
        let mut results = 0;
        for (index, line) in self.lines.iter_mut().enumerate().skip(start) {
            if gone >= over || Some(index) == last {
                break;
            }
            // Instructions of skills stay.
            if line.tokens < WORTH_DROPPING || !line.skills.is_empty() {
                continue;
            }
            let Some(Message::Tools(replies)) = line.message.as_deref() else {
                continue;
            };
            let mut replies = replies.clone();
            for reply in &mut replies {
                if estimate_tokens(&reply.content) >= WORTH_DROPPING {
                    DROPPED.clone_into(&mut reply.content);
                    results += 1;
                }
            }
            let tokens: usize = replies
                .iter()
                .map(|reply| estimate_tokens(&reply.content) + 8)
                .sum();
            gone += line.tokens.saturating_sub(tokens);
            line.tokens = tokens;
            line.message = Some(std::sync::Arc::new(Message::Tools(replies)));
        }
        results
    }
}

async fn summarise(provider: &dyn Provider, transcript: &str, usage: &mut Usage) -> Option<String> {
    let limit = Some(SUMMARY_TOKENS);
    let answer = counted(provider, transcript, SUMMARISE, limit, usage).await;
    answer.ok().filter(|summary| !summary.trim().is_empty())
}

/// The conversation as text of at most that many bytes; only the end of a longer one is used.
fn transcript(earlier: Option<&str>, lines: &[Line], bytes: usize) -> String {
    let mut text = String::new();
    if let Some(earlier) = earlier {
        let _ = writeln!(text, "Earlier: {earlier}\n");
    }
    for line in lines {
        let _ = match &line.entry {
            ChatEntry::User { text: said, .. } => writeln!(text, "User: {said}"),
            ChatEntry::Model {
                text: said, calls, ..
            } => {
                for call in calls {
                    let _ = writeln!(text, "Model calls {}: {}", call.tool, call.arguments);
                }
                if said.is_empty() {
                    Ok(())
                } else {
                    writeln!(text, "Model: {said}")
                }
            }
            ChatEntry::Tools { replies } => {
                for reply in replies {
                    let said: String = reply
                        .content
                        .as_deref()
                        .unwrap_or("its instructions")
                        .chars()
                        .take(2_000)
                        .collect();
                    let _ = writeln!(text, "{} answers: {said}", reply.tool);
                }
                Ok(())
            }
            ChatEntry::Compacted { .. } => Ok(()),
        };
    }
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.split_off(start)
}
