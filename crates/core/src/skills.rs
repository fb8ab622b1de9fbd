//! The engine: a catalog that can be refreshed, and what sessions do with it.

use std::sync::{Arc, PoisonError, RwLock};

use crate::arguments::with_arguments;
use crate::builder::SkillsBuilder;
use crate::catalog::Catalog;
use crate::composite::Composite;
use crate::dialect::{Dialect, Locations, Operation, Place, Shape, ToolSpec};
use crate::event::Event;
use crate::id::SkillId;
use crate::render::{CatalogReport, RenderOptions, render_catalog, render_skill};
use crate::script::ScriptRunner;
use crate::search::SearchIndex;
use crate::session::Session;
use crate::source::SourceError;
use crate::tools::{ToolDefinition, define};
use crate::turn::Block;

/// How skills are presented, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How a host speaks of skills; its limits may be changed.
    pub dialect: Dialect,
    /// Characters of the catalog.
    pub catalog_chars: usize,
    /// What `allowed-tools` means.
    pub allowed_tools: Enforcement,
}

/// What `allowed-tools` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// Advice to the model.
    #[default]
    Off,
    /// While skills are active, only the tools that one of them allows.
    Enforce,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            catalog_chars: 8_000,
            allowed_tools: Enforcement::default(),
        }
    }
}

/// Whether the model can call tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolUse {
    /// It can; the prompt says how.
    #[default]
    Available,
    /// It cannot; the prompt does not speak of them.
    Unavailable,
}

/// Skills for any number of sessions at once; a clone is another handle to the same ones.
///
/// A refresh builds a new catalog and swaps it in: whoever holds the old one keeps all of it.
#[derive(Clone)]
pub struct Skills {
    inner: Arc<Inner>,
}

struct Inner {
    sources: Composite,
    settings: Settings,
    scripts: Option<Arc<dyn ScriptRunner>>,
    preloaded: Vec<Block>,
    catalog: RwLock<Arc<Catalog>>,
    index: RwLock<Arc<SearchIndex>>,
}

/// A skill that a session could not start with.
#[derive(Debug, thiserror::Error)]
#[error("cannot preload `{id}`: {reason}{}", hint(nearest))]
pub struct PreloadError {
    /// The skill.
    pub id: SkillId,
    /// Why.
    pub reason: String,
    /// Ids that may have been meant.
    pub nearest: Vec<String>,
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

impl Skills {
    /// Collects what skills are made of.
    pub fn builder() -> SkillsBuilder {
        SkillsBuilder::default()
    }

