//! Answers that are written already, on their way around the JSON tree.
//!
//! To build a tree of a thousand entries, write it and take it apart takes ten times as long as to send the bytes that
//! were sent before. So the handler leaves a ticket in the answer, and the transport puts the bytes in its place.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{CustomResult, RequestId, ServerJsonRpcMessage, ServerResult};
use serde_json::{Value, json};

/// The key of a ticket. Only our own answers to the extension's methods are looked at, and they have no such key.
const TICKET: &str = "prowess/ticket";

/// Written answers that wait to be sent, of one connection.
#[derive(Default)]
pub(crate) struct Spool {
    last: AtomicU64,
    waiting: Mutex<HashMap<u64, Arc<[u8]>>>,
}

impl Spool {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Arc<[u8]>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves an answer, and takes a ticket for it.
    pub(crate) fn leave(&self, answer: Arc<[u8]>) -> CustomResult {
        let ticket = self.last.fetch_add(1, Ordering::Relaxed);
        self.waiting().insert(ticket, answer);
        CustomResult::new(json!({TICKET: ticket}))
    }

    /// A message as it is sent.
    pub(crate) fn write(&self, message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
        match self.redeem(message) {
            Some((id, answer)) => {
                let id = serde_json::to_vec(id)?;
                let parts = [
                    b"{\"jsonrpc\":\"2.0\",\"id\":",
                    &*id,
                    b",\"result\":",
                    &*answer,
                    b"}",
                ];
                Ok(parts.concat())
            }
            None => serde_json::to_vec(message),
        }
    }

    fn redeem<'m>(&self, message: &'m ServerJsonRpcMessage) -> Option<(&'m RequestId, Arc<[u8]>)> {
        let ServerJsonRpcMessage::Response(response) = message else {
            return None;
        };
        let ServerResult::CustomResult(CustomResult(Value::Object(result))) = &response.result
        else {
            return None;
        };
        let ticket = result.get(TICKET)?.as_u64()?;
        let answer = self.waiting().remove(&ticket)?;
        Some((&response.id, answer))
    }
}
