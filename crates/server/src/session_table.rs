//! The open conversations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prowess_core::Session;

use crate::limits::{SESSION_IDLE, SESSIONS};
use crate::token_table::digits;

/// Conversations by id. One that was not used for a while is forgotten, and so is the oldest above the limit; clients
/// without a token end only conversations of each other.
#[derive(Default)]
pub(crate) struct SessionTable(Mutex<HashMap<String, OpenSession>>);

struct OpenSession {
    session: Arc<Session>,
    used: Instant,
    has_token: bool,
}

/// Why there is no new conversation.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("too many sessions are open; try again later")]
    Full,
    #[error("cannot get random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

impl SessionTable {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a conversation and returns its id, which cannot be guessed.
    pub(crate) fn add(
        &self,
        session: Session,
        has_token: bool,
    ) -> Result<(String, Arc<Session>), SessionError> {
        let id = random_id()?;
        let session = Arc::new(session);
        let now = Instant::now();
        let mut table = self.lock();
        if table.len() >= SESSIONS {
            table.retain(|_, open| now.duration_since(open.used) < SESSION_IDLE);
        }
        if table.len() >= SESSIONS {
            let candidates = table.iter().filter(|(_, it)| has_token || !it.has_token);
            let oldest = candidates.min_by_key(|(_, open)| (open.has_token, open.used));
            let oldest = oldest.map(|(id, _)| id.clone());
            table.remove(&oldest.ok_or(SessionError::Full)?);
        }
        let open = OpenSession {
            session: Arc::clone(&session),
            used: now,
            has_token,
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

#[cfg(test)]
mod tests {
    use prowess_core::Skills;

    use super::*;

    #[tokio::test]
    async fn sv21_clients_without_a_token_end_only_sessions_of_each_other() {
        let skills = Skills::builder().build().await.unwrap();
        let table = SessionTable::default();
        let add = |has_token| table.add(skills.session(), has_token);
        let (own, _) = add(true).unwrap();
        let (oldest, _) = add(false).unwrap();
        for _ in 0..SESSIONS {
            add(false).unwrap();
        }
        assert_eq!(table.len(), SESSIONS);
        assert!(table.get(&own).is_some() && table.get(&oldest).is_none());
        for _ in 0..SESSIONS {
            add(true).unwrap();
        }
        // All have a token now.
        assert!(matches!(add(false), Err(SessionError::Full)));
        assert!(table.get(&own).is_none());
    }
}
