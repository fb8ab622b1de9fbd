//! Scripts of skills, run for the model or the user.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use prowess_core::{ErrorCode, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError};
use prowess_policy::{Decision, Right, TurnLimits};
use prowess_sandbox::all_repositories;
use prowess_spec::SkillPath;
use prowess_spec::manifest::Permission;
use tempfile::TempDir;
use tokio::process::{ChildStderr, ChildStdout};

use super::env_files::is_env;
use super::jail::{ConfinedProgram, Extra, Jails, PROJECT};
use super::named_files::{NamedFiles, ScriptResults, files_below};
use crate::approval::{Approvals, Approver};
use crate::code_skill::CodeSkill;
use crate::content::SkillContent;
use crate::gate::Gate;
use crate::process::ProcessHandle;
use crate::program_output::{ProgramOutput, exit_code};

/// When scripts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptsMode {
    /// Never.
    Off,
    /// After approval of the skill.
    Ask,
    /// Always, with access to the skill and a scratch directory only.
    Sandboxed,
}

/// Why a script does not run.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Scripts are off.
    #[error("scripts are off; `scripts = \"ask\"` in prowess.toml runs them after approval")]
    Off,
    /// The skill is not approved.
    #[error("{0}; approve it in a terminal with `prowess run {1}/{2}`")]
    NotApproved(String, SkillId, SkillPath, String),
    /// It cannot be run.
    #[error("{0}")]
    Cannot(String),
    /// It timed out.
    #[error("the script timed out after {0} s; its processes were stopped")]
    TimedOut(u64),
}

/// Files that the result of a script lists.
const LISTED: usize = 100;

/// A script that may run.
pub struct ApprovedScript {
    content: SkillContent,
    path: SkillPath,
    gate: Arc<Gate>,
}

impl ApprovedScript {
    /// Whether it has a permission.
    pub fn may(&self, permission: Permission) -> bool {
        self.gate.may(permission).is_ok()
    }
}

/// Runs the scripts of skills.
pub struct Scripts {
    skills: Skills,
    jails: Jails,
    approvals: Approvals,
    approver: Arc<dyn Approver>,
    mode: ScriptsMode,
    project: Option<PathBuf>,
    time: Duration,
    /// The scratch directory, shared by all scripts.
    scratch: Mutex<Option<Arc<TempDir>>>,
}

impl Scripts {
    /// Creates a script runner. The skills should be those without it, or it stays in memory.
    pub fn new(
        skills: Skills,
        jails: Jails,
        approvals: Approvals,
        approver: Arc<dyn Approver>,
        mode: ScriptsMode,
    ) -> Self {
        Self {
            skills,
            jails,
            approvals,
            approver,
            mode,
            project: None,
            time: Duration::from_mins(1),
            scratch: Mutex::new(None),
        }
    }

    /// Sets the project, for skills with access to it.
    #[must_use]
    pub fn project(mut self, project: PathBuf) -> Self {
        self.project = Some(project);
        self
    }

    /// Sets the time limit.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// The scratch directory, once a script ran.
    pub fn scratch(&self) -> Option<PathBuf> {
        let scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        scratch.as_ref().map(|it| it.path().to_owned())
    }

    /// Uses a new scratch directory from now on; the old one is removed when no script uses it.
    pub fn forget_scratch(&self) {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        *scratch = None;
    }

