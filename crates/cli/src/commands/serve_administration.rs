//! The configuration and the approvals of `prowess serve`.

use async_trait::async_trait;
use prowess_config::SkillsConfig;
use prowess_core::Skills;
use prowess_server::Administration;
use prowess_store::Store;
use serde_json::{Value, json};

use super::{config, permissions};
use crate::terminal::printable;

/// What a server tells about itself.
pub(super) struct ServedAdministration {
    pub(super) config: SkillsConfig,
    pub(super) store: Store,
    pub(super) skills: Skills,
}

#[async_trait]
impl Administration for ServedAdministration {
    fn configuration(&self) -> Value {
        config::document(&self.config)
    }

    async fn approvals(&self, skill: Option<&str>) -> Result<Value, String> {
        let rows = permissions::rows(&self.config, &self.store, &self.skills, skill).await;
        let rows = rows.map_err(|error| printable(&error.message))?;
        Ok(json!({"permissions": rows}))
    }

    async fn revoke(&self, skill: &str) -> Result<u64, String> {
        let removed = self.store.forget(skill).await;
        // Most errors of a store name a local file.
        removed.map_err(|_| "the store is unavailable".to_owned())
    }
}
