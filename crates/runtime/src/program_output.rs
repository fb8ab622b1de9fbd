//! Captured output of a program.

use std::process::ExitStatus;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::limits::OUTPUT_BYTES;

/// The beginning of a stream, and the number of bytes dropped after it.
#[derive(Default)]
pub(crate) struct ProgramOutput {
    bytes: Vec<u8>,
    pub(crate) dropped: usize,
}

impl ProgramOutput {
    /// Reads a stream to its end, so that the program never blocks on it.
    pub(crate) async fn fill(&mut self, stream: Option<impl AsyncRead + Unpin>) {
        let Some(mut stream) = stream else {
            return;
        };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let kept = read.min(OUTPUT_BYTES - self.bytes.len());
            self.bytes
                .extend_from_slice(buffer.get(..kept).unwrap_or_default());
            self.dropped += read - kept;
        }
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The exit code as a shell reports it: 128 plus the number of a signal.
pub(crate) fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    status
        .code()
        .unwrap_or_else(|| 128 + signal.unwrap_or_default())
}
