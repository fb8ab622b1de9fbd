//! The chats that are in use.

use std::collections::HashMap;
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
        let (chat, leases) = inner.chats.get_mut(id.as_str())?;
        *leases += 1;
        Some(Lease {
            table: Arc::clone(self),
            chat: Arc::clone(chat),
        })
    }

    /// The same; `content` is its content if it is not in use yet. None if there are too many.
    pub(crate) fn find_or_add(self: &Arc<Self>, id: &ChatId, content: Content) -> Option<Lease> {
        {
            let mut inner = self.inner();
            let floor = inner.forgotten;
            if !inner.chats.contains_key(id.as_str()) {
                if inner.chats.len() >= CHATS_IN_USE {
                    return None;
                }
                let chat = LiveChat::new(id.clone(), self.run.clone(), floor, content);
                inner.chats.insert(id.to_string(), (Arc::new(chat), 0));
            }
        }
        self.find(id)
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
