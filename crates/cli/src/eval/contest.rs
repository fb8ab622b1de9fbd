//! Two agents that differ in one skill.

use std::sync::Arc;

use jiff::Timestamp;
use prowess_agent::eval::{Contest, Graders, Suite};
use prowess_core::{SkillId, ToolUse};
use prowess_runtime::{Runtime, ScriptError, Scripts};
use prowess_spec::manifest::Mode;

use super::arguments::EvalArguments;
use crate::agent::{AgentSetup, build_agent};
use crate::arguments::Global;
use crate::code_skills::{ResolvedSkills, approval_hint};
use crate::error::{CommandError, Result};
use crate::model::{self, Chosen};

const SYSTEM: &str = "You are a helpful assistant.";

/// What is measured, and what has to end when it was.
pub(super) struct Opened {
    pub(super) contest: Contest,
    runtimes: [Runtime; 2],
    scripts: Arc<Scripts>,
}

impl Opened {
    /// What scripts left in one chat is not there for the next.
    pub(super) fn tidy(&self) {
        self.scripts.forget_scratch();
    }

    pub(super) async fn end(&self) {
        for runtime in &self.runtimes {
            runtime.shut_down().await;
        }
    }
}

/// The models that answer and judge, before anything of a skill lives.
pub(super) struct Models {
    answers: Chosen,
    /// None, if it would be the demo: that one cannot judge.
    judges: Option<Chosen>,
}

impl Models {
    pub(super) fn choose(
        arguments: &EvalArguments,
        resolved: &ResolvedSkills,
        global: &Global,
    ) -> Result<Self> {
        let answers = model::choose(&arguments.model, &resolved.config, global)?;
        let judge = arguments.judge.over(&arguments.model);
        let judges = match model::choose(&judge, &resolved.config, global).map_err(of_judge)? {
            Chosen::Demo { .. } => None,
            real @ Chosen::Real(_) => Some(real),
        };
        Ok(Self { answers, judges })
    }

    pub(super) fn is_demo(&self) -> bool {
        matches!(self.answers, Chosen::Demo { .. })
    }

    pub(super) fn has_tools(&self) -> bool {
        let tool_use = match &self.answers {
            Chosen::Demo { tool_use, .. } => *tool_use,
            Chosen::Real(choice) => choice.tool_use,
        };
        tool_use == ToolUse::Available
    }

    pub(super) fn has_judge(&self) -> bool {
        self.judges.is_some()
    }
}

/// The same, about the arguments that name a judge.
fn of_judge(mut error: CommandError) -> CommandError {
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
    models: &Models,
) -> Result<Opened> {
    // It is used when a model or a message calls for it, however it was found.
    resolved.remove_explicit(skill);
    let rest = resolved.without(skill).await;
    let judge = match &models.judges {
        Some(chosen) => Some(chosen.open(&resolved.skills)?),
        None => None,
    };
    let answers = &models.answers;
    let with = build_agent(resolved, answers, SYSTEM, Mode::Headless, None).await?;
    let without = build_agent(rest, answers, SYSTEM, Mode::Headless, None).await?;
    settle(skill, suite, &with).await?;
    let scripts = Arc::clone(&with.scripts);
    Ok(Opened {
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

/// Asks now what would be asked in the middle, and refuses what would make every figure wrong.
async fn settle(skill: &SkillId, suite: &Suite, with: &AgentSetup) -> Result<()> {
    if with.manifests.get(skill).is_some() {
        let activated = with.runtime.activate(skill).await;
        with.runtime.shut_down().await;
        activated?;
    }
    if let Some(script) = suite.scripts().next()
        && let Err(error) = with.scripts.require_approval(skill, script).await
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
