//! The skills of one path, and runtimes for their tests.

use std::env;
use std::path::Path;
use std::sync::Arc;

use prowess_core::SkillId;
use prowess_runtime::{
    Activation, Approvals, Approver, CODE, Manifests, Project, Runtime, Scripts, Situation,
    builtin_skills,
};
use prowess_spec::manifest::{Mode, Permission};
use prowess_trust::ProjectRoot;

use super::jails::with_scripts;
use super::named_path::{approve_named, ids_of};
use super::open::{HostServices, ResolvedSkills, add_approvals, parts};
use super::store::{self, StoreNeed};
use crate::arguments::{Global, SourceArguments};
use crate::error::{Context, Result};
use crate::{configuration, environment, open};

/// Where the path of a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOrigin {
    /// The user named it, which approves to run its skills over a project of their own.
    User,
    /// It is where the user happens to be, or another command decides.
    Default,
}

/// Resolves the skills of a path, with the built-in ones for their dependencies and nothing else. `approver` decides what
/// was not approved yet.
pub(crate) async fn resolve_path(
    path: &Path,
    origin: PathOrigin,
    approve_skills: &[String],
    global: &Global,
    approver: Arc<dyn Approver>,
) -> Result<ResolvedSkills> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let home = environment::user_directories().home;
    let root = ProjectRoot::find(&directory, home.as_deref());
    let root = root.path().to_owned();
    let config = configuration::load(global)?;
    let sources = SourceArguments {
        directories: vec![path.to_owned()],
        ..SourceArguments::default()
    };
    let builder = open::builder(&config, None, &sources, global, None)?;
    let builder = builder.source("built-in", builtin_skills());
    let skills = builder.capability(CODE).build().await?;
    let store = store::open_for(&config, StoreNeed::Optional).await?;
    let approvals = Approvals::load(store.clone(), &root).await?;
    let manifests = Manifests::read(&skills).await;
    let (triggers, _) = manifests.triggers();
    add_approvals(&approvals, &config, &skills, approve_skills).await?;
    if origin == PathOrigin::User {
        // The project of a test is a scratch directory.
        let granted = [Permission::FileRead, Permission::FileWrite];
        let ids = ids_of(&skills, path);
        approve_named(&skills, &config, &approvals, &ids, &granted).await;
    }
    let asked = Arc::clone(&approver);
    let (skills, scripts) = with_scripts(skills, &config, &approvals, asked, &root)?;
    Ok(ResolvedSkills {
        config,
        context_window: None,
        skills,
        store,
        scripts,
        manifests,
        triggers,
        explicit: Vec::new(),
        approvals,
        approver,
        root,
    })
}

/// A runtime in which no skill is active, over a project of its own.
pub(crate) struct TestBench {
    pub(crate) runtime: Runtime,
    pub(crate) scripts: Arc<Scripts>,
}

impl ResolvedSkills {
    /// A runtime over another project than the one that approvals are bound to.
    pub(crate) fn test_bench(&self, project: &Path, services: HostServices) -> Result<TestBench> {
        let skills = self.skills.clone();
        let asked = Arc::clone(&self.approver);
        let (_, scripts) = with_scripts(skills, &self.config, &self.approvals, asked, project)?;
        let mut parts = parts(self.skills.clone(), &self.config, project, services)?;
        parts.approvals = self.approvals.clone();
        parts.approver = Arc::clone(&self.approver);
        Ok(TestBench {
            runtime: Runtime::new(parts),
            scripts,
        })
    }

    /// Whether a skill has a manifest, which is what its triggers are in.
    pub(crate) fn has_manifest(&self, id: &SkillId) -> bool {
        self.manifests.get(id).is_some()
    }

    /// Why a message activates a skill in a project with these files; `None` if it does not.
    pub(crate) fn triggered(
        &self,
        id: &SkillId,
        files: Vec<String>,
        message: &str,
        mode: Mode,
    ) -> Result<Option<Activation>> {
        let situation = Situation {
            project: &Arc::new(Project::new(files)),
            message,
            mode,
            explicit: &[],
        };
        let mut active = self.triggers.evaluate(&situation)?.into_iter();
        Ok(active.find(|it| it.id == *id))
    }

    /// The ids of the skills that come from a path, and not from this program.
    pub(crate) fn ids_of(&self, path: &Path) -> Vec<SkillId> {
        ids_of(&self.skills, path)
    }
}
