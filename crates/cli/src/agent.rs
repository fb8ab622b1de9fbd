//! Builds the agent of `chat` and `eval`.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use prowess_agent::{Agent, AgentOptions, EventBuffer, Provider, RuntimeHandle, model_of};
use prowess_config::SkillsConfig;
use prowess_core::SkillId;
use prowess_runtime::{Manifests, Model, Runtime, Scripts};
use prowess_spec::manifest::Mode;
use prowess_store::Store;

use crate::code_skills::{HostServices, ResolvedSkills};
use crate::error::Result;
use crate::model::SelectedModel;

/// An agent and the parts that commands use directly.
pub(crate) struct AgentSetup {
    pub(crate) agent: Agent,
    pub(crate) runtime: Runtime,
    /// The model for the code of skills.
    pub(crate) model: CurrentModel,
    pub(crate) scripts: Arc<Scripts>,
    pub(crate) manifests: Manifests,
}

/// The model of an agent, for the code of skills; the user may change it.
#[derive(Clone)]
pub(crate) struct CurrentModel(Arc<RwLock<Arc<dyn Model>>>);

impl CurrentModel {
    fn new(provider: Arc<dyn Provider>) -> Self {
        Self(Arc::new(RwLock::new(model_of(provider))))
    }

    pub(crate) fn set(&self, provider: Arc<dyn Provider>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = model_of(provider);
    }
}

#[async_trait]
impl Model for CurrentModel {
    async fn complete(
        &self,
        prompt: &str,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> std::result::Result<String, String> {
        let model = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        model.complete(prompt, system, max_tokens).await
    }
}

/// Builds an agent over a model. Skills named by the user are active from the first turn.
pub(crate) async fn build_agent(
    resolved: ResolvedSkills,
    chosen: &SelectedModel,
    options: AgentOptions,
    mode: Mode,
    store: Option<Store>,
) -> Result<AgentSetup> {
    let provider = chosen.open(&resolved.skills)?;
    let options = AgentOptions {
        context_window: resolved
            .context_window
            .unwrap_or(resolved.config.model.context_window),
        pinned: pinned(&resolved.config),
        project: Some(resolved.root.display().to_string()),
        ..options
    };
    let model = CurrentModel::new(Arc::clone(&provider));
    let preload = resolved.explicit_without_code();
    let events = EventBuffer::default();
    let services = HostServices {
        listener: events.listener(),
        model: Some(Arc::new(model.clone())),
    };
    let opened = resolved.open_runtime(services).await?;
    let explicit = opened.explicit.into_iter();
    let mut builder = Agent::builder(provider)
        .code_skills(RuntimeHandle {
            runtime: opened.runtime.clone(),
            triggers: Arc::new(opened.triggers),
            project: opened.project,
            mode,
            explicit: explicit.filter(|id| !preload.contains(id)).collect(),
            events,
        })
        .preload(preload)
        .options(options);
    if let Some(store) = store {
        builder = builder.store(store);
    }
    Ok(AgentSetup {
        agent: builder.build().await?,
        runtime: opened.runtime,
        model,
        scripts: opened.scripts,
        manifests: opened.manifests,
    })
}

/// The skills that the configuration pins.
pub(crate) fn pinned(config: &SkillsConfig) -> Vec<SkillId> {
    let ids = config.skills.pinned.iter();
    ids.filter_map(|id| id.parse().ok()).collect()
}
