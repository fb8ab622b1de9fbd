//! The open conversations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prowess_core::Session;

use crate::limits::{SESSION_IDLE, SESSIONS};
use crate::token::TokenId;
use crate::token_table::digits;

/// Conversations by id, each for the token that it was made with. One that was not used for a while is forgotten, and so is
/// the oldest above the limit; clients without a token end only conversations of each other.
#[derive(Default)]
pub(crate) struct SessionTable(Mutex<HashMap<String, OpenSession>>);

struct OpenSession {
    session: Arc<Session>,
    used: Instant,
    /// The token of its client, if that has one.
    owner: Option<TokenId>,
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
        owner: Option<&TokenId>,
    ) -> Result<(String, Arc<Session>), SessionError> {
        let id = random_id()?;
        let session = Arc::new(session);
        let now = Instant::now();
        let mut table = self.lock();
        if table.len() >= SESSIONS {
            table.retain(|_, open| now.duration_since(open.used) < SESSION_IDLE);
        }
        if table.len() >= SESSIONS {
            let candidates = table.iter();
            let candidates = candidates.filter(|(_, it)| owner.is_some() || it.owner.is_none());
            let oldest = candidates.min_by_key(|(_, open)| (open.owner.is_some(), open.used));
            let oldest = oldest.map(|(id, _)| id.clone());
            table.remove(&oldest.ok_or(SessionError::Full)?);
        }
        let open = OpenSession {
            session: Arc::clone(&session),
            used: now,
            owner: owner.cloned(),
        };
        table.insert(id.clone(), open);
        Ok((id, session))
    }

    /// Returns a conversation of a client and counts it as used.
    pub(crate) fn get(&self, id: &str, owner: Option<&TokenId>) -> Option<Arc<Session>> {
        let mut table = self.lock();
        let open = table.get_mut(id)?;
        if open.owner.as_ref() != owner {
            return None;
        }
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

    /// Removes a conversation of a client. Returns whether there was one.
    pub(crate) fn remove(&self, id: &str, owner: Option<&TokenId>) -> bool {
        let mut table = self.lock();
        let is_own = table
            .get(id)
            .is_some_and(|open| open.owner.as_ref() == owner);
        is_own && table.remove(id).is_some()
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
        let token = TokenId::Own;
        let add = |owner| table.add(skills.session(), owner);
        let (own, _) = add(Some(&token)).unwrap();
        let (oldest, _) = add(None).unwrap();
        for _ in 0..SESSIONS {
            add(None).unwrap();
        }
        assert_eq!(table.len(), SESSIONS);
        assert!(table.get(&own, Some(&token)).is_some() && table.get(&oldest, None).is_none());
        for _ in 0..SESSIONS {
            add(Some(&token)).unwrap();
        }
        // All have a token now.
        assert!(matches!(add(None), Err(SessionError::Full)));
        assert!(table.get(&own, Some(&token)).is_none());
    }
}
