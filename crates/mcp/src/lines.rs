//! Writing lines.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

/// Writes a line, and its end behind it.
pub(crate) async fn write_line<W: AsyncWrite + Unpin>(
    writer: &Mutex<W>,
    mut line: Vec<u8>,
) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}
