//! A worker as a process: bounded first, then on a stack of known size.

use std::io::{self, Write};
use std::panic;
use std::process::{self, ExitCode};
use std::thread;

use crate::confine::{allow_processor_time, confine};
use crate::error::WorkerError;
use crate::guest::{Ending, Guest, serve};
use crate::interpreter::StarlarkGuest;
use crate::limits::STACK_BYTES;

/// Runs a worker for Starlark on standard input and output until the end of input.
///
/// It bounds the whole process for good, so nothing else can be done in it before or after.
pub fn starlark() -> ExitCode {
    run(StarlarkGuest::new)
}

fn run<G: Guest + 'static>(guest: fn() -> G) -> ExitCode {
    last_words();
    // Before other threads exist: privileges are dropped for the calling thread and its later children.
    if let Err(error) = confine() {
        print_error(&WorkerError::Confine(error));
        return ExitCode::FAILURE;
    }
    let worker = thread::Builder::new()
        .name("worker".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || work(guest()));
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

fn work(guest: impl Guest + 'static) -> Result<Ending, WorkerError> {
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    serve(guest, input, output, allow_processor_time()).map_err(WorkerError::Stream)
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

fn print_error(message: &dyn std::fmt::Display) {
    // A failure here cannot be reported.
    let _ = writeln!(io::stderr(), "{message}");
}
