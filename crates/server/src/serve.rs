//! From connections to requests.

use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::limits::{CONNECTION, CONNECTIONS, GRACE, HEADER_BYTES, HEADERS};

/// How long to wait when the system has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `shutdown` is done, then lets requests that have begun end, for a while.
///
/// When this returns, or is dropped, no connection is left.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let connections = GracefulShutdown::new();
    // Closed when we are gone, whichever way that happens.
    let (_alive, end) = watch::channel(());
    let accept = async {
        let slots = Arc::new(Semaphore::new(CONNECTIONS));
        while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
            let stream = next(&listener).await;
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS)
                .max_buf_size(HEADER_BYTES)
                .serve_connection(
                    TokioIo::new(stream),
                    TowerToHyperService::new(router.clone()),
                );
            let connection = connections.watch(connection);
            let mut end = end.clone();
            tokio::spawn(async move {
                let _slot = slot;
                // A connection that broke is the client's affair.
                tokio::select! {
                    _ = timeout(CONNECTION, connection) => {}
                    _ = end.changed() => {}
                }
            });
        }
    };
    {
        let accept = pin!(accept);
        let shutdown = pin!(shutdown);
        tokio::select! {
            () = accept => {}
            () = shutdown => {}
        }
    }
    drop(listener);
    let _ = timeout(GRACE, connections.shutdown()).await;
}

async fn next(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_the_clients(error.kind()) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

fn is_the_clients(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
    )
}
