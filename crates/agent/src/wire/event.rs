//! Everything that a user interface shows of a turn.

use prowess_core::{Event, SkillId};
use prowess_runtime::RuntimeEvent;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::account::TurnTokens;

/// Something that a user interface may want to show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case"
)]
pub enum AgentEvent {
    /// More of the answer's text.
    Text {
        /// The new part.
        delta: String,
    },
    /// More of what the model thinks.
    Reasoning {
        /// The new part.
        delta: String,
    },
    /// One line for people.
    Notice {
        /// The line.
        text: String,
    },
    /// A skill's instructions were handed to the model.
    SkillLoaded {
        /// The skill.
        id: SkillId,
        /// The cause.
        by: By,
        /// Bytes of the block.
        bytes: usize,
        /// Bytes that did not fit.
        dropped_bytes: usize,
    },
    /// The skill is already active.
    SkillAlreadyActive {
        /// The skill.
        id: SkillId,
    },
    /// An unknown reference; the turn continues.
    SkillUnresolved {
        /// The reference.
        reference: String,
        /// Similar ids.
        nearest: Vec<String>,
    },
    /// A skill was there and could not be loaded.
    SkillFailed {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
    },
    /// A path that leaves a skill was refused.
    AccessDenied {
        /// The skill.
        id: SkillId,
        /// The path.
        path: String,
    },
    /// A tool begins to work.
    ToolStarted {
        /// The call's name.
        call: String,
        /// The tool.
        tool: String,
        /// The skill that it is about, where that is known.
        skill: Option<SkillId>,
        /// The input.
        arguments: Value,
    },
    /// A tool is done.
    ToolFinished {
        /// The call's name.
        call: String,
        /// The tool.
        tool: String,
        /// The skill that it is about, where that is known.
        skill: Option<SkillId>,
        /// Whether it failed.
        is_error: bool,
        /// How long it took.
        duration_ms: u64,
        /// Bytes of what the model gets.
        bytes: usize,
        /// Whether there was more.
        truncated: bool,
        /// The start of what the model gets; too long to be serialized.
        #[serde(default, skip_serializing)]
        content: String,
    },
    /// Skills changed the input of a tool: this is the effective one.
    ToolInputChanged {
        /// The call's name.
        call: String,
        /// The tool.
        tool: String,
        /// The skills that changed it, in order.
        changed_by: Vec<SkillId>,
        /// The new input.
        arguments: Value,
    },
    /// A tool was called that the active skills do not allow.
    ToolNotAllowed {
        /// The tool.
        tool: String,
    },
    /// A skill's handler did not let a tool be called.
    ToolCancelled {
        /// The call's name.
        call: String,
        /// The tool.
        tool: String,
        /// Whose handler it was.
        skill: SkillId,
        /// The message.
        reason: String,
    },
    /// A skill with code could not be activated; the turn continues.
    ActivationFailed {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
    },
    /// A skill with code became something else.
    SkillState {
        /// The skill.
        id: SkillId,
        /// The old state.
        from: String,
        /// The new state.
        to: String,
        /// Why.
        reason: String,
    },
    /// The code of a skill requested a forbidden operation.
    PermissionDenied {
        /// The skill.
        id: SkillId,
        /// The operation.
        call: String,
        /// Why not.
        reason: String,
    },
    /// A skill's handler failed, or tried what it cannot do, or its worker ended.
    SkillTrouble {
        /// The skill.
        id: SkillId,
        /// The events.
        reason: String,
    },
    /// A skill's code wrote into the log.
    SkillLog {
        /// The skill.
        id: SkillId,
        /// The line.
        message: String,
    },
    /// Not all of the catalog had a place in the prompt.
    CatalogCut {
        /// Skills that a model may choose.
        total: usize,
        /// Those whose description was shortened.
        shortened: usize,
        /// Those that are listed without a description.
        undescribed: usize,
        /// Those that are not listed one by one.
        omitted: usize,
    },
    /// A skill's part of the prompt had to be cut.
    PromptCut {
        /// The skill; `None` if a handler added it.
        id: Option<SkillId>,
        /// About how many tokens were lost.
        tokens: usize,
    },
    /// A request failed and is made again.
    Retry {
        /// Which time this will be, from 1 on.
        attempt: u32,
        /// The maximum number of attempts.
        of: u32,
        /// How long we wait.
        wait_ms: u64,
        /// Why it failed.
        reason: String,
    },
    /// Older messages made room.
    Compacted {
        /// Messages that the model no longer sees.
        messages: usize,
        /// Results of tools in this turn that it no longer sees.
        results: usize,
        /// Estimated tokens before.
        tokens_before: usize,
        /// Estimated tokens after.
        tokens_after: usize,
        /// Whether a summary replaces them.
        summarised: bool,
        /// Active skills whose instructions were put back.
        pinned: Vec<SkillId>,
    },
    /// Skills changed the answer: this is what counts, not what was streamed.
    Replaced {
        /// The whole answer.
        text: String,
    },
    /// The cost of the turn.
    Usage(TurnTokens),
    /// The answer is incomplete or missing; partial text is saved.
    Failed {
        /// Why.
        reason: String,
    },
    /// The turn could not be written to the store.
    NotSaved {
        /// Why.
        reason: String,
    },
    /// What could not be written before is in the store now.
    Saved,
    /// The turn is over. Nothing comes after it.
    Done {
        /// The exit code.
        ending: Ending,
        /// The whole answer.
        text: String,
        /// Rounds of tool calls.
        rounds: usize,
    },
}

