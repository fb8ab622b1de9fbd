//! A server that says whatever a test wants it to.

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use prowess_config::{Mcp, Url};
use prowess_mcp::Digest;
use serde_json::{Value, json};

use super::http::listen;

/// What is answered to a method and its parameters; `None` is a refusal.
pub(crate) type Script = dyn Fn(&str, &Value) -> Option<Value> + Send + Sync;

/// Serves `script`; greeting is done for it.
pub(crate) async fn lying(
    script: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> Mcp {
    let script: Arc<Script> = Arc::new(script);
    let answer = move |body: String| {
        let script = Arc::clone(&script);
        async move {
            let message: Value = serde_json::from_str(&body).unwrap();
            let method = message["method"].as_str().unwrap_or_default();
            let result = match method {
                "initialize" => Some(greeting()),
                method => script(method, &message["params"]),
            };
            let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
            if let Some(result) = result {
                answer["result"] = result;
            } else {
                answer["error"] = json!({"code": -32601, "message": "no"});
            }
            ([("content-type", "application/json")], answer.to_string())
        }
    };
    let address = listen(Router::new().route("/mcp", post(answer))).await;
    Mcp::Http {
        url: Url::parse(&format!("http://{address}/mcp")).unwrap(),
        auth: None,
    }
}

pub(crate) fn greeting() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}},
        "serverInfo": {"name": "liar", "version": "1"},
    })
}

/// A page with everything on it.
pub(crate) fn page(skills: &[Value]) -> Value {
    json!({"resultType": "complete", "skills": skills, "ttlMs": 3_600_000, "cacheScope": "private"})
}

/// A file as it is listed.
pub(crate) fn file(uri: &str, bytes: &[u8]) -> Value {
    json!({"uri": uri, "digest": Digest::of(bytes).to_string(), "size": bytes.len()})
}

/// A file as it is read.
pub(crate) fn content(uri: &str, text: &str) -> Value {
    json!({"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]})
}

pub(crate) const URI: &str = "skill://a/SKILL.md";
pub(crate) const TEXT: &str = "---\nname: a\ndescription: A skill\n---\nDo it.\n";

/// An honest entry for [`TEXT`].
pub(crate) fn entry() -> Value {
    json!({
        "uri": URI,
        "frontmatter": {"name": "a", "description": "A skill"},
        "resources": [file(URI, TEXT.as_bytes())],
    })
}
