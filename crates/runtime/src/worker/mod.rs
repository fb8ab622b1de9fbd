//! Code that runs in a child process, and lines of JSON to it and from it.

mod backend;
mod clock;
mod lines;
mod live;

pub use backend::{OnTimeout, WorkerBackend};

pub use crate::process::{Handle, Program, Spawned, Start};
