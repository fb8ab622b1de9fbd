//! A store that speaks S3, in the test process, which fails on request.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// The bucket that there is.
pub const BUCKET: &str = "skills";
/// The id of the key that is accepted.
pub const ACCESS_KEY: &str = "test-access-key";
/// Its secret.
pub const SECRET_KEY: &str = "test-secret-key";

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Requests are accepted and never answered.
    Silence,
    /// The next requests fail with this status, as many as the number says.
    Status(u16, usize),
    /// Writes succeed, and nothing is stored.
    LostWrites,
    /// Bodies are sent and received with this many bytes a second.
    BytesPerSecond(u32),
}

/// The store. It ends when it is dropped.
pub struct S3Server {
    directory: TempDir,
    port: u16,
    fault: Arc<Mutex<Fault>>,
    task: AbortHandle,
}

impl S3Server {
    /// Starts one with an empty bucket, on the runtime of the caller.
    pub async fn start() -> Self {
        let directory = TempDir::new().unwrap();
        fs::create_dir(directory.path().join(BUCKET)).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(directory.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = builder.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let fault = Arc::new(Mutex::new(Fault::None));
        let faults = Arc::clone(&fault);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (service, fault) = (service.clone(), Arc::clone(&faults));
                let handle = service_fn(move |request| {
                    let (service, fault) = (service.clone(), Arc::clone(&fault));
                    async move { Ok::<_, Infallible>(answer(&service, &fault, request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), handle));
            }
        });
        Self {
            directory,
            port,
            fault,
            task: task.abort_handle(),
        }
    }

    /// Its URL.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What goes wrong from now on.
    pub fn set_fault(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    /// What still goes wrong.
    pub fn fault(&self) -> Fault {
        *self.fault.lock().unwrap()
    }

    /// The file of an object.
    pub fn object(&self, key: &str) -> PathBuf {
        self.directory.path().join(BUCKET).join(key)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    service: &S3Service,
    fault: &Mutex<Fault>,
    request: Request<Incoming>,
) -> Response<Body> {
    let now = {
        let mut fault = fault.lock().unwrap();
        let now = *fault;
        if let Fault::Status(status, left) = now {
            *fault = match left {
                0 | 1 => Fault::None,
                left => Fault::Status(status, left - 1),
            };
        }
        now
    };
    let empty = |status: StatusCode| {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status;
        response
    };
    let request = match now {
        Fault::Silence => std::future::pending().await,
        Fault::Status(status, _) => return empty(StatusCode::from_u16(status).unwrap()),
        Fault::LostWrites if request.method() == Method::PUT => {
            request.into_body().collect().await.unwrap();
            let mut response = empty(StatusCode::OK);
            let tag = "\"d41d8cd98f00b204e9800998ecf8427e\"".parse().unwrap();
            response.headers_mut().insert("etag", tag);
            return response;
        }
        Fault::None | Fault::LostWrites => request.map(Body::from),
        Fault::BytesPerSecond(rate) => request.map(|body| slow(body, rate)),
    };
    let response = service.call(request).await.unwrap();
    match now {
        Fault::BytesPerSecond(rate) => response.map(|body| slow(body, rate)),
        _ => response,
    }
}

/// A body with pauses.
fn slow<B>(body: B, bytes_per_second: u32) -> Body
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let size = body.size_hint();
    let frames = stream::unfold(Box::pin(body), move |mut body| async move {
        let data = match body.frame().await?.map_err(io::Error::other) {
            Ok(frame) => frame.into_data().unwrap_or_default(),
            Err(error) => return Some((Err(error), body)),
        };
        let size = u32::try_from(data.len()).unwrap();
        tokio::time::sleep(Duration::from_secs(1) * size / bytes_per_second).await;
        Some((Ok(Frame::data(data)), body))
    });
    Body::http_body_unsync(SizedBody {
        body: StreamBody::new(frames).boxed_unsync(),
        size,
    })
}

/// A body whose size is known from elsewhere.
struct SizedBody {
    body: UnsyncBoxBody<Bytes, io::Error>,
    size: SizeHint,
}

impl HttpBody for SizedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.size
    }
}
