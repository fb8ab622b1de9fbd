//! An agent, put together.

use std::sync::Arc;

use prowess_core::{Block, SkillId, Skills};
use prowess_store::{ChatSummary, Store};

use crate::error::AgentError;
use crate::options::AgentOptions;
use crate::provider::Provider;
use crate::runtime_handle::RuntimeHandle;

/// A model with skills, for any number of chats at once. A clone is another handle to the same agent.
#[derive(Clone)]
pub struct Agent {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) skills: Skills,
    pub(crate) code_skills: Option<RuntimeHandle>,
    pub(crate) options: AgentOptions,
    pub(crate) store: Option<Store>,
    /// Skills that every chat has from the beginning, their instructions in the prompt.
    pub(crate) preloaded: Vec<Block>,
}

/// Collects what an [`Agent`] is made of.
pub struct AgentBuilder {
    provider: Arc<dyn Provider>,
    skills: Option<Skills>,
    code_skills: Option<RuntimeHandle>,
    preload: Vec<String>,
    options: AgentOptions,
    store: Option<Store>,
}

impl AgentBuilder {
    /// Gives it skills.
    #[must_use]
    pub fn skills(mut self, skills: Skills) -> Self {
        self.skills = Some(skills);
        self
    }

    /// Gives it skills with code.
    #[must_use]
    pub fn code_skills(mut self, code_skills: RuntimeHandle) -> Self {
        self.code_skills = Some(code_skills);
        self
    }

    /// Gives every chat these skills from the beginning; one that is missing fails the build.
    #[must_use]
    pub fn preload<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.preload.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Sets the options.
    #[must_use]
    pub fn options(mut self, options: AgentOptions) -> Self {
        self.options = options;
        self
    }

    /// Keeps chats.
    #[must_use]
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Puts the agent together.
    pub async fn build(self) -> Result<Agent, AgentError> {
        let skills = match self.skills {
            Some(skills) => skills,
            None => match &self.code_skills {
                Some(code_skills) => code_skills.runtime.skills().clone(),
                None => Skills::builder().build().await?,
            },
        };
        let mut preloaded: Vec<Block> = Vec::new();
        for text in &self.preload {
            let id: SkillId = text.parse()?;
            if !preloaded.iter().any(|block| block.id == id) {
                preloaded.extend(preload(&skills, &id).await?);
            }
        }
        Ok(Agent {
            inner: Arc::new(Inner {
                provider: self.provider,
                skills,
                code_skills: self.code_skills,
                options: self.options,
                store: self.store,
                preloaded,
            }),
        })
    }
}

/// The block of a skill; none if every session of the skills begins with it anyway.
async fn preload(skills: &Skills, id: &SkillId) -> Result<Option<Block>, AgentError> {
    if skills.session().is_active(id) {
        return Ok(None);
    }
    let session = skills.resume([]);
    let mut turn = session.turn_with("", std::slice::from_ref(id)).await;
    if let Some(block) = turn.blocks.pop() {
        return Ok(Some(block));
    }
    let catalog = skills.catalog();
    let nearest = catalog.nearest(id.as_str()).into_iter();
    let reason = match turn.events.pop() {
        Some(prowess_core::Event::LoadFailed { reason, .. }) => reason,
        _ => "unknown skill".to_owned(),
    };
    Err(AgentError::Preload {
        id: id.clone(),
        reason,
        nearest: nearest.map(str::to_owned).collect(),
    })
}

impl Agent {
    /// Collects what an agent is made of.
    pub fn builder(provider: Arc<dyn Provider>) -> AgentBuilder {
        AgentBuilder {
            provider,
            skills: None,
            code_skills: None,
            preload: Vec::new(),
            options: AgentOptions::default(),
            store: None,
        }
    }

    /// The skills.
    pub fn skills(&self) -> &Skills {
        &self.inner.skills
    }

    /// The model.
    pub fn provider(&self) -> &Arc<dyn Provider> {
        &self.inner.provider
    }

    /// The same agent over another model.
    #[must_use]
    pub fn with_model(&self, provider: Arc<dyn Provider>, options: AgentOptions) -> Self {
        let inner = Inner {
            provider,
            options,
            ..Inner::clone(&self.inner)
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The options.
    pub fn options(&self) -> &AgentOptions {
        &self.inner.options
    }

    /// The saved chats, newest first.
    pub async fn chats(&self, limit: usize) -> Result<Vec<ChatSummary>, AgentError> {
        let store = self.inner.store.as_ref().ok_or(AgentError::NoStore)?;
        Ok(store.chats(limit).await?)
    }
}
