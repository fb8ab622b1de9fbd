//! Resolves skills from arguments and configuration, and opens a runtime over them.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_config::SkillsConfig;
use prowess_core::{SkillId, Skills};
use prowess_policy::{ContentDigest, TurnLimits};
use prowess_runtime::{
    Activation, Allowances, Approvals, Approver, CODE, Environment, Listener, Manifests, Model,
    Parts, Project, ProjectFiles, ProjectLimits, Runtime, Scripts, Services, Situation,
    SkillContent, Triggers, is_own,
};
use prowess_sources::FilesystemSource;
use prowess_spec::Severity;
use prowess_spec::manifest::{Keyword, Mode, Permission};
use prowess_store::Store;
use prowess_trust::ProjectRoot;

use super::approve::TerminalApprover;
use super::arguments::CodeSkillArguments;
use super::jails::{with_scripts, workers};
use super::named_path::{approve_named, ids_of};
use super::store::{self, StoreNeed};
use super::{event_lines, explicit};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::progress::FetchProgress;
use crate::{configuration, environment, model, open, terminal};

/// A runtime over the skills of a command, with the project that they work on.
pub(crate) struct OpenedRuntime {
    pub(crate) runtime: Runtime,
    pub(crate) manifests: Manifests,
    pub(crate) triggers: Triggers,
    pub(crate) project: Arc<Project>,
    /// Ids of the skills that the user or the project named.
    pub(crate) explicit: Vec<String>,
    /// Runs the scripts of skills.
    pub(crate) scripts: Arc<Scripts>,
}

impl OpenedRuntime {
    /// Returns the skills that a message triggers, highest score first.
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

/// Skills with their manifests and approvals, before any of their code runs.
pub(crate) struct ResolvedSkills {
    pub(crate) config: SkillsConfig,
    /// Tokens that the model takes, if known.
    pub(crate) context_window: Option<usize>,
    pub(crate) skills: Skills,
    pub(crate) store: Store,
    pub(crate) scripts: Arc<Scripts>,
    pub(super) manifests: Manifests,
    pub(super) triggers: Triggers,
    pub(super) explicit: Vec<String>,
    pub(super) approvals: Approvals,
    pub(super) approver: Arc<dyn Approver>,
    pub(crate) root: PathBuf,
}

/// What a command offers to the code of skills.
pub(crate) struct HostServices {
    pub(crate) listener: Listener,
    pub(crate) model: Option<Arc<dyn Model>>,
}

/// Opens a runtime for a command that prints the events of skills.
pub(crate) async fn open(arguments: &CodeSkillArguments, global: &Global) -> Result<OpenedRuntime> {
    open_with(arguments, None, global).await
}

/// The same with the skill of a directory that the user named, whose code is approved for this command; also returns its id.
pub(crate) async fn open_path(
    arguments: &CodeSkillArguments,
    directory: &Path,
    global: &Global,
) -> Result<(OpenedRuntime, SkillId)> {
    let mut arguments = arguments.clone();
    arguments.skills.insert(0, directory.display().to_string());
    let opened = open_with(&arguments, Some(directory), global).await?;
    let ids = ids_of(opened.runtime.skills(), directory);
    let id = ids.into_iter().next().with_context(|| {
        let shown = directory.display();
        format!("cannot load the skill in {shown}; `prowess check {shown}` says why")
    })?;
    Ok((opened, id))
}

async fn open_with(
    arguments: &CodeSkillArguments,
    named: Option<&Path>,
    global: &Global,
) -> Result<OpenedRuntime> {
    let config = configuration::load(global)?;
    let window = model::configured_window(&config);
    let approver = Arc::new(TerminalApprover);
    let need = StoreNeed::Required;
    let resolved = resolve(config, window, arguments, global, approver, need).await?;
    if let Some(directory) = named {
        let ids = ids_of(&resolved.skills, directory);
        let approvals = &resolved.approvals;
        approve_named(&resolved.skills, &resolved.config, approvals, &ids, &[]).await;
    }
    let model = model::for_skills(&resolved.config, &resolved.skills, global);
    let services = HostServices {
        listener: event_lines::listener(global.quiet),
        model,
    };
    resolved.open_runtime(services).await
}

/// Resolves the skills of the arguments and the configuration. `approver` decides what was not approved yet.
pub(crate) async fn resolve(
    config: SkillsConfig,
    context_window: Option<usize>,
    arguments: &CodeSkillArguments,
    global: &Global,
    approver: Arc<dyn Approver>,
    need: StoreNeed,
) -> Result<ResolvedSkills> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let root = ProjectRoot::find(&directory, user.home.as_deref());
    let (mut named, layers) = explicit::split_names(&arguments.skills);
    let (in_project, file) = explicit::named_by_project(&directory, &root);
    let root = root.path().to_owned();

