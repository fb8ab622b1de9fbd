//! Activation of a skill and its dependencies.

use prowess_core::SkillId;
use prowess_sdk::Phase;
use prowess_spec::manifest::{Keyword, Platform};
use semver::{Version, VersionReq};

use super::active_skill::ActiveSkill;
use super::context::ActivationContext;
use super::error::{ActivationError, DependencyError};
use super::prepare::prepare;
use super::table::ActivationTable;
use super::transition::{TransitionGuard, change_state};
use crate::activation_state::ActivationState;
use crate::code_skill::CodeSkill;
use crate::event::RuntimeEvent;

/// Activates a skill after its dependencies; an active skill stays active.
///
/// `dependents` are the skills that wait for this one, outermost first.
pub(crate) async fn activate(
    context: &ActivationContext,
    table: &ActivationTable,
    id: &SkillId,
    dependents: &mut Vec<SkillId>,
) -> Result<(), ActivationError> {
    let (state, reason) = table.state(id);
    match state {
        ActivationState::Active => return Ok(()),
        ActivationState::Error => {
            let skill = id.clone();
            return Err(ActivationError::Failed { skill, reason });
        }
        ActivationState::Inactive | ActivationState::Activating => {}
    }
    let listener = &context.services.listener;
    change_state(table, listener, id, ActivationState::Activating, "")?;
    // Dropping the skill ends its worker, and nothing is registered before the last step.
    let dropped = "activation cancelled";
    let guard = TransitionGuard::new(table, listener, id, ActivationState::Inactive, dropped);
    match start_skill(context, table, id, dependents).await {
        Ok(active) => {
            table.register(active);
            guard.finish(ActivationState::Active, "")?;
            Ok(())
        }
        Err(error) => {
            let next = if error.leaves_inactive() {
                ActivationState::Inactive
            } else {
                ActivationState::Error
            };
            guard.finish(next, &error.to_string())?;
            Err(error)
        }
    }
}

async fn start_skill(
    context: &ActivationContext,
    table: &ActivationTable,
    id: &SkillId,
    dependents: &mut Vec<SkillId>,
) -> Result<ActiveSkill, ActivationError> {
    let skill = CodeSkill::read(&context.skills, id).await?;
    check_compatibility(&skill)?;
    activate_dependencies(context, table, &skill, dependents).await?;
    let active = prepare(context, table, skill).await?;
    for event in active.run_own_hook(Phase::Activate).await {
        if let RuntimeEvent::HookFailed { skill, reason, .. } = event {
            active.unload().await;
            return Err(ActivationError::ActivateHook { skill, reason });
        }
    }
    Ok(active)
}

fn check_compatibility(skill: &CodeSkill) -> Result<(), ActivationError> {
    let wanted = &skill.manifest.compatibility;
    let platform = match std::env::consts::OS {
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
    if !wanted.platforms.is_empty() && !wanted.platforms.contains(&platform) {
        let names: Vec<&str> = wanted.platforms.iter().map(|it| it.as_str()).collect();
        return incompatible(format!("supports only {}", names.join(", ")));
    }
    let version = Version::parse(env!("CARGO_PKG_VERSION"));
    match (&wanted.prowess, version) {
        (Some(range), Ok(version)) if !range.matches(&version) => {
            incompatible(format!("needs Prowess {range}, found {version}"))
        }
        _ => Ok(()),
    }
}

async fn activate_dependencies(
    context: &ActivationContext,
    table: &ActivationTable,
    skill: &CodeSkill,
    dependents: &mut Vec<SkillId>,
) -> Result<(), ActivationError> {
    for dependency in &skill.manifest.dependencies {
        let name = dependency.name.as_str();
        let catalog = context.skills.catalog();
        let found = catalog
            .skills()
            .find(|found| found.descriptor.name() == name)
            .map(|found| found.descriptor.id.clone());
        let activated = match found {
            None => Err(DependencyError::NotInstalled),
            Some(id) if id == *skill.id() || dependents.contains(&id) => {
                let chain: Vec<&str> = dependents.iter().map(SkillId::as_str).collect();
                let chain = chain.join(" -> ");
                Err(DependencyError::Circular(format!("{chain} -> {id}")))
            }
            Some(id) => {
                dependents.push(skill.id().clone());
                let version = &dependency.version;
                let activation = activate_dependency(context, table, &id, version, dependents);
                let activated = Box::pin(activation).await;
                dependents.pop();
                activated
            }
        };
        if let Err(source) = activated
            && !dependency.optional
        {
            return Err(ActivationError::Dependency {
                skill: skill.id().clone(),
                dependency: name.to_owned(),
                source,
            });
        }
    }
    Ok(())
}

async fn activate_dependency(
    context: &ActivationContext,
    table: &ActivationTable,
    id: &SkillId,
    wanted: &VersionReq,
    dependents: &mut Vec<SkillId>,
) -> Result<(), DependencyError> {
    let skill = CodeSkill::read(&context.skills, id).await?;
    let found = skill.manifest.version;
    if !wanted.matches(&found) {
        let wanted = wanted.clone();
        return Err(DependencyError::Version { wanted, found });
    }
    Ok(activate(context, table, id, dependents).await?)
}
