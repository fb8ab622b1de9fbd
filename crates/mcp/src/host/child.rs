//! A server as a child process: it gets only its configured environment, and ends with us.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use prowess_config::Secret;
use prowess_core::SourceError;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::lines::Lines;

/// A running program; with it go all those that it started.
pub(super) struct Running {
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw)
        {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

/// Starts a program and connects to its standard streams. Its standard error is discarded.
pub(super) fn start(
    command: &[Secret],
    env: &BTreeMap<String, Secret>,
    directory: Option<&Path>,
) -> Result<(Running, Lines<ChildStdout, ChildStdin>), SourceError> {
    let failed =
        |reason: &str| SourceError::Unavailable(format!("cannot start the server: {reason}"));
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| failed("missing command"))?;
    let program = Path::new(program.expose());
    // Relative paths are relative to that directory, regardless of the working directory.
    let program = match directory {
        Some(directory) if program.components().count() > 1 => directory.join(program),
        _ => program.to_owned(),
    };
    let mut command = Command::new(program);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command
        .args(arguments.iter().map(Secret::expose))
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value.expose())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command
        .spawn()
        .map_err(|error| failed(&error.kind().to_string()))?;
    let streams = child.stdout.take().zip(child.stdin.take());
    let running = Running { child };
    let (stdout, stdin) = streams.ok_or_else(|| failed("the process has no standard streams"))?;
    Ok((running, Lines::new(stdout, stdin)))
}
