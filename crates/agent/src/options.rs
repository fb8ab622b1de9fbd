//! Options of an agent.

use std::time::Duration;

use prowess_core::SkillId;

use crate::limits;

/// Options of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOptions {
    /// The system prompt.
    pub system: String,
    /// Tokens of an answer; the provider's usual number if absent.
    pub max_tokens: Option<u32>,
    /// How adventurous the model is; the provider's usual value if absent.
    pub temperature: Option<f64>,
    /// Tokens that the model takes.
    pub context_window: usize,
    /// The share of the window, in percent, above which older messages make room.
    pub compact_above: u8,
    /// How they do.
    pub compaction: Compaction,
    /// Rounds of tool calls in a turn.
    pub tool_rounds: usize,
    /// Tokens that active skills may add to the system prompt.
    pub fragment_tokens: usize,
    /// When a request is made again.
    pub retry: Retry,
    /// The model, as it is saved with a chat.
    pub saved_model: Option<String>,
    /// Skills that come first in the catalog.
    pub pinned: Vec<SkillId>,
    /// How long a turn that cannot be saved is tried again before it ends. Whatever is not saved then goes with the next turn,
    /// or with [`Chat::save_again`](crate::Chat::save_again).
    pub save_patience: Duration,
    /// The root of the project, whose last used skills come first, too; needs a store.
    pub project: Option<String>,
}

/// How older messages make room for newer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compaction {
    /// The model sums them up; where it cannot, they are dropped.
    #[default]
    Summarise,
    /// They are dropped, the oldest first.
    Drop,
}

/// When a request is made again that failed before anything of an answer was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often, after the first time.
    pub times: u32,
    /// How long to wait the first time; it doubles.
    pub first: Duration,
    /// How long to wait at most.
    pub last: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            times: limits::RETRIES,
            first: limits::RETRY_FIRST,
            last: limits::RETRY_LAST,
        }
    }
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            system: String::new(),
            max_tokens: None,
            temperature: None,
            context_window: limits::CONTEXT_WINDOW,
            compact_above: 75,
            compaction: Compaction::default(),
            tool_rounds: limits::TOOL_ROUNDS,
            fragment_tokens: prowess_runtime::limits::PROMPT_BUDGET,
            retry: Retry::default(),
            saved_model: None,
            pinned: Vec::new(),
            save_patience: Duration::ZERO,
            project: None,
        }
    }
}
