//! What ranks skills besides their words: use in this project, and meaning, if the user configured it.

use std::path::Path;
use std::sync::Arc;

use prowess_agent::SearchHistory;
use prowess_config::{EmbeddingsLocation, SearchSettings, SkillsConfig};
use prowess_core::{RankSignal, Skills};
use prowess_embeddings::{Embedder, EmbeddingsEndpoint, MeaningSignal, StaticModel};
use prowess_store::Store;

use crate::arguments::Global;
use crate::{environment, terminal};

/// Sets the signals of a search in the project with this root.
pub(crate) fn set(
    skills: &Skills,
    config: &SkillsConfig,
    store: Option<Store>,
    root: &Path,
    global: &Global,
) {
    let mut signals: Vec<Arc<dyn RankSignal>> = Vec::new();
    if let Some(store) = store.filter(|_| config.search.history) {
        let project = root.display().to_string();
        signals.push(Arc::new(SearchHistory::new(store, project)));
    }
    signals.extend(meaning(&config.search, global));
    skills.set_signals(signals);
}

fn meaning(search: &SearchSettings, global: &Global) -> Option<Arc<dyn RankSignal>> {
    let embedder: Arc<dyn Embedder> = match search.embeddings.as_ref()? {
        EmbeddingsLocation::Directory(directory) => Arc::new(StaticModel::new(directory)),
        EmbeddingsLocation::Endpoint(_) if global.offline => return None,
        EmbeddingsLocation::Endpoint(url) => {
            let model = search.embeddings_model.as_deref().unwrap_or("default");
            let variable = search.embeddings_key_env.as_deref();
            let key = variable.and_then(|variable| std::env::var(variable).ok());
            Arc::new(EmbeddingsEndpoint::new(
                &url.expose().parse().ok()?,
                model,
                key,
            ))
        }
    };
    let quiet = global.quiet;
    let report = Arc::new(move |text: &str| {
        if !quiet {
            terminal::note(&terminal::printable(&format!("warning: {text}")));
        }
    });
    let cache = environment::cache_directory();
    Some(Arc::new(MeaningSignal::new(embedder, cache, report)))
}