    let waiting = FetchProgress::new(global.quiet);
    let progress = Some(waiting.report());
    let mut builder = open::builder(
        &config,
        context_window,
        &arguments.sources,
        global,
        progress,
    )?;
    let mut tops = Vec::new();
    for layer in layers {
        if !layer.is_dir() {
            let message = format!("`{}` is not a directory", layer.display());
            return Err(CommandError::failure(message));
        }
        let options = open::options_of(&layer, &directory);
        let source = Arc::new(FilesystemSource::new(&layer, options));
        tops.push(Arc::clone(&source));
        builder = builder.with_skills(layer.display().to_string(), source);
    }
    let store = store::open_for(&config, need).await?;
    let approvals = Approvals::load(store.clone(), &root).await?;
    let skills = builder.capability(CODE).build().await?;
    drop(waiting);
    let asked = Arc::clone(&approver);
    let (skills, scripts) = with_scripts(skills, &config, &approvals, asked, &root)?;
    for top in tops {
        let snapshot = prowess_core::Source::snapshot(&top).await?;
        named.extend(snapshot.skills.iter().map(|it| it.id.as_str().to_owned()));
    }
    let mut explicit = project_skills(&skills, in_project, file.as_deref())?;
    let catalog = skills.catalog();
    let named = named.iter().map(|name| explicit::id_of(&catalog, name));
    explicit.splice(0..0, named);
    let manifests = Manifests::read(&skills).await;
    let (triggers, errors) = manifests.triggers();
    let problems = manifests.problems().iter().map(|it| match it.severity {
        Severity::Error => format!("error: {}: {}", it.id, it.reason),
        Severity::Warning => format!("warning: {}: {}", it.id, it.reason),
    });
    let errors = errors.iter().map(|error| format!("warning: {error}"));
    for problem in problems.chain(errors).filter(|_| !global.quiet) {
        terminal::note(&terminal::printable(&problem));
    }
    add_approvals(&approvals, &config, &skills, &arguments.approve_skills).await?;
    Ok(ResolvedSkills {
        config,
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

/// The ids of the skills that a file of the project names.
pub(super) fn project_skills(
    skills: &Skills,
    names: Vec<String>,
    file: Option<&Path>,
) -> Result<Vec<String>> {
    let catalog = skills.catalog();
    let id = |name: String| {
        let id = explicit::id_of(&catalog, &name);
        if catalog.get(&id).is_none() {
            return Err(CommandError::failure(format!(
                "{}: unknown skill `{name}`{}",
                file.unwrap_or(Path::new("")).display(),
                suggestions(&catalog, &name)
            )));
        }
        Ok(id)
    };
    names.into_iter().map(id).collect()
}

impl ResolvedSkills {
    /// Named skills that have instructions and no code.
    pub(crate) fn explicit_without_code(&self) -> Vec<String> {
        let has_code = |id: &str| {
            let id = id.parse().ok();
            id.is_some_and(|id: SkillId| self.manifests.get(&id).is_some())
        };
        let named = self.explicit.iter().filter(|id| !has_code(id));
        named.cloned().collect()
    }

    /// Removes a skill from the named ones, so that only its triggers activate it.
    pub(crate) fn remove_explicit(&mut self, id: &SkillId) {
        self.explicit.retain(|named| named != id.as_str());
    }

    /// Returns a copy without one skill. Both share their approvals.
    pub(crate) async fn without(&self, id: &SkillId) -> Self {
        let skills = self.skills.without(id).await;
        let manifests = Manifests::read(&skills).await;
        let (triggers, _) = manifests.triggers();
        let mut rest = Self {
            config: self.config.clone(),
            context_window: self.context_window,
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
        rest.remove_explicit(id);
        rest
    }

    /// Scans the project and opens a runtime in which no skill is active.
    pub(crate) async fn open_runtime(self, services: HostServices) -> Result<OpenedRuntime> {
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
        let mut parts = parts(skills, &config, &root, services)?;
        parts.approvals = self.approvals;
        parts.approver = self.approver;
        Ok(OpenedRuntime {
            runtime: Runtime::new(parts),
            manifests: self.manifests,
            triggers: self.triggers,
            project: Arc::new(scanned.await.context("cannot scan the project")?),
            explicit: self.explicit,
            scripts: self.scripts,
        })
    }
}

/// What a runtime over these skills is made of, without approvals.
pub(super) fn parts(
    skills: Skills,
    config: &SkillsConfig,
    root: &Path,
    services: HostServices,
) -> Result<Parts> {
    let mut parts = Parts::new(skills);
    parts.workers = workers(config)?;
    parts.services = Services {
        project: project_files(root).ok(),
        environment: visible_environment(config),
        allowances: allowances(config),
        listener: services.listener,
        model: services.model,
        ..Services::default()
    };
    Ok(parts)
}

/// The files of a project. Writing them ends what the user accepted for a skill among them.
pub(crate) fn project_files(root: &Path) -> io::Result<ProjectFiles> {
    Ok(ProjectFiles::open(root)?.watched(environment::work_records()))
}

/// The environment as skills see it: what the configuration names is for the server that it states it for.
fn visible_environment(config: &SkillsConfig) -> Environment {
    let text = |value: OsString| value.into_string().ok();
    let variables = env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    let named = config.secret_variables.iter().map(String::as_str);
    variables.collect::<Environment>().without(named)
}

/// Adds the approvals of the user's configuration and of the command line for the present content of skills.
pub(super) async fn add_approvals(
    approvals: &Approvals,
    config: &SkillsConfig,
    skills: &Skills,
    named: &[String],
) -> Result<()> {
    for approval in &config.permissions.approved {
        let by = "[permissions.approved]";
        // The configuration may name skills that are not installed here.
        let Ok(content) = approved_content(skills, &approval.skill, by).await else {
            continue;
        };
        if approval.skill.contains('@') {
            approvals.approve_for_session(&content.subject(), &approval.permissions);
        } else if !approvals
            .approve_by_name(&content, &approval.permissions)
            .await?
        {
            let (id, digest) = (&content.id, content.subject().content);
            terminal::note(&format!(
                "warning: `{id}` changed since {by} was first used for it, and needs a new approval: {id}@{digest}"
            ));
        }
    }
    for name in named {
        let content = approved_content(skills, name, "--approve-skills").await?;
        // Permissions that its manifest does not declare stay denied.
        approvals.approve_for_session(&content.subject(), Permission::ALL);
    }
    Ok(())
}

/// Reads the skill that `NAME` or `NAME@sha256:...` approves. A name alone covers only built-in and user skills,
/// because a project or a remote source can contain a skill of any name.
async fn approved_content(skills: &Skills, stated: &str, by: &str) -> Result<SkillContent> {
    let (name, digest) = match stated.split_once('@') {
        Some((name, digest)) => (name, Some(digest.parse::<ContentDigest>()?)),
        None => (stated, None),
    };
    let catalog = skills.catalog();
    let id = explicit::id_of(&catalog, name);
    let Some(found) = catalog.get(&id) else {
        let suggestions = suggestions(&catalog, name);
        return Err(CommandError::failure(format!(
            "{by}: unknown skill `{name}`{suggestions}"
        )));
    };
    let (scope, source) = (found.descriptor.scope, found.source);
    let content = SkillContent::read(skills, &id.parse()?).await?;
    let actual = content.subject().content;
    let message = match digest {
        Some(digest) if digest == actual => return Ok(content),
        None if is_own(scope) => return Ok(content),
        Some(_) => format!("{by}: `{id}` has the digest {actual}"),
        None => format!(
            "{by}: `{id}` comes from {source}; a name alone covers only built-in skills and your own"
        ),
    };
    let hint = format!("review it with `prowess audit {id}`, then use {id}@{actual}");
    Err(CommandError::permission(message).hint(hint))
}

/// Formats similar skill ids as a suffix of an error message.
fn suggestions(catalog: &prowess_core::Catalog, name: &str) -> String {
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
