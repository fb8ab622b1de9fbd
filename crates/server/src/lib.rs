//! Skills over HTTP: the API of [`prowess_core::wire`].
//!
//! | request | answer |
//! |---|---|
//! | `GET /api/skills` | every skill, and the collections; `collection`, `query` and `limit` narrow it |
//! | `GET /api/skills/{id}` | a skill with its instructions |
//! | `GET /api/skills/{id}/files` | the files of a skill |
//! | `GET /api/skills/{id}/files/{path}` | a file, or one range of it |
//! | `GET /api/skill-collections` | the collections |
//! | `POST /api/skills` | a new skill |
//! | `PUT`, `DELETE /api/skills/{id}`, `/api/skills/{id}/files/{path}` | changes a skill or a file that is still as `If-Match` says |
//! | `POST /api/check` | what `prowess check` says about a `SKILL.md` |
//! | `GET /api/catalog` | the skills that are not used, and the sources |
//! | `POST /api/sessions` | a conversation: prompt and tools for a model; `active` names skills to start with |
//! | `GET`, `DELETE /api/sessions/{id}` | the same again; ends it |
//! | `POST /api/sessions/{id}/turn` | a user's `message` as the model gets it, with the skills it activates |
//! | `POST /api/sessions/{id}/call` | the result of a `tool` call with its `arguments` |
//! | `GET /openapi.json` | all of this as an OpenAPI document |
//! | `/api/model`, `/api/chats` and below | chats with a model, if the host has [`Chats`]; see `docs/chats.md` |
//! | `GET /healthz`, `/readyz` | how the server and its sources are doing; whether it answers |
//! | `POST /api/import` | the skills of an archive |
//! | `/api/config`, `/api/approvals`, `/api/trust`, `/api/packages`, `/api/evals` and below | what users manage, if the host has an [`Administration`] |
//! | `GET /` | the web console |
//! | `GET /metrics` | figures in the text format of Prometheus |
//!
//! The `/` of an id is written `%2F`; without that, `a/files` could be a skill or the files of one. `HEAD` works
//! wherever `GET` does. Responses have a strong `ETag`, and a matching `If-None-Match` yields `304`. An error is a
//! [`prowess_core::wire::Problem`] with one of the words of [`Code`].
//!
//! # What holds
//!
//! - Requests for another host name than those that were stated are refused, so no web page can reach the
//!   server by having its own name point here.
//! - A request that changes something comes from a page of this server or from no page at all, and its body is JSON that says
//!   so.
//! - With a token, nothing but the bare `/healthz` and `/readyz` and the files of the console are answered without one, and comparing takes the same
//!   time whatever was sent. A token allows what its scopes say. [`ApiOptions::check`] refuses an address that others can reach without a token.
//! - No other origin may read an answer in a browser, and nothing that a skill holds is rendered or run
//!   there: files are attachments, with a policy that allows nothing.
//! - Paths cannot leave their skill, and errors contain no local paths.
//! - A client that sends its request slowly is cut off, and so is one that reads its answer slowly, though
//!   late: see [`limits`].
//!
//! # What does not
//!
//! - There is no encryption; use a reverse proxy.
//! - Behind a proxy all clients are one, unless [`ApiOptions::trusted_proxy`] names it.
//! - There is no rate limit unless [`ApiOptions::rate_limit`] sets one.
//! - A client with the token can read every skill.

mod administration;
mod answer;
mod app;
mod body;
mod chats;
mod check;
mod connections;
mod console;
mod error;
mod files;
mod fresh;
mod guard;
mod health;
mod host;
mod import;
pub mod limits;
mod lists;
mod mcp_sessions;
mod metrics;
mod monitoring;
mod observe;
mod openapi;
mod options;
mod packages;
mod proxy;
mod range;
mod rate;
mod rate_client;
mod readiness;
mod requester;
mod router;
mod scope;
mod serve;
mod session_table;
mod sessions;
mod shutdown;
mod skills;
mod token;
mod token_table;
mod writing;

pub use administration::{
    Accept, Administration, EvalRequest, HostError, PackageRequest, PackageScope, administration,
};
pub use chats::{ChatAgent, ChatHost, ChatModel, Chats, OnDisconnect, QuestionText};
pub use check::diagnostics;
pub use error::Code;
pub use fresh::keep_fresh;
pub use observe::Exchange;
pub use openapi::openapi;
pub use options::{ApiOptions, ApiOptionsError};
pub use packages::registry_routes;
pub use proxy::{InvalidProxy, ProxyNetwork};
pub use rate::RateLimits;
pub use router::{router, router_with};
pub use scope::{Scope, Scopes, UnknownScope};
pub use serve::{serve, serve_until};
pub use shutdown::Shutdown;
pub use token_table::{AcceptedToken, TokenTable};
