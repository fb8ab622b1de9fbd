//! The registrations of a plugin.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::context::Context;
use super::error::Error;
use crate::phase::Phase;
use crate::wire::{Failure, Finding, HookResult, Output, Registration, ScannedFile, Tool};

/// A tool or a workflow.
pub(super) type Run = Box<dyn Fn(&Context, Value) -> Result<Output, Failure>>;
/// A handler of a phase.
pub(super) type Handle = Box<dyn Fn(&Context, Value) -> Result<Option<HookResult>, Failure>>;
/// A scanner.
pub(super) type Scan = Box<dyn Fn(&Context, &[ScannedFile]) -> Result<Vec<Finding>, Failure>>;

/// The registrations of a plugin.
///
/// Names are unique among their kind, and so is the handler of a phase; what is registered twice fails the activation.
///
/// The input of a handler is any type that deserializes from JSON; an empty input is `{}`. The output of a tool or a
/// workflow is any type that serializes: text as is, `()` as nothing, everything else as JSON. An [`Error`] is returned
/// to the model.
#[derive(Default)]
pub struct Registry {
    tools: Vec<(Tool, Run)>,
    hooks: Vec<(Phase, Handle)>,
    workflows: Vec<(String, Run)>,
    scanners: Vec<(String, Scan)>,
    /// The first error.
    problem: Option<String>,
}

impl Registry {
    /// A tool for the model: its name, description, JSON schema and handler.
    pub fn tool<I: DeserializeOwned, O: Serialize>(
        &mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
        handler: impl Fn(&Context, I) -> Result<O, Error> + 'static,
    ) -> &mut Self {
        let name = name.into();
        let known = self.tools.iter().any(|(tool, _)| tool.name == name);
        self.check("tool", &name, known);
        if !input_schema.is_object() {
            self.refuse(format!(
                "invalid schema of the tool `{name}`: expected an object"
            ));
        }
        let tool = Tool {
            name,
            description: description.into(),
            input_schema,
        };
        self.tools.push((tool, runner(handler)));
        self
    }

    /// A handler of a phase. Nothing as a result changes nothing; see [`modified`](super::modified) and
    /// [`cancelled`](super::cancelled).
    pub fn hook<D: DeserializeOwned>(
        &mut self,
        phase: Phase,
        handler: impl Fn(&Context, D) -> Result<Option<HookResult>, Error> + 'static,
    ) -> &mut Self {
        let known = self.hooks.iter().any(|(own, _)| *own == phase);
        self.check("handler", phase.name(), known);
        let handle = move |context: &Context, data: Value| {
            let data = read("data of the phase", data)?;
            handler(context, data).map_err(Error::into_failure)
        };
        self.hooks.push((phase, Box::new(handle)));
        self
    }

    /// A workflow, which people run by its name.
    pub fn workflow<I: DeserializeOwned, O: Serialize>(
        &mut self,
        name: impl Into<String>,
        handler: impl Fn(&Context, I) -> Result<O, Error> + 'static,
    ) -> &mut Self {
        let name = name.into();
        let known = self.workflows.iter().any(|(own, _)| *own == name);
        self.check("workflow", &name, known);
        self.workflows.push((name, runner(handler)));
        self
    }

    /// A scanner, which looks for what could do harm.
    pub fn scanner(
        &mut self,
        name: impl Into<String>,
        handler: impl Fn(&Context, &[ScannedFile]) -> Result<Vec<Finding>, Error> + 'static,
    ) -> &mut Self {
        let name = name.into();
        let known = self.scanners.iter().any(|(own, _)| *own == name);
        self.check("scanner", &name, known);
        let scan = move |context: &Context, files: &[ScannedFile]| {
            handler(context, files).map_err(Error::into_failure)
        };
        self.scanners.push((name, Box::new(scan)));
        self
    }

    fn check(&mut self, kind: &str, name: &str, known: bool) {
        if name.is_empty() {
            self.refuse(format!("missing name of a {kind}"));
        } else if known {
            self.refuse(format!("duplicate {kind} `{name}`"));
        }
    }

    fn refuse(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// The events for the host. The end is always sent, with or without a handler.
    pub(super) fn registration(&self) -> Result<Registration, Error> {
        if let Some(problem) = &self.problem {
            return Err(Error::new(problem));
        }
        let mut hooks: Vec<Phase> = self.hooks.iter().map(|(phase, _)| *phase).collect();
        if !hooks.contains(&Phase::Deactivate) {
            hooks.push(Phase::Deactivate);
        }
        Ok(Registration {
            tools: self.tools.iter().map(|(tool, _)| tool.clone()).collect(),
            hooks,
            workflows: self
                .workflows
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            scanners: self.scanners.iter().map(|(name, _)| name.clone()).collect(),
        })
    }

    pub(super) fn find_tool(&self, name: &str) -> Option<&Run> {
        let found = self.tools.iter().find(|(tool, _)| tool.name == name);
        found.map(|(_, run)| run)
    }

    pub(super) fn find_hook(&self, phase: Phase) -> Option<&Handle> {
        let found = self.hooks.iter().find(|(own, _)| *own == phase);
        found.map(|(_, handle)| handle)
    }

    pub(super) fn find_workflow(&self, name: &str) -> Option<&Run> {
        let found = self.workflows.iter().find(|(own, _)| own == name);
        found.map(|(_, run)| run)
    }

    pub(super) fn find_scanner(&self, name: &str) -> Option<&Scan> {
        let found = self.scanners.iter().find(|(own, _)| own == name);
        found.map(|(_, scan)| scan)
    }
}

/// Wraps what an author wrote. That it failed is an output too, which the model sees.
fn runner<I: DeserializeOwned, O: Serialize>(
    handler: impl Fn(&Context, I) -> Result<O, Error> + 'static,
) -> Run {
    Box::new(move |context, input| {
        let done = read("input", input)
            .map_err(Error::from)
            .and_then(|input| handler(context, input))
            .and_then(|output| text(&output));
        Ok(match done {
            Ok(content) => Output {
                content,
                is_error: false,
            },
            Err(error) => Output {
                content: error.to_string(),
                is_error: true,
            },
        })
    })
}

fn read<T: DeserializeOwned>(what: &str, value: Value) -> Result<T, Failure> {
    let value = match value {
        Value::Null => Value::Object(Map::new()),
        value => value,
    };
    serde_json::from_value(value).map_err(|error| {
        let error = Error::new(format!("invalid {what}: {error}"));
        error.into_failure()
    })
}

/// Serialization preserves the field order of the type.
fn text(output: &impl Serialize) -> Result<String, Error> {
    let json = serde_json::to_string(output)?;
    Ok(match json.as_str() {
        "null" => String::new(),
        text if text.starts_with('"') => serde_json::from_str(text)?,
        _ => json,
    })
}
