//! What a client's model is told about this server.

use std::sync::{Arc, PoisonError};

use prowess_core::{Operation, ToolUse};

use super::shared::SkillsServer;

/// The text for one catalog.
pub(crate) struct Instructions {
    generation: u64,
    text: Arc<str>,
}

impl SkillsServer {
    /// A sentence and the catalog, within its budget; nothing where there are no skills.
    pub(crate) fn instructions(&self) -> Option<Arc<str>> {
        let skills = self.skills();
        let generation = skills.catalog().generation();
        let kept = &self.inner.instructions;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match &*kept {
            Some(kept) if kept.generation == generation => Arc::clone(&kept.text),
            _ => {
                let text: Arc<str> = self.write_instructions().into();
                *kept = Some(Instructions {
                    generation,
                    text: Arc::clone(&text),
                });
                text
            }
        };
        (!text.is_empty()).then_some(text)
    }

    fn write_instructions(&self) -> String {
        let skills = self.skills();
        let (catalog, _) = skills.system_prompt(&skills.session(), ToolUse::Available);
        let mut tools = skills.settings().dialect.tools.iter();
        match tools.find(|tool| tool.operation == Operation::Load) {
            Some(load) if !catalog.is_empty() => format!(
                "This server has skills: instructions for certain tasks. Before a task that one of them is for, \
                 call `{}` with its id and follow what it says.\n\n{catalog}",
                load.name
            ),
            _ => catalog,
        }
    }
}
