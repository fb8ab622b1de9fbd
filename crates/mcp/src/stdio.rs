//! A server over standard input and output, or any other pair of streams.

use std::io;
use std::sync::Arc;

use prowess_net::{Line, LineReader};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use crate::limits::LINE_BYTES;
use crate::lines::write_line;
use crate::server::{SkillsServer, Spool};

/// Why serving a client failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The handshake failed.
    #[error("cannot initialize the connection: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The task was cancelled.
    #[error("the task was cancelled: {0}")]
    Cancelled(#[from] tokio::task::JoinError),
}

/// Serves one client until it disconnects, one message per line.
///
/// A line longer than [`LINE_BYTES`] is rejected without buffering it; invalid JSON is ignored, and so are
/// notifications before the first request. A client that disconnects is not an error.
pub async fn serve_stdio<R, W>(
    server: &SkillsServer,
    reader: R,
    writer: W,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve(server, Box::new(reader), Box::new(writer)).await
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Compiled once, for all types of streams.
async fn serve(server: &SkillsServer, reader: Reader, writer: Writer) -> Result<(), ServeError> {
    let spool = Arc::new(Spool::default());
    let transport = Stdio {
        reader: LineReader::new(reader, LINE_BYTES),
        writer: Arc::new(Mutex::new(writer)),
        spool: Arc::clone(&spool),
        begun: false,
    };
    let service = match serve_server(server.connect().spooling(spool), transport).await {
        Ok(service) => service,
        // A client that disconnects before its first message is not an error.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. },
        ) => return Ok(()),
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    service.waiting().await?;
    Ok(())
}

struct Stdio {
    reader: LineReader<Reader>,
    writer: Arc<Mutex<Writer>>,
    spool: Arc<Spool>,
    begun: bool,
}

/// Reports an error without a request id to the client.
async fn complain(writer: &Mutex<Writer>, problem: String) -> Option<()> {
    let error = ErrorData::new(ErrorCode::INVALID_REQUEST, problem, None);
    let message = ServerJsonRpcMessage::error(error, None);
    let line = serde_json::to_vec(&message).ok()?;
    write_line(writer, line).await.ok()
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let line = self.spool.write(&message);
        async move { write_line(&writer, line?).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Line::Whole(line) = self.reader.next().await? else {
                let problem = format!("ignored a line of more than {LINE_BYTES} bytes");
                complain(&self.writer, problem).await?;
                continue;
            };
            match serde_json::from_slice(&line) {
                Ok(message) => {
                    self.begun |= matches!(message, ClientJsonRpcMessage::Request(_));
                    if self.begun {
                        return Some(message);
                    }
                }
                // Responding to invalid JSON could loop forever if the client echoes it.
                Err(error) if serde_json::from_slice::<Value>(&line).is_ok() => {
                    complain(&self.writer, format!("malformed message: {error}")).await?;
                }
                Err(_) => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.shutdown().await
    }
}
