//! Programs that run for a skill, without a shell.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::command_reach::CommandReach;
use crate::kept::{Kept, exit_code};

/// How long streams may stay open that a child of the program still holds.
const AFTERMATH: Duration = Duration::from_millis(100);

/// A program to run.
pub(crate) struct Execution<'a> {
    pub(crate) command: &'a [String],
    pub(crate) stdin: Option<&'a str>,
    pub(crate) directory: &'a Path,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) time: Duration,
    #[allow(dead_code, reason = "read once commands run in the sandbox")]
    pub(crate) reach: CommandReach,
}

/// What a program left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Executed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit_code: i32,
}

/// Why a program left nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExecError {
    #[error("there is no program to run")]
    Empty,
    #[error("cannot run `{program}`: {reason}")]
    Start { program: String, reason: String },
    #[error("`{program}` took longer than {seconds} seconds and was stopped with its children")]
    TimedOut { program: String, seconds: u64 },
}

/// Ends a program and its children when nobody waits for it any more.
struct Family(Option<u32>);

impl Drop for Family {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self
            .0
            .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()))
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// Runs a program to its end.
pub(crate) async fn run(execution: Execution<'_>) -> Result<Executed, ExecError> {
    let (program, arguments) = execution.command.split_first().ok_or(ExecError::Empty)?;
    let start = |error: std::io::Error| ExecError::Start {
        program: program.clone(),
        reason: match error.kind() {
            std::io::ErrorKind::NotFound => "it is not installed, or not on the PATH".to_owned(),
            _ => error.to_string(),
        },
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&execution.environment)
        .current_dir(execution.directory)
        .stdin(match execution.stdin {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(start)?;
    let _family = Family(child.id());
    match timeout(execution.time, to_the_end(&mut child, execution.stdin)).await {
        Ok(done) => done.map_err(start),
        Err(_) => Err(ExecError::TimedOut {
            program: program.clone(),
            seconds: execution.time.as_secs(),
        }),
    }
}

async fn to_the_end(child: &mut Child, input: Option<&str>) -> std::io::Result<Executed> {
    let stdin = child.stdin.take();
    let feed = async {
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // A program need not read what it is given.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let mut stdout = Kept::default();
    let mut stderr = Kept::default();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let status = {
        let streams = async { tokio::join!(feed, stdout.fill(out), stderr.fill(err)) };
        tokio::pin!(streams);
        tokio::select! {
            _ = &mut streams => child.wait().await?,
            status = child.wait() => {
                let _ = timeout(AFTERMATH, &mut streams).await;
                status?
            }
        }
    };
    Ok(Executed {
        stdout: told(&stdout),
        stderr: told(&stderr),
        exit_code: exit_code(status),
    })
}

/// The text, and a word about what is missing.
fn told(kept: &Kept) -> String {
    let mut text = kept.text();
    if kept.dropped > 0 {
        let _ = write!(text, "\n[{} more bytes]", kept.dropped);
    }
    text
}
