//! The parts of `prowess doctor` that are not sources: the store, the model, manifests, directories that are not used.

use std::env;
use std::fmt::{self, Write};

use prowess_agent::{GenaiProvider, ProviderError, model_of};
use prowess_config::SkillsConfig;
use prowess_core::Skills;
use prowess_runtime::Manifests;
use prowess_sources::default_chain;
use prowess_spec::{MANIFEST_FILE, Severity};
use prowess_store::{SCHEMA_VERSION, StoreBackend, StoreState, inspect};
use serde::Serialize;

use crate::arguments::{Global, SourceArguments};
use crate::error::{Context, Result};
use crate::model::{ModelArguments, SelectedModel, select};
use crate::packages::report;
use crate::{code_skills, configuration, environment, serve_registry};

/// The state of one part.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Broken,
}

/// The result of one check.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Checked {
    state: State,
    /// What was checked.
    name: String,
    /// What was found; never a secret.
    detail: String,
}

impl Checked {
    fn new(state: State, name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            state,
            name: name.into(),
            detail: detail.into(),
        }
    }

    fn is_broken(&self) -> bool {
        self.state == State::Broken
    }
}

/// The results of all checks.
pub(crate) struct Checkup {
    pub(crate) store: Checked,
    /// The registry of this machine, if there is one.
    pub(crate) registry: Option<Checked>,
    pub(crate) model: Checked,
    pub(crate) manifests: Vec<Checked>,
    pub(crate) packages: Vec<Checked>,
    pub(crate) unused: Vec<String>,
}

impl Checkup {
    pub(crate) fn new(
        config: &SkillsConfig,
        skills: &Skills,
        sources: &SourceArguments,
        global: &Global,
        ask_model: bool,
    ) -> Result<Self> {
        Ok(Self {
            store: store(config),
            registry: registry(config),
            model: model(config, skills, global, ask_model),
            manifests: manifests(skills),
            packages: packages(global),
            unused: unused_directories(config, sources)?,
        })
    }

    pub(crate) fn is_broken(&self) -> bool {
        let own = [&self.store, &self.model];
        own.into_iter()
            .chain(&self.manifests)
            .chain(&self.packages)
            .any(Checked::is_broken)
    }

    /// One line for each result.
    pub(crate) fn lines(&self) -> String {
        let mut out = format!("store     {}\n", self.store);
        if let Some(registry) = &self.registry {
            let _ = writeln!(out, "registry  {registry}");
        }
        let _ = writeln!(out, "model     {}", self.model);
        for manifest in &self.manifests {
            let _ = writeln!(out, "manifest  {manifest}");
        }
        for package in &self.packages {
            let _ = writeln!(out, "package   {package}");
        }
        for directory in &self.unused {
            let _ = writeln!(out, "unused    {directory}");
        }
        out
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Broken => "broken",
        };
        write!(f, "{state}: {}: {}", self.name, self.detail)
    }
}

/// Whether the store opens, can be written and has a known version. Nothing is created, migrated or renamed.
fn store(config: &SkillsConfig) -> Checked {
    let backend = code_skills::store_backend(config);
    let name = match &backend {
        StoreBackend::File(path) => configuration::shown(path),
        StoreBackend::Postgres(url) => url.to_string(),
        StoreBackend::Memory => {
            let detail = "no home directory: nothing is saved";
            return Checked::new(State::Warning, "memory", detail);
        }
    };
    match pollster::block_on(inspect(backend)) {
        Ok(StoreState::Missing) => Checked::new(State::Ok, name, "not created yet"),
        Ok(StoreState::Ready { version }) if version < SCHEMA_VERSION => {
            let detail = format!("version {version}, migrated to {SCHEMA_VERSION} by the next use");
            Checked::new(State::Ok, name, detail)
        }
        Ok(StoreState::Ready { version }) => {
            Checked::new(State::Ok, name, format!("writable, version {version}"))
        }
        Err(error) => Checked::new(State::Broken, name, error.to_string()),
    }
}

