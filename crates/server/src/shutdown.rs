//! The begin of a shutdown, for everything that should know of it.

use std::sync::Arc;

use tokio::sync::watch;

/// Whether a server was asked to stop. Clones share it.
///
/// A handler whose response has no end of its own, such as a stream of events, waits for [`Shutdown::begun`] too, and
/// ends its response then.
#[derive(Clone, Debug)]
pub struct Shutdown(Arc<watch::Sender<bool>>);

impl Default for Shutdown {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Shutdown {
    /// Asks the server to stop.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked to.
    pub fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Done when it was asked to.
    pub fn begun(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as this future, so that no lost handle looks like a shutdown.
        let sender = Arc::clone(&self.0);
        async move {
            let _ = receiver.wait_for(|begun| *begun).await;
            drop(sender);
        }
    }
}
