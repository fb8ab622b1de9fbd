//! Two agents that differ in one skill.

use std::sync::Arc;

use jiff::Timestamp;
use prowess_agent::AgentOptions;
use prowess_agent::eval::{Contest, Graders, Suite};
use prowess_core::{SkillId, ToolUse};
use prowess_runtime::{Runtime, ScriptError, Scripts};
use prowess_spec::manifest::Mode;

use super::arguments::EvalArguments;
use crate::agent::{AgentSetup, build_agent};
use crate::arguments::Global;
use crate::code_skills::{ResolvedSkills, approval_hint};
use crate::error::{CommandError, Result};
use crate::model::{self, SelectedModel};

const SYSTEM: &str = "You are a helpful assistant.";

/// The agents of an evaluation, and their runtimes.
pub(super) struct EvalSetup {
    pub(super) contest: Contest,
    runtimes: [Runtime; 2],
    scripts: Arc<Scripts>,
}

impl EvalSetup {
    /// Deletes the files that scripts of one chat left.
    pub(super) fn clear_scratch(&self) {
        self.scripts.forget_scratch();
    }

    pub(super) async fn shut_down(&self) {
        for runtime in &self.runtimes {
            runtime.shut_down().await;
        }
    }
}

/// The models that answer and judge.
pub(super) struct EvalModels {
    answers: SelectedModel,
    /// None, if it would be the demo: that one cannot judge.
    judges: Option<SelectedModel>,
}

impl EvalModels {
    pub(super) fn choose(
        arguments: &EvalArguments,
        resolved: &ResolvedSkills,
        global: &Global,
    ) -> Result<Self> {
        let answers = model::select(&arguments.model, &resolved.config, global)?;
        let judge = arguments.judge.over(&arguments.model);
        let judges = match model::select(&judge, &resolved.config, global).map_err(for_judge)? {
            SelectedModel::Demo { .. } => None,
            real @ SelectedModel::Real(_) => Some(real),
        };
        Ok(Self { answers, judges })
    }

    pub(super) fn is_demo(&self) -> bool {
        matches!(self.answers, SelectedModel::Demo { .. })
    }

    pub(super) fn has_tools(&self) -> bool {
        let tool_use = match &self.answers {
            SelectedModel::Demo { tool_use, .. } => *tool_use,
            SelectedModel::Real(choice) => choice.tool_use,
        };
        tool_use == ToolUse::Available
    }

    pub(super) fn has_judge(&self) -> bool {
        self.judges.is_some()
    }
}

/// The same error for the options of the judge.
fn for_judge(mut error: CommandError) -> CommandError {
    for name in ["provider", "model", "base-url"] {
        for hint in &mut error.hints {
            *hint = hint.replace(&format!("--{name}"), &format!("--judge-{name}"));
        }
    }
    error.message = format!("the judge: {}", error.message);
    error
}

/// Opens both agents, and asks for all approvals.
pub(super) async fn open(
    skill: &SkillId,
    suite: &Suite,
    runs: usize,
    mut resolved: ResolvedSkills,
    models: &EvalModels,
) -> Result<EvalSetup> {
    // It is used when a model or a message calls for it, however it was found.
    resolved.remove_explicit(skill);
    let rest = resolved.without(skill).await;
    let judge = match &models.judges {
        Some(chosen) => Some(chosen.open(&resolved.skills)?),
        None => None,
    };
    let answers = &models.answers;
    let options = AgentOptions {
        system: SYSTEM.to_owned(),
        ..AgentOptions::default()
    };
    let with = build_agent(resolved, answers, options.clone(), Mode::Headless, None).await?;
    let without = build_agent(rest, answers, options, Mode::Headless, None).await?;
    require_approvals(skill, suite, &with).await?;
    let scripts = Arc::clone(&with.scripts);
    Ok(EvalSetup {
        contest: Contest {
            skill: skill.clone(),
            with: with.agent,
            without: without.agent,
            runs,
            graders: Graders {
                judge,
                scripts: Some(with.scripts),
            },
            timestamp: now(),
        },
        runtimes: [with.runtime, without.runtime],
        scripts,
    })
}

/// Asks for all approvals before the first run; fails if one is missing.
async fn require_approvals(skill: &SkillId, suite: &Suite, with: &AgentSetup) -> Result<()> {
    if with.manifests.get(skill).is_some() {
        let activated = with.runtime.activate(skill).await;
        with.runtime.shut_down().await;
        activated?;
    }
    if let Some(script) = suite.scripts().next()
        && let Err(error) = with.scripts.approve(skill, script).await
    {
        let (reason, hint) = match &error {
            ScriptError::NotApproved(reason, _, _, name) => {
                (reason.clone(), Some(approval_hint(name)))
            }
            _ => (error.to_string(), None),
        };
        return Err(CommandError {
            message: format!("`{script}` of `{skill}` cannot look at answers: {reason}"),
            hints: hint.into_iter().collect(),
            ..CommandError::from(error)
        });
    }
    Ok(())
}

/// The time to the second, as RFC 3339 writes it.
fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second())
        .unwrap_or(now)
        .to_string()
}
