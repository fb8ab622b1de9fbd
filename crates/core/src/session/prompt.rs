//! What a model is told at the beginning of a request: the prompt and the tools.

use crate::dialect::{CatalogPlacement, Locations, Operation, Shape, ToolSpec};
use crate::id::SkillId;
use crate::render::{CatalogReport, RenderOptions, ToolNames, render_catalog};
use crate::skills::Skills;
use crate::tools::{ToolDefinition, define};

use super::state::Session;

/// Whether the model can call tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolUse {
    /// It can; the prompt explains how.
    #[default]
    Available,
    /// It cannot; the prompt does not mention them.
    Unavailable,
}

/// Text about skills for the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// What it lists, and what was shortened or omitted.
    pub report: CatalogReport,
}

impl Session {
    /// The prompt for a model that can call tools.
    ///
    /// Where it belongs is up to the dialect: see [`Dialect::catalog_placement`](crate::Dialect::catalog_placement). In a tool's description it
    /// is part of [`Self::tools`] already.
    pub fn prompt(&self) -> Prompt {
        self.prompt_for(ToolUse::Available)
    }

    /// The prompt for a model that can or cannot call tools.
    pub fn prompt_for(&self, tools: ToolUse) -> Prompt {
        let skills = self.skills();
        let active = self.initial();
        let mut prompt = self.catalog(tools, skills.settings().catalog_chars);
        let instructions = skills.settings().dialect.instructions;
        if tools == ToolUse::Available && !instructions.is_empty() && !prompt.text.is_empty() {
            prompt.text = format!("{instructions}\n\n{}", prompt.text);
        }
        if skills.settings().dialect.shape == Shape::Plain
            && !active.is_empty()
            && !prompt.text.is_empty()
        {
            let names = serde_json::json!({"activated_skill_names": active});
            prompt.text.push('\n');
            prompt.text.push_str(&names.to_string());
        }
        for block in skills.preloaded() {
            prompt.text.push_str("\n\n");
            prompt.text.push_str(&block.text);
        }
        prompt
    }

    /// The catalog alone, in at most this many characters, for a place of its own.
    pub fn catalog_within(&self, chars: usize) -> Prompt {
        self.catalog(ToolUse::Available, chars)
    }

    fn catalog(&self, tools: ToolUse, budget: usize) -> Prompt {
        let skills = self.skills();
        let dialect = &skills.settings().dialect;
        let load = dialect.name_of(Operation::Load).unwrap_or_default();
        let search = dialect.search_tool().unwrap_or(load);
        let catalog = skills.catalog();
        let locate = |id: &SkillId| skills.sources().location(&catalog, id);
        let preloaded = skills.preloaded().iter().map(|block| block.id.clone());
        let preloaded = preloaded.collect();
        let options = RenderOptions {
            format: dialect.catalog,
            inventory_threshold: dialect.limits.inventory_threshold,
            budget,
            max_skills: dialect.limits.skills,
            preloaded: &preloaded,
            likely: &self.likely(),
            tools: (tools == ToolUse::Available).then_some(ToolNames { search, load }),
            location: (dialect.locations == Locations::Shown).then_some(&locate),
        };
        let (text, report) = render_catalog(&catalog, &options);
        Prompt { text, report }
    }

    /// The tools for the model, with their JSON schemas; none if there are no skills.
    pub fn tools(&self) -> Vec<ToolDefinition> {
        let skills = self.skills();
        let catalog = skills.catalog();
        if catalog.is_empty() {
            return Vec::new();
        }
        let dialect = &skills.settings().dialect;
        let in_tool = dialect.catalog_placement == CatalogPlacement::ToolDescription;
        let has_search = dialect.search_tool().is_some();
        let budget = skills.settings().catalog_chars;
        let prompt = (in_tool || !has_search).then(|| self.catalog(ToolUse::Available, budget));
        let Prompt { text, report } = prompt.unwrap_or_default();
        let searches = !has_search && report.omitted > 0;
        // Without a script runner, scripts are offered only if the dialect promises an answer.
        let offered = |tool: &&ToolSpec| {
            tool.operation != Operation::Run
                || skills.scripts().is_some()
                || dialect.shape == Shape::Envelope
        };
        let appendix = |tool: &ToolSpec| {
            if in_tool && tool.operation == Operation::Load {
                text.as_str()
            } else {
                ""
            }
        };
        let tools = dialect.tools.iter().filter(offered);
        tools
            .map(|tool| define(tool, &catalog, appendix(tool), searches))
            .collect()
    }
}

impl Skills {
    /// A new conversation, with the preloaded skills active.
    pub fn session(&self) -> Session {
        self.resume(self.preloaded().iter().map(|block| block.id.clone()))
    }

    /// Continues a conversation: the skills that [`Session::active`] returned are active again.
    pub fn resume(&self, active: impl IntoIterator<Item = SkillId>) -> Session {
        Session::new(self.clone(), active)
    }
}
