//! An agent over the skills that a command found.

use std::sync::Arc;

use anyhow::Result;
use prowess_agent::{Agent, Heard, Options, model_of};
use prowess_runtime::{Manifests, Runtime, Scripts};
use prowess_spec::manifest::Mode;
use prowess_store::Store;

use crate::living::{Company, Prepared};
use crate::model::Chosen;

/// An agent, and what it is made of.
pub(crate) struct Lived {
    pub(crate) agent: Agent,
    pub(crate) runtime: Runtime,
    pub(crate) scripts: Arc<Scripts>,
    pub(crate) manifests: Manifests,
}

/// Has the skills live around a model. Those that somebody named are there from the beginning.
pub(crate) async fn live(
    prepared: Prepared,
    chosen: &Chosen,
    system: &str,
    mode: Mode,
    store: Option<Store>,
) -> Result<Lived> {
    let provider = chosen.open(&prepared.skills)?;
    let options = Options {
        system: system.to_owned(),
        context_window: prepared.config.model.context_window,
        ..Options::default()
    };
    let preload = prepared.instructions_named();
    let heard = Heard::default();
    let company = Company {
        listener: heard.listener(),
        model: Some(model_of(Arc::clone(&provider))),
    };
    let living = prepared.live(company).await?;
    let explicit = living.explicit.into_iter();
    let mut builder = Agent::builder(provider)
        .living(prowess_agent::Living {
            runtime: living.runtime.clone(),
            triggers: Arc::new(living.triggers),
            project: living.project,
            mode,
            explicit: explicit.filter(|id| !preload.contains(id)).collect(),
            heard,
        })
        .preload(preload)
        .options(options);
    if let Some(store) = store {
        builder = builder.store(store);
    }
    Ok(Lived {
        agent: builder.build().await?,
        runtime: living.runtime,
        scripts: living.scripts,
        manifests: living.manifests,
    })
}
