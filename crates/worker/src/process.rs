//! A worker as a process: bounded first, then on a stack of known size.

use std::io::{self, Write};
use std::panic;
use std::process::{self, ExitCode};
use std::thread;

use crate::confine::{allow_processor_time, confine};
use crate::error::WorkerError;
use crate::guest::{Ending, serve};
use crate::interpreter::StarlarkGuest;
use crate::limits::{ADDRESS_SPACE, STACK_BYTES};

/// Runs a worker for Starlark on standard input and output until the end of input.
///
/// It bounds the whole process for good, so nothing else can be done in it before or after.
pub fn starlark() -> ExitCode {
    // Before other threads exist: privileges are dropped for the calling thread and its later children.
    if let Err(error) = confine(ADDRESS_SPACE) {
        print_error(&WorkerError::Confine(error));
        return ExitCode::FAILURE;
    }
    on_own_stack(|| {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        let guest = StarlarkGuest::new();
        serve(guest, input, output, allow_processor_time()).map_err(WorkerError::Stream)
    })
}

/// Does the work of a process that is bounded already, on a stack of known size.
pub(crate) fn on_own_stack(
    work: impl FnOnce() -> Result<Ending, WorkerError> + Send + 'static,
) -> ExitCode {
    last_words();
    let worker = thread::Builder::new()
        .name("worker".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work);
    let outcome = match worker.map(thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => return ExitCode::FAILURE,
        Err(error) => Err(WorkerError::Start(error)),
    };
    match outcome {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Untrusted) => ExitCode::FAILURE,
        Err(error) => {
            print_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// A panic ends the process at once, with a signal that the host can read, and reports its position.
fn last_words() {
    panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("without a message");
        match panic.location() {
            Some(place) => print_error(&format_args!("worker panicked: {what} at {place}")),
            None => print_error(&format_args!("worker panicked: {what}")),
        }
        process::abort();
    }));
}

pub(crate) fn print_error(message: &dyn std::fmt::Display) {
    // A failure here cannot be reported.
    let _ = writeln!(io::stderr(), "{message}");
}
