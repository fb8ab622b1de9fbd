//! A turn that the user can cancel.

use std::pin::Pin;

use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Cancel, Chat, TurnReport};

use crate::interrupts::Interrupts;

/// What is sent to the model.
#[derive(Clone, Copy)]
pub(super) enum Outgoing<'m> {
    Message(&'m str),
    /// The last message again.
    Retry,
}

type Turn<'t> = Pin<Box<dyn Future<Output = Result<TurnReport, AgentError>> + 't>>;

/// Runs a turn. Ctrl-C cancels it, also one that arrived before; a second one drops it and returns `None`, unless its answer
/// is complete and about to be saved.
pub(super) async fn turn(
    chat: &mut Chat,
    outgoing: Outgoing<'_>,
    emit: &(dyn Fn(AgentEvent) + Send + Sync),
    interrupts: &mut Interrupts,
    on_cancel: impl Fn(),
) -> Option<Result<TurnReport, AgentError>> {
    let cancel = Cancel::new();
    let unsaved = chat.unsaved();
    let mut turn: Turn<'_> = match outgoing {
        Outgoing::Message(text) => Box::pin(chat.turn(text, &[], emit, &cancel)),
        Outgoing::Retry => Box::pin(chat.retry(emit, &cancel)),
    };
    loop {
        tokio::select! {
            biased;
            () = interrupts.interrupted() => {
                if !cancel.is_cancelled() {
                    cancel.cancel();
                    on_cancel();
                } else if unsaved.is_empty() {
                    return None;
                }
            }
            done = &mut turn => return Some(done),
        }
    }
}
