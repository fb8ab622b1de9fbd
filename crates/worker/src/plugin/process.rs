//! A worker for a plugin, as a process.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::guest::PluginGuest;
use crate::error::WorkerError;
use crate::guest::{Ending, serve};
use crate::limits::STACK_BYTES;

/// The first descriptor after the standard streams.
const BEHIND_STANDARD: i32 = 3;

/// Runs a worker for the library at a path on standard input and output until the end of input.
///
/// It sets no limits: the library is third-party code, so the caller must confine the process first.
pub fn plugin(path: &OsStr) -> ExitCode {
    let path = path.to_owned();
    let worker = thread::Builder::new()
        .name("plugin".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || work(&path));
    let outcome = match worker.map(thread::JoinHandle::join) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => return ExitCode::FAILURE,
        Err(error) => Err(WorkerError::Start(error)),
    };
    match outcome {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Untrusted) => ExitCode::FAILURE,
        Err(error) => {
            // A failure here cannot be reported.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn work(path: &OsStr) -> Result<Ending, WorkerError> {
    let (input, output) = streams().map_err(WorkerError::Stream)?;
    serve(PluginGuest::new(path), input, output, || {}).map_err(WorkerError::Stream)
}

/// Takes the line to the host away from what the plugin knows as standard input and output, so that neither a `printf`
/// nor a program that it starts gets in between.
fn streams() -> io::Result<(File, File)> {
    let input = fcntl_dupfd_cloexec(io::stdin(), BEHIND_STANDARD)?;
    let output = fcntl_dupfd_cloexec(io::stdout(), BEHIND_STANDARD)?;
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok((input.into(), output.into()))
}
