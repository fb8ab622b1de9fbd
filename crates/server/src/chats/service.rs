//! The chats of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use prowess_agent::UnsavedMessages;
use prowess_agent::limits::SAVE_PAUSE;
use prowess_store::{ChatId, StoreError};
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};

use super::command::{Refusal, StartedTurn, TurnRequest};
use super::event::ChatEvent;
use super::event_id::Run;
use super::host::{ChatHost, OnDisconnect};
use super::live_table::{Lease, LiveTable};
use super::saved::content;
use super::task::ChatTask;
use crate::error::{Code, Failure};
use crate::limits::{CHAT_CLOSE, OPEN_CHATS, STREAMS, TURNS};

/// The chats of a server. Clones share them.
#[derive(Clone)]
pub struct Chats(Arc<Inner>);

struct Inner {
    host: Arc<dyn ChatHost>,
    on_disconnect: OnDisconnect,
    table: Arc<LiveTable>,
    /// Turns that may still be started.
    turns: Arc<Semaphore>,
    /// Chats that may still get a task.
    open: Arc<Semaphore>,
    /// Streams that may still be opened.
    streams: Arc<Semaphore>,
    is_closing: AtomicBool,
    /// Whether the host has got what could not be saved.
    gave_unsaved: AtomicBool,
    /// Becomes true when streams have to end.
    closed: watch::Sender<bool>,
}

