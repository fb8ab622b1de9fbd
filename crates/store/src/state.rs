//! The last state of a skill.

use std::time::{Duration, SystemTime};

use sqlx::Row;

use crate::error::StoreError;
use crate::open::{Store, text};

/// How a skill is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It may become active.
    Enabled,
    /// Disabled by the user.
    Disabled,
    /// It failed, and stays so until it is reset.
    Failed,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Enabled, Self::Disabled, Self::Failed];

    fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Failed => "failed",
        }
    }
}

/// The state of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillState {
    /// Its health.
    pub phase: Phase,
    /// The reason, if any.
    pub reason: String,
    /// Since when, to the second.
    pub changed: SystemTime,
}

impl Store {
    /// The state of a skill; `None` if it was never recorded.
    pub async fn skill_state(&self, skill: &str) -> Result<Option<SkillState>, StoreError> {
        let skill = skill.to_owned();
        self.run(|pool| async move {
            let query = "SELECT phase, reason, changed FROM skill_states WHERE skill = $1";
            let row = sqlx::query(query)
                .bind(skill)
                .fetch_optional(&*pool)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let word = text(&row, 0)?;
            let changed = u64::try_from(row.try_get::<i64, _>(2)?).unwrap_or_default();
            Ok(Some(SkillState {
                // An unknown word must not enable anything.
                phase: Phase::ALL
                    .into_iter()
                    .find(|phase| phase.as_str() == word)
                    .unwrap_or(Phase::Disabled),
                reason: text(&row, 1)?,
                changed: SystemTime::UNIX_EPOCH + Duration::from_secs(changed),
            }))
        })
        .await
    }

    /// Notes what became of a skill, now.
    pub async fn set_skill_state(
        &self,
        skill: &str,
        phase: Phase,
        reason: &str,
    ) -> Result<(), StoreError> {
        let (skill, reason) = (skill.to_owned(), reason.to_owned());
        self.run(move |pool| async move {
            let statement =
                "INSERT INTO skill_states (skill, phase, reason, changed) VALUES ($1, $2, $3, $4)
                ON CONFLICT (skill) DO UPDATE SET
                    phase = excluded.phase, reason = excluded.reason, changed = excluded.changed";
            sqlx::query(statement)
                .bind(skill)
                .bind(phase.as_str())
                .bind(reason)
                .bind(now())
                .execute(&*pool)
                .await?;
            Ok(())
        })
        .await
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
