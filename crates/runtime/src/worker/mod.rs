//! Code that runs in a child process, and lines of JSON to it and from it.

mod backend;
mod clock;
mod lines;
mod live;
mod process;

pub use backend::{OnTimeout, WorkerBackend};
pub(crate) use process::patiently;
pub use process::{Handle, Program, Spawned, Start};