    fn scratch_directory(&self) -> std::io::Result<Arc<TempDir>> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(present) = &*scratch {
            return Ok(Arc::clone(present));
        }
        Ok(Arc::clone(scratch.insert(Arc::new(private_directory()?))))
    }

    /// Runs a script after approval, in the scratch directory that all scripts share. The result lists what is in it.
    pub async fn execute(
        &self,
        id: &SkillId,
        path: &SkillPath,
        arguments: &[String],
    ) -> Result<ScriptOutput, ScriptError> {
        let script = self.approve(id, path).await?;
        let scratch = self.scratch_directory().map_err(cannot)?;
        let extra = Extra {
            scratch: Some(scratch.path().to_owned()),
            ..Extra::default()
        };
        let mut output = self.run_approved(&script, arguments, extra).await?;
        output.files = files_below(scratch.path());
        output.files.truncate(LISTED);
        Ok(output)
    }

    /// Runs an approved script for the user, with copies of the files that its arguments name.
    pub async fn run_with_files(
        &self,
        script: &ApprovedScript,
        arguments: &[String],
        named: NamedFiles,
    ) -> Result<(ScriptOutput, ScriptResults), ScriptError> {
        let scratch = private_directory().map_err(cannot)?;
        named.copy_to(scratch.path()).map_err(cannot)?;
        let extra = Extra {
            scratch: Some(scratch.path().to_owned()),
            input_bytes: named.bytes,
            files: named.mounted.clone(),
            ..Extra::default()
        };
        let output = self.run_approved(script, arguments, extra).await?;
        let results = ScriptResults {
            files: named.results(scratch.path()),
            named,
            scratch,
        };
        Ok((output, results))
    }

    /// The project, unless it is a home directory or contains one: keys and histories are in it.
    fn visible_project(&self) -> Option<&PathBuf> {
        let home = self.jails.home.as_deref();
        let holds_home = |project: &&PathBuf| home.is_some_and(|home| home.starts_with(project));
        self.project.as_ref().filter(|project| !holds_home(project))
    }

    /// Whether scripts can see the project, if they may.
    pub fn shows_project(&self) -> bool {
        self.visible_project().is_some()
    }

    async fn run_approved(
        &self,
        script: &ApprovedScript,
        arguments: &[String],
        mut extra: Extra,
    ) -> Result<ScriptOutput, ScriptError> {
        extra.project = self.visible_project().cloned();
        let ApprovedScript {
            content,
            path,
            gate,
        } = script;
        // What lies over repositories and `.env` files of the project, which can contain passwords.
        let empty = tempfile::tempdir().map_err(cannot)?;
        if let Some(project) = &extra.project
            && !script.may(Permission::FileWrite)
            && script.may(Permission::FileRead)
        {
            extra
                .files
                .extend(hidden_files(project, empty.path()).map_err(cannot)?);
        }
        let program = ConfinedProgram::file(&self.jails, content, path, gate, &extra);
        let program = program.map_err(cannot)?.arguments(arguments);
        self.run_program(program).await
    }

    /// Requires approval of a script without running it. A skill without a manifest may then also read the project.
    pub async fn approve(
        &self,
        id: &SkillId,
        path: &SkillPath,
    ) -> Result<ApprovedScript, ScriptError> {
        self.approve_with(id, path, &[Permission::FileRead]).await
    }

    /// The same for the script of a skill that was approved for running alone: without a manifest it sees the project only if
    /// that was approved, too, and nothing is asked.
    pub async fn approve_alone(
        &self,
        id: &SkillId,
        path: &SkillPath,
    ) -> Result<ApprovedScript, ScriptError> {
        let alone = self.approve_with(id, path, &[]).await?;
        let reads = Permission::FileRead;
        let subject = alone.content.subject();
        match self.approvals.decide(&subject, &[reads], reads) {
            Decision::Allowed => self.approve_with(id, path, &[reads]).await,
            Decision::Denied(_) => Ok(alone),
        }
    }

    async fn approve_with(
        &self,
        id: &SkillId,
        path: &SkillPath,
        without_manifest: &[Permission],
    ) -> Result<ApprovedScript, ScriptError> {
        let content = SkillContent::read(&self.skills, id).await;
        let content = content.map_err(cannot)?;
        let manifest = CodeSkill::new(content.clone()).ok().map(|it| it.manifest);
        let declared: Vec<Permission> = manifest.as_ref().map_or_else(
            || without_manifest.to_vec(),
            |manifest| manifest.permissions.clone(),
        );
        match self.mode {
            ScriptsMode::Off => return Err(ScriptError::Off),
            ScriptsMode::Sandboxed => {}
            ScriptsMode::Ask => {
                let asked = declared.iter().copied().map(Right::Ask);
                let rights: Vec<Right> = [Right::Run].into_iter().chain(asked).collect();
                let settled = self
                    .approvals
                    .require(&*self.approver, &content, manifest.as_ref(), &rights)
                    .await;
                settled.map_err(|error| {
                    let name = content.approval_name();
                    ScriptError::NotApproved(error.to_string(), id.clone(), path.clone(), name)
                })?;
            }
        }
        let approvals = self.approvals.clone();
        Ok(ApprovedScript {
            gate: Gate::new(&content, &declared, approvals, TurnLimits::default()),
            content,
            path: path.clone(),
        })
    }

    async fn run_program(&self, program: ConfinedProgram) -> Result<ScriptOutput, ScriptError> {
        let began = Instant::now();
        let spawned = tokio::task::spawn_blocking(move || program.spawn()).await;
        let spawned = spawned.map_err(|_| cannot("cancelled"))?;
        let mut running = spawned.map_err(cannot)?;
        // Scripts have arguments and no standard input.
        drop(running.child.stdin.take());
        let out = running.child.stdout.take().map(ChildStdout::from_std);
        let err = running.child.stderr.take().map(ChildStderr::from_std);
        let (out, err) = (out.transpose(), err.transpose());
        let (out, err) = (out.map_err(cannot)?, err.map_err(cannot)?);
        let (mut stdout, mut stderr) = (ProgramOutput::default(), ProgramOutput::default());
        let streams = async { tokio::join!(stdout.fill(out), stderr.fill(err)) };
        let in_time = tokio::time::timeout(self.time, streams).await.is_ok();
        let left = if in_time {
            self.time.saturating_sub(began.elapsed())
        } else {
            Duration::ZERO
        };
        let ended = tokio::task::spawn_blocking(move || {
            let status = running.end(left);
            (status, running.child.excess())
        });
        let ended = ended.await.map_err(|_| cannot("cancelled"))?;
        let (status, excess) = (ended.0.map_err(cannot)?, ended.1);
        if !in_time {
            return Err(ScriptError::TimedOut(self.time.as_secs()));
        }
        Ok(ScriptOutput {
            exit_code: exit_code(status),
            truncated: stdout.dropped + stderr.dropped > 0,
            stdout: stdout.text(),
            stderr: stderr.text() + &excess.map(|it| format!("\n{it}\n")).unwrap_or_default(),
            files: Vec::new(),
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "made to be given to `map_err`"
)]
fn cannot(error: impl ToString) -> ScriptError {
    ScriptError::Cannot(error.to_string())
}

/// A scratch directory that other users cannot read.
fn private_directory() -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("prowess-scratch-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// An empty directory or file for each repository and file of variables of a project, with its path in the sandbox.
fn hidden_files(project: &Path, empty: &Path) -> std::io::Result<Vec<(PathBuf, PathBuf)>> {
    let (directory, file) = (empty.join("directory"), empty.join("file"));
    std::fs::create_dir(&directory)?;
    std::fs::write(&file, "")?;
    let real = project.canonicalize()?;
    let mut secret = all_repositories(&real);
    let top = std::fs::read_dir(&real)?
        .flatten()
        .map(|entry| entry.path());
    secret.extend(top.filter(|path| is_env(path)));
    let mounts = secret.iter().filter_map(|path| {
        let inside = Path::new(PROJECT).join(path.strip_prefix(&real).ok()?);
        let over = if path.is_dir() { &directory } else { &file };
        Some((over.clone(), inside))
    });
    Ok(mounts.collect())
}

#[async_trait]
impl ScriptRunner for Scripts {
    async fn run(
        &self,
        id: &SkillId,
        path: &SkillPath,
        args: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        let done = self.execute(id, path, args).await;
        done.map_err(|error| {
            let code = match &error {
                ScriptError::Off | ScriptError::NotApproved(..) => ErrorCode::PermissionDenied,
                ScriptError::Cannot(_) | ScriptError::TimedOut(_) => ErrorCode::Unavailable,
            };
            ToolError::new(code, error.to_string())
        })
    }
}
