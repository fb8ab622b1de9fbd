//! A turn that the user can cancel.

use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Cancel, Chat, TurnReport};

/// Runs a turn. Ctrl-C cancels it; a second one drops it and returns `None`.
pub(super) async fn turn(
    chat: &mut Chat,
    message: &str,
    emit: &(dyn Fn(AgentEvent) + Send + Sync),
    on_cancel: impl Fn(),
) -> Option<Result<TurnReport, AgentError>> {
    let cancel = Cancel::new();
    let mut turn = std::pin::pin!(chat.turn(message, &[], emit, &cancel));
    loop {
        tokio::select! {
            done = &mut turn => return Some(done),
            _ = tokio::signal::ctrl_c() => {
                if cancel.is_cancelled() {
                    return None;
                }
                cancel.cancel();
                on_cancel();
            }
        }
    }
}
