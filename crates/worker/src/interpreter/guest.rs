//! A skill in Starlark, as the loop of the worker sees it.

use std::cell::RefCell;
use std::rc::Rc;

use prowess_sdk::Phase;
use prowess_sdk::wire::{
    Failure, Findings, HookResult, Initialize, Output, Registration, ScannedFile, code,
};
use serde_json::value::RawValue;
use starlark::environment::Globals;
use starlark::eval::FileLoader;
use starlark::values::dict::AllocDict;
use starlark::values::list::AllocList;

use crate::error::WorkerError;
use crate::guest::{Guest, Host};
use crate::interpreter::call::{call, failure};
use crate::interpreter::findings::findings;
use crate::interpreter::from_json::from_json;
use crate::interpreter::hooks::{Chain, Further, wish};
use crate::interpreter::load::{Loader, globals};
use crate::interpreter::registry::{HandlerKind, Registry};
use crate::interpreter::session::{Places, Session};
use crate::interpreter::to_json::{Bound, to_text};
use crate::limits::OUTPUT_BYTES;

const OUTPUT: Bound = Bound {
    what: "the result",
    bytes: OUTPUT_BYTES,
};

/// A skill in Starlark.
pub struct StarlarkGuest {
    globals: Globals,
    places: Rc<Places>,
    registry: Registry,
}

impl StarlarkGuest {
    /// One without code yet.
    pub fn new() -> Self {
        Self {
            globals: globals(),
            places: Rc::default(),
            registry: Registry::default(),
        }
    }

    /// Runs a tool or a workflow.
    fn run(
        &self,
        kind: &str,
        name: &str,
        wanted: impl Fn(&HandlerKind) -> bool,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure> {
        let mut handlers = self.registry.handlers(wanted);
        let handler = handlers.next().ok_or_else(|| unknown(kind, name))?;
        let session = Session::new(host, &self.places, None);
        let content = call(
            handler,
            &session,
            |heap| from_json(input, heap),
            |value, heap| to_text(value, heap, OUTPUT),
        );
        match content {
            Ok(content) => Ok(Output {
                content,
                is_error: false,
            }),
            Err(failure) if failure.code == code::LIMIT => Err(failure),
            Err(failure) => Ok(Output {
                content: failure.message,
                is_error: true,
            }),
        }
    }
}

impl Default for StarlarkGuest {
    fn default() -> Self {
        Self::new()
    }
}

fn unknown(kind: &str, name: &str) -> Failure {
    Failure {
        code: code::INVALID_PARAMS,
        message: format!("unknown {kind} `{}`", name.escape_debug()),
    }
}

impl Guest for StarlarkGuest {
    fn initialize(
        &mut self,
        skill: Initialize,
        host: &Rc<dyn Host>,
    ) -> Result<Registration, Failure> {
        let code = skill.code.ok_or_else(|| Failure {
            code: code::INVALID_PARAMS,
            message: WorkerError::NoCode.to_string(),
        })?;
        self.places = Rc::new(Places {
            skill_dir: skill.skill_dir,
            project_root: skill.project_root,
        });
        let registry = Rc::new(RefCell::new(Registry::default()));
        let session = Session::new(host, &self.places, Some(Rc::clone(&registry)));
        {
            let _entered = session.enter();
            let loader = Loader::new(&code.files, &self.globals, &session, &registry);
            let outcome = loader.load(&code.entrypoint);
            outcome.map_err(|error| failure(&error, &session))?;
        }
        self.registry = registry.take();
        Ok(self.registry.registration())
    }

    fn execute_tool(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure> {
        let wanted =
            |entry: &HandlerKind| matches!(entry, HandlerKind::Tool(tool) if tool.name == name);
        self.run("tool", name, wanted, input, host)
    }

    fn handle_hook(
        &self,
        phase: Phase,
        data: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Option<HookResult>, Failure> {
        let mut chain = Chain::new(phase);
        for handler in self
            .registry
            .handlers(|entry| *entry == HandlerKind::Hook(phase))
        {
            let session = Session::new(host, &self.places, None);
            let changed = chain.data(data);
            let data = changed.as_deref().unwrap_or(data);
            let outcome = call(handler, &session, |heap| from_json(data, heap), wish);
            if chain.add(outcome) == Further::No {
                break;
            }
        }
        let (result, untold) = chain.finish()?;
        let session = Session::new(host, &self.places, None);
        for failure in untold {
            // A log that does not take it must not undo what the other handlers did.
            let _ = session.log(&format!("{phase}: {}", failure.message));
        }
        Ok(result)
    }

    fn run_workflow(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure> {
        let wanted =
            |entry: &HandlerKind| matches!(entry, HandlerKind::Workflow(own) if own == name);
        self.run("workflow", name, wanted, input, host)
    }

    fn run_scanner(
        &self,
        name: &str,
        files: &[ScannedFile],
        host: &Rc<dyn Host>,
    ) -> Result<Findings, Failure> {
        let wanted =
            |entry: &HandlerKind| matches!(entry, HandlerKind::Scanner(own) if own == name);
        let mut handlers = self.registry.handlers(wanted);
        let handler = handlers.next().ok_or_else(|| unknown("scanner", name))?;
        let session = Session::new(host, &self.places, None);
        let findings = call(
            handler,
            &session,
            |heap| {
                let file = |file: &ScannedFile| {
                    heap.alloc(AllocDict([("path", &file.path), ("text", &file.text)]))
                };
                Ok(heap.alloc(AllocList(files.iter().map(file))))
            },
            |value, _| findings(value),
        )?;
        Ok(Findings { findings })
    }
}
