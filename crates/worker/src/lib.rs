//! The guest side of the worker protocol, and what runs on it: the Starlark interpreter, and native plugins.
//!
//! A worker is a child process that runs the code of one skill. It reads requests from its standard input, one a
//! line, and answers on its standard output; what the code may not do by itself it asks of the host in between. The
//! host is whoever started it, and is safe from it: before a worker reads its first line it takes from itself what
//! it will not need, see [`limits`].
//!
//! [`guest`] is the loop, for code in any language; [`starlark()`] is a whole worker for Starlark, and [`plugin()`] one for a
//! native plugin, which its host confines.

mod confine;
mod error;
pub mod guest;
mod interpreter;
pub mod limits;
mod lines;
mod plugin;
mod process;

pub use error::WorkerError;
pub use interpreter::StarlarkGuest;
pub use plugin::{LoadError, PluginGuest, plugin};
pub use process::starlark;
