//! What the console and other clients of `prowess serve` manage.

mod details;
mod enabled;
mod evals;
mod packages;
mod program;
mod trust;

use std::sync::Arc;

use async_trait::async_trait;
use prowess_config::SkillsConfig;
use prowess_core::{Catalog, Filter, Skills};
use prowess_server::{Administration, EvalRequest, HostError, PackageRequest};
use prowess_store::Store;
use serde_json::{Value, json};

use super::{config, permissions};
use crate::arguments::{Global, SourceArguments};
use crate::error::CommandError;
use crate::terminal::printable;
use crate::{configuration, open};
use evals::EvalRuns;
use program::Program;

/// What a server tells about itself, and lets its users change.
pub(crate) struct ServedAdministration {
    config: SkillsConfig,
    store: Store,
    skills: Skills,
    sources: SourceArguments,
    global: Global,
    program: Program,
    evals: EvalRuns,
    /// Held while files of the user are changed.
    writing: tokio::sync::Mutex<()>,
}

impl ServedAdministration {
    pub(crate) fn new(
        config: SkillsConfig,
        store: Store,
        skills: Skills,
        sources: SourceArguments,
        token_variable: &str,
        global: &Global,
    ) -> Self {
        Self {
            program: Program::new(&sources, token_variable, global),
            global: global.clone(),
            config,
            store,
            skills,
            sources,
            evals: EvalRuns::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }
}

#[async_trait]
impl Administration for ServedAdministration {
    fn configuration(&self) -> Value {
        config::document(&self.config)
    }

    async fn approvals(&self, skill: Option<&str>) -> Result<Value, HostError> {
        let rows = permissions::rows(&self.config, &self.store, &self.skills, skill).await;
        let rows = rows.map_err(|error| unavailable(&error))?;
        Ok(json!({"permissions": rows}))
    }

    async fn revoke(&self, skill: &str) -> Result<u64, HostError> {
        let removed = self.store.forget(skill).await;
        // Most errors of a store name a local file.
        removed.map_err(|_| HostError::Unavailable("the store is unavailable".to_owned()))
    }

    async fn details(&self, skill: &str) -> Result<Value, HostError> {
        details::of(self, skill).await
    }

    async fn set_enabled(&self, skill: &str, enabled: bool) -> Result<(), HostError> {
        enabled::set(self, skill, enabled).await
    }

    async fn trust(&self) -> Result<Value, HostError> {
        trust::document(&self.global)
    }

    async fn accept(&self, digest: &str) -> Result<(), HostError> {
        trust::accept(self, digest).await
    }

    async fn reload(&self) -> Result<(), HostError> {
        let config = configuration::load(&self.global).map_err(|error| unavailable(&error))?;
        self.apply(&config).await?;
        Ok(())
    }

    async fn inspect(&self, wanted: &PackageRequest) -> Result<Value, HostError> {
        packages::inspect(&self.program, wanted).await
    }

    async fn install(&self, wanted: &PackageRequest) -> Result<Value, HostError> {
        let installed = packages::install(&self.program, wanted).await?;
        self.skills.refresh().await;
        Ok(installed)
    }

    async fn evals(&self) -> Result<Value, HostError> {
        let suites = evals::suites(&self.skills).await;
        Ok(json!({"suites": suites, "runs": self.evals.list()}))
    }

    async fn start_eval(&self, wanted: &EvalRequest) -> Result<Value, HostError> {
        self.known(&wanted.skill)?;
        self.evals.start(&self.program, wanted)
    }

    async fn eval(&self, id: &str) -> Result<Value, HostError> {
        self.evals.get(id)
    }

    async fn cancel_eval(&self, id: &str) -> Result<(), HostError> {
        self.evals.cancel(id)
    }
}

impl ServedAdministration {
    /// Ends what was started for clients.
    pub(crate) fn stop(&self) {
        self.evals.stop();
    }

    /// Applies the parts of the configuration that can change while the server runs.
    async fn apply(&self, config: &SkillsConfig) -> Result<Arc<Catalog>, HostError> {
        let sources = open::trusted(config, &self.sources, &self.global);
        sources.map_err(|error| unavailable(&error))?;
        let filter = Filter::new(&[], &config.skills.disabled);
        let filter = filter.map_err(|error| HostError::Unavailable(error.to_string()))?;
        Ok(self.skills.set_filter(filter).await)
    }

    /// The id of a skill that is used.
    fn known(&self, skill: &str) -> Result<prowess_core::SkillId, HostError> {
        let catalog = self.skills.catalog();
        let found = catalog.get(skill).map(|it| it.descriptor.id.clone());
        found.ok_or_else(|| unknown(skill))
    }
}

fn unknown(skill: &str) -> HostError {
    let shown: String = skill.chars().take(100).collect();
    HostError::NotFound(format!("unknown skill `{}`", shown.escape_debug()))
}

fn unavailable(error: &CommandError) -> HostError {
    HostError::Unavailable(printable(&error.message))
}
