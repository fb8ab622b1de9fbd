//! Runs programs for a skill, without a shell.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use prowess_policy::CommandReach;
use prowess_sandbox::Network;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::confined::{CommandPlace, Jails};
use crate::process::{ProcessHandle as _, poll_exit};
use crate::program_output::{ProgramOutput, exit_code};

/// Time for streams that a child of the program holds open.
const DRAIN_TIME: Duration = Duration::from_millis(100);

/// A program to run.
pub(crate) struct Execution<'a> {
    pub(crate) command: &'a [String],
    pub(crate) stdin: Option<&'a str>,
    pub(crate) directory: &'a Path,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) time: Duration,
    pub(crate) reach: CommandReach,
    /// Sandboxes, for a confined reach.
    pub(crate) jails: Option<&'a Jails>,
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExecutionResult {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit_code: i32,
}

/// Why a program has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExecError {
    #[error("the command is empty")]
    Empty,
    #[error("cannot run `{program}`: {reason}")]
    Start { program: String, reason: String },
    #[error(
        "cannot run `{program}` in the sandbox: {reason}\nhint: run `prowess doctor` to see what this machine lacks"
    )]
    Sandbox { program: String, reason: String },
    #[error("`{program}` timed out after {seconds} s and was stopped with its children")]
    TimedOut { program: String, seconds: u64 },
}

/// Kills a program and its children when dropped.
struct ProcessGroup(Option<u32>);

impl Drop for ProcessGroup {
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

/// Runs a program to its end with the requested reach.
pub(crate) async fn run(execution: Execution<'_>) -> Result<ExecutionResult, ExecError> {
    match execution.reach {
        CommandReach::Sandboxed => run_confined(execution, Network::Loopback).await,
        CommandReach::SandboxedWithNetwork => run_confined(execution, Network::Host).await,
        CommandReach::Unconfined => run_unconfined(execution).await,
    }
}

async fn run_confined(
    execution: Execution<'_>,
    network: Network,
) -> Result<ExecutionResult, ExecError> {
    let (name, arguments) = execution.command.split_first().ok_or(ExecError::Empty)?;
    let refused = |reason: String| ExecError::Sandbox {
        program: name.clone(),
        reason,
    };
    let jails = execution.jails.cloned();
    let jails = jails.ok_or_else(|| refused("no sandbox is available".to_owned()))?;
    let search = execution.environment.get("PATH");
    let program = find(name, search.map(String::as_str), execution.directory);
    let program = program.ok_or_else(|| ExecError::Start {
        program: name.clone(),
        reason: "not found on the PATH".to_owned(),
    })?;
    let began = Instant::now();
    let (arguments, project) = (arguments.to_vec(), execution.directory.to_owned());
    let environment = execution.environment.into_iter().collect();
    let spawned = tokio::task::spawn_blocking(move || {
        let place = CommandPlace {
            project: &project,
            environment,
            network,
        };
        jails.spawn_command(program, &arguments, place)
    });
    let spawned = spawned.await.map_err(|error| refused(error.to_string()))?;
    let mut running = spawned.map_err(|error| refused(error.to_string()))?;
    let start = |error: std::io::Error| refused(error.to_string());
    let stdin = running.child.stdin.take().map(ChildStdin::from_std);
    let out = running.child.stdout.take().map(ChildStdout::from_std);
    let err = running.child.stderr.take().map(ChildStderr::from_std);
    let stdin = stdin.transpose().map_err(start)?;
    let (out, err) = (
        out.transpose().map_err(start)?,
        err.transpose().map_err(start)?,
    );
    let feed = async {
        if let (Some(mut stdin), Some(input)) = (stdin, execution.stdin) {
            // A program may exit without reading its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let (mut stdout, mut stderr) = (ProgramOutput::default(), ProgramOutput::default());
    let streams = async { tokio::join!(feed, stdout.fill(out), stderr.fill(err)) };
    let in_time = timeout(execution.time, streams).await.is_ok();
    let left = if in_time {
        execution.time.saturating_sub(began.elapsed())
    } else {
        Duration::ZERO
    };
    let ended = tokio::task::spawn_blocking(move || {
        let ended_by_itself =
            in_time && !matches!(poll_exit(left, || running.child.try_wait()), Ok(None));
        let status = running.end(Duration::ZERO);
        (ended_by_itself, status, running.child.excess())
    });
    let (by_itself, status, excess) = ended.await.map_err(|error| refused(error.to_string()))?;
    if !by_itself {
        return Err(ExecError::TimedOut {
            program: name.clone(),
            seconds: execution.time.as_secs(),
        });
    }
    let mut errors = text_of(&stderr);
    if let Some(excess) = excess {
        let _ = write!(errors, "\n{excess}");
    }
    Ok(ExecutionResult {
        stdout: text_of(&stdout),
        stderr: errors,
        exit_code: exit_code(status.map_err(start)?),
    })
}

/// Finds a program. Empty and relative parts of the search path are ignored: they mean the project, whose content is
/// untrusted.
pub(super) fn find(name: &str, search: Option<&str>, directory: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        let path = directory.join(name);
        return path.is_file().then_some(path);
    }
    let places = search.unwrap_or_default().split(':').map(Path::new);
    let mut places = places
        .filter(|place| place.is_absolute())
        .map(|place| place.join(name));
    places.find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    path.is_file()
}

async fn run_unconfined(execution: Execution<'_>) -> Result<ExecutionResult, ExecError> {
    let (program, arguments) = execution.command.split_first().ok_or(ExecError::Empty)?;
    let start = |error: std::io::Error| ExecError::Start {
        program: program.clone(),
        reason: error.to_string(),
    };
    // The same file that was looked at before the question.
    let search = execution.environment.get("PATH");
    let found = find(program, search.map(String::as_str), execution.directory);
    let mut command = Command::new(found.ok_or_else(|| ExecError::Start {
        program: program.clone(),
        reason: "not found on the PATH".to_owned(),
    })?);
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
    // Nothing confines it.
    let _writing = execution
        .jails
        .and_then(|jails| jails.writing(Path::new("/")));
    let mut child = command.spawn().map_err(start)?;
    let _group = ProcessGroup(child.id());
    match timeout(
        execution.time,
        wait_with_output(&mut child, execution.stdin),
    )
    .await
    {
        Ok(done) => done.map_err(start),
        Err(_) => Err(ExecError::TimedOut {
            program: program.clone(),
            seconds: execution.time.as_secs(),
        }),
    }
}

async fn wait_with_output(
    child: &mut Child,
    input: Option<&str>,
) -> std::io::Result<ExecutionResult> {
    let stdin = child.stdin.take();
    let feed = async {
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // A program may exit without reading its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let mut stdout = ProgramOutput::default();
    let mut stderr = ProgramOutput::default();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let status = {
        let streams = async { tokio::join!(feed, stdout.fill(out), stderr.fill(err)) };
        tokio::pin!(streams);
        tokio::select! {
            _ = &mut streams => child.wait().await?,
            status = child.wait() => {
                let _ = timeout(DRAIN_TIME, &mut streams).await;
                status?
            }
        }
    };
    Ok(ExecutionResult {
        stdout: text_of(&stdout),
        stderr: text_of(&stderr),
        exit_code: exit_code(status),
    })
}

/// The text, with the number of missing bytes.
fn text_of(output: &ProgramOutput) -> String {
    let mut text = output.text();
    if output.dropped > 0 {
        let _ = write!(text, "\n[{} more bytes]", output.dropped);
    }
    text
}
