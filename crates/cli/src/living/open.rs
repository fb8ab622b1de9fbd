//! Everything that skills with code need, put together.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use prowess_config::{Scripts as ScriptsWanted, SkillsConfig};
use prowess_core::{SkillId, Skills};
use prowess_policy::{ContentDigest, TurnLimits};
use prowess_runtime::{
    Activation, Allowances, Approvals, Approver, CODE, Listener, Manifests, Model, Parts, Project,
    ProjectFiles, ProjectLimits, Runtime, Scripts, Services, Situation, SkillContent, Triggers,
    builtin_skills, is_own,
};
use prowess_sources::FilesystemSource;
use prowess_spec::manifest::{Mode, Permission, Word};
use prowess_store::Store;
use prowess_trust::ProjectRoot;

use super::approve::Terminal;
use super::jails::{scripts, workers};
use super::{explicit, store, tell};
use crate::cli::{Global, LivingArguments};
use crate::exit::{Exit, Refused};
use crate::progress::Waiting;
use crate::{configuration, environment, model, open, terminal};

/// Skills, their manifests, and the project that they are for.
pub(crate) struct Living {
    pub(crate) runtime: Runtime,
    pub(crate) manifests: Manifests,
    pub(crate) triggers: Triggers,
    pub(crate) project: Arc<Project>,
    /// The ids that somebody named.
    pub(crate) explicit: Vec<String>,
    /// Whoever runs scripts.
    pub(crate) scripts: Arc<Scripts>,
}

impl Living {
    /// The skills that the situation calls for.
    pub(crate) fn evaluate(&self, message: &str, mode: Mode) -> Result<Vec<Activation>> {
        let situation = Situation {
            project: &self.project,
            message,
            mode,
            explicit: &self.explicit,
        };
        Ok(self.triggers.evaluate(&situation)?)
    }
}

/// Skills and what is known about them, before anybody lives.
pub(crate) struct Prepared {
    pub(crate) config: SkillsConfig,
    pub(crate) skills: Skills,
    pub(crate) store: Store,
    pub(crate) scripts: Arc<Scripts>,
    manifests: Manifests,
    triggers: Triggers,
    explicit: Vec<String>,
    approvals: Approvals,
    approver: Arc<dyn Approver>,
    root: PathBuf,
}

/// Who is around when skills live.
pub(crate) struct Company {
    pub(crate) listener: Listener,
    pub(crate) model: Option<Arc<dyn Model>>,
}

/// Opens what the arguments and the configuration name, for a command that prints what happens.
pub(crate) async fn open(arguments: &LivingArguments, global: &Global) -> Result<Living> {
    let prepared = prepare(arguments, global, Arc::new(Terminal)).await?;
    let model = model::for_skills(&prepared.config, &prepared.skills, global);
    let company = Company {
        listener: tell::listener(global.quiet),
        model,
    };
    prepared.live(company).await
}

