//! The engine: a catalog that can be refreshed, and what sessions do with it.

use std::sync::{Arc, PoisonError, RwLock};

use prowess_policy::AllowedTools;
use serde_json::Value;

use crate::arguments::with_arguments;
use crate::builder::SkillsBuilder;
use crate::catalog::Catalog;
use crate::composite::Composite;
use crate::dialect::{Dialect, Locations, Operation, Place, Shape, ToolSpec};
use crate::event::Event;
use crate::id::SkillId;
use crate::reference::reference;
use crate::render::{CatalogReport, RenderOptions, render_catalog, render_skill};
use crate::script::ScriptRunner;
use crate::search::SearchIndex;
use crate::session::Session;
use crate::source::SourceError;
use crate::tools::{ErrorCode, ToolDefinition, ToolError, ToolResult, define, shape};
use crate::turn::{Block, Turn};

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

/// Skills for any number of sessions at once.
///
/// A refresh builds a new catalog and swaps it in: whoever holds the old one keeps all of it.
pub struct Skills {
    sources: Composite,
    settings: Settings,
    scripts: Option<Arc<dyn ScriptRunner>>,
    preloaded: Vec<Block>,
    catalog: RwLock<Arc<Catalog>>,
    pub(crate) index: RwLock<Arc<SearchIndex>>,
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
    ) -> Self {
        let catalog = RwLock::new(Arc::new(sources.catalog().await));
        Self {
            sources,
            settings,
            scripts,
            preloaded: Vec::new(),
            catalog,
            index: RwLock::new(Arc::new(SearchIndex::empty())),
        }
    }

    /// How skills are presented.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn scripts(&self) -> Option<&dyn ScriptRunner> {
        self.scripts.as_deref()
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the sources again.
    pub async fn refresh(&self) -> Arc<Catalog> {
        let catalog = Arc::new(self.sources.catalog().await);
        let mut current = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
        // Of two refreshes at once, the one that began later counts.
        if catalog.generation() > current.generation() {
            *current = Arc::clone(&catalog);
        }
        catalog
    }

    /// The sources behind the catalog.
    pub fn sources(&self) -> &Composite {
        &self.sources
    }

    /// What the model is told about skills, and what had to be left out.
    ///
    /// Where it belongs is the dialect's to say: see [`Dialect::place`]. In a tool's description it is
    /// part of [`Self::tools`] already.
    pub fn system_prompt(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.settings.dialect;
        let (mut text, report) = self.render(session, tools);
        if dialect.shape == Shape::Plain && !session.active().is_empty() && !text.is_empty() {
            let names = serde_json::json!({"activated_skill_names": session.active()});
            text.push('\n');
            text.push_str(&names.to_string());
        }
        for block in &self.preloaded {
            text.push_str("\n\n");
            text.push_str(&block.text);
        }
        (text, report)
    }

    fn render(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.settings.dialect;
        let browse = dialect
            .name_of(Operation::Browse)
            .or(dialect.name_of(Operation::List));
        let names = browse.zip(dialect.name_of(Operation::Load));
        let catalog = self.catalog();
        let locate = |id: &SkillId| self.sources.location(&catalog, id);
        let active = session.active_set();
        let options = RenderOptions {
            format: dialect.catalog,
            inventory_threshold: dialect.limits.inventory_threshold,
            budget: self.settings.catalog_chars,
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
        let dialect = &self.settings.dialect;
        let in_tool = dialect.place == Place::ToolDescription;
        let (text, _) = if in_tool {
            self.render(session, ToolUse::Available)
        } else {
            Default::default()
        };
        // Without somebody to run them, scripts are offered only where the dialect promises an answer.
        let offered = |tool: &&ToolSpec| {
            tool.operation != Operation::Run
                || self.scripts.is_some()
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

    /// Calls a tool. Whatever happens is a result for the model.
    pub async fn call(
        &self,
        session: &mut Session,
        name: &str,
        arguments: &Value,
    ) -> (ToolResult, Vec<Event>) {
        let dialect = &self.settings.dialect;
        let mut events = Vec::new();
        let Some(tool) = dialect.tool(name) else {
            let names: Vec<String> = dialect
                .tools
                .iter()
                .map(|tool| tool.name.to_owned())
                .collect();
            let message = format!("there is no tool `{}`", name.escape_debug());
            let error = ToolError::new(ErrorCode::UnknownTool, message).suggesting(names);
            let first = dialect.tools.first().copied().unwrap_or(ToolSpec::NONE);
            return (shape(dialect.shape, &first, Err(error), &[]), events);
        };
        let outcome = self.answer(session, tool, arguments, &mut events).await;
        let available: Vec<String> = match (&outcome, dialect.shape) {
            (Err(_), Shape::Success) => {
                let catalog = self.catalog();
                catalog
                    .skills()
                    .map(|skill| skill.descriptor.id.to_string())
                    .take(50)
                    .collect()
            }
            _ => Vec::new(),
        };
        (shape(dialect.shape, tool, outcome, &available), events)
    }

    /// A new conversation, with the preloaded skills active.
    pub fn session(&self) -> Session {
        let mut session = Session::new();
        for block in &self.preloaded {
            session.activate(&block.id);
        }
        session
    }

    pub(crate) async fn with_preloaded(mut self, ids: &[SkillId]) -> Result<Self, PreloadError> {
        for id in ids {
            let (block, _) = self.block(id, "").await.map_err(|reason| PreloadError {
                id: id.clone(),
                reason: reason.to_string(),
                nearest: self.nearest(id.as_str()),
            })?;
            if !self.preloaded.contains(&block) {
                self.preloaded.push(block);
            }
        }
        Ok(self)
    }

    /// Prepares a message: skills named by the caller, then the one that the message begins with.
    pub async fn turn(&self, session: &mut Session, message: &str, references: &[SkillId]) -> Turn {
        let mut turn = Turn {
            text: message.to_owned(),
            ..Turn::default()
        };
        for id in references {
            self.activate(session, id, "", &mut turn).await;
        }
        if let Some(found) = reference(message) {
            if self
                .catalog()
                .get(found.id.as_str())
                .is_some_and(|skill| skill.descriptor.invocation.by_user())
            {
                turn.text = found.rest.to_owned();
                self.activate(session, &found.id, found.rest, &mut turn)
                    .await;
            } else {
                self.unresolved(&found.id, &mut turn);
            }
        }
        turn
    }

    async fn activate(
        &self,
        session: &mut Session,
        id: &SkillId,
        arguments: &str,
        turn: &mut Turn,
    ) {
        if session.is_active(id) {
            turn.notices.push(format!("skill {id} is active already"));
            turn.events.push(Event::AlreadyActive { id: id.clone() });
            return;
        }
        match self.block(id, arguments).await {
            Ok((block, event)) => {
                session.activate(id);
                turn.notices.push(format!("skill {id} loaded"));
                turn.blocks.push(block);
                turn.events.push(event);
            }
            Err(SourceError::NotFound(_)) => self.unresolved(id, turn),
            Err(error) => {
                turn.notices
                    .push(format!("skill {id} could not be loaded: {error}"));
                turn.events.push(Event::LoadFailed {
                    id: id.clone(),
                    reason: error.to_string(),
                });
            }
        }
    }

    fn unresolved(&self, id: &SkillId, turn: &mut Turn) {
        turn.events.push(Event::Unresolved {
            reference: id.to_string(),
            nearest: self.nearest(id.as_str()),
        });
    }

    pub(crate) fn nearest(&self, text: &str) -> Vec<String> {
        self.catalog()
            .nearest(text)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    async fn block(&self, id: &SkillId, arguments: &str) -> Result<(Block, Event), SourceError> {
        let document = self.sources.load(id).await?;
        let body = with_arguments(&document.body, arguments);
        let rendered = render_skill(id, &body, self.settings.dialect.limits.skill_bytes);
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

    /// The host's tools that the active skills let a model see, in their order.
    ///
    /// Under [`Enforcement::Off`] that is all of them. Tools of the dialect are always seen.
    pub async fn visible_tools<'t>(&self, session: &Session, tools: &[&'t str]) -> Vec<&'t str> {
        let Some(allowed) = self.allowed_tools(session).await else {
            return tools.to_vec();
        };
        let dialect = &self.settings.dialect;
        let is_seen = |tool: &&&str| dialect.tool(tool).is_some() || allowed.shows(tool);
        tools.iter().filter(is_seen).copied().collect()
    }

    /// Whether a model may call one of the host's tools; the event says why not.
    pub async fn permits(
        &self,
        session: &Session,
        tool: &str,
        argument: Option<&str>,
    ) -> Result<(), (ToolError, Event)> {
        let Some(allowed) = self.allowed_tools(session).await else {
            return Ok(());
        };
        if self.settings.dialect.tool(tool).is_some() || allowed.allows(tool, argument) {
            return Ok(());
        }
        let message = format!("the active skills do not allow `{}`", tool.escape_debug());
        let event = Event::ToolNotAllowed {
            tool: tool.to_owned(),
        };
        Err((ToolError::new(ErrorCode::ToolNotAllowed, message), event))
    }

    /// What the active skills allow together; nothing to enforce while there is none.
    async fn allowed_tools(&self, session: &Session) -> Option<AllowedTools> {
        if self.settings.allowed_tools == Enforcement::Off || session.active().is_empty() {
            return None;
        }
        let mut tokens = Vec::new();
        for id in session.active() {
            if let Ok(document) = self.sources.load(id).await {
                tokens.extend(document.skill.allowed_tools);
            }
        }
        Some(AllowedTools::new(tokens))
    }

    /// The blocks of the active skills that fit into `budget` bytes, newest first: what must survive when
    /// a conversation is compacted.
    pub async fn pinned_blocks(&self, session: &Session, budget: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut left = budget;
        for id in session.active().iter().rev() {
            if let Ok((block, _)) = self.block(id, "").await
                && block.text.len() <= left
            {
                left -= block.text.len();
                blocks.push(block);
            }
        }
        blocks
    }
}
