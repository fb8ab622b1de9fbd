//! Scripts that a skill brings along, run when a model or a person asks for one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use prowess_core::{ErrorCode, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError};
use prowess_policy::{Right, TurnLimits};
use prowess_spec::SkillPath;
use prowess_spec::manifest::Permission;
use tempfile::TempDir;
use tokio::process::{ChildStderr, ChildStdout};

use super::jail::{Confined, Extra, Jails};
use crate::approval::{Approvals, Approver};
use crate::code_skill::CodeSkill;
use crate::content::SkillContent;
use crate::gate::Gate;
use crate::process::Handle;
use crate::program_output::{ProgramOutput, exit_code};

/// Whether scripts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptsMode {
    /// Never.
    Off,
    /// Once somebody approved the skill as it is.
    Ask,
    /// Always, with nothing but the skill and a scratch directory to see.
    Sandboxed,
}

/// Why a script did not run.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Scripts are off.
    #[error(
        "scripts are switched off; `scripts = \"ask\"` in prowess.toml lets them run once they are approved"
    )]
    Off,
    /// Nobody approved the skill.
    #[error(
        "{0}; approve it in a terminal with `prowess run {1}/{2}`, or with --approve-skills {3}"
    )]
    NotApproved(String, SkillId, SkillPath, String),
    /// It cannot be run.
    #[error("{0}")]
    Cannot(String),
    /// It took too long.
    #[error(
        "the script took longer than {0} seconds and was stopped with everything that it started"
    )]
    TimedOut(u64),
}

/// Runs the scripts of skills.
pub struct Scripts {
    /// Handed over once it exists: skills are made with somebody to run scripts, and scripts come from skills.
    skills: Mutex<Option<Skills>>,
    jails: Jails,
    approvals: Approvals,
    approver: Arc<dyn Approver>,
    mode: ScriptsMode,
    project: Option<PathBuf>,
    time: Duration,
    /// What scripts left behind, shared by all of them for as long as this lives.
    scratch: Mutex<Option<Arc<TempDir>>>,
}

impl Scripts {
    /// Somebody to run scripts.
    pub fn new(
        jails: Jails,
        approvals: Approvals,
        approver: Arc<dyn Approver>,
        mode: ScriptsMode,
    ) -> Self {
        Self {
            skills: Mutex::new(None),
            jails,
            approvals,
            approver,
            mode,
            project: None,
            time: Duration::from_mins(1),
            scratch: Mutex::new(None),
        }
    }

    /// The project, for skills that may see it.
    #[must_use]
    pub fn project(mut self, project: PathBuf) -> Self {
        self.project = Some(project);
        self
    }

    /// How long a script may take.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// The skills whose scripts these are.
    pub fn serve(&self, skills: &Skills) {
        let mut slot = self.skills.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(skills.clone());
    }

    /// The directory with what scripts left behind, once one ran.
    pub fn scratch(&self) -> Option<PathBuf> {
        let scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        scratch.as_ref().map(|it| it.path().to_owned())
    }

    /// Begins with an empty directory the next time; the old one goes when no script is at work in it.
    pub fn forget_scratch(&self) {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        *scratch = None;
    }

    fn scratch_directory(&self) -> std::io::Result<Arc<TempDir>> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = &*scratch {
            return Ok(Arc::clone(there));
        }
        let made = tempfile::Builder::new()
            .prefix("prowess-scratch-")
            .tempdir()?;
        Ok(Arc::clone(scratch.insert(Arc::new(made))))
    }

    /// Has it settled whether a script may run, before it does.
    pub async fn settle(&self, id: &SkillId, path: &SkillPath) -> Result<(), ScriptError> {
        self.settled(id, path).await.map(|_| ())
    }

    /// Runs a script, if it may.
    pub async fn execute(
        &self,
        id: &SkillId,
        path: &SkillPath,
        arguments: &[String],
    ) -> Result<ScriptOutput, ScriptError> {
        let (content, declared) = self.settled(id, path).await?;
        let approvals = self.approvals.clone();
        let gate = Gate::new(&content, &declared, approvals, TurnLimits::default());
        let scratch = self.scratch_directory().map_err(cannot)?;
        let extra = Extra {
            project: self.project.clone(),
            scratch: Some(scratch.path().to_owned()),
            ..Extra::default()
        };
        let program = Confined::file(&self.jails, &content, path, &gate, &extra);
        let program = program.map_err(cannot)?.arguments(arguments);
        self.run_program(program).await
    }

    /// The skill as it was approved, and what it may ask for.
    async fn settled(
        &self,
        id: &SkillId,
        path: &SkillPath,
    ) -> Result<(SkillContent, Vec<Permission>), ScriptError> {
        let skills = {
            let slot = self.skills.lock().unwrap_or_else(PoisonError::into_inner);
            slot.clone().ok_or_else(|| cannot("there are no skills"))?
        };
        let content = SkillContent::read(&skills, id).await.map_err(cannot)?;
        let manifest = CodeSkill::new(content.clone()).ok().map(|it| it.manifest);
        let declared: Vec<Permission> = manifest
            .as_ref()
            .map(|it| it.permissions.clone())
            .unwrap_or_default();
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
        Ok((content, declared))
    }

    async fn run_program(&self, program: Confined) -> Result<ScriptOutput, ScriptError> {
        let began = Instant::now();
        let spawned = tokio::task::spawn_blocking(move || program.spawn()).await;
        let spawned = spawned.map_err(|_| cannot("the work was given up"))?;
        let mut running = spawned.map_err(cannot)?;
        // A script reads what it was given as arguments; nobody types here.
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
        let ended = ended.await.map_err(|_| cannot("the run was cancelled"))?;
        let (status, excess) = (ended.0.map_err(cannot)?, ended.1);
        if !in_time {
            return Err(ScriptError::TimedOut(self.time.as_secs()));
        }
        Ok(ScriptOutput {
            exit_code: exit_code(status),
            truncated: stdout.dropped + stderr.dropped > 0,
            stdout: stdout.text(),
            stderr: stderr.text() + &excess.map(|it| format!("\n{it}\n")).unwrap_or_default(),
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
