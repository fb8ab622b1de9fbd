//! The repository of a project, through the system's git, without starting other programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use prowess_policy::CommandReach;
use prowess_trust::{LocalRepository, RepositoryProblem};
use serde_json::{Value, json};

use super::exec::{ExecError, Execution, ExecutionResult, run};
use super::files::ProjectFiles;
use super::git_isolation::{self, Filtered};

/// Options of every command.
const GLOBAL: &[&str] = &["--no-pager", "--literal-pathspecs"];
/// Options of comparing commands.
const COMPARE: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--submodule=short",
];

/// Why a git call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("`{}` looks like an option; only revisions and paths are taken", .0.escape_debug())]
    Option(String),
    #[error("`{0}` is outside of the project")]
    Outside(String),
    #[error("git says: {0}")]
    Refused(String),
    #[error("cannot use the repository: {0}\nhint: {hint}", hint = .0.hint())]
    Repository(#[from] RepositoryProblem),
    #[error("cannot use the repository: its filter settings are too many or malformed")]
    Filters,
    #[error("nothing to commit: no change is staged")]
    Unchanged,
    #[error(transparent)]
    Exec(#[from] ExecError),
}

/// A repository.
pub(crate) struct Repository<'a> {
    pub(crate) files: &'a ProjectFiles,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) time: Duration,
}

impl Repository<'_> {
    pub(crate) async fn diff(&self, arguments: &[String]) -> Result<Value, GitError> {
        let words = self.revisions_then_paths(arguments)?;
        let options: Vec<&str> = ["diff"].iter().chain(COMPARE).copied().collect();
        let done = self.git(&options, &words).await?;
        Ok(json!({"content": done.stdout}))
    }

    pub(crate) async fn log(&self, limit: u32, arguments: &[String]) -> Result<Value, GitError> {
        let words = self.revisions_then_paths(arguments)?;
        let limit = format!("--max-count={}", limit.min(1_000));
        let format = "--format=%H%x1f%an%x1f%aI%x1f%B";
        let options = ["log", "--no-show-signature", "-z", format, &limit];
        let options: Vec<&str> = options.iter().chain(COMPARE).copied().collect();
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
        let options = ["status", "--porcelain=v1", "-z", "--ignore-submodules=all"];
        let done = self.git(&options, &[]).await?;
        let mut records = done.stdout.split('\0');
        let mut files = Vec::new();
        while let Some(record) = records.next() {
            let (Some(status), Some(path)) = (record.get(..2), record.get(3..)) else {
                continue;
            };
            // A renamed file is followed by its old name.
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
        self.isolated(&["add"], &words, Filtered::Refused).await?;
        Ok(Value::Null)
    }

    pub(crate) async fn commit(&self, message: &str) -> Result<Value, GitError> {
        // Without staged changes, `commit` prints a status, for which it enters submodules.
        let staged = [
            "diff",
            "--cached",
            "--name-only",
            "--ignore-submodules=dirty",
        ];
        let merging = ["rev-parse", "--quiet", "--verify", "MERGE_HEAD"];
        if self.git(&staged, &[]).await?.stdout.is_empty() && self.git(&merging, &[]).await.is_err()
        {
            return Err(GitError::Unchanged);
        }
        let message = format!("--message={message}");
        let options = ["commit", "--no-verify", "--no-gpg-sign", "--no-status"];
        let options: Vec<&str> = options.into_iter().chain(["--quiet", &message]).collect();
        self.git(&options, &[]).await?;
        let head = self.git(&["rev-parse", "HEAD"], &[]).await?;
        Ok(json!({"hash": head.stdout.trim()}))
    }

    /// Splits words into revisions and paths; an existing file is a path.
    fn revisions_then_paths(&self, arguments: &[String]) -> Result<Vec<String>, GitError> {
        for argument in arguments {
            no_option(argument)?;
        }
        let outside = |path: &&String| path.starts_with('/') || path.split('/').any(|p| p == "..");
        if let Some(path) = arguments.iter().find(|path| {
            // `a..b` is a range of revisions, `../x` leaves the project.
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

    async fn git(&self, options: &[&str], words: &[String]) -> Result<ExecutionResult, GitError> {
        self.isolated(options, words, Filtered::AsItIs).await
    }

    /// Runs git without the settings of the repository that start programs.
    async fn isolated(
        &self,
        options: &[&str],
        words: &[String],
        filtered: Filtered,
    ) -> Result<ExecutionResult, GitError> {
        let root = self.files.root();
        let unreadable = || git_isolation::unreadable_file(root).map(RepositoryProblem::Unreadable);
        // Without one, git looks for none, or does not enter it.
        let repository = root
            .join(".git")
            .exists()
            .then(|| LocalRepository::at(root));
        let problem = repository.and_then(|repository| repository.problem());
        problem.or_else(unreadable).map_or(Ok(()), Err)?;
        let keys = self.filter_keys().await?;
        self.inside().await?;
        let environment = git_isolation::environment(self.files.root(), &keys, filtered);
        self.run(options, words, environment).await
    }

    /// The names of filter settings. Reading settings starts no program.
    async fn filter_keys(&self) -> Result<Vec<String>, GitError> {
        let environment = git_isolation::environment(self.files.root(), &[], Filtered::AsItIs);
        let options = ["config", "--includes", "--null", "--name-only", "--list"];
        let listed = self.run(&options, &[], environment).await?.stdout;
        // Truncated or malformed output can hide a filter.
        let Some(keys) = listed.strip_suffix('\0') else {
            return Err(GitError::Filters);
        };
        if listed.contains('\u{fffd}') {
            return Err(GitError::Filters);
        }
        let keys = keys.split('\0').filter(|key| key.starts_with("filter."));
        let mut keys: Vec<String> = keys.map(str::to_owned).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// Checks that the repository is inside the project.
    async fn inside(&self) -> Result<(), GitError> {
        let root = self.files.root();
        let environment = git_isolation::environment(root, &[], Filtered::AsItIs);
        let options = [
            "rev-parse",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
        ];
        let found = self.run(&options, &[], environment).await?.stdout;
        let lines: Vec<&str> = found.lines().collect();
        let problem = match lines.as_slice() {
            [directory, common] => {
                LocalRepository::with(root, Path::new(directory), Path::new(common)).problem()
            }
            _ => Some(RepositoryProblem::Outside(PathBuf::from(found))),
        };
        problem.map_or(Ok(()), |problem| Err(problem.into()))
    }

    async fn run(
        &self,
        options: &[&str],
        words: &[String],
        isolation: Vec<(String, String)>,
    ) -> Result<ExecutionResult, GitError> {
        let mut command = vec!["git".to_owned()];
        command.extend(GLOBAL.iter().chain(options).map(|word| (*word).to_owned()));
        command.extend_from_slice(words);
        let mut environment = self.environment.clone();
        environment.retain(|name, _| !name.starts_with("GIT_"));
        environment.extend(isolation);
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
