//! A conversation, with its active skills and requests.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_policy::AllowedTools;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::dialect::{Shape, ToolSpec};
use crate::event::Event;
use crate::id::SkillId;
use crate::rank::{Hints, rank};
use crate::reference::reference;
use crate::skills::{Enforcement, LoadedBlock, Skills};
use crate::source::SourceError;
use crate::tools::{ErrorCode, ToolError, ToolResult, shape};
use crate::turn::{Block, Turn};

/// One conversation over [`Skills`]: its prompt, its tools and its turns.
///
/// Every method takes `&self`, so a host may run tool calls at the same time. A session holds the ids of active skills,
/// never their bodies. It serialises to those ids in the order of activation; [`Skills::resume`] restores them.
pub struct Session {
    skills: Skills,
    active: Mutex<Vec<SkillId>>,
    /// The skills that were active at the start: the prompt names them, and stays the same.
    initial: Vec<SkillId>,
    /// The skills that the catalog lists first.
    likely: Mutex<Arc<[SkillId]>>,
    /// Arguments with which skills were activated.
    arguments: Mutex<HashMap<SkillId, String>>,
    /// Blocks of skills that a user activated without a message.
    waiting: Mutex<Vec<Block>>,
    /// What was asked for last: the user's message, and the queries since.
    asked: Mutex<Vec<String>>,
}

/// Texts of the user and the model that say what a loaded skill was for.
const ASKED: usize = 4;

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    /// What the model gets.
    pub result: ToolResult,
    /// What happened.
    pub events: Vec<Event>,
}

/// A call of a host's tool that the active skills do not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRefusal {
    /// What the model gets.
    pub error: ToolError,
    /// What happened.
    pub event: Event,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.active()).finish()
    }
}

impl Serialize for Session {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.active().serialize(serializer)
    }
}

