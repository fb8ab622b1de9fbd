//! Code skills over skills that are open already.

use std::env;
use std::sync::Arc;

use prowess_config::SkillsConfig;
use prowess_core::Skills;
use prowess_runtime::{Approvals, Approver, Listener, Manifests, Runtime};
use prowess_store::Store;
use prowess_trust::ProjectRoot;

use super::explicit;
use super::jails::with_scripts;
use super::open::{HostServices, ResolvedSkills, add_approvals, parts, project_skills};
use super::store::{self, StoreNeed};
use crate::environment;
use crate::error::{Context, Result};

/// The project of the current directory.
fn project_root() -> Result<ProjectRoot> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    Ok(ProjectRoot::find(&directory, home.as_deref()))
}

/// Skills for an agent, with approvals of their own. `approver` decides what was not approved yet.
pub(crate) async fn resolve_over(
    skills: Skills,
    config: &SkillsConfig,
    context_window: Option<usize>,
    store: Store,
    approver: Arc<dyn Approver>,
) -> Result<ResolvedSkills> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let project = project_root()?;
    let root = project.path().to_owned();
    let (named, file) = explicit::named_by_project(&directory, &project);
    let explicit = project_skills(&skills, named, file.as_deref())?;
    let approvals = Approvals::load(store.clone(), &root).await?;
    let asked = Arc::clone(&approver);
    let (skills, scripts) = with_scripts(skills, config, &approvals, asked, &root)?;
    let manifests = Manifests::read(&skills).await;
    let (triggers, _) = manifests.triggers();
    add_approvals(&approvals, config, &skills, &[]).await?;
    Ok(ResolvedSkills {
        config: config.clone(),
        context_window,
        skills,
        store,
        scripts,
        manifests,
        triggers,
        explicit,
        approvals,
        approver,
        root,
    })
}

/// A runtime in which no skill is active and no model can be called.
pub(crate) async fn runtime_over(
    skills: Skills,
    config: &SkillsConfig,
    approver: Arc<dyn Approver>,
) -> Result<Runtime> {
    let root = project_root()?;
    let store = store::open_for(config, StoreNeed::Required).await?;
    let approvals = Approvals::load(store, root.path()).await?;
    add_approvals(&approvals, config, &skills, &[]).await?;
    let services = HostServices {
        listener: Listener::default(),
        model: None,
    };
    let mut parts = parts(skills, config, root.path(), services)?;
    parts.approvals = approvals;
    parts.approver = approver;
    Ok(Runtime::new(parts))
}