/// Finds the skills that the arguments and the configuration name; `approver` is asked what they may do.
pub(crate) async fn prepare(
    arguments: &LivingArguments,
    global: &Global,
    approver: Arc<dyn Approver>,
) -> Result<Prepared> {
    let config = configuration::load(global)?;
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let root = ProjectRoot::find(&directory, user.home.as_deref());
    let (mut named, layers) = explicit::sorted(&arguments.skills);
    let (in_project, file) = explicit::of_project(&directory, &root);
    let root = root.path().to_owned();

    let waiting = Waiting::new(global.quiet);
    let mut builder = open::builder(&arguments.place, global, Some(waiting.report()))?;
    let mut tops = Vec::new();
    for layer in layers {
        anyhow::ensure!(
            layer.is_dir(),
            "`{}` is not a directory with skills",
            layer.display()
        );
        let options = open::options_of(&layer, &directory);
        let source = Arc::new(FilesystemSource::new(&layer, options));
        tops.push(Arc::clone(&source));
        builder = builder.with_skills(layer.display().to_string(), source);
    }
    if arguments.place.directories.is_empty() {
        builder = builder.source("built-in", builtin_skills());
    }
    let store = store::open(&config).await?;
    let approvals = Approvals::load(store.clone(), &root).await?;
    let scripts = scripts(&config, &approvals, Arc::clone(&approver))?;
    let scripts = Arc::new(scripts.project(root.clone()));
    if config.skills.scripts != ScriptsWanted::Off {
        builder = builder.scripts(Arc::clone(&scripts));
    }
    let skills = builder.capability(CODE).build().await?;
    scripts.serve(&skills);
    drop(waiting);
    for top in tops {
        let snapshot = prowess_core::Source::snapshot(&top).await?;
        named.extend(snapshot.skills.iter().map(|it| it.id.as_str().to_owned()));
    }
    let catalog = skills.catalog();
    let mut explicit: Vec<String> = named
        .iter()
        .map(|name| explicit::id_of(&catalog, name))
        .collect();
    for name in in_project {
        let id = explicit::id_of(&catalog, &name);
        if catalog.get(&id).is_none() {
            let file = file.clone().unwrap_or_default();
            anyhow::bail!(
                "{} names the skill `{name}`, which is not there{}",
                file.display(),
                meant(&catalog, &name)
            );
        }
        explicit.push(id);
    }
    let manifests = Manifests::read(&skills).await;
    let (triggers, errors) = manifests.triggers();
    for problem in manifests
        .problems()
        .iter()
        .map(|(id, reason)| format!("{id}: {reason}"))
        .chain(errors.iter().map(ToString::to_string))
    {
        if !global.quiet {
            terminal::note(&terminal::printable(&format!("warning: {problem}")));
        }
    }
    approve(&approvals, &config, &skills, &arguments.approve_skills).await?;
    Ok(Prepared {
        config,
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

impl Prepared {
    /// The skills that somebody named and that have instructions only.
    pub(crate) fn instructions_named(&self) -> Vec<String> {
        let has_code = |id: &str| {
            let id = id.parse().ok();
            id.is_some_and(|id: SkillId| self.manifests.get(&id).is_some())
        };
        let named = self.explicit.iter().filter(|id| !has_code(id));
        named.cloned().collect()
    }

    /// Takes a skill's name off the list: it becomes active when a message calls for it.
    pub(crate) fn unname(&mut self, id: &SkillId) {
        self.explicit.retain(|named| named != id.as_str());
    }

    /// The same without one skill. What is approved for the others here is approved there.
    pub(crate) async fn without(&self, id: &SkillId) -> Self {
        let skills = self.skills.without(id).await;
        let manifests = Manifests::read(&skills).await;
        let (triggers, _) = manifests.triggers();
        let mut rest = Self {
            config: self.config.clone(),
            skills,
            store: self.store.clone(),
            manifests,
            triggers,
            explicit: self.explicit.clone(),
            approvals: self.approvals.clone(),
            approver: Arc::clone(&self.approver),
            scripts: Arc::clone(&self.scripts),
            root: self.root.clone(),
        };
        rest.unname(id);
        rest
    }

    /// Has them live.
    pub(crate) async fn live(self, company: Company) -> Result<Living> {
        let Self {
            config,
            skills,
            root,
            ..
        } = self;
        let scanned = tokio::task::spawn_blocking({
            let root = root.clone();
            move || Project::scan(&root, &ProjectLimits::default())
        });
        let mut parts = Parts::new(skills);
        parts.workers = workers(&config)?;
        parts.services = Services {
            project: ProjectFiles::open(&root).ok(),
            environment: env::vars().collect(),
            allowances: allowances(&config),
            listener: company.listener,
            model: company.model,
            ..Services::default()
        };
        parts.approvals = self.approvals;
        parts.approver = self.approver;
        Ok(Living {
            runtime: Runtime::new(parts),
            manifests: self.manifests,
            triggers: self.triggers,
            project: Arc::new(scanned.await.context("cannot look through the project")?),
            explicit: self.explicit,
            scripts: self.scripts,
        })
    }
}

/// Adds what was approved by the user's configuration and on the command line, for their present content.
pub(super) async fn approve(
    approvals: &Approvals,
    config: &SkillsConfig,
    skills: &Skills,
    named: &[String],
) -> Result<()> {
    for approval in &config.permissions.approved {
        // A file may name skills that are not here.
        if let Ok(content) = approved(skills, &approval.skill, "[permissions.approved]").await {
            approvals.approve_for_session(&content.subject(), &approval.permissions);
        }
    }
    for name in named {
        let content = approved(skills, name, "--approve-skills").await?;
        // What it does not declare stays denied anyway.
        approvals.approve_for_session(&content.subject(), Permission::ALL);
    }
    Ok(())
}

/// The skill that `NAME` or `NAME@sha256:...` approves. A name alone covers what is built in or the user's own: a
/// project or a remote may bring a skill of any name.
async fn approved(skills: &Skills, stated: &str, by: &str) -> Result<SkillContent> {
    let (name, digest) = match stated.split_once('@') {
        Some((name, digest)) => (name, Some(digest.parse::<ContentDigest>()?)),
        None => (stated, None),
    };
    let catalog = skills.catalog();
    let id = explicit::id_of(&catalog, name);
    let Some(found) = catalog.get(&id) else {
        let meant = meant(&catalog, name);
        anyhow::bail!("{by}: unknown skill `{name}`{meant}");
    };
    let (scope, source) = (found.descriptor.scope, found.source);
    let content = SkillContent::read(skills, &id.parse()?).await?;
    let actual = content.subject().content;
    match digest {
        Some(digest) if digest == actual => Ok(content),
        None if is_own(scope) => Ok(content),
        Some(_) => Err(Refused {
            message: format!("{by}: `{id}` has another digest: {actual}"),
            hint: Some(format!("look at it with `prowess audit {id}`, then use {id}@{actual}")),
            exit: Exit::Permission,
        }
        .into()),
        None => Err(Refused {
            message: format!(
                "{by}: `{id}` comes from {source}; a name alone covers only built-in skills and your own"
            ),
            hint: Some(format!("look at it with `prowess audit {id}`, then use {id}@{actual}")),
            exit: Exit::Permission,
        }
        .into()),
    }
}

/// What somebody may have meant, as the end of a sentence.
fn meant(catalog: &prowess_core::Catalog, name: &str) -> String {
    match catalog.nearest(name).join(", ").as_str() {
        "" => String::new(),
        near => format!("; did you mean {near}?"),
    }
}

fn allowances(config: &SkillsConfig) -> Allowances {
    let permissions = &config.permissions;
    Allowances {
        turn: TurnLimits {
            llm_calls: permissions.max_llm_calls_per_turn,
            shell_execs: permissions.max_shell_exec_per_turn,
            net_fetches: permissions.max_net_fetch_per_turn,
        },
        exec_time: permissions.shell_exec_timeout,
        fetch_time: permissions.net_fetch_timeout,
    }
}
