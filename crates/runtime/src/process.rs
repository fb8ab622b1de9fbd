//! Child processes of workers.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Starts workers, each the same way.
pub trait WorkerStarter: Send + Sync {
    /// Starts a worker.
    fn start(&self) -> io::Result<WorkerProcess>;
}

/// A child process with piped streams.
pub struct WorkerProcess {
    /// Its standard input.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
    /// The process.
    pub handle: Box<dyn ProcessHandle>,
}

/// A process that can be stopped.
pub trait ProcessHandle: Send {
    /// Waits up to `patience` for the process to exit, then kills it and its children.
    fn end(&mut self, patience: Duration) -> io::Result<ExitStatus>;
}

/// Interval of polling an exiting process.
const POLL: Duration = Duration::from_millis(1);

/// Polls for an exit status up to `patience`.
pub(crate) fn poll_exit(
    patience: Duration,
    mut ended: impl FnMut() -> io::Result<Option<ExitStatus>>,
) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(status) = ended()? {
            return Ok(Some(status));
        }
        std::thread::sleep(POLL);
    }
    Ok(None)
}

impl ProcessHandle for Child {
    fn end(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        if let Some(status) = poll_exit(patience, || self.try_wait())? {
            return Ok(status);
        }
        self.kill()?;
        self.wait()
    }
}

/// A trusted worker program, which restricts itself before it reads input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl WorkerStarter for Program {
    fn start(&self) -> io::Result<WorkerProcess> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Ctrl-C reaches the host alone, which stops its workers.
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = taken else {
            return Err(io::Error::other("missing streams"));
        };
        Ok(WorkerProcess {
            stdin,
            stdout,
            stderr,
            handle: Box::new(child),
        })
    }
}
