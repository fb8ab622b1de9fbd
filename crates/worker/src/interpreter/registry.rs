//! The registrations of a skill.

use prowess_sdk::Phase;
use prowess_sdk::wire::{Registration, Tool};
use starlark::environment::FrozenModule;
use starlark::values::OwnedFrozenValue;

use crate::error::WorkerError;

/// The kind of a handler.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum HandlerKind {
    /// A tool for the model.
    Tool(Tool),
    /// A hook of a phase.
    Hook(Phase),
    /// A workflow, by name.
    Workflow(String),
    /// A scanner, by name.
    Scanner(String),
}

impl HandlerKind {
    /// Its name, if it must be unique.
    fn unique(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Tool(tool) => Some(("tool", &tool.name)),
            Self::Hook(_) => None,
            Self::Workflow(name) => Some(("workflow", name)),
            Self::Scanner(name) => Some(("scanner", name)),
        }
    }
}

/// Handlers, in the order of their registration.
#[derive(Debug, Default)]
pub(super) struct Registry {
    entries: Vec<(HandlerKind, Handler)>,
    /// The files that are being evaluated, each loaded by the one before.
    pub(super) files: Vec<String>,
}

#[derive(Debug)]
enum Handler {
    /// A variable of a module that is still being evaluated, and the file of that module.
    Pending { file: String, variable: String },
    /// Ready to be called.
    Frozen(OwnedFrozenValue),
}

impl Registry {
    /// Adds a handler. It is to be put into the variable that is returned, which no source can name.
    pub(super) fn add(&mut self, entry: HandlerKind) -> Result<String, WorkerError> {
        if let Some((kind, name)) = entry.unique() {
            if name.is_empty() {
                return Err(WorkerError::Nameless(kind));
            }
            let same = |(other, _): &(HandlerKind, Handler)| other.unique() == Some((kind, name));
            if self.entries.iter().any(same) {
                return Err(WorkerError::Twice {
                    kind,
                    name: name.to_owned(),
                });
            }
        }
        let variable = format!("handler {}", self.entries.len());
        let handler = Handler::Pending {
            file: self.files.last().cloned().unwrap_or_default(),
            variable: variable.clone(),
        };
        self.entries.push((entry, handler));
        Ok(variable)
    }

    /// Resolves the handlers of a file that was evaluated and frozen.
    pub(super) fn freeze_handlers(&mut self, done: &str, module: &FrozenModule) {
        for (_, handler) in &mut self.entries {
            if let Handler::Pending { file, variable } = handler
                && file == done
                && let Ok(frozen) = module.get(variable)
            {
                *handler = Handler::Frozen(frozen);
            }
        }
    }

    /// The contributions for the host.
    pub(super) fn registration(&self) -> Registration {
        let mut all = Registration::default();
        for (entry, _) in &self.entries {
            match entry {
                HandlerKind::Tool(tool) => all.tools.push(tool.clone()),
                HandlerKind::Hook(phase) if all.hooks.contains(phase) => {}
                HandlerKind::Hook(phase) => all.hooks.push(*phase),
                HandlerKind::Workflow(name) => all.workflows.push(name.clone()),
                HandlerKind::Scanner(name) => all.scanners.push(name.clone()),
            }
        }
        all
    }

    /// The handlers that `wanted` picks, in order.
    pub(super) fn handlers(
        &self,
        wanted: impl Fn(&HandlerKind) -> bool,
    ) -> impl Iterator<Item = &OwnedFrozenValue> {
        self.entries
            .iter()
            .filter_map(move |(entry, handler)| match handler {
                Handler::Frozen(frozen) if wanted(entry) => Some(frozen),
                _ => None,
            })
    }
}
