//! From connections to requests.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::connections::{Admitted, Connections, CountedBody, StreamMark};
use crate::limits::{GRACE, HEADER_BYTES, HEADERS};
use crate::observe::ClientAddress;

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
        let open = Arc::<Connections>::default();
        loop {
            let (stream, client) = next(&listener).await;
            let admitted = open.admit().await;
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS)
                .max_buf_size(HEADER_BYTES)
                .serve_connection(
                    TokioIo::new(stream),
                    answering(router.clone(), Arc::clone(&admitted), client),
                );
            let connection = connections.watch(connection);
            let mut end = end.clone();
            tokio::spawn(async move {
                // A connection that broke is the client's affair.
                tokio::select! {
                    _ = connection => {}
                    () = admitted.expired() => {}
                    () = admitted.evicted() => {}
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

/// The router with the permit of this connection.
fn answering(
    router: Router,
    connection: Arc<Admitted>,
    client: SocketAddr,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send + 'static>
{
    let router = TowerToHyperService::new(router);
    service_fn(move |request: Request<Incoming>| {
        let connection = Arc::clone(&connection);
        let mut request = request.map(|body| CountedBody::new(body, Arc::clone(&connection)));
        request.extensions_mut().insert(ClientAddress(client));
        let answer = router.call(request);
        async move {
            let answer = answer.await;
            let response = answer.as_ref().ok();
            match response.and_then(|it| it.extensions().get::<StreamMark>()) {
                Some(mark) => connection.stream(mark.clone()),
                None => connection.wait_for_client(),
            }
            answer
        }
    })
}

async fn next(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
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
