//! The skills that look at other skills.

use std::sync::Arc;

use anyhow::{Context, Result};
use prowess_core::SkillId;
use prowess_runtime::{Approvals, Manifests, NobodyToAsk, Parts, Runtime};
use prowess_spec::manifest::SkillType;
use prowess_trust::ProjectRoot;

use super::jails::workers;
use super::open::approve;
use super::{explicit, store, tell};
use crate::cli::{Global, LivingArguments};
use crate::{configuration, environment, open, terminal};

/// The active skills with rules and scanners; nothing where there are none.
///
/// Rules without code only add findings. Code has to be approved beforehand: an audit is what somebody does before
/// approving, so it asks nothing.
pub(crate) async fn auditors(
    arguments: &LivingArguments,
    global: &Global,
) -> Result<Option<Runtime>> {
    // What is on this machine is enough.
    let local = Global {
        config: global.config.clone(),
        offline: true,
        quiet: true,
        ..Global::default()
    };
    let builder = open::builder(&arguments.place, &local, None)?;
    let skills = builder.capability(prowess_runtime::CODE).build().await?;
    let manifests = Manifests::read(&skills).await;
    let wanted: Vec<SkillId> = manifests
        .iter()
        .filter(|(_, manifest)| manifest.types.contains(&SkillType::SecurityRule))
        .map(|(id, _)| id.clone())
        .collect();
    let catalog = skills.catalog();
    let (named, _) = explicit::sorted(&arguments.skills);
    for name in &named {
        let id = explicit::id_of(&catalog, name);
        if !wanted.iter().any(|it| it.as_str() == id) {
            anyhow::bail!("`{name}` is no skill with security rules");
        }
    }
    if wanted.is_empty() {
        return Ok(None);
    }
    let config = configuration::load(global)?;
    let store = store::open_existing(&config).await?;
    let mut parts = Parts::new(skills.clone());
    parts.workers = workers(&config)?;
    parts.services.listener = tell::listener(global.quiet);
    let directory = std::env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&directory, home.as_deref());
    parts.approvals = Approvals::load(store, root.path()).await?;
    approve(
        &parts.approvals,
        &config,
        &skills,
        &arguments.approve_skills,
    )
    .await?;
    parts.approver = Arc::new(NobodyToAsk);
    let runtime = Runtime::new(parts);
    for id in wanted {
        if let Err(error) = runtime.activate(&id).await
            && !global.quiet
        {
            let line = format!("without the rules of {id}: {error}");
            terminal::note(&terminal::printable(&line));
        }
    }
    Ok(Some(runtime))
}
