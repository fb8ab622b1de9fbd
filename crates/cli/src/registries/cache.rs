//! Cached answers of registries, in the store of the user.

use std::sync::OnceLock;

use pollster::block_on;
use prowess_config::SkillsConfig;
use prowess_registry::{CachedAnswer, ResponseCache};
use prowess_store::Store;

use crate::code_skills::open_store;

/// The answers in the store, which is opened with the first request.
pub(super) struct StoreCache {
    config: SkillsConfig,
    store: OnceLock<Option<Store>>,
}

impl StoreCache {
    pub(super) fn new(config: SkillsConfig) -> Self {
        Self {
            config,
            store: OnceLock::new(),
        }
    }

    fn store(&self) -> Option<&Store> {
        let open = || block_on(open_store(&self.config)).ok();
        self.store.get_or_init(open).as_ref()
    }
}

impl ResponseCache for StoreCache {
    fn load(&self, registry: &str, request: &str) -> Option<CachedAnswer> {
        let cached = block_on(self.store()?.cached(registry, request)).ok()??;
        Some(CachedAnswer {
            body: cached.body,
            fetched: cached.fetched,
        })
    }

    fn save(&self, registry: &str, request: &str, body: &str) {
        if let Some(store) = self.store() {
            // What is not cached is asked again.
            let _ = block_on(store.keep(registry, request, None, body));
        }
    }
}
