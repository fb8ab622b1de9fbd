//! What a model is told at the beginning of a request: the prompt and the tools.

use crate::dialect::{Locations, Operation, Place, Shape, ToolSpec};
use crate::id::SkillId;
use crate::render::{CatalogReport, RenderOptions, render_catalog};
use crate::skills::Skills;
use crate::tools::{ToolDefinition, define};

use super::state::Session;

/// Whether the model can call tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolUse {
    /// It can; the prompt says how.
    #[default]
    Available,
    /// It cannot; the prompt does not speak of them.
    Unavailable,
}

impl Skills {
    /// What the model is told about skills, and what had to be left out.
    ///
    /// Where it belongs is the dialect's to say: see [`Dialect::place`](crate::Dialect::place). In a tool's description it is
    /// part of [`Self::tools`] already.
    pub fn system_prompt(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.settings().dialect;
        let (mut text, report) = self.render(session, tools);
        if dialect.shape == Shape::Plain && !session.active().is_empty() && !text.is_empty() {
            let names = serde_json::json!({"activated_skill_names": session.active()});
            text.push('\n');
            text.push_str(&names.to_string());
        }
        for block in self.preloaded() {
            text.push_str("\n\n");
            text.push_str(&block.text);
        }
        (text, report)
    }

    fn render(&self, session: &Session, tools: ToolUse) -> (String, CatalogReport) {
        let dialect = &self.settings().dialect;
        let browse = dialect
            .name_of(Operation::Browse)
            .or(dialect.name_of(Operation::List));
        let names = browse.zip(dialect.name_of(Operation::Load));
        let catalog = self.catalog();
        let locate = |id: &SkillId| self.sources().location(&catalog, id);
        let active = session.active_set();
        let options = RenderOptions {
            format: dialect.catalog,
            inventory_threshold: dialect.limits.inventory_threshold,
            budget: self.settings().catalog_chars,
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
        let dialect = &self.settings().dialect;
        let in_tool = dialect.place == Place::ToolDescription;
        let (text, _) = if in_tool {
            self.render(session, ToolUse::Available)
        } else {
            Default::default()
        };
        // Without somebody to run them, scripts are offered only where the dialect promises an answer.
        let offered = |tool: &&ToolSpec| {
            tool.operation != Operation::Run
                || self.scripts().is_some()
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
        self.resume(self.preloaded().iter().map(|block| block.id.clone()))
    }

    /// A conversation that went on before: the skills that [`Session::active`] named are active again.
    pub fn resume(&self, active: impl IntoIterator<Item = SkillId>) -> Session {
        Session::new(self.clone(), active)
    }
}
