//! Commands of this program, run as a user would type them.
//!
//! A package and the evals of a skill are the work of one command each. A process of its own can be stopped, and what
//! it uses is given back when it ends.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;

use prowess_server::HostError;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

use crate::arguments::{Global, SourceArguments};
use crate::terminal::printable;

/// Bytes of the output of a command.
const OUTPUT: u64 = 32 * 1024 * 1024;

/// This program with the options of the server.
pub(super) struct Program {
    path: Option<PathBuf>,
    global: Vec<OsString>,
    sources: Vec<OsString>,
    /// The variable with the token of the server, which no command needs.
    token_variable: String,
}

impl Program {
    pub(super) fn new(sources: &SourceArguments, token_variable: &str, global: &Global) -> Self {
        // The server is in the directory of `-C` already.
        let mut options: Vec<OsString> = Vec::new();
        if let Some(config) = &global.config {
            options.extend(["--config".into(), config.into()]);
        }
        if global.offline {
            options.push("--offline".into());
        }
        let sources = sources.directories.iter();
        Self {
            path: std::env::current_exe().ok(),
            global: options,
            sources: sources.flat_map(|it| ["--in".into(), it.into()]).collect(),
            token_variable: token_variable.to_owned(),
        }
    }

    /// A command; `sources` are the options that name the skills.
    pub(super) fn command(&self, name: &str, arguments: &[&str]) -> Result<Command, HostError> {
        let path = self.path.as_ref();
        let path = path.ok_or_else(|| failed("cannot find the program itself"))?;
        let mut command = Command::new(path);
        command.arg(name).args(&self.global).args(arguments);
        command.env_remove(&self.token_variable);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).kill_on_drop(true);
        Ok(command)
    }

    /// The options that name the skills of the server.
    pub(super) fn sources(&self) -> &[OsString] {
        &self.sources
    }
}

/// Whether the hints of an error, which name options of the command line, are of use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hints {
    Shown,
    Hidden,
}

/// The JSON that a command printed, or its error.
pub(super) async fn answer(child: &mut Child, shown: Hints) -> Result<Value, HostError> {
    let mut text = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(OUTPUT).read_to_end(&mut text).await;
        read.map_err(|error| failed(&error.to_string()))?;
    }
    let status = child.wait().await;
    let status = status.map_err(|error| failed(&error.to_string()))?;
    let value: Value = serde_json::from_slice(&text).unwrap_or_default();
    let Some(error) = value.get("error") else {
        return match status.code() {
            Some(_) if value.is_object() => Ok(value),
            Some(code) => Err(failed(&format!("the command ended with exit code {code}"))),
            None => Err(failed("the command was stopped")),
        };
    };
    let words = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut message = words("message").to_owned();
    let hints = error.get("hints").and_then(Value::as_array);
    let hints = hints.filter(|_| shown == Hints::Shown);
    for hint in hints.into_iter().flatten().filter_map(Value::as_str) {
        message = format!("{message}; {hint}");
    }
    let message = printable(&message);
    Err(match words("code") {
        "permission" => HostError::ConsentNeeded(message),
        "usage" => HostError::Invalid(message),
        _ => HostError::Failed(message),
    })
}

fn failed(reason: &str) -> HostError {
    HostError::Unavailable(reason.to_owned())
}
