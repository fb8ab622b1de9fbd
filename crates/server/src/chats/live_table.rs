//! The chats that are in use.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_store::ChatId;

use super::content::Content;
use super::event_id::Run;
use super::live_chat::LiveChat;
use crate::limits::CHATS_IN_USE;

/// The chats that are in use: those with a task, a stream or a request.
pub(crate) struct LiveTable {
    pub(crate) run: Run,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Each with its leases.
    chats: HashMap<String, (Arc<LiveChat>, usize)>,
    /// The last event when a chat was last forgotten. A chat that comes into use has had no events since then.
    forgotten: u64,
}

impl LiveTable {
    pub(crate) fn new(run: Run) -> Arc<Self> {
        Arc::new(Self {
            run,
            inner: Mutex::default(),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A chat that is in use.
    pub(crate) fn find(self: &Arc<Self>, id: &ChatId) -> Option<Lease> {
        let mut inner = self.inner();
        Some(self.lease(inner.chats.get_mut(id.as_str())?))
    }

    /// The same; `content` is its content if it is not in use yet. None if there are too many.
    pub(crate) fn find_or_add(self: &Arc<Self>, id: &ChatId, content: Content) -> Option<Lease> {
        let mut inner = self.inner();
        let Inner { chats, forgotten } = &mut *inner;
        let is_full = chats.len() >= CHATS_IN_USE;
        let leased = match chats.entry(id.to_string()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if is_full => return None,
            Entry::Vacant(entry) => {
                let chat = LiveChat::new(id.clone(), self.run.clone(), *forgotten, content);
                entry.insert((Arc::new(chat), 0))
            }
        };
        Some(self.lease(leased))
    }

    fn lease(self: &Arc<Self>, (chat, leases): &mut (Arc<LiveChat>, usize)) -> Lease {
        *leases += 1;
        Lease {
            table: Arc::clone(self),
            chat: Arc::clone(chat),
        }
    }

    pub(crate) fn all(&self) -> Vec<Arc<LiveChat>> {
        let inner = self.inner();
        inner
            .chats
            .values()
            .map(|(chat, _)| Arc::clone(chat))
            .collect()
    }
}

/// A chat that stays in use until this is dropped.
pub(crate) struct Lease {
    table: Arc<LiveTable>,
    chat: Arc<LiveChat>,
}

impl Lease {
    pub(crate) fn chat(&self) -> &Arc<LiveChat> {
        &self.chat
    }
}

impl Clone for Lease {
    fn clone(&self) -> Self {
        let mut inner = self.table.inner();
        if let Some((_, leases)) = inner.chats.get_mut(self.chat.id.as_str()) {
            *leases += 1;
        }
        Self {
            table: Arc::clone(&self.table),
            chat: Arc::clone(&self.chat),
        }
    }
}

impl Deref for Lease {
    type Target = LiveChat;

    fn deref(&self) -> &LiveChat {
        &self.chat
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut inner = self.table.inner();
        let id = self.chat.id.as_str();
        let Some((_, leases)) = inner.chats.get_mut(id) else {
            return;
        };
        *leases -= 1;
        if *leases == 0 {
            inner.chats.remove(id);
            if self.chat.has_events() {
                inner.forgotten = self.table.run.current();
            }
        }
    }
}
