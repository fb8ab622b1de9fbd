//! State shared by all connections of a server.

use std::sync::{Arc, Mutex};

use prowess_core::Skills;
use tokio::sync::watch;

use super::code_skills::CodeSkills;
use super::connection::Connection;
use super::digest_cache::DigestCache;
use super::instructions::Instructions;
use super::options::ServerOptions;

/// An MCP server over skills; a clone is another handle to the same one.
///
/// ```
/// # use prowess_core::Skills;
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use prowess_mcp::{ServerOptions, SkillsServer, serve_stdio};
///
/// let skills = Skills::builder().build().await.unwrap();
/// let server = SkillsServer::new(skills, ServerOptions::default());
/// let (client, stream) = tokio::io::duplex(1024);
/// # drop(client);
/// let (reader, writer) = tokio::io::split(stream);
/// serve_stdio(&server, reader, writer).await.unwrap();
/// # });
/// ```
#[derive(Clone)]
pub struct SkillsServer {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) skills: Skills,
    pub(crate) options: ServerOptions,
    pub(crate) digest_cache: DigestCache,
    /// Counts changes, to notify clients.
    pub(crate) changes: watch::Sender<u64>,
    pub(crate) instructions: Mutex<Option<Instructions>>,
    pub(crate) code_skills: Option<Arc<dyn CodeSkills>>,
}

impl SkillsServer {
    /// A server over `skills`. Nothing is read yet.
    pub fn new(skills: Skills, options: ServerOptions) -> Self {
        Self::with_code(skills, options, None)
    }

    /// A server that also has the tools of skills with code.
    ///
    /// All clients share them, so that this is for a server with one client, such as one over stdio.
    pub fn with_code(
        skills: Skills,
        options: ServerOptions,
        code_skills: Option<Arc<dyn CodeSkills>>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                digest_cache: DigestCache::new(options.fresh),
                skills,
                options,
                changes: watch::Sender::new(0),
                instructions: Mutex::default(),
                code_skills,
            }),
        }
    }

    /// The skills that are served.
    pub fn skills(&self) -> &Skills {
        &self.inner.skills
    }

    /// Notifies every client that skills changed. Can be called on any thread, such as that of a watch.
    pub fn notify_changed(&self) {
        self.inner.digest_cache.forget_all();
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Notifies every client that the tools changed.
    pub(crate) fn notify_tools(&self) {
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// A handler for one client, with its own session.
    pub fn connect(&self) -> Connection {
        Connection::new(self.clone())
    }

    /// How long clients can cache responses, in milliseconds.
    pub(crate) fn ttl(&self) -> u64 {
        u64::try_from(self.inner.options.fresh.as_millis()).unwrap_or(u64::MAX)
    }
}