/// The cause of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The user, or the program on behalf of the user.
    User,
    /// The model.
    Model,
    /// A keyword of the message.
    Keyword,
}

impl AgentEvent {
    /// An event of the engine's.
    pub(crate) fn of(event: Event, by: By) -> Self {
        match event {
            Event::Activated {
                id,
                bytes,
                dropped_bytes,
            } => Self::SkillLoaded {
                id,
                by,
                bytes,
                dropped_bytes,
            },
            Event::AlreadyActive { id } => Self::SkillAlreadyActive { id },
            Event::Unresolved { reference, nearest } => {
                Self::SkillUnresolved { reference, nearest }
            }
            Event::LoadFailed { id, reason } => Self::SkillFailed { id, reason },
            Event::AccessDenied { id, path } => Self::AccessDenied {
                id,
                path: path.to_string(),
            },
            Event::ToolNotAllowed { tool } => Self::ToolNotAllowed { tool },
        }
    }
}

impl From<RuntimeEvent> for AgentEvent {
    fn from(event: RuntimeEvent) -> Self {
        match event {
            RuntimeEvent::Changed {
                skill,
                from,
                to,
                reason,
            } => Self::SkillState {
                id: skill,
                from: from.to_string(),
                to: to.to_string(),
                reason,
            },
            RuntimeEvent::Denied {
                skill,
                call,
                reason,
            } => Self::PermissionDenied {
                id: skill,
                call: call.to_owned(),
                reason,
            },
            RuntimeEvent::HookFailed {
                skill,
                phase,
                reason,
            } => Self::SkillTrouble {
                id: skill,
                reason: format!("{phase} failed: {reason}"),
            },
            RuntimeEvent::CancelIgnored { skill, phase } => Self::SkillTrouble {
                id: skill,
                reason: format!("{phase} cannot be cancelled"),
            },
            RuntimeEvent::WorkerEnded { skill, reason } => Self::SkillTrouble { id: skill, reason },
            RuntimeEvent::Log { skill, message } => Self::SkillLog { id: skill, message },
        }
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With an answer.
    Answered,
    /// Skills were activated; there was nothing to ask the model.
    Activated,
    /// With an answer that reached its limit.
    Length,
    /// The provider blocked the answer.
    Filtered,
    /// There were too many rounds of tool calls.
    TooManyRounds,
    /// The user cancelled it.
    Cancelled,
    /// The provider failed.
    Failed,
}
