//! One turn: from a message, through the model and its tools, to an answer.

use std::time::Instant;

use futures_util::future::join_all;
use prowess_core::{CatalogPlacement, SkillId, ToolUse, without_own_tags};
use prowess_spec::estimate_tokens;
use serde_json::Value;

use crate::account::TurnTokens;
use crate::ask::{Answered, End, ask};
use crate::cancel::Cancel;
use crate::chat::Chat;
use crate::error::AgentError;
use crate::fit::add_notice;
use crate::history::{Line, Replied, messages};
use crate::limits::{MESSAGE_BYTES, SAVE_PAUSE};
use crate::prompt::{catalog_placement, fragments, joined, tool_tokens};
use crate::provider::{Message, ProviderError, Request, StopReason, ToolCall, ToolReply, Usage};
use crate::runtime_handle::EventSink;
use crate::tools::{Called, Caller, Tools};
use crate::wire::{AgentEvent, ChatEntry, Cut, Ending};

/// The result of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnReport {
    /// The exit code.
    pub ending: Ending,
    /// The answer so far.
    pub text: String,
    /// Rounds of tool calls.
    pub rounds: usize,
    /// The cost.
    pub tokens: TurnTokens,
    /// Why it is incomplete.
    pub failure: Option<ProviderError>,
    /// Whether the chat in the store has it too.
    pub saved: Saved,
}

impl TurnReport {
    /// Whether the turn was rolled back, because it has nothing worth saving.
    pub fn is_nothing(&self) -> bool {
        is_nothing(self.ending, &self.text, self.rounds)
    }
}

fn is_nothing(ending: Ending, text: &str, rounds: usize) -> bool {
    matches!(ending, Ending::Cancelled | Ending::Failed) && text.is_empty() && rounds == 0
}

/// Whether a turn is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is saved, or the chat is not saved at all.
    Yes,
    /// Not yet: the next turn takes it along.
    NotYet,
    /// Not saved: another process changed the chat. It must be reopened.
    Elsewhere,
}

/// The state of a turn.
#[derive(Default)]
struct Progress {
    tokens: TurnTokens,
    rounds: usize,
    /// The provider rejected the size, and less was sent.
    narrowed: bool,
}

/// How the work of a turn ended.
struct Outcome {
    ending: Ending,
    text: String,
    failure: Option<ProviderError>,
}

impl Outcome {
    fn new(ending: Ending, text: impl Into<String>) -> Self {
        Self {
            ending,
            text: text.into(),
            failure: None,
        }
    }
}

impl Chat {
    /// Sends a message to the agent, and passes every event to `tell` until the turn ends.
    ///
    /// `references` are skills that a program names; the message itself can start with one. An error means that the
    /// chat is unchanged. A failure after the first output is part of the report. A turn that is dropped is rolled
    /// back.
    pub async fn turn(
        &mut self,
        text: &str,
        references: &[SkillId],
        emit: &(dyn Fn(AgentEvent) + Send + Sync),
        cancel: &Cancel,
    ) -> Result<TurnReport, AgentError> {
        if text.len() > MESSAGE_BYTES {
            return Err(AgentError::MessageTooLarge {
                bytes: text.len(),
                limit: MESSAGE_BYTES,
            });
        }
        if text.trim().is_empty() && references.is_empty() {
            return Err(AgentError::EmptyMessage);
        }
        // A turn that was dropped is rolled back.
        self.restore();
        self.check_unchanged().await?;
        self.remember();
        self.run(text, references, emit, cancel).await
    }

    /// The turn itself, after [`Self::remember`].
    pub(crate) async fn run(
        &mut self,
        text: &str,
        references: &[SkillId],
        emit: &EventSink<'_>,
        cancel: &Cancel,
    ) -> Result<TurnReport, AgentError> {
        let mut progress = Progress::default();
        // On the heap: it is larger than what stacks of others should hold.
        let work = Box::pin(self.work(text, references, emit, cancel, &mut progress));
        let outcome = work.await;
        if let Some(failure) = &outcome.failure {
            let reason = failure.to_string();
            emit(AgentEvent::Failed { reason });
        }
        progress.tokens.skills = self.ledger.skills().to_vec();
        emit(AgentEvent::Usage(progress.tokens.clone()));
        let saved = if is_nothing(outcome.ending, &outcome.text, progress.rounds) {
            self.restore();
            self.owe(progress.tokens.provider);
            Saved::Yes
        } else {
            self.owe(progress.tokens.provider);
            self.save_turn(emit, cancel).await
        };
        self.unfinished = None;
        emit(AgentEvent::Done {
            ending: outcome.ending,
            text: outcome.text.clone(),
            rounds: progress.rounds,
        });
        match outcome.failure {
            Some(error) if outcome.text.is_empty() && progress.rounds == 0 => Err(error.into()),
            failure => Ok(TurnReport {
                ending: outcome.ending,
                text: outcome.text,
                rounds: progress.rounds,
                tokens: progress.tokens,
                failure,
                saved,
            }),
        }
    }

