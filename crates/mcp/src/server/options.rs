//! Options of a server.

use std::time::Duration;

use crate::limits::FRESH;

/// How a server presents itself.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Its name, for clients.
    pub name: String,
    /// Its version, for clients.
    pub version: String,
    /// How long digests are valid before the files are read again; also sent to clients.
    pub fresh: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            name: "prowess".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fresh: FRESH,
        }
    }
}
