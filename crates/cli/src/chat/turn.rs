//! A turn that somebody may stop.

use prowess_agent::wire::AgentEvent;
use prowess_agent::{AgentError, Cancel, Chat, TurnReport};

/// Says something. Ctrl-C stops the turn; a second one drops it, and then there is nothing.
pub(super) async fn turn(
    chat: &mut Chat,
    message: &str,
    tell: &(dyn Fn(AgentEvent) + Send + Sync),
    stopping: impl Fn(),
) -> Option<Result<TurnReport, AgentError>> {
    let cancel = Cancel::new();
    let mut turn = std::pin::pin!(chat.turn(message, &[], tell, &cancel));
    loop {
        tokio::select! {
            done = &mut turn => return Some(done),
            _ = tokio::signal::ctrl_c() => {
                if cancel.is_cancelled() {
                    return None;
                }
                cancel.cancel();
                stopping();
            }
        }
    }
}
