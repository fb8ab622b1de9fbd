//! The source itself: requests and caching.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use prowess_config::Http;
use prowess_core::{
    Document, FileEntry, FilePart, Freshness, SkillId, Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;

use crate::refreshing::{Lifetime, Refreshing};
use crate::remote::{Network, ProgressReport, RemoteOptions, begin};
use crate::task;

use super::cache::{CacheKey, CachedResponse, HttpCache};
use super::client::{Endpoint, Fetched, Found, Part, unavailable};

use super::{BODY_BYTES, DOCUMENTS, read};

/// Characters that are not encoded in a path segment.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A source over HTTP. Nothing is requested before first use.
///
/// The whole list is fetched at once and cached, each document on demand. Both are revalidated when they expire; while
/// the server is unavailable, cached data is served.
pub struct HttpSource {
    inner: Arc<Inner>,
}

struct Inner {
    options: Http,
    network: Network,
    progress: Option<ProgressReport>,
    cache: Option<HttpCache>,
    endpoint: OnceLock<Result<Endpoint, SourceError>>,
    list: Refreshing<List>,
    documents: Mutex<HashMap<SkillId, Arc<Refreshing<Loaded>>>>,
}

/// The list as it was fetched.
struct List {
    snapshot: Arc<Snapshot>,
    response: CachedResponse,
}

/// A document as it was fetched.
struct Loaded {
    document: Document,
    response: CachedResponse,
}

impl HttpSource {
    /// The skills of a server.
    pub fn new(options: Http, remote: RemoteOptions) -> Self {
        let lifetime = Lifetime::Backoff(options.refresh);
        let cache = remote.cache.map(|cache| HttpCache::new(&cache, &options));
        let list = Refreshing::new(lifetime);
        if let Some(response) = cache.as_ref().and_then(|cache| cache.load(&CacheKey::List))
            && let Ok(mut snapshot) =
                read::list(response.body.as_bytes(), None, &response.collections)
        {
            let refreshed = response.refreshed();
            add_sizes(&mut snapshot, cache.as_ref());
            let snapshot = Arc::new(snapshot);
            let list_value = Arc::new(List { snapshot, response });
            list.seed(list_value, refreshed, remote.network);
        }
        Self {
            inner: Arc::new(Inner {
                options,
                network: remote.network,
                progress: remote.progress,
                cache,
                endpoint: OnceLock::new(),
                list,
                documents: Mutex::default(),
            }),
        }
    }
}

impl Inner {
    /// The server, unless we are to stay off the network.
    fn endpoint(&self) -> Result<&Endpoint, SourceError> {
        if self.network == Network::Offline {
            return Err(unavailable("offline".to_owned()));
        }
        let endpoint = self.endpoint.get_or_init(|| Endpoint::new(&self.options));
        endpoint.as_ref().map_err(Clone::clone)
    }

    async fn list(self: &Arc<Self>) -> Result<Arc<List>, SourceError> {
        let inner = Arc::clone(self);
        let fetch = |old| task::run(async move { inner.fetch_list(old).await });
        self.list.get(fetch).await
    }

    async fn fetch_list(&self, old: Option<Arc<List>>) -> Result<Arc<List>, SourceError> {
        let endpoint = self.endpoint()?;
        let what = format!("contacting {}", endpoint.host());
        begin(self.progress.as_ref(), &what);
        let etag = old.as_ref().and_then(|old| old.response.etag.as_deref());
        let found = match (endpoint.get("/skills", etag, None).await?, old) {
            (Fetched::Found(found), _) => found,
            (Fetched::NotModified, Some(old)) => {
                let response = old.response.refreshed_now();
                self.save(&CacheKey::List, &response);
                let snapshot = Arc::clone(&old.snapshot);
                return Ok(Arc::new(List { snapshot, response }));
            }
            _ => {
                let message =
                    "no list of skills at this URL; check that it is the root of a skills API";
                return Err(unavailable(message.to_owned()));
            }
        };
        let (collections, complete) = if read::has_collections(&found.bytes) {
            (String::new(), true)
        } else {
            match endpoint.get("/skill-collections", None, None).await {
                Ok(Fetched::Found(found)) => {
                    (String::from_utf8_lossy(&found.bytes).into_owned(), true)
                }
                // A server without collections: use those of the ids.
                Ok(_) => (String::new(), true),
                Err(_) => (String::new(), false),
            }
        };
        let content_type = found.content_type.as_deref();
        let mut snapshot = read::list(&found.bytes, content_type, &collections)?;
        add_sizes(&mut snapshot, self.cache.as_ref());
        let mut response = CachedResponse::new(found, collections);
        if !complete {
            // With the name of this list, the next answer would be that nothing changed.
            response.etag = None;
        }
        self.save(&CacheKey::List, &response);
        let snapshot = Arc::new(snapshot);
        Ok(Arc::new(List { snapshot, response }))
    }

    fn save(&self, key: &CacheKey<'_>, response: &CachedResponse) {
        if let Some(cache) = &self.cache {
            cache.save(key, response);
        }
    }

    async fn document(self: &Arc<Self>, id: &SkillId) -> Result<Arc<Loaded>, SourceError> {
        let slot = self.document_slot(id);
        let inner = Arc::clone(self);
        let id = id.clone();
        let fetch = |old| task::run(async move { inner.fetch_document(&id, old).await });
        slot.get(fetch).await
    }

    fn document_slot(&self, id: &SkillId) -> Arc<Refreshing<Loaded>> {
        let mut documents = self
            .documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if documents.len() >= DOCUMENTS && !documents.contains_key(id) {
            documents.clear();
        }
        let slot = || {
            let slot = Refreshing::new(Lifetime::Backoff(self.options.refresh));
            let response = self
                .cache
                .as_ref()
                .and_then(|cache| cache.load(&CacheKey::Skill(id)));
            if let Some(response) = response
                && let Ok(document) = read::document(id, response.body.as_bytes(), None)
            {
                let refreshed = response.refreshed();
                let loaded = Arc::new(Loaded { document, response });
                slot.seed(loaded, refreshed, self.network);
            }
            Arc::new(slot)
        };
        Arc::clone(documents.entry(id.clone()).or_insert_with(slot))
    }

    async fn fetch_document(
        &self,
        id: &SkillId,
        old: Option<Arc<Loaded>>,
    ) -> Result<Arc<Loaded>, SourceError> {
        let path = format!("/skills/{}", encoded(id.as_str()));
        let etag = old.as_ref().and_then(|old| old.response.etag.as_deref());
        let loaded = match (self.endpoint()?.get(&path, etag, None).await?, old) {
            (Fetched::Found(found), _) => {
                let content_type = found.content_type.as_deref();
                let document = read::document(id, &found.bytes, content_type)?;
                let response = CachedResponse::new(found, String::new());
                Loaded { document, response }
            }
            (Fetched::NotModified, Some(old)) => Loaded {
                document: old.document.clone(),
                response: old.response.refreshed_now(),
            },
            _ => {
                // Skills that the server removed must not return with the next process.
                if let Some(cache) = &self.cache {
                    cache.remove(&CacheKey::Skill(id));
                }
                return Err(SourceError::NotFound(id.clone()));
            }
        };
        self.save(&CacheKey::Skill(id), &loaded.response);
        Ok(Arc::new(loaded))
    }

    /// Requests data that is not cached.
    async fn ask(
        self: &Arc<Self>,
        path: String,
        part: Option<Part>,
    ) -> Result<Fetched, SourceError> {
        let inner = Arc::clone(self);
        task::run(async move { inner.endpoint()?.get(&path, None, part).await }).await
    }
}

#[async_trait]
impl Source for HttpSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        Ok(Arc::clone(&self.inner.list().await?.snapshot))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        Ok(self.inner.document(id).await?.document.clone())
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        let path = format!("/skills/{}/files", encoded(id.as_str()));
        match self.inner.ask(path, None).await? {
            Fetched::Found(found) => read::files(&found.bytes, found.content_type.as_deref()),
            // A server without files can still have skills.
            _ => self.inner.document(id).await.map(|_| Vec::new()),
        }
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        let parts: Vec<String> = path.as_str().split('/').map(encoded).collect();
        let url = format!("/skills/{}/files/{}", encoded(id.as_str()), parts.join("/"));
        let limit = limit.min(BODY_BYTES);
        // An empty range cannot be requested.
        let part = Part::new(offset, limit.max(1));
        let mut answer = self.inner.ask(url.clone(), Some(part)).await?;
        if matches!(answer, Fetched::Beyond(None)) {
            answer = self.inner.ask(url, None).await?;
        }
        match answer {
            Fetched::Found(Found {
                mut bytes,
                whole: Some(size),
                ..
            }) => {
                bytes.truncate(limit);
                let offset = offset.min(size);
                Ok(FilePart {
                    bytes,
                    offset,
                    size,
                })
            }
            // A server that does not know parts sent everything.
            Fetched::Found(found) => Ok(FilePart::of(&found.bytes, offset, limit)),
            Fetched::Beyond(size) => {
                let size = size.unwrap_or_default();
                Ok(FilePart {
                    bytes: Vec::new(),
                    offset: offset.min(size),
                    size,
                })
            }
            Fetched::Denied => Err(SourceError::AccessDenied {
                id: id.clone(),
                path: path.clone(),
            }),
            Fetched::Missing | Fetched::NotModified => self.missing(id, path).await,
        }
    }

    fn freshness(&self) -> Freshness {
        self.inner.list.freshness()
    }
}

