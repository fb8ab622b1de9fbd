//! Single connections to a database.

use std::io;
use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sqlx::{AnyConnection, Connection};

use crate::error::StoreError;

/// How long a server may take to accept a connection: a request waits for it.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// A connection. A server that does not answer is an error after a while, not a program that hangs.
pub(crate) async fn connect(url: &str) -> Result<AnyConnection, sqlx::Error> {
    let connected = prowess_net::within(CONNECT, AnyConnection::connect(url)).await;
    connected.unwrap_or_else(|| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// The URL of a file, opened with the given parameters of SQLite.
pub(crate) fn file_url(path: &Path, parameters: &str) -> Result<String, StoreError> {
    const IN_PATH: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b' ');
    let text = path.to_str().ok_or_else(|| StoreError::Database {
        action: "open",
        reason: "its path is not UTF-8".to_owned(),
    })?;
    Ok(format!(
        "sqlite://{}?{parameters}",
        utf8_percent_encode(text, IN_PATH)
    ))
}
