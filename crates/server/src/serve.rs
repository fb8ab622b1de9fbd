//! From connections to requests.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::connections::{Admitted, Connections, CountedBody, StreamMark};
use crate::limits::{GRACE, HEADER_BYTES, HEADERS, LINGER};
use crate::observe::ClientAddress;
use crate::shutdown::Shutdown;

/// How long to wait when the system has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// How often it is said what is waited for.
const NOTICE: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is done, then lets requests that have begun end, for [`GRACE`].
///
/// When this returns, or is dropped, no connection is left.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let handle = Shutdown::default();
    let begin = async {
        shutdown.await;
        handle.begin();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = begin => {}
        _ = serve_until(listener, router, &handle, GRACE, |_| {}) => {}
    }
}

/// Serves until `shutdown` begins, then lets requests end that clients have sent, for as long as `drain`. Calls `waiting`
/// every second with the number of connections that are still open, and returns how many had to be closed.
///
/// Every request that was sent before the listener is closed is answered. The response asks the client to close the
/// connection; an idle connection stays open for [`LINGER`], because a request may be on its way.
pub async fn serve_until(
    listener: TcpListener,
    router: Router,
    shutdown: &Shutdown,
    drain: Duration,
    waiting: impl Fn(usize),
) -> usize {
    // Closed when we are gone, whichever way that happens.
    let (_alive, end) = watch::channel(());
    let server = Server {
        router,
        open: Arc::default(),
        shutdown: shutdown.clone(),
        end,
    };
    let work = async {
        let mut begun = pin!(shutdown.begun());
        loop {
            tokio::select! {
                (stream, client) = next(&listener) => server.connect(stream, client).await,
                () = &mut begun => break,
            }
        }
        server.connect_waiting(listener).await;
        server.open.all_closed().await;
    };
    let limit = async {
        shutdown.begun().await;
        let end = Instant::now() + drain;
        while let Some(left) = end
            .checked_duration_since(Instant::now())
            .filter(|it| !it.is_zero())
        {
            sleep(left.min(NOTICE)).await;
            waiting(server.open.count());
        }
    };
    tokio::select! {
        biased;
        () = work => {}
        () = limit => {}
    }
    server.open.count()
}

struct Server {
    router: Router,
    open: Arc<Connections>,
    shutdown: Shutdown,
    end: watch::Receiver<()>,
}

impl Server {
    /// Serves a connection on a task of its own, when there is room for it.
    async fn connect(&self, stream: TcpStream, client: SocketAddr) {
        // The parts of a stream are small, and none should wait for the next.
        let _ = stream.set_nodelay(true);
        let admitted = self.open.admit().await;
        let service = answering(
            self.router.clone(),
            Arc::clone(&admitted),
            client,
            self.shutdown.clone(),
        );
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let begun = self.shutdown.begun();
        let mut end = self.end.clone();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            let mut lifetime = pin!(admitted.expired());
            let mut quiet = pin!(async {
                begun.await;
                sleep(LINGER).await;
            });
            let mut is_last = false;
            loop {
                tokio::select! {
                    // First: what has arrived is read before an idle connection is closed.
                    biased;
                    // A connection that broke is the client's affair.
                    _ = &mut connection => break,
                    () = admitted.evicted() => break,
                    () = &mut lifetime => break,
                    _ = end.changed() => break,
                    () = &mut quiet, if !is_last => {
                        is_last = true;
                        connection.as_mut().graceful_shutdown();
                    }
                }
            }
        });
    }

    /// Serves the connections that the system has accepted already, and closes the listener.
    async fn connect_waiting(&self, listener: TcpListener) {
        let Ok(listener) = listener.into_std() else {
            return;
        };
        loop {
            // Not through the runtime: it may not know of a connection yet.
            match listener.accept() {
                Ok((stream, client)) => {
                    if stream.set_nonblocking(true).is_ok()
                        && let Ok(stream) = TcpStream::from_std(stream)
                    {
                        self.connect(stream, client).await;
                    }
                }
                Err(error) if is_the_clients(error.kind()) => {}
                Err(_) => break,
            }
        }
    }
}

/// The router with the permit of this connection.
fn answering(
    router: Router,
    connection: Arc<Admitted>,
    client: SocketAddr,
    shutdown: Shutdown,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send + 'static>
{
    let router = TowerToHyperService::new(router);
    service_fn(move |request: Request<Incoming>| {
        let connection = Arc::clone(&connection);
        let mut request = request.map(|body| CountedBody::new(body, Arc::clone(&connection)));
        request.extensions_mut().insert(ClientAddress(client));
        let answer = router.call(request);
        let shutdown = shutdown.clone();
        async move {
            let mut answer = answer.await;
            let response = answer.as_ref().ok();
            match response.and_then(|it| it.extensions().get::<StreamMark>()) {
                Some(mark) => connection.stream(mark.clone()),
                None => connection.wait_for_client(),
            }
            if shutdown.has_begun()
                && let Ok(answer) = &mut answer
            {
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(header::CONNECTION, close);
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
