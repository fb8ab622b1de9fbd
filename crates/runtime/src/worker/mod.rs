//! Code in a child process that exchanges lines of JSON with the host.

mod backend;
mod clock;
mod connection;
mod exit;
mod messages;
mod running;

pub use backend::{OnTimeout, WorkerBackend};

pub use crate::process::{ProcessHandle, Program, WorkerProcess, WorkerStarter};
