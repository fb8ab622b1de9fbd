//! What the code of a skill and its host say to each other.
//!
//! A skill's code never runs inside the host. It runs in a worker: a child process that the host starts, bounds and
//! may kill. Whatever the language, both sides exchange lines of JSON-RPC 2.0 over the worker's standard input and
//! output; [`wire`] is what stands in those lines. A native library needs to know nothing of lines: [`plugin`] is for its
//! author.

mod limit;
mod phase;
pub mod plugin;
pub mod wire;

pub use limit::{Limit, limit_of};
pub use phase::{Phase, UnknownPhase};

/// The source of this crate, which a new plugin brings along.
#[cfg(feature = "source")]
pub static SOURCE: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/src");
