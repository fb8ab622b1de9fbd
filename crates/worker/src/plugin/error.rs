//! Why a library is not loaded.

use std::io;

use prowess_sdk::plugin::abi::VERSION;

/// Why a library is not loaded, or not listened to.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Read {
        /// The library.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("`{0}` is empty")]
    Empty(String),
    /// It is something else.
    #[error("`{0}` is not a shared library: it does not begin as one")]
    NotLibrary(String),
    /// It is a program, or the half of one.
    #[error("`{path}` is {kind}, not a shared library")]
    OtherKind {
        /// The file.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// It is for other machines.
    #[error("`{path}` was built for {built}, and this is {here}")]
    OtherMachine {
        /// The library.
        path: String,
        /// What it was built for.
        built: String,
        /// What it would run on.
        here: &'static str,
    },
    /// The system does not take it.
    #[error("`{path}` cannot be loaded: {reason}")]
    Open {
        /// The library.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// It is a library, and no plugin.
    #[error(
        "`{path}` is no plugin of Prowess: it has no symbol `{symbol}` (`export_plugin!` makes all of them)"
    )]
    NoSymbol {
        /// The library.
        path: String,
        /// What it lacks.
        symbol: &'static str,
    },
    /// It speaks another language.
    #[error(
        "`{path}` was built for version {built} of the plugin interface, and this Prowess speaks version {VERSION}; \
         build it with the SDK of this Prowess"
    )]
    OtherVersion {
        /// The library.
        path: String,
        /// Its version.
        built: u32,
    },
}
