//! Conversations: which skills are active in them.

use async_trait::async_trait;
use prowess_core::{SessionStore, SessionStoreError, SkillId};

use crate::open::{Store, text};

#[async_trait]
impl SessionStore for Store {
    async fn load(&self, conversation: &str) -> Result<Option<Vec<SkillId>>, SessionStoreError> {
        let name = conversation.to_owned();
        let found = self.run(|pool| async move {
            let query = "SELECT active FROM sessions WHERE conversation = $1";
            let row = sqlx::query(query).bind(name).fetch_optional(&*pool).await?;
            row.map(|row| text(&row, 0)).transpose()
        });
        let found = found
            .await
            .map_err(|error| failed("load", conversation, &error))?;
        let parse = |text: String| {
            serde_json::from_str(&text).map_err(|error| failed("load", conversation, &error))
        };
        found.map(parse).transpose()
    }

    async fn save(&self, conversation: &str, active: &[SkillId]) -> Result<(), SessionStoreError> {
        let name = conversation.to_owned();
        let active =
            serde_json::to_string(active).map_err(|error| failed("save", conversation, &error))?;
        let saved = self.run(|pool| async move {
            let statement = "INSERT INTO sessions (conversation, active) VALUES ($1, $2)
                ON CONFLICT (conversation) DO UPDATE SET active = excluded.active";
            let query = sqlx::query(statement).bind(name).bind(active);
            query.execute(&*pool).await.map(|_| ())
        });
        saved
            .await
            .map_err(|error| failed("save", conversation, &error))
    }
}

fn failed(
    action: &'static str,
    conversation: &str,
    error: &dyn std::error::Error,
) -> SessionStoreError {
    SessionStoreError {
        action,
        conversation: conversation.to_owned(),
        reason: error.to_string(),
    }
}
