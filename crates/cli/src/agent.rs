//! Builds the agent of `chat` and `eval`.

use std::sync::Arc;

use prowess_agent::{Agent, AgentOptions, EventBuffer, RuntimeHandle, model_of};
use prowess_config::SkillsConfig;
use prowess_core::SkillId;
use prowess_runtime::{Manifests, Runtime, Scripts};
use prowess_spec::manifest::Mode;
use prowess_store::Store;

use crate::code_skills::{HostServices, ResolvedSkills};
use crate::error::Result;
use crate::model::SelectedModel;

/// An agent and the parts that commands use directly.
pub(crate) struct AgentSetup {
    pub(crate) agent: Agent,
    pub(crate) runtime: Runtime,
    pub(crate) scripts: Arc<Scripts>,
    pub(crate) manifests: Manifests,
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
    let preload = resolved.explicit_without_code();
    let events = EventBuffer::default();
    let services = HostServices {
        listener: events.listener(),
        model: Some(model_of(Arc::clone(&provider))),
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
        scripts: opened.scripts,
        manifests: opened.manifests,
    })
}

/// The skills that the configuration pins.
pub(crate) fn pinned(config: &SkillsConfig) -> Vec<SkillId> {
    let ids = config.skills.pinned.iter();
    ids.filter_map(|id| id.parse().ok()).collect()
}
