//! From the files of a skill to an active skill that is not registered yet.

use std::sync::Arc;

use prowess_sdk::wire::Registration;

use super::active_skill::{ActiveSkill, Contributions};
use super::context::ActivationContext;
use super::error::ActivationError;
use super::start::start;
use super::table::ActivationTable;
use crate::approval::ApprovalError;
use crate::code_skill::CodeSkill;
use crate::gate::Gate;
use crate::host::{ProjectFiles, SkillHost};

/// Approves a skill, starts its code and collects its contributions. A failure ends the code.
pub(super) async fn prepare(
    context: &ActivationContext,
    table: &ActivationTable,
    skill: CodeSkill,
) -> Result<ActiveSkill, ActivationError> {
    require_approval(context, &skill).await?;
    let gate = Gate::new(
        &skill.content,
        &skill.manifest.permissions,
        context.approvals.clone(),
        context.services.allowances.turn,
    );
    let host = SkillHost::new(
        Arc::clone(&gate),
        skill.content.clone(),
        Arc::clone(&context.services),
    )
    .with_invoker(context.invoker.clone())
    .with_approver(Arc::clone(&context.approver));
    let project = context.services.project.as_ref().map(ProjectFiles::root);
    let backend = start(&skill, &context.workers, project, Arc::new(host)).await;
    let backend = backend.map_err(|source| ActivationError::Backend {
        skill: skill.id().clone(),
        source,
    })?;
    let no_code = Registration::default();
    let registration = backend
        .as_ref()
        .map_or(&no_code, |backend| backend.registration());
    let contributions = Contributions::new(&skill, registration)
        .and_then(|contributions| reject_duplicate_tools(context, table, contributions));
    match contributions {
        Ok(contributions) => Ok(ActiveSkill {
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

async fn require_approval(
    context: &ActivationContext,
    skill: &CodeSkill,
) -> Result<(), ActivationError> {
    let (files, manifest) = (&skill.content, Some(&skill.manifest));
    let rights = skill.rights();
    let required = context
        .approvals
        .require(&*context.approver, files, manifest, &rights);
    required.await.map_err(|error| {
        let approval_name = files.approval_name();
        let skill = skill.id().clone();
        match error {
            ApprovalError::Undecided(rights) => ActivationError::Undecided {
                skill,
                rights,
                approval_name,
            },
            ApprovalError::Denied(rights) => ActivationError::Denied { skill, rights },
            ApprovalError::Store(error) => ActivationError::Store(error),
        }
    })
}

fn reject_duplicate_tools(
    context: &ActivationContext,
    table: &ActivationTable,
    contributions: Contributions,
) -> Result<Contributions, String> {
    let dialect = context.skills.settings().dialect;
    for tool in &contributions.tools {
        let name = &tool.name;
        if dialect.tools.iter().any(|own| own.name == *name) {
            return Err(format!("`{name}` is a built-in tool"));
        }
        if let Some(owner) = table.tool_owner(name) {
            let owner = owner.id();
            return Err(format!(
                "the tool `{name}` is already registered by `{owner}`"
            ));
        }
    }
    Ok(contributions)
}
