//! Everything between a skill's files and its being active. Nothing of it is registered until all of it went well.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_policy::Right;
use prowess_sdk::wire::Registration;
use prowess_spec::manifest::{Platform, Word};
use prowess_store::StoreError;
use semver::Version;

use crate::active::Contributions;
use crate::approval::{NotApproved, words};
use crate::backend::{Backend, BackendError};
use crate::code_skill::{CodeSkill, CodeSkillError};
use crate::gate::Gate;
use crate::host::SkillHost;
use crate::lives::Inner;
use crate::start::start;
use crate::state::InvalidTransition;

/// Why a skill did not become active.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// It cannot be read, or has nothing to activate.
    #[error(transparent)]
    Skill(#[from] CodeSkillError),
    /// Its life does not have that step.
    #[error(transparent)]
    Transition(#[from] InvalidTransition),
    /// It failed before.
    #[error("`{skill}` failed before and was not reset: {reason}")]
    Failed {
        /// The skill.
        skill: SkillId,
        /// How.
        reason: String,
    },
    /// It is for another version of Prowess, or another system.
    #[error("`{skill}` does not work here: {reason}")]
    Incompatible {
        /// The skill.
        skill: SkillId,
        /// Why.
        reason: String,
    },
    /// A skill that it needs is not to be had.
    #[error("`{skill}` needs `{dependency}`: {reason}")]
    Dependency {
        /// The skill.
        skill: SkillId,
        /// What it needs.
        dependency: String,
        /// Why that is not to be had.
        reason: String,
    },
    /// Nobody decided about its permissions, and there was nobody to ask.
    #[error("not-approved: `{skill}` needs approval: {}", words(rights))]
    Undecided {
        /// The skill.
        skill: SkillId,
        /// What it wants.
        rights: Vec<Right>,
        /// What `--approve-skills` has to name.
        approval_name: String,
    },
    /// Somebody said no.
    #[error("not-approved: `{skill}` was denied: {}", words(rights))]
    Denied {
        /// The skill.
        skill: SkillId,
        /// What it wants.
        rights: Vec<Right>,
    },
    /// An answer could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its code did not start.
    #[error("`{skill}`: {source}")]
    Backend {
        /// The skill.
        skill: SkillId,
        /// Why.
        source: BackendError,
    },
    /// What it contributes makes no sense, or is there already.
    #[error("`{skill}`: {reason}")]
    Contribution {
        /// The skill.
        skill: SkillId,
        /// Why.
        reason: String,
    },
    /// Its handler for being activated failed.
    #[error("`{skill}` failed in OnActivate: {reason}")]
    Greeting {
        /// The skill.
        skill: SkillId,
        /// How.
        reason: String,
    },
}

impl ActivationError {
    /// Whether the skill may simply be tried again: nothing of it ran.
    pub(crate) fn leaves_inactive(&self) -> bool {
        matches!(
            self,
            Self::Undecided { .. }
                | Self::Denied { .. }
                | Self::Skill(CodeSkillError::NoManifest(_))
        )
    }
}

/// A skill that could be activated.
pub(crate) struct Made {
    pub(crate) skill: CodeSkill,
    pub(crate) gate: Arc<Gate>,
    pub(crate) backend: Option<Arc<dyn Backend>>,
    pub(crate) contributions: Contributions,
}

pub(crate) async fn make(
    inner: &Arc<Inner>,
    id: &SkillId,
    waiting: &mut Vec<SkillId>,
) -> Result<Made, ActivationError> {
    let skill = CodeSkill::read(&inner.skills, id).await?;
    compatible(&skill)?;
    depend(inner, &skill, waiting).await?;
    approve(inner, &skill).await?;
    let gate = Gate::new(
        &skill.content,
        &skill.manifest.permissions,
        inner.approvals.clone(),
        inner.services.allowances.turn,
    );
    let host = SkillHost::new(Arc::clone(&gate), Arc::clone(&inner.services))
        .with_others(inner.as_others())
        .with_approver(Arc::clone(&inner.approver));
    let failed = |source| ActivationError::Backend {
        skill: id.clone(),
        source,
    };
    let backend = start(&skill, inner, Arc::new(host)).await.map_err(failed)?;
    let nothing = Registration::default();
    let registration = backend
        .as_ref()
        .map_or(&nothing, |backend| backend.registration());
    let contributions = Contributions::new(&skill, registration)
        .and_then(|contributions| no_clash(inner, contributions));
    match contributions {
        Ok(contributions) => Ok(Made {
            skill,
            gate,
            backend,
            contributions,
        }),
        Err(reason) => {
            if let Some(backend) = backend {
                let _ = backend.unload().await;
            }
            let skill = skill.content.id;
            Err(ActivationError::Contribution { skill, reason })
        }
    }
}

fn compatible(skill: &CodeSkill) -> Result<(), ActivationError> {
    let wanted = &skill.manifest.compatibility;
    let here = match std::env::consts::OS {
        "macos" => Platform::Macos,
        "windows" => Platform::Windows,
        _ => Platform::Linux,
    };
    let incompatible = |reason: String| {
        Err(ActivationError::Incompatible {
            skill: skill.id().clone(),
            reason,
        })
    };
    if !wanted.platforms.is_empty() && !wanted.platforms.contains(&here) {
        let names: Vec<&str> = wanted.platforms.iter().map(|it| it.word()).collect();
        return incompatible(format!("it is for {}", names.join(", ")));
    }
    let version = Version::parse(env!("CARGO_PKG_VERSION"));
    match (&wanted.prowess, version) {
        (Some(range), Ok(version)) if !range.matches(&version) => {
            incompatible(format!("it is for Prowess {range}, and this is {version}"))
        }
        _ => Ok(()),
    }
}

/// Activates what a skill needs before the skill.
async fn depend(
    inner: &Arc<Inner>,
    skill: &CodeSkill,
    waiting: &mut Vec<SkillId>,
) -> Result<(), ActivationError> {
    for dependency in &skill.manifest.dependencies {
        let name = dependency.name.as_str();
        let unmet = |reason: String| ActivationError::Dependency {
            skill: skill.id().clone(),
            dependency: name.to_owned(),
            reason,
        };
        let catalog = inner.skills.catalog();
        let found = catalog
            .skills()
            .find(|found| found.descriptor.name() == name)
            .map(|found| found.descriptor.id.clone());
        let met = match found {
            None => Err(unmet("it is not there".to_owned())),
            Some(id) if id == *skill.id() || waiting.contains(&id) => {
                let chain: Vec<&str> = waiting.iter().map(SkillId::as_str).collect();
                let chain = chain.join(" -> ");
                Err(unmet(format!("they need each other: {chain} -> {id}")))
            }
            Some(id) => {
                waiting.push(skill.id().clone());
                let there = Box::pin(bring(inner, &id, &dependency.version, waiting)).await;
                waiting.pop();
                there.map_err(unmet)
            }
        };
        if let Err(error) = met
            && !dependency.optional
        {
            return Err(error);
        }
    }
    Ok(())
}

async fn bring(
    inner: &Arc<Inner>,
    id: &SkillId,
    wanted: &semver::VersionReq,
    waiting: &mut Vec<SkillId>,
) -> Result<(), String> {
    let there = CodeSkill::read(&inner.skills, id).await;
    let there = there.map_err(|error| error.to_string())?;
    let version = &there.manifest.version;
    if !wanted.matches(version) {
        return Err(format!("{wanted} is needed, and {version} is there"));
    }
    let activated = inner.activate(id, waiting).await;
    activated.map_err(|error| error.to_string())
}

/// Asks about what nobody decided yet.
async fn approve(inner: &Inner, skill: &CodeSkill) -> Result<(), ActivationError> {
    let (content, manifest) = (&skill.content, Some(&skill.manifest));
    let settled = inner
        .approvals
        .settle(&*inner.approver, content, manifest, &skill.rights())
        .await;
    let approval_name = skill.content.approval_name();
    let skill = skill.id().clone();
    settled.map_err(|error| match error {
        NotApproved::Undecided(rights) => ActivationError::Undecided {
            skill,
            rights,
            approval_name,
        },
        NotApproved::Denied(rights) => ActivationError::Denied { skill, rights },
        NotApproved::Store(error) => ActivationError::Store(error),
    })
}

/// Two tools of one name would be one tool too many.
fn no_clash(inner: &Inner, contributions: Contributions) -> Result<Contributions, String> {
    let dialect = inner.skills.settings().dialect;
    for tool in &contributions.tools {
        if dialect.tools.iter().any(|own| own.name == tool.name) {
            return Err(format!("`{}` is a tool of Prowess itself", tool.name));
        }
        for active in inner.active() {
            if active
                .contributions
                .tools
                .iter()
                .any(|there| there.name == tool.name)
            {
                return Err(format!(
                    "the tool `{}` is there already, from `{}`",
                    tool.name,
                    active.id()
                ));
            }
        }
    }
    Ok(contributions)
}