impl Chats {
    /// Chats with the agents of a host.
    pub fn new(
        host: Arc<dyn ChatHost>,
        on_disconnect: OnDisconnect,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self(Arc::new(Inner {
            host,
            on_disconnect,
            table: LiveTable::new(Run::new()?),
            turns: Arc::new(Semaphore::new(TURNS)),
            open: Arc::new(Semaphore::new(OPEN_CHATS)),
            streams: Arc::new(Semaphore::new(STREAMS)),
            is_closing: AtomicBool::new(false),
            gave_unsaved: AtomicBool::new(false),
            closed: watch::Sender::new(false),
        })))
    }

    /// Starts no further turns, gives running ones two thirds of the time, cancels the others, waits for the rest of it until
    /// every turn is saved, ends all streams and the code of skills.
    pub async fn close(&self, drain: Duration) {
        let inner = &self.0;
        let end = Instant::now() + drain;
        inner.is_closing.store(true, Ordering::SeqCst);
        let all = u32::try_from(TURNS).unwrap_or(u32::MAX);
        let ended = timeout(drain * 2 / 3, inner.turns.acquire_many(all)).await;
        if ended.is_err() {
            for chat in inner.table.all() {
                chat.cancel();
            }
            let _ = timeout(CHAT_CLOSE, inner.turns.acquire_many(all)).await;
        }
        // The tasks of the chats go on trying.
        while Instant::now() < end && !self.unsaved().is_empty() {
            sleep(SAVE_PAUSE / 2).await;
        }
        self.keep_unsaved();
        inner.closed.send_replace(true);
        let ends = inner.table.all().into_iter().map(|chat| chat.close());
        let _ = timeout(CHAT_CLOSE, join_all(ends)).await;
    }

    /// Gives the host what could not be saved, once. [`Chats::close`] does so; a server that ends without it calls this.
    pub fn keep_unsaved(&self) {
        if self.0.gave_unsaved.swap(true, Ordering::SeqCst) {
            return;
        }
        for unsaved in self.unsaved() {
            self.0.host.keep_unsaved(&unsaved);
        }
    }

    fn unsaved(&self) -> Vec<UnsavedMessages> {
        let live = self.0.table.all().into_iter();
        live.filter_map(|chat| chat.unsaved()).collect()
    }

    pub(crate) fn host(&self) -> &Arc<dyn ChatHost> {
        &self.0.host
    }

    pub(crate) fn run(&self) -> &Run {
        &self.0.table.run
    }

    pub(crate) fn on_disconnect(&self) -> OnDisconnect {
        self.0.on_disconnect
    }

    /// Becomes true when streams have to end.
    pub(crate) fn closed(&self) -> watch::Receiver<bool> {
        self.0.closed.subscribe()
    }

    /// A chat, if it is in use.
    /// The chats whose first turn runs.
    pub(crate) fn in_first_turn(&self) -> Vec<ChatId> {
        let live = self.0.table.all().into_iter();
        let first = live.filter(|chat| {
            let view = chat.view();
            view.turn.is_some() && view.content.turns() == 0
        });
        first.map(|chat| chat.id.clone()).collect()
    }

    pub(crate) fn find(&self, id: &ChatId) -> Option<Lease> {
        self.0.table.find(id)
    }

    /// A chat, which is in use from now on.
    pub(crate) async fn lease(&self, id: &ChatId) -> Result<Lease, Failure> {
        if let Some(chat) = self.find(id) {
            return Ok(chat);
        }
        let stored = self.0.host.store().chat(id).await?;
        let content = content(&stored).map_err(|error| Failure::new(Code::Unavailable, error))?;
        let lease = self.0.table.find_or_add(id, content);
        lease.ok_or_else(|| busy("too many chats are in use"))
    }

    /// One of the streams that may be open.
    pub(crate) fn stream_permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let permit = Arc::clone(&self.0.streams).try_acquire_owned();
        permit.map_err(|_| busy("too many event streams are open"))
    }

    /// Starts a turn.
    pub(crate) async fn start(
        &self,
        chat: &Lease,
        request: impl Fn() -> TurnRequest,
    ) -> Result<StartedTurn, Failure> {
        let model = self.0.host.model().name.unwrap_or_default();
        loop {
            if self.0.is_closing.load(Ordering::SeqCst) {
                return Err(busy("the server is stopping"));
            }
            if chat.is_busy() {
                return Err(refusal(Refusal::TurnRunning));
            }
            let permit = Arc::clone(&self.0.turns).try_acquire_owned();
            let permit = permit.map_err(|_| busy("too many turns are running"))?;
            self.attach(chat).await?;
            match chat.start(request(), model.clone(), permit) {
                // The task ended at this moment; it gets a new one.
                Err(Refusal::Closing) => {}
                started => return started.map_err(refusal),
            }
        }
    }

    /// Removes the last turn; returns its message.
    pub(crate) async fn undo(&self, chat: &Lease) -> Result<Option<String>, Failure> {
        let undone = loop {
            if chat.is_busy() {
                return Err(refusal(Refusal::TurnRunning));
            }
            self.attach(chat).await?;
            match chat.undo() {
                Err(Refusal::Closing) => {}
                undone => break undone.map_err(refusal)?,
            }
        };
        let undone = undone.await.map_err(|_| busy("the chat was closed"))?;
        undone.map_err(|error| Failure::new(Code::Unavailable, error))
    }

    /// Gives a chat a task, unless it has one.
    async fn attach(&self, chat: &Lease) -> Result<(), Failure> {
        if chat.has_task() {
            return Ok(());
        }
        let permit = self.open_permit().await?;
        let (sender, commands) = unbounded_channel();
        if chat.attach(sender) {
            let host = Arc::clone(&self.0.host);
            let task = ChatTask::new(chat.clone(), host, commands, permit);
            tokio::spawn(task.run());
        }
        Ok(())
    }

    /// One of the chats that may have a task. If all have one, the longest idle one loses its own.
    async fn open_permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let open = &self.0.open;
        if let Ok(permit) = Arc::clone(open).try_acquire_owned() {
            return Ok(permit);
        }
        let full = || busy("too many chats are open");
        let idle = self.0.table.all().into_iter();
        let idle = idle.filter_map(|chat| Some((chat.idle_since()?, chat)));
        let (_, longest) = idle.min_by_key(|(since, _)| *since).ok_or_else(full)?;
        let _ended = longest.close();
        longest.shrink();
        let permit = timeout(CHAT_CLOSE, Arc::clone(open).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(full)
    }

    /// Deletes a chat, also while a turn runs.
    pub(crate) async fn delete(&self, id: &ChatId) -> Result<(), Failure> {
        let chat = self.find(id);
        if let Some(chat) = &chat {
            chat.set_deleted(true);
            chat.cancel();
            let ended = timeout(CHAT_CLOSE, chat.close()).await;
            if ended.is_err() {
                chat.set_deleted(false);
                return Err(busy("the running turn does not end"));
            }
        }
        let deleted = self.0.host.store().delete_chat(id).await;
        match (&deleted, &chat) {
            (Ok(_), Some(chat)) => chat.push(ChatEvent::ChatDeleted),
            (Err(_), Some(chat)) => chat.set_deleted(false),
            (_, None) => {}
        }
        if deleted? {
            Ok(())
        } else {
            Err(unknown_chat())
        }
    }
}

fn busy(message: &str) -> Failure {
    Failure::new(Code::Unavailable, format!("{message}; try again later"))
}

pub(crate) fn unknown_chat() -> Failure {
    Failure::new(Code::ChatNotFound, "unknown chat")
}

impl From<StoreError> for Failure {
    /// Most errors of a store name a local file or address.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoChat { .. } => unknown_chat(),
            StoreError::Locked | StoreError::Full => {
                Self::new(Code::Unavailable, error.to_string())
            }
            StoreError::Replaced { .. } => {
                let message = "the file of the store was removed or replaced; restart the server";
                Self::new(Code::Unavailable, message)
            }
            _ => Self::new(Code::Unavailable, "the store is unavailable"),
        }
    }
}

fn refusal(refusal: Refusal) -> Failure {
    match refusal {
        Refusal::TurnRunning => Failure::new(Code::TurnRunning, "a turn of this chat is running"),
        Refusal::Deleted => unknown_chat(),
        Refusal::Closing => busy("the chat is being closed"),
    }
}
