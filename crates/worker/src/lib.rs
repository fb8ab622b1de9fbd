//! The guest side of the worker protocol, and what runs on it: the Starlark interpreter, and native plugins.
//!
//! A worker is a child process that runs the code of one skill. It reads requests from its standard input, one per
//! line, and responds on its standard output; in between it calls the host for everything that the code cannot do
//! itself. The host that started it is protected from it: before a worker reads its first line, it drops all privileges
//! that it does not need, see [`limits`].
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
