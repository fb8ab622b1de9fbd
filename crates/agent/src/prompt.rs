//! The system prompt.

use std::sync::Arc;

use prowess_core::{
    Block, Catalog, CatalogPlacement, CatalogReport, Prompt, Session, SkillId, ToolUse,
    without_own_tags,
};
use prowess_spec::estimate_tokens;

use crate::runtime_handle::{EventSink, RuntimeHandle};
use crate::wire::AgentEvent;

/// The catalog as it was last written: it costs more than a turn is worth to write it for each request.
#[derive(Default)]
pub(crate) struct Written {
    last: Option<Last>,
    told: Option<CatalogReport>,
}

struct Last {
    catalog: Arc<Catalog>,
    active: Vec<SkillId>,
    tools: ToolUse,
    text: Arc<str>,
}

impl Written {
    /// The parts of the prompt that come from skills, and their place.
    pub(crate) async fn catalog(
        &mut self,
        session: &Session,
        tools: ToolUse,
        emit: &EventSink<'_>,
    ) -> Arc<str> {
        let skills = session.skills();
        let catalog = skills.catalog();
        if let Some(last) = &self.last
            && Arc::ptr_eq(&last.catalog, &catalog)
            && last.active == session.active()
            && last.tools == tools
        {
            return Arc::clone(&last.text);
        }
        let in_tool = catalog_placement(session, tools) == CatalogPlacement::ToolDescription;
        let text = if in_tool {
            // The catalog is in the tool already; what every session begins with is not.
            let begins = skills.session().pinned_blocks(usize::MAX).await;
            joined(begins.iter().rev().map(|block: &Block| block.text.as_str()))
        } else {
            let Prompt { text, report } = session.prompt_for(tools);
            if (report.shortened > 0 || report.omitted > 0) && self.told != Some(report) {
                self.told = Some(report);
                emit(AgentEvent::CatalogCut {
                    total: report.total,
                    shortened: report.shortened,
                    omitted: report.omitted,
                });
            }
            text.trim().to_owned()
        };
        let text: Arc<str> = text.into();
        self.last = Some(Last {
            catalog,
            active: session.active(),
            tools,
            text: Arc::clone(&text),
        });
        text
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
