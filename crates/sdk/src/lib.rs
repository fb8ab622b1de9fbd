//! The protocol between the code of a skill and its host.
//!
//! The code of a skill never runs inside the host. It runs in a worker: a child process that the host starts, limits
//! and can kill. In any language, both sides exchange lines of JSON-RPC 2.0 over the standard input and output of the
//! worker; [`wire`] defines them. Authors of a native library use [`plugin`] instead.

mod limit;
mod phase;
pub mod plugin;
pub mod wire;

pub use limit::{Limit, limit_of};
pub use phase::{Phase, UnknownPhase};

/// The source of this crate, which a new plugin brings along.
#[cfg(feature = "source")]
pub static SOURCE: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/src");
