//! The instructions of this server for the model of a client.

use std::sync::{Arc, PoisonError};

use prowess_core::Operation;

use super::shared::SkillsServer;

/// The text for one catalog.
pub(crate) struct Instructions {
    generation: u64,
    text: Arc<str>,
}

impl SkillsServer {
    /// A sentence and the catalog, within its budget; `None` without skills.
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
        let catalog = skills.session().prompt().text;
        let mut tools = skills.settings().dialect.tools.iter();
        match tools.find(|tool| tool.operation == Operation::Load) {
            Some(load) if !catalog.is_empty() => format!(
                "This server provides skills: instructions for certain tasks. Before you start a task that a skill covers, call `{}` with its id and follow its instructions.\n\n{catalog}",
                load.name
            ),
            _ => catalog,
        }
    }
}
