//! The guest side of the worker protocol, and what runs on it: the Starlark interpreter, and native plugins. And the parsers
//! of program code, with a protocol of their own.
//!
//! A worker is a child process that runs the code of one skill. It reads requests from its standard input, one per
//! line, and responds on its standard output; in between it calls the host for everything that the code cannot do
//! itself. The host that started it is protected from it: before a worker reads its first line, it drops all privileges
//! that it does not need, see [`limits`].
//!
//! [`guest`] is the loop, for code in any language; [`starlark()`] is a whole worker for Starlark, and [`plugin()`] one for a
//! native plugin, which its host confines. [`parser()`] is a worker for syntax trees, and [`JailedParsers`] its host.

mod confine;
mod error;
pub mod guest;
mod interpreter;
pub mod limits;
mod lines;
mod parser;
mod plugin;
mod process;

pub use error::WorkerError;
pub use interpreter::StarlarkGuest;
pub use parser::{JailedParsers, ParserJail, parser};
pub use plugin::{LoadError, PluginGuest, plugin};
pub use process::starlark;

use std::process::ExitCode;

/// Runs this process as a worker or as the first process of a sandbox, if the host started it as one.
///
/// A program whose runtime starts the program itself calls this first in `main`, before it starts threads, and returns the
/// exit code if there is one.
pub fn run_if_worker() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == "sandbox-init" {
        return Some(prowess_sandbox::init());
    }
    let kind = (first == "worker").then(|| arguments.next()).flatten()?;
    match kind.to_str()? {
        "starlark" => Some(starlark()),
        "parse" => Some(parser()),
        "plugin" => Some(plugin(&arguments.next()?)),
        _ => None,
    }
}
