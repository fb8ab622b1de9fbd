//! What the task of a chat is asked to do.

use prowess_agent::Cancel;
use prowess_core::SkillId;
use tokio::sync::oneshot;

use super::host::OnDisconnect;

/// A message to the agent.
pub(crate) struct TurnRequest {
    pub(crate) text: String,
    pub(crate) references: Vec<SkillId>,
    /// The id that an AG-UI client gave it.
    pub(crate) run: Option<String>,
    pub(crate) on_disconnect: OnDisconnect,
}

/// A turn that was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartedTurn {
    pub(crate) number: u64,
    /// The number of the event before its first.
    pub(crate) after: u64,
}

/// What the task of a chat is asked to do.
pub(crate) enum Command {
    Turn(TurnRequest, Cancel),
    /// Removes the last turn; returns its message.
    Undo(oneshot::Sender<Result<Option<String>, String>>),
    /// Ends the task; the sender is dropped when it has ended.
    Close(oneshot::Sender<()>),
}

/// Why a chat does not do what it was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    TurnRunning,
    Deleted,
    Closing,
}
