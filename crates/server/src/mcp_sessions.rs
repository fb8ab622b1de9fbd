//! Whose the sessions of MCP are. The service of MCP knows no tokens.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName};

use crate::limits::MCP_SESSIONS;
use crate::token::TokenId;

/// The header with the id of a session, in requests and in the answer that begins one.
const HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// The token of each session, for the last sessions that began.
#[derive(Default)]
pub(crate) struct McpSessions(Mutex<Owners>);

#[derive(Default)]
struct Owners {
    tokens: HashMap<Vec<u8>, Option<TokenId>>,
    /// The ids, oldest first.
    ids: VecDeque<Vec<u8>>,
}

impl McpSessions {
    /// Whether a request is about no session, or about one of its own client.
    pub(crate) fn may_use(&self, headers: &HeaderMap, token: Option<&TokenId>) -> bool {
        let owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ids = headers.get_all(HEADER).iter();
        ids.all(|id| {
            let owner = owners.tokens.get(id.as_bytes());
            owner.is_some_and(|owner| owner.as_ref() == token)
        })
    }

    /// Remembers the session that an answer begins.
    pub(crate) fn note(&self, answer: &HeaderMap, token: Option<&TokenId>) {
        let Some(id) = answer.get(HEADER) else {
            return;
        };
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = id.as_bytes().to_vec();
        // A later answer names the session again.
        if owners.tokens.contains_key(&id) {
            return;
        }
        if owners.ids.len() >= MCP_SESSIONS
            && let Some(oldest) = owners.ids.pop_front()
        {
            owners.tokens.remove(&oldest);
        }
        owners.ids.push_back(id.clone());
        owners.tokens.insert(id, token.cloned());
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn q47_a_session_of_mcp_is_of_one_token() {
        let headers = |id: &str| {
            let value = HeaderValue::from_str(id).unwrap();
            HeaderMap::from_iter([(HEADER, value)])
        };
        let sessions = McpSessions::default();
        let (own, console) = (TokenId::Own, TokenId::Console);
        sessions.note(&headers("a"), Some(&own));
        sessions.note(&headers("b"), None);
        sessions.note(&headers("a"), Some(&console));
        for (id, token, expected) in [
            ("a", Some(&own), true),
            ("a", Some(&console), false),
            ("a", None, false),
            ("b", None, true),
            ("b", Some(&own), false),
            ("c", None, false),
        ] {
            assert_eq!(sessions.may_use(&headers(id), token), expected, "{id}");
        }
        let mut both = headers("b");
        both.append(HEADER, HeaderValue::from_static("a"));
        assert!(!sessions.may_use(&both, None));
        assert!(sessions.may_use(&HeaderMap::new(), None));
        for number in 0..MCP_SESSIONS {
            sessions.note(&headers(&format!("n{number}")), None);
        }
        assert!(!sessions.may_use(&headers("a"), Some(&own)));
        assert_eq!(sessions.0.lock().unwrap().tokens.len(), MCP_SESSIONS);
    }
}
