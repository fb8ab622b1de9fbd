//! The serialized types: the events of a turn, and the messages of a saved chat.
//!
//! Others read this: a field or a kind may be added here, and none may be changed.

mod entry;
mod event;

pub use entry::{ChatEntry, Cut, KeptReply, WorkflowRun};
pub use event::{AgentEvent, By, Ending};
