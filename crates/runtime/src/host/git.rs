//! The repository of a project, through the system's git, with nothing in it that runs anything else.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::command_reach::CommandReach;
use super::exec::{ExecError, Executed, Execution, run};
use super::files::ProjectFiles;

/// Settings that would have git start other programs.
const HARMLESS: &[&str] = &[
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.pager=cat",
    "-c",
    "diff.external=",
    "-c",
    "commit.gpgSign=false",
    "-c",
    "core.quotePath=false",
    "--no-pager",
    "--literal-pathspecs",
];

/// Why git has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("`{}` looks like an option; only revisions and paths are taken", .0.escape_debug())]
    Option(String),
    #[error("`{0}` is outside of the project")]
    Outside(String),
    #[error("git says: {0}")]
    Refused(String),
    #[error(transparent)]
    Exec(#[from] ExecError),
}

/// A repository, and how to ask about it.
pub(crate) struct Repository<'a> {
    pub(crate) files: &'a ProjectFiles,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) time: Duration,
}

impl Repository<'_> {
    pub(crate) async fn diff(&self, arguments: &[String]) -> Result<Value, GitError> {
        let words = self.revisions_then_paths(arguments)?;
        let options = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"];
        let done = self.git(&options, &words).await?;
        Ok(json!({"content": done.stdout}))
    }

    pub(crate) async fn log(&self, limit: u32, arguments: &[String]) -> Result<Value, GitError> {
        let words = self.revisions_then_paths(arguments)?;
        let limit = format!("--max-count={}", limit.min(1_000));
        let options = [
            "log",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "-z",
            "--format=%H%x1f%an%x1f%aI%x1f%B",
            &limit,
        ];
        let done = self.git(&options, &words).await?;
        let commit = |record: &str| {
            let mut parts = record.trim_start_matches('\n').splitn(4, '\u{1f}');
            let (hash, author, date, message) =
                (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            Some(
                json!({"hash": hash, "author": author, "date": date, "message": message.trim_end()}),
            )
        };
        let commits: Vec<Value> = done.stdout.split('\0').filter_map(commit).collect();
        Ok(json!({"commits": commits}))
    }

    pub(crate) async fn status(&self) -> Result<Value, GitError> {
        let done = self.git(&["status", "--porcelain=v1", "-z"], &[]).await?;
        let mut records = done.stdout.split('\0');
        let mut files = Vec::new();
        while let Some(record) = records.next() {
            let (Some(status), Some(path)) = (record.get(..2), record.get(3..)) else {
                continue;
            };
            // What was renamed is followed by its old name.
            if status.starts_with(['R', 'C']) {
                records.next();
            }
            files.push(json!({"path": path, "status": status.trim()}));
        }
        Ok(json!({"files": files}))
    }

    pub(crate) async fn add(&self, paths: &[String]) -> Result<Value, GitError> {
        let mut words = vec!["--".to_owned()];
        for path in paths {
            no_option(path)?;
            words.push(path.clone());
        }
        self.git(&["add"], &words).await?;
        Ok(Value::Null)
    }

    pub(crate) async fn commit(&self, message: &str) -> Result<Value, GitError> {
        let message = format!("--message={message}");
        self.git(&["commit", "--no-verify", "--quiet", &message], &[])
            .await?;
        let head = self.git(&["rev-parse", "HEAD"], &[]).await?;
        Ok(json!({"hash": head.stdout.trim()}))
    }

    /// Revisions, a separator, then paths: what is a file of the project is a path, so no name is both.
    fn revisions_then_paths(&self, arguments: &[String]) -> Result<Vec<String>, GitError> {
        for argument in arguments {
            no_option(argument)?;
        }
        let outside = |path: &&String| path.starts_with('/') || path.split('/').any(|p| p == "..");
        if let Some(path) = arguments.iter().find(|path| {
            // `a..b` is a range of revisions, `../x` is a way out.
            outside(path)
        }) {
            return Err(GitError::Outside(path.clone()));
        }
        let (paths, revisions): (Vec<&String>, Vec<&String>) = arguments
            .iter()
            .partition(|argument| self.files.exists(argument));
        let separator = "--".to_owned();
        let words = revisions.into_iter().chain([&separator]).chain(paths);
        Ok(words.cloned().collect())
    }

    async fn git(&self, options: &[&str], words: &[String]) -> Result<Executed, GitError> {
        let mut command = vec!["git".to_owned()];
        command.extend(
            HARMLESS
                .iter()
                .chain(options)
                .map(|word| (*word).to_owned()),
        );
        command.extend_from_slice(words);
        let mut environment = self.environment.clone();
        environment.retain(|name, _| !name.starts_with("GIT_"));
        environment.insert("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned());
        environment.insert("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned());
        environment.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
        let done = run(Execution {
            command: &command,
            stdin: None,
            directory: self.files.root(),
            environment,
            time: self.time,
            reach: CommandReach::Unconfined,
            jails: None,
        })
        .await?;
        if done.exit_code == 0 {
            Ok(done)
        } else {
            let said = format!("{}\n{}", done.stderr.trim(), done.stdout.trim());
            let said = said.trim().chars().take(500).collect();
            Err(GitError::Refused(said))
        }
    }
}

fn no_option(argument: &str) -> Result<(), GitError> {
    if argument.starts_with('-') || argument.is_empty() {
        return Err(GitError::Option(argument.to_owned()));
    }
    Ok(())
}