impl HttpSource {
    /// Why a path leads to nothing: it may be a directory, or mistyped.
    async fn missing(&self, id: &SkillId, path: &SkillPath) -> Result<FilePart, SourceError> {
        let files = self.files(id).await?;
        let names = files.iter().map(|file| file.path.as_str());
        let below = |name: &str| {
            let rest = name.strip_prefix(path.as_str())?.strip_prefix('/')?;
            rest.split('/').next().map(str::to_owned)
        };
        let mut entries: Vec<String> = names.clone().filter_map(below).collect();
        entries.dedup();
        let (id, path) = (id.clone(), path.clone());
        if !entries.is_empty() {
            return Err(SourceError::NotAFile { id, path, entries });
        }
        let nearest = prowess_spec::nearest(path.as_str(), names);
        let nearest = nearest.into_iter().map(str::to_owned).collect();
        Err(SourceError::FileNotFound { id, path, nearest })
    }
}

/// Takes the size of instructions from the cache where the list does not have it.
fn add_sizes(snapshot: &mut Snapshot, cache: Option<&HttpCache>) {
    let Some(cache) = cache else {
        return;
    };
    for skill in snapshot.skills.iter_mut().filter(|it| it.body_bytes == 0) {
        if let Some(response) = cache.load(&CacheKey::Skill(&skill.id))
            && let Ok(document) = read::document(&skill.id, response.body.as_bytes(), None)
        {
            skill.body_bytes = u32::try_from(document.body.len()).unwrap_or(u32::MAX);
        }
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}
