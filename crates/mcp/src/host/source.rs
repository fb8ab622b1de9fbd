//! The source itself: requests and verification.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use prowess_config::Mcp;
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, Origin, SkillId, Snapshot, Source, SourceError,
    document,
};
use prowess_sources::{Network, RemoteOptions};
use prowess_spec::{SKILL_FILE, SkillPath, nearest};

use super::cache::McpCache;
use super::client::{Client, unavailable};
use super::list::List;
use super::listed_skill::ListedSkill;
use super::verify;
use crate::digest::Digest;
use crate::limits::{FRESH, LONGEST_REFRESH, SHORTEST_REFRESH};
use crate::uri::exact;
use crate::wire::SkillFile;

/// The skills of an MCP server. Connects on first use.
///
/// The list is fetched at once, each file on demand. A file is used only if its size and digest match the list, and a
/// `SKILL.md` only if its frontmatter matches too; unlisted files do not exist. `allowed-tools` is ignored unless it
/// was granted.
pub struct McpSource {
    inner: Arc<Inner>,
}

/// Whether `allowed-tools` of a server's skills is honored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AllowedTools {
    Dropped,
    Granted,
}

struct Inner {
    label: String,
    mcp: Mcp,
    network: Network,
    cache: Option<McpCache>,
    allowed_tools: AllowedTools,
    /// Set by the server's own word that its list changed.
    changed: Arc<AtomicBool>,
    client: tokio::sync::Mutex<Option<Arc<Client>>>,
    state: Mutex<State>,
    /// Held while the list is fetched.
    flight: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    list: Option<Arc<List>>,
    refreshed: Option<SystemTime>,
    /// When to refresh; `None` means now.
    due: Option<Instant>,
    problem: Option<SourceError>,
    failures: u32,
}

impl McpSource {
    /// The skills of a server that we call `label`: together with an address, that is who a skill is.
    pub fn new(label: impl Into<String>, mcp: Mcp, options: RemoteOptions) -> Self {
        let label = label.into();
        let cache = options
            .cache
            .map(|cache| McpCache::new(&cache, &label, &mcp));
        let cached = cache.as_ref().and_then(McpCache::list);
        let state = cached.map(|cached| State {
            list: Some(Arc::new(List::new(&label, &cached.entries))),
            refreshed: Some(cached.refreshed()),
            ..State::default()
        });
        Self {
            inner: Arc::new(Inner {
                label,
                mcp,
                network: options.network,
                cache,
                allowed_tools: AllowedTools::Dropped,
                changed: Arc::default(),
                client: tokio::sync::Mutex::default(),
                state: Mutex::new(state.unwrap_or_default()),
                flight: tokio::sync::Mutex::default(),
            }),
        }
    }

    /// Honors `allowed-tools`: the caller has asked the user.
    #[must_use]
    pub fn granting_allowed_tools(mut self) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.allowed_tools = AllowedTools::Granted;
        }
        self
    }

    /// The digest over a skill's server, address and all its files: what an approval is about. Another one means
    /// that something was added, changed or taken away.
    pub fn resource_set(&self, id: &SkillId) -> Option<Digest> {
        let list = self.inner.state().list.clone()?;
        list.skills.get(id).map(|listed| listed.set)
    }

    /// The address of a skill: together with the server's label, that is who it is.
    pub fn uri(&self, id: &SkillId) -> Option<String> {
        let list = self.inner.state().list.clone()?;
        list.skills.get(id).map(|listed| listed.uri.clone())
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection; reconnects if it is closed.
    async fn client(&self) -> Result<Arc<Client>, SourceError> {
        if self.network == Network::Offline {
            return Err(unavailable("offline"));
        }
        let mut cached = self.client.lock().await;
        if let Some(client) = cached.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        // The old one goes first, and its program with it.
        *cached = None;
        let client = Arc::new(Client::connect(&self.mcp, Arc::clone(&self.changed)).await?);
        *cached = Some(Arc::clone(&client));
        Ok(client)
    }

    /// Sends a request; retries once with a new connection if the old one was closed.
    async fn ask<T, F>(&self, ask: impl Fn(Arc<Client>) -> F) -> Result<T, SourceError>
    where
        F: Future<Output = Result<T, SourceError>>,
    {
        let client = self.client().await?;
        match ask(Arc::clone(&client)).await {
            Err(_) if client.is_closed() => ask(self.client().await?).await,
            answer => answer,
        }
    }

    async fn list(self: &Arc<Self>) -> Result<Arc<List>, SourceError> {
        let _flight = self.flight.lock().await;
        let changed = self.changed.swap(false, Ordering::Relaxed);
        if let Some(answer) = self.state().answer().filter(|_| !changed) {
            return answer;
        }
        let inner = Arc::clone(self);
        let fetched = run(async move { inner.fetch_list().await }).await;
        let mut state = self.state();
        match fetched {
            Ok((list, lifetime)) => {
                *state = State {
                    list: Some(Arc::clone(&list)),
                    refreshed: Some(SystemTime::now()),
                    due: Some(Instant::now() + lifetime),
                    ..State::default()
                };
                Ok(list)
            }
            Err(problem) => {
                let pause = SHORTEST_REFRESH.saturating_mul(1 << state.failures.min(10));
                state.failures += 1;
                state.due = Some(Instant::now() + pause);
                state.problem = Some(problem.clone());
                state.list.clone().ok_or(problem)
            }
        }
    }

    async fn fetch_list(&self) -> Result<(Arc<List>, Duration), SourceError> {
        let pages = self
            .ask(|client| async move { client.list().await })
            .await?;
        let list = List::new(&self.label, &pages.entries);
        if let Some(cache) = &self.cache {
            cache.save_list(&pages.entries, &list.digests());
        }
        let lifetime = pages.lifetime.unwrap_or(FRESH);
        Ok((
            Arc::new(list),
            lifetime.clamp(SHORTEST_REFRESH, LONGEST_REFRESH),
        ))
    }

    /// The entry of a skill, as the last list has it.
    async fn listed(self: &Arc<Self>, id: &SkillId) -> Result<Arc<ListedSkill>, SourceError> {
        let known = self.state().list.clone();
        let listed = known.and_then(|list| list.skills.get(id).cloned());
        let listed = match listed {
            Some(listed) => Some(listed),
            None => self.list().await?.skills.get(id).cloned(),
        };
        listed.ok_or_else(|| SourceError::NotFound(id.clone()))
    }

    /// The bytes of a listed file, verified wherever they come from.
    async fn file(
        self: &Arc<Self>,
        id: &SkillId,
        file: &SkillFile,
    ) -> Result<Vec<u8>, SourceError> {
        let (inner, id, file) = (Arc::clone(self), id.clone(), file.clone());
        run(async move {
            if let Some(bytes) = inner.cache.as_ref().and_then(|cache| cache.file(&file)) {
                return Ok(bytes);
            }
            let read = |client: Arc<Client>| {
                let uri = file.uri.clone();
                async move { client.read(&uri).await }
            };
            let content = inner.ask(read).await?;
            let bytes =
                verify::bytes(content, &file).map_err(|forged| inner.forged(&id, &forged))?;
            if let Some(cache) = &inner.cache {
                cache.save_file(&file, &bytes);
            }
            Ok(bytes)
        })
        .await
    }

    /// The list may be outdated: it is fetched again before anything else is used.
    fn forged(&self, id: &SkillId, forged: &verify::Forged) -> SourceError {
        self.state().due = None;
        SourceError::Invalid {
            id: id.clone(),
            reason: format!("{forged} (server `{}`)", self.label),
        }
    }
}