/// What the registry of this machine stores without a version.
fn registry(config: &SkillsConfig) -> Option<Checked> {
    let unused = code_skills::block_on(serve_registry::count_unused(config));
    let (state, detail) = match unused {
        Ok(None) => return None,
        Ok(Some(0)) => (State::Ok, "every stored package has a version".to_owned()),
        Ok(Some(1)) => (
            State::Ok,
            "1 stored package without a version, removed by `prowess serve`".to_owned(),
        ),
        Ok(Some(count)) => (
            State::Ok,
            format!("{count} stored packages without a version, removed by `prowess serve`"),
        ),
        Err(error) => (State::Warning, error.message),
    };
    Some(Checked::new(state, "packages", detail))
}

/// Whether the configured model can be used, and has its key. A request is sent only on demand.
fn model(config: &SkillsConfig, skills: &Skills, global: &Global, ask: bool) -> Checked {
    let chosen = match select(&ModelArguments::default(), config, global) {
        Ok(SelectedModel::Demo { .. }) => {
            let detail = "no model is configured; see `prowess chat --help`";
            return Checked::new(State::Ok, "demo", detail);
        }
        Ok(chosen @ SelectedModel::Real(_)) => chosen,
        Err(error) => return Checked::new(State::Broken, "model", error.message),
    };
    let SelectedModel::Real(choice) = &chosen else {
        return Checked::new(State::Ok, "demo", "");
    };
    let name = format!("{} {}", choice.provider, choice.model);
    let provider = match chosen.open(skills) {
        Ok(provider) => provider,
        Err(error) => return Checked::new(State::Broken, name, error.message),
    };
    // Without any variable, the provider names the one that it needs.
    let key = match GenaiProvider::new(choice, &|_| None) {
        Err(ProviderError::NoKey { variable, .. }) => format!("key found in {variable}"),
        _ => "no key needed".to_owned(),
    };
    if !ask {
        return Checked::new(State::Ok, name, format!("{key}; not asked"));
    }
    let asked = code_skills::block_on(async {
        let model = model_of(provider);
        Ok(model.complete("Reply with OK.", None, Some(16)).await)
    });
    match asked {
        Ok(Ok(_)) => Checked::new(State::Ok, name, format!("{key}; it answered")),
        Ok(Err(reason)) => Checked::new(State::Broken, name, reason),
        Err(error) => Checked::new(State::Broken, name, error.message),
    }
}

/// Manifests that are ignored. One that another program wrote is not an error.
fn manifests(skills: &Skills) -> Vec<Checked> {
    pollster::block_on(async {
        let manifests = Manifests::read(skills).await;
        let (_, errors) = manifests.triggers();
        let problems = manifests.problems().iter().map(|problem| {
            let state = match problem.severity {
                Severity::Warning => State::Warning,
                Severity::Error => State::Broken,
            };
            Checked::new(state, problem.id.as_str(), &problem.reason)
        });
        let mut checked: Vec<Checked> = problems.collect();
        let errors = errors.iter().map(ToString::to_string);
        checked.extend(errors.map(|error| Checked::new(State::Broken, MANIFEST_FILE, error)));
        checked
    })
}

/// Installed skills that are not what the lock file says.
fn packages(global: &Global) -> Vec<Checked> {
    let problems = report::problems(global).into_iter();
    let checked = problems.map(|problem| {
        let state = if problem.is_broken {
            State::Broken
        } else {
            State::Warning
        };
        Checked::new(state, problem.name, problem.detail)
    });
    checked.collect()
}

/// Directories of agents that exist and are not searched, and why.
fn unused_directories(config: &SkillsConfig, sources: &SourceArguments) -> Result<Vec<String>> {
    let reason = if !sources.directories.is_empty() {
        "`--in` replaces it"
    } else if !config.skills.enabled {
        "skills are disabled"
    } else if !config.skills.usual_places {
        "`usual_places = false`"
    } else {
        return Ok(Vec::new());
    };
    let directory = env::current_dir().context("cannot find the current directory")?;
    let chain = default_chain(&directory, &environment::user_directories());
    let line = |name: &str| format!("{name}: {reason}");
    Ok(chain.iter().map(|link| line(&link.name)).collect())
}
