//! How the server and its sources are doing.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::response::Response;
use prowess_core::Health;
use prowess_core::wire::{HealthReport, SourceHealth};
use prowess_store::{Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::answer::Payload;
use crate::app::App;
use crate::error::Failure;
use crate::scope::Scope;

/// The path of the health report, which needs no token.
pub(crate) const PATH: &str = "/healthz";

/// The path that says whether requests are answered, which needs no token.
pub(crate) const READY: &str = "/readyz";

/// How long the store may take to answer.
const STORE: Duration = Duration::from_secs(3);

/// The server answers once its sources were asked, which happens before it listens, while its store does, and until it is
/// asked to stop.
pub(crate) async fn ready(State(app): State<App>) -> (StatusCode, &'static str) {
    if app.options().shutdown.has_begun() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match app.options().readiness.check().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason.line()),
    }
}

/// Asks the store of a server whether it works.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readiness {
    store: Option<Store>,
    /// Clients without a token may ask: they take one connection of the store together.
    asking: Arc<Mutex<()>>,
}

/// Why a server with this store is not ready. Paths and hosts are for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoreFault {
    Replaced,
    Unavailable,
}

impl StoreFault {
    fn line(self) -> &'static str {
        match self {
            Self::Replaced => "the file of the store was removed or replaced; restart the server\n",
            Self::Unavailable => "the store is unavailable\n",
        }
    }
}

impl Readiness {
    pub(crate) fn of(store: Store) -> Self {
        Self {
            // Servers share it: if it is down, no other server can take over.
            store: (!store.is_shared()).then_some(store),
            asking: Arc::default(),
        }
    }

    async fn check(&self) -> Result<(), StoreFault> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let _turn = self.asking.lock().await;
        match timeout(STORE, store.check()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::error!(%error, "the store is unavailable");
                Err(match error {
                    StoreError::Replaced { .. } => StoreFault::Replaced,
                    _ => StoreFault::Unavailable,
                })
            }
            Err(_) => Err(StoreFault::Unavailable),
        }
    }
}

/// Always an answer while the server runs. The names of sources are for those who may see skills.
pub(crate) async fn health(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let catalog = app.skills().catalog();
    let healthy = catalog
        .sources()
        .all(|source| source.health == Health::Healthy);
    let sources = catalog.sources().map(SourceHealth::from).collect();
    let status = if healthy {
        Health::Healthy
    } else {
        Health::Degraded
    };
    let options = app.options();
    let scopes = options.token_scopes(&headers);
    let scopes = scopes.unwrap_or_else(|| options.anonymous_scopes());
    let trusted = scopes.allow(Scope::Read);
    let report = HealthReport {
        status,
        sources: trusted.then_some(sources),
    };
    Ok(Payload::json(&report)?.unless_known(&headers))
}
