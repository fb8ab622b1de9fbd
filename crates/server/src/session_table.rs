//! The open conversations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prowess_core::Session;

use crate::limits::{SESSION_IDLE, SESSIONS};
use crate::token_table::digits;

/// Conversations by id. One that was not used for a while is forgotten, and so is the oldest above the limit.
#[derive(Default)]
pub(crate) struct SessionTable(Mutex<HashMap<String, OpenSession>>);

struct OpenSession {
    session: Arc<Session>,
    used: Instant,
}

impl SessionTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a conversation and returns its id, which cannot be guessed.
    pub(crate) fn add(&self, session: Session) -> Result<(String, Arc<Session>), getrandom::Error> {
        let id = random_id()?;
        let session = Arc::new(session);
        let now = Instant::now();
        let mut table = self.lock();
        if table.len() >= SESSIONS {
            table.retain(|_, open| now.duration_since(open.used) < SESSION_IDLE);
        }
        if table.len() >= SESSIONS {
            let oldest = table.iter().min_by_key(|(_, open)| open.used);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                table.remove(&oldest);
            }
        }
        let open = OpenSession {
            session: Arc::clone(&session),
            used: now,
        };
        table.insert(id.clone(), open);
        Ok((id, session))
    }

    /// Returns a conversation and counts it as used.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let mut table = self.lock();
        let open = table.get_mut(id)?;
        let now = Instant::now();
        if now.duration_since(open.used) >= SESSION_IDLE {
            table.remove(id);
            return None;
        }
        open.used = now;
        Some(Arc::clone(&open.session))
    }

    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Removes a conversation. Returns whether there was one.
    pub(crate) fn remove(&self, id: &str) -> bool {
        self.lock().remove(id).is_some()
    }
}

/// 128 random bits in hexadecimal digits.
fn random_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(digits(&bytes))
}