    /// Saves the turn, again and again for as long as the options say. The user is told at once if it is not saved.
    async fn save_turn(&mut self, emit: &EventSink<'_>, cancel: &Cancel) -> Saved {
        let Err(error) = self.save_again().await else {
            return Saved::Yes;
        };
        let reason = error.to_string();
        emit(AgentEvent::NotSaved { reason });
        let patience = self.agent.inner.options.save_patience;
        let end = Instant::now() + patience;
        let mut last = error;
        while last.is_passing() && Instant::now() < end && !cancel.is_cancelled() {
            cancel.unless(tokio::time::sleep(SAVE_PAUSE)).await;
            match self.save_again().await {
                Ok(()) => {
                    emit(AgentEvent::Saved);
                    return Saved::Yes;
                }
                Err(error) => last = error,
            }
        }
        if last.is_passing() {
            Saved::NotYet
        } else {
            Saved::Elsewhere
        }
    }

    async fn work(
        &mut self,
        text: &str,
        references: &[SkillId],
        emit: &EventSink<'_>,
        cancel: &Cancel,
        progress: &mut Progress,
    ) -> Outcome {
        let start = self.lines.len();
        let Some(asks) = cancel
            .unless(self.begin(text, references, emit, &mut progress.rounds))
            .await
        else {
            return self.stopped("", progress);
        };
        if !asks {
            return Outcome::new(Ending::Activated, "");
        }
        loop {
            if cancel.is_cancelled() {
                return self.stopped("", progress);
            }
            let (request, tools) = self.request(start, emit, cancel, progress).await;
            let inner = &self.agent.inner;
            let began = Instant::now();
            let asked = ask(&*inner.provider, request, inner.options.retry, emit, cancel).await;
            report(inner.provider.name(), progress.rounds, &asked, began);
            let answered = match asked {
                Ok(answered) => answered,
                Err(error) if error.is_too_long() && !progress.narrowed => {
                    // The model accepts fewer tokens than configured; try again with fewer.
                    progress.narrowed = true;
                    let tokens = &progress.tokens;
                    let sent = tokens.system + tokens.tools + tokens.messages;
                    self.window = Some(sent * 3 / 4);
                    continue;
                }
                Err(error) => return self.failed("", error, progress),
            };
            progress.tokens.provider += answered.usage;
            if answered.sent {
                progress.tokens.estimate(answered.usage, &answered.text);
            }
            let Answered {
                text,
                mut calls,
                state,
                end,
                ..
            } = answered;
            let reason = match end {
                End::Cancelled => return self.stopped(&text, progress),
                End::Broken(error) => return self.failed(&text, error, progress),
                End::Whole(reason) => reason,
            };
            progress.tokens.requests += 1;
            if calls.is_empty() {
                return self.finish(text, state, reason, emit, cancel).await;
            }
            if progress.rounds >= self.agent.inner.options.tool_rounds {
                self.lines.push(Line::model(
                    text.clone(),
                    Vec::new(),
                    None,
                    Some(Cut::Rounds),
                ));
                let rounds = progress.rounds;
                let notice = format!("stopped after {rounds} rounds of tool calls");
                emit(AgentEvent::Notice { text: notice });
                return Outcome::new(Ending::TooManyRounds, text);
            }
            progress.rounds += 1;
            name_calls(&mut calls, progress.rounds);
            self.lines
                .push(Line::model(text, calls.clone(), state, None));
            let stopped = self.call_all(&calls, &tools, emit, cancel).await;
            if stopped {
                return self.stopped("", progress);
            }
        }
    }

