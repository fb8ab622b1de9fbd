//! Starting a worker, and ending it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Starts workers, one after the other, always the same way.
pub trait Start: Send + Sync {
    /// Starts one.
    fn start(&self) -> io::Result<Spawned>;
}

/// A process with its three streams.
pub struct Spawned {
    /// Where it reads.
    pub stdin: ChildStdin,
    /// Where it answers.
    pub stdout: ChildStdout,
    /// Where it complains.
    pub stderr: ChildStderr,
    /// The process itself.
    pub handle: Box<dyn Handle>,
}

/// A process that can be ended and buried.
pub trait Handle: Send {
    /// Waits a while for its end, then ends it and everything that it started.
    fn end(&mut self, patience: Duration) -> io::Result<ExitStatus>;
}

/// How often a process is looked at that is about to end.
const LOOK: Duration = Duration::from_millis(1);

/// Waits a while for something to end by itself.
pub(crate) fn patiently(
    patience: Duration,
    mut ended: impl FnMut() -> io::Result<Option<ExitStatus>>,
) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(status) = ended()? {
            return Ok(Some(status));
        }
        std::thread::sleep(LOOK);
    }
    Ok(None)
}

impl Handle for Child {
    fn end(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        if let Some(status) = patiently(patience, || self.try_wait())? {
            return Ok(status);
        }
        self.kill()?;
        self.wait()
    }
}

/// A program of ours that bounds itself before it looks at anything of a stranger's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Start for Program {
    fn start(&self) -> io::Result<Spawned> {
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
            // A Ctrl-C is for us to hear, and for us to pass on.
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = taken else {
            return Err(io::Error::other("its streams are not there"));
        };
        Ok(Spawned {
            stdin,
            stdout,
            stderr,
            handle: Box::new(child),
        })
    }
}
