//! A turn of a conversation that is not saved: it is tried again while the user types, and before the program ends.

use std::thread;
use std::time::Duration;

use prowess_agent::limits::SAVE_PAUSE;
use prowess_agent::{Cancel, Chat};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::run::SAVE_PATIENCE;
use crate::interrupts::Interrupts;
use crate::terminal;

/// How long the user waits before another chat replaces this one.
const BEFORE_ANOTHER: Duration = Duration::from_secs(1);

/// Waits for the user while the chat tries to save what is not saved.
pub(super) fn while_saving<T>(chat: &mut Chat, wait: impl FnOnce() -> T) -> T {
    if chat.unsaved().is_empty() {
        return wait();
    }
    let runtime = Handle::current();
    let stop = Cancel::new();
    let waited = thread::scope(|scope| {
        // An attempt is never dropped: it might be the one that works.
        scope.spawn(|| runtime.block_on(save_until(chat, stop.cancelled())));
        let waited = wait();
        stop.cancel();
        waited
    });
    if chat.unsaved().is_empty() {
        terminal::note("saved: the chat is in the store now");
    }
    waited
}

async fn save_until(chat: &mut Chat, stop: impl Future<Output = ()>) {
    let mut stop = std::pin::pin!(stop);
    while !chat.unsaved().is_empty() {
        tokio::select! {
            () = &mut stop => return,
            () = sleep(SAVE_PAUSE) => {}
        }
        // What is wrong was said after the turn.
        let _ = chat.save_again().await;
    }
}

/// Tries for the last time before the program ends. Ctrl-C ends that; returns whether all is saved.
pub(super) async fn save_before_the_end(chat: &mut Chat, interrupts: &mut Interrupts) -> bool {
    if chat.unsaved().is_empty() {
        return true;
    }
    let seconds = SAVE_PATIENCE.as_secs();
    terminal::note(&format!(
        "the last turn is not saved; trying for {seconds} s, press Ctrl-C to stop"
    ));
    let patience = timeout(SAVE_PATIENCE, interrupts.interrupted());
    save_until(chat, async { drop(patience.await) }).await;
    chat.unsaved().is_empty()
}

/// Tries once more before another chat takes the place of this one.
pub(super) async fn save_before_another(chat: &mut Chat) -> bool {
    save_until(chat, sleep(BEFORE_ANOTHER)).await;
    chat.unsaved().is_empty()
}