impl Session {
    pub(crate) fn new(skills: Skills, active: impl IntoIterator<Item = SkillId>) -> Self {
        let mut known = HashSet::new();
        let active = active.into_iter().filter(|id| known.insert(id.clone()));
        let active: Vec<SkillId> = active.collect();
        Self {
            skills,
            initial: active.clone(),
            active: Mutex::new(active),
            likely: Mutex::default(),
            arguments: Mutex::default(),
            waiting: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SkillId>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another conversation that starts with the same active skills.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            skills: self.skills.clone(),
            active: Mutex::new(self.active()),
            initial: self.initial.clone(),
            likely: Mutex::new(self.likely()),
            arguments: Mutex::new(self.arguments().clone()),
            waiting: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Ranks the skills by what is known, for a catalog that cannot list all of them. Call it before the first request:
    /// a different prompt later is not in the cache of the provider.
    pub fn rank(&self, hints: &Hints<'_>) {
        let likely = rank(&self.skills.catalog(), hints).into();
        *self.likely.lock().unwrap_or_else(PoisonError::into_inner) = likely;
    }

    fn arguments(&self) -> MutexGuard<'_, HashMap<SkillId, String>> {
        let arguments = self.arguments.lock();
        arguments.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn likely(&self) -> Arc<[SkillId]> {
        Arc::clone(&self.likely.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn initial(&self) -> &[SkillId] {
        &self.initial
    }

    /// The skills of the conversation.
    pub fn skills(&self) -> &Skills {
        &self.skills
    }

    /// The active skills, oldest first.
    pub fn active(&self) -> Vec<SkillId> {
        self.lock().clone()
    }

    /// Whether a skill is active.
    pub fn is_active(&self, id: &SkillId) -> bool {
        self.lock().contains(id)
    }

    /// Activates a skill. Returns whether it was inactive.
    pub fn activate(&self, id: &SkillId) -> bool {
        let mut active = self.lock();
        let new = !active.contains(id);
        if new {
            active.push(id.clone());
        }
        new
    }

    fn asked(&self) -> MutexGuard<'_, Vec<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note_queries(&self, queries: &[String]) {
        let mut asked = self.asked();
        let room = ASKED.saturating_sub(asked.len());
        asked.extend(queries.iter().take(room).cloned());
    }

    /// Tells the signals of search what the model chose.
    pub(super) async fn report_loaded(&self, id: &SkillId) {
        let asked = self.asked().clone();
        if asked.is_empty() {
            return;
        }
        for signal in self.skills.signals() {
            signal.loaded(&asked, id).await;
        }
    }

    /// Takes over the arguments with which a fork activated a skill.
    pub fn take_arguments(&self, fork: &Self, id: &SkillId) {
        let arguments = fork.arguments().get(id).cloned();
        self.set_arguments(id, arguments.as_deref().unwrap_or_default());
    }

    pub(super) fn set_arguments(&self, id: &SkillId, arguments: &str) {
        if arguments.trim().is_empty() {
            self.arguments().remove(id);
        } else {
            self.arguments().insert(id.clone(), arguments.to_owned());
        }
    }

    /// Deactivates a skill.
    pub fn deactivate(&self, id: &SkillId) {
        self.lock().retain(|active| active != id);
    }

    /// Calls a tool. An error is a result for the model, too.
    pub async fn call(&self, name: &str, arguments: &Value) -> ToolOutcome {
        self.call_within(name, arguments, usize::MAX).await
    }

    /// Calls a tool whose result should take at most `max_bytes` as JSON: instructions and files are cut so that it does,
    /// and the result says so.
    pub async fn call_within(
        &self,
        name: &str,
        arguments: &Value,
        max_bytes: usize,
    ) -> ToolOutcome {
        let skills = &self.skills;
        let dialect = &skills.settings().dialect;
        let mut events = Vec::new();
        let Some(tool) = dialect.tool(name) else {
            let names: Vec<String> = dialect
                .tools
                .iter()
                .map(|tool| tool.name.to_owned())
                .collect();
            let message = format!("unknown tool `{}`", name.escape_debug());
            let error = ToolError::new(ErrorCode::UnknownTool, message).suggesting(names);
            let first = dialect.tools.first().copied().unwrap_or(ToolSpec::NONE);
            return ToolOutcome {
                result: shape(dialect.shape, &first, Err(error), &[]),
                events,
            };
        };
        let outcome = skills
            .answer(self, tool, arguments, max_bytes, &mut events)
            .await;
        let available: Vec<String> = match (&outcome, dialect.shape) {
            (Err(_), Shape::Success) => {
                let catalog = self.skills.catalog();
                catalog
                    .skills()
                    .map(|skill| skill.descriptor.id.to_string())
                    .take(50)
                    .collect()
            }
            _ => Vec::new(),
        };
        ToolOutcome {
            result: shape(dialect.shape, tool, outcome, &available),
            events,
        }
    }

    /// A user's message as the model gets it: the blocks of skills that it activates, then its text.
    ///
    /// None if there is nothing to ask yet, because the message is only the `/id` of a skill: its block comes with the
    /// next message. [`Self::turn`] returns the parts, and what happened.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # use prowess_core::{MemorySource, Scope, Skills};
    /// # let mut source = MemorySource::new(Scope::Project);
    /// # source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n");
    /// # let skills = Skills::builder().source("mine", source).build().await.unwrap();
    /// let session = skills.session();
    /// assert_eq!(session.message("/haiku").await, None);
    /// let message = session.message("about rain").await.unwrap();
    /// assert!(message.contains("Five, seven, five.") && message.ends_with("about rain"));
    /// # });
    /// ```
    pub async fn message(&self, message: &str) -> Option<String> {
        let mut turn = self.turn(message).await;
        self.content(&mut turn)
    }

    /// What [`Self::message`] returns, for a turn of this session that has just begun.
    pub fn content(&self, turn: &mut Turn) -> Option<String> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !turn.needs_model() {
            waiting.append(&mut turn.blocks);
            return None;
        }
        turn.blocks.splice(0..0, waiting.drain(..));
        Some(turn.content())
    }

    /// Prepares a user's message. If it starts with `/` and the id of a skill, that skill is activated.
    pub async fn turn(&self, message: &str) -> Turn {
        self.turn_with(message, &[]).await
    }

    /// The same with skills that the caller names. Their blocks come first.
    pub async fn turn_with(&self, message: &str, references: &[SkillId]) -> Turn {
        let mut turn = Turn {
            text: message.to_owned(),
            ..Turn::default()
        };
        if !message.trim().is_empty() {
            *self.asked() = vec![message.to_owned()];
        }
        for id in references {
            self.inject(id, "", &mut turn).await;
        }
        if let Some(found) = reference(message) {
            if self
                .skills
                .catalog()
                .get(found.id.as_str())
                .is_some_and(|skill| skill.descriptor.invocation.by_user())
            {
                turn.text = found.rest.to_owned();
                self.inject(&found.id, found.rest, &mut turn).await;
            } else {
                self.unresolved(&found.id, &mut turn);
            }
        }
        turn
    }

    async fn inject(&self, id: &SkillId, arguments: &str, turn: &mut Turn) {
        if self.is_active(id) {
            turn.notices.push(format!("skill {id} is already active"));
            turn.events.push(Event::AlreadyActive { id: id.clone() });
            if !arguments.trim().is_empty()
                && let Ok(loaded) = self.skills.block(id, arguments).await
                && loaded.has_arguments
            {
                self.arguments().insert(id.clone(), arguments.to_owned());
                turn.text = format!("Apply the skill {id} again, with the arguments: {arguments}");
            }
            return;
        }
        match self.skills.block(id, arguments).await {
            Ok(loaded) => {
                let LoadedBlock { block, event, .. } = loaded;
                self.activate(id);
                if loaded.has_arguments {
                    self.arguments().insert(id.clone(), arguments.to_owned());
                    turn.has_arguments = true;
                    turn.text.clear();
                }
                turn.notices.push(format!("skill {id} loaded"));
                turn.blocks.push(block);
                turn.events.push(event);
            }
            Err(SourceError::NotFound(_)) => self.unresolved(id, turn),
            Err(error) => {
                turn.notices
                    .push(format!("cannot load skill {id}: {error}"));
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
            nearest: self.skills.nearest(id.as_str()),
        });
    }

    /// The host's tools that the active skills let a model see, in their order.
    ///
    /// Under [`Enforcement::Off`] that is all of them. Tools of the dialect are always seen.
    pub async fn visible_tools<'t>(&self, tools: &[&'t str]) -> Vec<&'t str> {
        let Some(allowed) = self.allowed_tools().await else {
            return tools.to_vec();
        };
        let dialect = &self.skills.settings().dialect;
        let is_seen = |tool: &&&str| dialect.tool(tool).is_some() || allowed.shows(tool);
        tools.iter().filter(is_seen).copied().collect()
    }

    /// Whether a model can call one of the host's tools; the event has the reason.
    pub async fn permits(&self, tool: &str, argument: Option<&str>) -> Result<(), ToolRefusal> {
        let Some(allowed) = self.allowed_tools().await else {
            return Ok(());
        };
        if self.skills.settings().dialect.tool(tool).is_some() || allowed.allows(tool, argument) {
            return Ok(());
        }
        let message = format!("the active skills do not allow `{}`", tool.escape_debug());
        let event = Event::ToolNotAllowed {
            tool: tool.to_owned(),
        };
        Err(ToolRefusal {
            error: ToolError::new(ErrorCode::ToolNotAllowed, message),
            event,
        })
    }

    /// The tools that the active skills allow together; unrestricted while there are none.
    async fn allowed_tools(&self) -> Option<AllowedTools> {
        if self.skills.settings().allowed_tools == Enforcement::Off || self.active().is_empty() {
            return None;
        }
        let mut tokens = Vec::new();
        for id in self.active() {
            if let Ok(document) = self.skills.sources().load(&id).await {
                tokens.extend(document.skill.allowed_tools);
            }
        }
        Some(AllowedTools::new(tokens))
    }

    /// The blocks of the active skills that fit into `budget` bytes, newest first: what must survive when
    /// a conversation is compacted.
    pub async fn pinned_blocks(&self, budget: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut left = budget;
        for id in self.active().iter().rev() {
            let arguments = self.arguments().get(id).cloned().unwrap_or_default();
            if let Ok(LoadedBlock { block, .. }) = self.skills.whole_block(id, &arguments).await
                && block.text.len() <= left
            {
                left -= block.text.len();
                blocks.push(block);
            }
        }
        blocks
    }
}
