//! One message per line; a line without end closes the connection.

use std::io;
use std::sync::Arc;

use prowess_net::{Line, LineReader};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use crate::limits::MESSAGE_BYTES;
use crate::lines::write_line;

/// Messages over two streams.
pub(super) struct Lines<R, W> {
    reader: LineReader<R>,
    writer: Arc<Mutex<W>>,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: LineReader::new(reader, MESSAGE_BYTES),
            writer: Arc::new(Mutex::new(writer)),
        }
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { write_line(&writer, serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let Line::Whole(line) = self.reader.next().await? else {
                return None;
            };
            // Programs print other things too.
            if let Ok(message) = serde_json::from_slice(&line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.shutdown().await
    }
}
