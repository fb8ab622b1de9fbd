//! Whether the store of a server works.

use std::sync::Arc;
use std::time::Duration;

use prowess_store::{Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long the store may take to answer.
const STORE: Duration = Duration::from_secs(3);

/// Asks the store of a server whether it works.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readiness {
    store: Option<Store>,
    /// Clients without a token may ask: they take one connection of the store together.
    asking: Arc<Mutex<()>>,
}

/// Why a server with this store is not ready. Paths and hosts are for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreFault {
    Replaced,
    Unavailable,
}

impl StoreFault {
    pub(crate) fn line(self) -> &'static str {
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

    pub(crate) async fn check(&self) -> Result<(), StoreFault> {
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