impl State {
    /// The answer that needs no asking.
    fn answer(&self) -> Option<Result<Arc<List>, SourceError>> {
        self.due.filter(|due| Instant::now() < *due)?;
        let list = self.list.clone().map(Ok);
        list.or_else(|| self.problem.clone().map(Err))
    }
}

#[async_trait]
impl Source for McpSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        Ok(Arc::clone(&self.inner.list().await?.snapshot))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        let listed = self.inner.listed(id).await?;
        let own = exact(SKILL_FILE).and_then(|path| listed.files.get(&path));
        let own = own.ok_or_else(|| SourceError::NotFound(id.clone()))?;
        let bytes = self.inner.file(id, own).await?;
        let mut document = document(id, &bytes, None)?;
        verify::frontmatter(&document.skill.frontmatter, &listed.frontmatter)
            .map_err(|forged| self.inner.forged(id, &forged))?;
        if self.inner.allowed_tools == AllowedTools::Dropped {
            document.skill.allowed_tools.clear();
        }
        Ok(document)
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        let listed = self.inner.listed(id).await?;
        let beside = listed
            .files
            .iter()
            .filter(|(path, _)| path.as_str() != SKILL_FILE);
        let entry = |(path, file): (&SkillPath, &SkillFile)| FileEntry {
            path: path.clone(),
            size: file.size,
        };
        Ok(beside.map(entry).collect())
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let listed = self.inner.listed(id).await?;
        let Some(file) = listed.files.get(path) else {
            return Err(missing(id, path, &listed));
        };
        let bytes = self.inner.file(id, file).await?;
        Ok(FilePart::of(&bytes, offset, limit))
    }

    fn origin(&self) -> Origin {
        Origin::Server
    }

    fn freshness(&self) -> Freshness {
        let state = self.inner.state();
        Freshness {
            refreshed: state.refreshed,
            stale: state.problem.as_ref().map(ToString::to_string),
        }
    }
}

/// Why a path leads to nothing: it may be a directory, or not be listed.
fn missing(id: &SkillId, path: &SkillPath, listed: &ListedSkill) -> SourceError {
    let names = listed.files.keys().map(SkillPath::as_str);
    let below = |name: &str| {
        let rest = name.strip_prefix(path.as_str())?.strip_prefix('/')?;
        rest.split('/').next().map(str::to_owned)
    };
    let mut entries: Vec<String> = names.clone().filter_map(below).collect();
    entries.dedup();
    let (id, path) = (id.clone(), path.clone());
    if !entries.is_empty() {
        return SourceError::NotAFile { id, path, entries };
    }
    let nearest = nearest(path.as_str(), names)
        .into_iter()
        .map(str::to_owned)
        .collect();
    SourceError::FileNotFound { id, path, nearest }
}

async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, SourceError>> + Send + 'static,
) -> Result<T, SourceError> {
    let failed = |error: prowess_net::TaskError| unavailable(error.to_string());
    prowess_net::run(work).await.map_err(failed)?
}
