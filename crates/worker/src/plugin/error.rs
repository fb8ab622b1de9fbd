//! Why a library is not loaded.

use std::io;

use prowess_sdk::plugin::abi::VERSION;

/// Why a library is not loaded, or not listened to.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The library.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is empty.
    #[error("`{0}` is empty")]
    Empty(String),
    /// It is something else.
    #[error("`{0}` is not a shared library")]
    NotLibrary(String),
    /// It is a program, or the half of one.
    #[error("`{path}` is {kind}, not a shared library")]
    OtherKind {
        /// The file.
        path: String,
        /// The new state.
        kind: &'static str,
    },
    /// It is for other machines.
    #[error("`{path}` was built for {built}; this system is {here}")]
    OtherMachine {
        /// The library.
        path: String,
        /// Its target.
        built: String,
        /// This system.
        here: &'static str,
    },
    /// The system does not take it.
    #[error("cannot load `{path}`: {reason}")]
    Open {
        /// The library.
        path: String,
        /// The error of the system.
        reason: String,
    },
    /// It is a library, and no plugin.
    #[error("`{path}` is not a Prowess plugin: missing symbol `{symbol}`; use `export_plugin!`")]
    NoSymbol {
        /// The library.
        path: String,
        /// The missing symbol.
        symbol: &'static str,
    },
    /// It has another interface version.
    #[error(
        "`{path}` was built for plugin interface {built}, but this Prowess supports {VERSION}; rebuild it with the current SDK"
    )]
    OtherVersion {
        /// The library.
        path: String,
        /// Its version.
        built: u32,
    },
}
