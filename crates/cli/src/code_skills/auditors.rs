//! Skills whose rules and scanners audit other skills.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_runtime::{Approvals, Manifests, NoApprover, Parts, Runtime};
use prowess_spec::manifest::SkillType;
use prowess_trust::ProjectRoot;

use super::arguments::CodeSkillArguments;
use super::jails::workers;
use super::open::add_approvals;
use super::{event_lines, explicit, store};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::{configuration, environment, open, terminal};

/// Activates the skills with security rules and scanners; returns `None` if there are none.
///
/// Code must be approved beforehand: an audit informs an approval, so it never asks for one.
pub(crate) async fn auditors(
    arguments: &CodeSkillArguments,
    global: &Global,
) -> Result<Option<Runtime>> {
    // Skills on this machine suffice.
    let local = Global {
        config: global.config.clone(),
        offline: true,
        quiet: true,
        ..Global::default()
    };
    let config = configuration::load(global)?;
    let builder = open::builder(&config, None, &arguments.sources, &local, None)?;
    let skills = builder.capability(prowess_runtime::CODE).build().await?;
    let manifests = Manifests::read(&skills).await;
    let wanted: Vec<SkillId> = manifests
        .iter()
        .filter(|(_, manifest)| manifest.types.contains(&SkillType::SecurityRule))
        .map(|(id, _)| id.clone())
        .collect();
    let catalog = skills.catalog();
    let (named, _) = explicit::split_names(&arguments.skills);
    for name in &named {
        let id = explicit::id_of(&catalog, name);
        if !wanted.iter().any(|it| it.as_str() == id) {
            return Err(CommandError::failure(format!(
                "`{name}` has no security rules"
            )));
        }
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let store = store::open_existing(&config).await?;
    let mut parts = Parts::new(skills.clone());
    parts.workers = workers(&config)?;
    parts.services.listener = event_lines::listener(global.quiet);
    let directory = std::env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&directory, home.as_deref());
    parts.approvals = Approvals::load(store, root.path()).await?;
    add_approvals(
        &parts.approvals,
        &config,
        &skills,
        &arguments.approve_skills,
    )
    .await?;
    parts.approver = Arc::new(NoApprover);
    let runtime = Runtime::new(parts);
    for id in wanted {
        if let Err(error) = runtime.activate(&id).await
            && !global.quiet
        {
            let line = format!("warning: rules of {id} not used: {error}");
            terminal::note(&terminal::printable(&line));
        }
    }
    Ok(Some(runtime))
}
