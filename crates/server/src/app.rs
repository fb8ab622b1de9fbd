//! State shared by all requests.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query};
use prowess_core::{Catalog, SkillId, Skills};
use tokio::sync::{Mutex, MutexGuard, Semaphore};
use tokio::time::timeout;

use crate::error::{Code, Failure};
use crate::limits::{WAITING_WRITES, WRITE_WAIT};
use crate::lists::LastLists;
use crate::mcp_sessions::McpSessions;
use crate::metrics::Metrics;
use crate::options::ApiOptions;
use crate::rate::RateLimits;
use crate::session_table::SessionTable;

/// The skills that are served, and to whom.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

struct Inner {
    skills: Skills,
    options: ApiOptions,
    lists: LastLists,
    sessions: SessionTable,
    mcp_sessions: McpSessions,
    metrics: Metrics,
    /// The catalog of the current search index.
    indexed: Mutex<u64>,
    /// Held while skills are changed.
    writing: Mutex<()>,
    /// Changes that may still wait for it.
    waiting: Semaphore,
}

impl App {
    pub(crate) fn new(skills: Skills, options: ApiOptions) -> Self {
        Self(Arc::new(Inner {
            skills,
            options,
            lists: LastLists::default(),
            sessions: SessionTable::default(),
            mcp_sessions: McpSessions::default(),
            metrics: Metrics::default(),
            indexed: Mutex::default(),
            writing: Mutex::default(),
            waiting: Semaphore::new(WAITING_WRITES),
        }))
    }

    pub(crate) fn skills(&self) -> &Skills {
        &self.0.skills
    }

    pub(crate) fn options(&self) -> &ApiOptions {
        &self.0.options
    }

    pub(crate) fn sessions(&self) -> &SessionTable {
        &self.0.sessions
    }

    pub(crate) fn mcp_sessions(&self) -> &McpSessions {
        &self.0.mcp_sessions
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// The turn to change skills. It does not wait for long, and not with any number of others.
    pub(crate) async fn writing(&self) -> Result<MutexGuard<'_, ()>, Failure> {
        let busy = || {
            let message = "other changes of skills take too long; try again later";
            Failure::new(Code::Busy, message)
        };
        let _place = self.0.waiting.try_acquire().map_err(|_| busy())?;
        let turn = timeout(WRITE_WAIT, self.0.writing.lock()).await;
        turn.map_err(|_| busy())
    }

    pub(crate) fn rate(&self) -> &RateLimits {
        &self.0.options.rate
    }

    pub(crate) fn lists(&self) -> &LastLists {
        &self.0.lists
    }

    /// The skills that fit a query, the best first.
    ///
    /// The first search of a catalog reads what changed. This happens once for all concurrent requests, and continues
    /// even if all of them are cancelled: otherwise a slow one would never finish.
    pub(crate) async fn search(
        &self,
        query: String,
        limit: usize,
    ) -> Result<Vec<SkillId>, Failure> {
        let app = self.clone();
        let search = async move {
            let skills = app.skills();
            let generation = skills.catalog().generation();
            let mut indexed = app.0.indexed.lock().await;
            if *indexed == generation {
                drop(indexed);
                return skills.search(&query, limit).await;
            }
            let found = skills.search(&query, limit).await;
            *indexed = generation;
            found
        };
        let lost = |_| Failure::new(Code::Unavailable, "the search was cancelled");
        tokio::spawn(search).await.map_err(lost)
    }
}

/// A path segment, or the error.
pub(crate) type Part<T> = Result<Path<T>, PathRejection>;

pub(crate) fn part<T>(part: Part<T>) -> Result<T, Failure> {
    let invalid = |_| Failure::new(Code::InvalidPath, "invalid path: not UTF-8");
    part.map(|Path(part)| part).map_err(invalid)
}

/// Parameters of the query, or the error.
pub(crate) type Parameters<T> = Result<Query<T>, QueryRejection>;

pub(crate) fn parameters<T>(parameters: Parameters<T>) -> Result<T, Failure> {
    let invalid = |error: QueryRejection| {
        Failure::new(Code::InvalidRequest, error.body_text().to_lowercase())
    };
    parameters.map(|Query(it)| it).map_err(invalid)
}

/// The id of a skill that may be seen.
pub(crate) fn visible(catalog: &Catalog, text: &str) -> Result<SkillId, Failure> {
    if let Some(skill) = catalog.get(text) {
        return Ok(skill.descriptor.id.clone());
    }
    let shown: String = text.chars().take(100).collect();
    let message = format!("unknown skill `{}`", shown.escape_debug());
    Err(Failure::new(Code::SkillNotFound, message).suggesting(&catalog.nearest(&shown)))
}
