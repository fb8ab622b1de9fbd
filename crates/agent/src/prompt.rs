//! The system prompt.

use std::sync::Arc;

use prowess_core::{
    Block, Catalog, CatalogPlacement, Hints, Prompt, Session, SkillId, ToolUse, without_own_tags,
};
use prowess_spec::estimate_tokens;

use crate::agent::Inner;
use crate::limits::RECENT_SKILLS;
use crate::runtime_handle::{EventSink, RuntimeHandle};
use crate::wire::AgentEvent;

/// The part of the prompt that comes from skills. It is written once for each catalog: providers cache what does not change.
#[derive(Default)]
pub(crate) struct CatalogText {
    last: Option<Last>,
}

struct Last {
    catalog: Arc<Catalog>,
    tools: ToolUse,
    text: Arc<str>,
}

impl CatalogText {
    /// The text for a conversation that begins with `message`; emits what had no place in it.
    pub(crate) async fn get(
        &mut self,
        session: &Session,
        message: &str,
        agent: &Inner,
        tools: ToolUse,
        emit: &EventSink<'_>,
    ) -> Arc<str> {
        let skills = session.skills();
        let catalog = skills.catalog();
        if let Some(last) = &self.last
            && Arc::ptr_eq(&last.catalog, &catalog)
            && last.tools == tools
        {
            return Arc::clone(&last.text);
        }
        let project = agent.code_skills.as_ref();
        session.rank(&Hints {
            pinned: &agent.options.pinned,
            message,
            project: &project.map_or_else(Vec::new, |it| it.project.words()),
            recent: &recent(agent).await,
        });
        let Prompt { text, report } = session.prompt_for(tools);
        if report.shortened + report.undescribed + report.omitted > 0 {
            emit(AgentEvent::CatalogCut {
                total: report.total,
                shortened: report.shortened,
                undescribed: report.undescribed,
                omitted: report.omitted,
            });
        }
        let text = if catalog_placement(session, tools) == CatalogPlacement::ToolDescription {
            // The catalog is in the tool already; what every session begins with is not.
            let begins = skills.session().pinned_blocks(usize::MAX).await;
            joined(begins.iter().rev().map(|block: &Block| block.text.as_str()))
        } else {
            text.trim().to_owned()
        };
        let text: Arc<str> = text.into();
        self.last = Some(Last {
            catalog,
            tools,
            text: Arc::clone(&text),
        });
        text
    }
}

/// The skills that were used last in the project; a store that fails has none.
async fn recent(agent: &Inner) -> Vec<SkillId> {
    match (&agent.store, &agent.options.project) {
        (Some(store), Some(project)) => store
            .recent_skills(project, RECENT_SKILLS)
            .await
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Where the catalog is placed. A model without tools has only the prompt.
pub(crate) fn catalog_placement(session: &Session, tools: ToolUse) -> CatalogPlacement {
    match (session.skills().settings().dialect.catalog_placement, tools) {
        (CatalogPlacement::ToolDescription, ToolUse::Unavailable) => CatalogPlacement::SystemPrompt,
        (placement, _) => placement,
    }
}

/// Texts with a blank line between them.
pub(crate) fn joined<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Adds the fragments of active skills and their handlers to the prompt, and reports cut text.
pub(crate) async fn fragments(
    code_skills: &RuntimeHandle,
    prompt: &str,
    budget: usize,
    emit: &EventSink<'_>,
) -> String {
    let (fragments, report) = code_skills.runtime.prompt(prompt, budget).await;
    code_skills.emit_events(emit);
    for lost in report.cut {
        emit(AgentEvent::PromptCut {
            id: lost.skill,
            tokens: lost.tokens,
        });
    }
    let text = joined(fragments.iter().map(|fragment| fragment.text.as_str()));
    without_own_tags(&text).into_owned()
}

/// About how many tokens tools take.
pub(crate) fn tool_tokens(tools: &[prowess_core::ToolDefinition]) -> usize {
    let one = |tool: &prowess_core::ToolDefinition| {
        estimate_tokens(&tool.name)
            + estimate_tokens(&tool.description)
            + estimate_tokens(&tool.input_schema.to_string())
    };
    tools.iter().map(one).sum()
}