    async fn request(
        &mut self,
        start: usize,
        emit: &EventSink<'_>,
        cancel: &Cancel,
        progress: &mut Progress,
    ) -> (Request, Tools) {
        let agent = self.agent.clone();
        let inner = &agent.inner;
        let use_of_tools = inner.provider.tool_use();
        let first = self.lines.iter().find_map(|line| match &line.entry {
            ChatEntry::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let catalog = self
            .catalog_text
            .get(
                &self.session,
                first.unwrap_or_default(),
                inner,
                use_of_tools,
                emit,
            )
            .await;
        // After the catalog: the description of a tool may hold it.
        let tools = match use_of_tools {
            ToolUse::Available => Tools::collect(&self.session, inner.code_skills.as_ref()).await,
            ToolUse::Unavailable => Tools::default(),
        };
        let placement = catalog_placement(&self.session, use_of_tools);
        let in_system = if placement == CatalogPlacement::BeforeLastUserMessage {
            ""
        } else {
            &*catalog
        };
        let blocks = inner.preloaded.iter().map(|block| block.text.as_str());
        let mut system = joined(
            [inner.options.system.as_str(), in_system]
                .into_iter()
                .chain(blocks),
        );
        if let Some(code_skills) = &inner.code_skills {
            let active = code_skills.runtime.active();
            let fresh = self
                .fragments
                .as_ref()
                .is_some_and(|(asked, _)| *asked == active);
            if !fresh {
                let budget = inner.options.fragment_tokens;
                let text = cancel
                    .unless(fragments(code_skills, &system, budget, emit))
                    .await;
                self.fragments = Some((active, text.unwrap_or_default()));
            }
            if let Some((_, added)) = &self.fragments {
                system = joined([system.as_str(), added.as_str()]);
            }
        }
        let tokens = &mut progress.tokens;
        tokens.catalog = estimate_tokens(&catalog);
        tokens.system = estimate_tokens(&system);
        tokens.tools = tool_tokens(&tools.definitions);
        let rest = tokens.system
            + tokens.tools
            + estimate_tokens(&catalog) * usize::from(in_system.is_empty());
        let mut usage = Usage::default();
        self.make_room(start, rest, &mut usage, emit, cancel).await;
        progress.tokens.provider += usage;
        progress.tokens.messages = self.message_tokens();
        let lines = self.lines.get(self.view.from..).unwrap_or_default();
        let mut messages = messages(lines, &self.view.lead);
        if placement == CatalogPlacement::BeforeLastUserMessage && !catalog.is_empty() {
            let last = messages
                .iter()
                .rposition(|message| matches!(**message, Message::User(_)));
            messages.insert(
                last.unwrap_or_default(),
                Message::System(catalog.to_string()).into(),
            );
        }
        let request = Request {
            system,
            messages,
            tools: tools.definitions.clone(),
            max_tokens: inner.options.max_tokens,
            temperature: inner.options.temperature,
        };
        (request, tools)
    }

    /// Calls the tools that the model requests, all at once; returns whether it was cancelled.
    async fn call_all(
        &mut self,
        calls: &[ToolCall],
        tools: &Tools,
        emit: &EventSink<'_>,
        cancel: &Cancel,
    ) -> bool {
        let agent = self.agent.clone();
        let caller = Caller {
            tools,
            session: &self.session,
            code_skills: agent.inner.code_skills.as_ref(),
            emit,
        };
        let mut visible = self.visible_skills();
        let mut work = Vec::new();
        let mut requested = Vec::new();
        for call in calls {
            // A skill that an earlier call of the same answer loads is available to a later one.
            work.push(one(&caller, call, visible.clone(), cancel));
            let loads = caller.loads(call);
            visible.extend(loads.clone());
            requested.extend(loads.map(|id| (&call.id, id)));
        }
        let done = join_all(work).await;
        let mut all = Vec::new();
        for called in done {
            if let Some((id, bytes)) = &called.loaded {
                self.ledger.loaded(&agent.inner.skills, id, *bytes);
                if self.session.activate(id) {
                    let text = format!("skill {id} loaded");
                    emit(AgentEvent::Notice { text });
                }
            }
            if let Some(id) = &called.read {
                self.ledger
                    .read(&agent.inner.skills, id, &called.replied.reply.content);
            }
            all.push(called.replied);
        }
        // Also for a skill that was active: a keyword loads instructions only.
        for (call, id) in requested {
            if let Some(code_skills) = &agent.inner.code_skills
                && self.session.is_active(&id)
            {
                let activated = code_skills.activate(&id, &mut self.reported, emit);
                let inactive = cancel.unless(activated).await.flatten();
                let replies = |replied: &&mut Replied| replied.reply.call == *call;
                if let (Some(inactive), Some(reply)) = (inactive, all.iter_mut().find(replies)) {
                    add_notice(&mut reply.reply.content, &without_own_tags(&inactive));
                }
            }
        }
        self.lines.push(Line::tools(all));
        cancel.is_cancelled()
    }

    /// The model has nothing to add.
    async fn finish(
        &mut self,
        text: String,
        state: Option<Value>,
        reason: StopReason,
        emit: &EventSink<'_>,
        cancel: &Cancel,
    ) -> Outcome {
        let mut text = text;
        if let Some(code_skills) = &self.agent.inner.code_skills {
            // The answer is complete, even if the user does not wait for its handlers.
            let changed = cancel
                .unless(code_skills.runtime.after_response(&text))
                .await;
            code_skills.emit_events(emit);
            if let Some(changed) = changed.filter(|changed| *changed != text) {
                emit(AgentEvent::Replaced {
                    text: changed.clone(),
                });
                text = changed;
            }
        }
        let (ending, cut) = match reason {
            StopReason::Complete | StopReason::Tools => (Ending::Answered, None),
            StopReason::Length => (Ending::Length, Some(Cut::Length)),
            StopReason::Filtered => (Ending::Filtered, None),
        };
        self.lines
            .push(Line::model(text.clone(), Vec::new(), state, cut));
        Outcome::new(ending, text)
    }

    fn stopped(&mut self, text: &str, progress: &Progress) -> Outcome {
        if !text.is_empty() || progress.rounds > 0 {
            self.lines.push(Line::model(
                text.to_owned(),
                Vec::new(),
                None,
                Some(Cut::Cancelled),
            ));
        }
        Outcome::new(Ending::Cancelled, text)
    }

    fn failed(&mut self, text: &str, error: ProviderError, progress: &Progress) -> Outcome {
        if !text.is_empty() || progress.rounds > 0 {
            self.lines.push(Line::model(
                text.to_owned(),
                Vec::new(),
                None,
                Some(Cut::BrokeOff),
            ));
        }
        Outcome {
            failure: Some(error),
            ..Outcome::new(Ending::Failed, text)
        }
    }
}

/// What an operator should know of a request to the model: never what was said.
fn report(model: &str, round: usize, asked: &Result<Answered, ProviderError>, began: Instant) {
    let duration_ms = began.elapsed().as_secs_f64() * 1e3;
    match asked {
        Ok(answered) => {
            let Usage { input, output, .. } = answered.usage;
            let whole = matches!(answered.end, End::Whole(_));
            let calls = answered.calls.len();
            tracing::info!(
                model,
                round,
                input,
                output,
                calls,
                whole,
                duration_ms,
                "model answered"
            );
        }
        Err(error) => {
            let passing = error.is_passing();
            tracing::warn!(model, round, passing, duration_ms, "model request failed");
        }
    }
}

/// Calls one tool. A call that is stopped has a reply too: a call without one is what no provider takes.
async fn one(
    caller: &Caller<'_>,
    call: &ToolCall,
    visible: Vec<SkillId>,
    cancel: &Cancel,
) -> Called {
    if let Some(called) = cancel.unless(caller.call(call, &visible)).await {
        return called;
    }
    let content = "The user cancelled this call.".to_owned();
    (caller.emit)(AgentEvent::ToolFinished {
        call: call.id.clone(),
        tool: call.tool.clone(),
        skill: None,
        is_error: true,
        duration_ms: 0,
        bytes: content.len(),
        truncated: false,
        content: content.clone(),
    });
    Called {
        replied: Replied {
            reply: ToolReply {
                call: call.id.clone(),
                tool: call.tool.clone(),
                content,
                is_error: true,
            },
            again: false,
            skill: None,
        },
        loaded: None,
        read: None,
    }
}

/// Gives a name to calls that have none, or one that another has.
fn name_calls(calls: &mut [ToolCall], round: usize) {
    let mut seen: Vec<String> = Vec::new();
    for (index, call) in calls.iter_mut().enumerate() {
        if call.id.is_empty() || seen.contains(&call.id) {
            call.id = format!("call-{round}-{index}");
        }
        seen.push(call.id.clone());
    }
}