    pub(crate) async fn new(
        sources: Composite,
        settings: Settings,
        scripts: Option<Arc<dyn ScriptRunner>>,
        preload: &[SkillId],
    ) -> Result<Self, PreloadError> {
        let catalog = sources.catalog().await;
        let mut preloaded: Vec<Block> = Vec::new();
        for id in preload {
            let (block, _) =
                block(&sources, &settings, id, "")
                    .await
                    .map_err(|reason| PreloadError {
                        id: id.clone(),
                        reason: reason.to_string(),
                        nearest: owned(catalog.nearest(id.as_str())),
                    })?;
            if !preloaded.contains(&block) {
                preloaded.push(block);
            }
        }
        let inner = Inner {
            sources,
            settings,
            scripts,
            preloaded,
            catalog: RwLock::new(Arc::new(catalog)),
            index: RwLock::new(Arc::new(SearchIndex::empty())),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The same skills without one of them, for whoever wants to know what it is worth.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use prowess_core::{MemorySource, Scope, SkillId, Skills};
    ///
    /// let mut source = MemorySource::new(Scope::Project);
    /// source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\n");
    /// source.add("limerick", "---\nname: limerick\ndescription: Writes limericks\n---\n");
    /// let skills = Skills::builder().source("mine", source).only(["*"]).build().await.unwrap();
    ///
    /// let haiku: SkillId = "haiku".parse().unwrap();
    /// let rest = skills.without(&haiku).await;
    /// assert!(rest.catalog().get("haiku").is_none() && rest.catalog().get("limerick").is_some());
    /// assert!(rest.sources().load(&haiku).await.is_err());
    /// assert!(skills.catalog().get("haiku").is_some());
    /// # });
    /// ```
    pub async fn without(&self, id: &SkillId) -> Self {
        let sources = self.inner.sources.without(id);
        let catalog = sources.catalog().await;
        let preloaded = self.inner.preloaded.iter().filter(|block| block.id != *id);
        let inner = Inner {
            settings: self.inner.settings,
            scripts: self.inner.scripts.clone(),
            preloaded: preloaded.cloned().collect(),
            sources,
            catalog: RwLock::new(Arc::new(catalog)),
            index: RwLock::new(Arc::new(SearchIndex::empty())),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// How skills are presented.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn scripts(&self) -> Option<&dyn ScriptRunner> {
        self.inner.scripts.as_deref()
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(
            &self
                .inner
                .catalog
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Asks the sources again.
    pub async fn refresh(&self) -> Arc<Catalog> {
        let catalog = Arc::new(self.inner.sources.catalog().await);
        let mut current = self
            .inner
            .catalog
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Of two refreshes at once, the one that began later counts.
        if catalog.generation() > current.generation() {
            *current = Arc::clone(&catalog);
        }
        catalog
    }

    /// The sources behind the catalog.
    pub fn sources(&self) -> &Composite {
        &self.inner.sources
    }

    /// What the model is told about skills, and what had to be left out.
    ///
    /// Where it belongs is the dialect's to say: see [`Dialect::place`]. In a tool's description it is
    /// part of [`Self::tools`] already.
    pub fn system_prompt(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.inner.settings.dialect;
        let (mut text, report) = self.render(session, tools);
        if dialect.shape == Shape::Plain && !session.active().is_empty() && !text.is_empty() {
            let names = serde_json::json!({"activated_skill_names": session.active()});
            text.push('\n');
            text.push_str(&names.to_string());
        }
        for block in &self.inner.preloaded {
            text.push_str("\n\n");
            text.push_str(&block.text);
        }
        (text, report)
    }

    fn render(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.inner.settings.dialect;
        let browse = dialect
            .name_of(Operation::Browse)
            .or(dialect.name_of(Operation::List));
        let names = browse.zip(dialect.name_of(Operation::Load));
        let catalog = self.catalog();
        let locate = |id: &SkillId| self.inner.sources.location(&catalog, id);
        let active = session.active_set();
        let options = RenderOptions {
            format: dialect.catalog,
            inventory_threshold: dialect.limits.inventory_threshold,
            budget: self.inner.settings.catalog_chars,
            active: &active,
            tools: names.filter(|_| tools == ToolUse::Available),
            location: (dialect.locations == Locations::Shown).then_some(&locate),
        };
        render_catalog(&catalog, &options)
    }

    /// The tools for a model; none where there are no skills.
    pub fn tools(&self, session: &Session) -> Vec<ToolDefinition> {
        let catalog = self.catalog();
        if catalog.is_empty() {
            return Vec::new();
        }
        let dialect = &self.inner.settings.dialect;
        let in_tool = dialect.place == Place::ToolDescription;
        let (text, _) = if in_tool {
            self.render(session, ToolUse::Available)
        } else {
            Default::default()
        };
        // Without somebody to run them, scripts are offered only where the dialect promises an answer.
        let offered = |tool: &&ToolSpec| {
            tool.operation != Operation::Run
                || self.inner.scripts.is_some()
                || dialect.shape == Shape::Envelope
        };
        let appendix = |tool: &ToolSpec| {
            if tool.operation == Operation::Load {
                text.as_str()
            } else {
                ""
            }
        };
        let tools = dialect.tools.iter().filter(offered);
        tools
            .map(|tool| define(tool, &catalog, appendix(tool)))
            .collect()
    }

    /// A new conversation, with the preloaded skills active.
    pub fn session(&self) -> Session {
        self.resume(self.inner.preloaded.iter().map(|block| block.id.clone()))
    }

    /// A conversation that went on before: the skills that [`Session::active`] named are active again.
    pub fn resume(&self, active: impl IntoIterator<Item = SkillId>) -> Session {
        Session::new(self.clone(), active)
    }

    pub(crate) fn nearest(&self, text: &str) -> Vec<String> {
        owned(self.catalog().nearest(text))
    }

    pub(crate) async fn block(
        &self,
        id: &SkillId,
        arguments: &str,
    ) -> Result<(Block, Event), SourceError> {
        block(&self.inner.sources, &self.inner.settings, id, arguments).await
    }

    pub(crate) fn index(&self) -> &RwLock<Arc<SearchIndex>> {
        &self.inner.index
    }
}

fn owned(ids: Vec<&str>) -> Vec<String> {
    ids.into_iter().map(str::to_owned).collect()
}

/// A skill's instructions as the model gets them.
async fn block(
    sources: &Composite,
    settings: &Settings,
    id: &SkillId,
    arguments: &str,
) -> Result<(Block, Event), SourceError> {
    let document = sources.load(id).await?;
    let body = with_arguments(&document.body, arguments);
    let rendered = render_skill(id, &body, settings.dialect.limits.skill_bytes);
    let rendered = rendered.map_err(|error| SourceError::Invalid {
        id: id.clone(),
        reason: error.to_string(),
    })?;
    let event = Event::Activated {
        id: id.clone(),
        bytes: rendered.text.len(),
        dropped_bytes: rendered.report.dropped_bytes,
    };
    let block = Block {
        id: id.clone(),
        text: rendered.text,
    };
    Ok((block, event))
}
