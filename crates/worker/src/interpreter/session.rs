//! The state of functions in the evaluator.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;

use prowess_sdk::wire::HostCall;
use serde_json::value::RawValue;
use starlark::PrintHandler;

use crate::error::WorkerError;
use crate::guest::Host;
use crate::interpreter::registry::Registry;
use crate::limits::LOG_BYTES;

/// The context of a skill.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) skill_dir: Option<String>,
    pub(super) project_root: Option<String>,
}

/// One request: who answers questions, and whether something can still be registered.
pub(super) struct Session {
    host: Rc<dyn Host>,
    places: Rc<Places>,
    /// Where registrations go; nothing while a handler runs.
    registry: Option<Rc<RefCell<Registry>>>,
    /// The code of the first error. Starlark cannot catch errors, so it ended the evaluation.
    code: Cell<Option<i64>>,
}

thread_local! {
    // The evaluator has a slot for this, but only for types with an unsafe implementation.
    static CURRENT: RefCell<Option<Rc<Session>>> = const { RefCell::new(None) };
}

/// While it lives, functions of the language find the session.
pub(super) struct Entered(Option<Rc<Session>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Session {
    pub(super) fn new(
        host: &Rc<dyn Host>,
        places: &Rc<Places>,
        registry: Option<Rc<RefCell<Registry>>>,
    ) -> Rc<Self> {
        Rc::new(Self {
            host: Rc::clone(host),
            places: Rc::clone(places),
            registry,
            code: Cell::new(None),
        })
    }

    /// Has the functions of the language find this session.
    pub(super) fn enter(self: &Rc<Self>) -> Entered {
        Entered(CURRENT.replace(Some(Rc::clone(self))))
    }

    /// The session of the running evaluation.
    pub(super) fn current() -> starlark::Result<Rc<Self>> {
        let current = CURRENT.with_borrow(Clone::clone);
        current.ok_or_else(|| starlark::Error::new_native(WorkerError::NoSession))
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    pub(super) fn registry(
        &self,
        function: &'static str,
    ) -> Result<&RefCell<Registry>, WorkerError> {
        let registry = self.registry.as_deref();
        registry.ok_or(WorkerError::TooLate(function))
    }

    /// The code of what ended the request, if anything did.
    pub(super) fn code(&self) -> Option<i64> {
        self.code.get()
    }

    /// Makes an error of the interpreter out of one of ours, and remembers what kind it is.
    pub(super) fn fail(&self, error: WorkerError) -> starlark::Error {
        if self.code.get().is_none() {
            self.code.set(Some(error.code()));
        }
        starlark::Error::new_native(error)
    }

    /// Calls the host.
    pub(super) fn ask(&self, call: &HostCall) -> Result<Box<RawValue>, WorkerError> {
        self.host.call(call).map_err(WorkerError::Refused)
    }

    /// Writes a line to the log.
    pub(super) fn log(&self, line: &str) -> Result<(), WorkerError> {
        let message = if line.len() <= LOG_BYTES {
            line.to_owned()
        } else {
            let end = line.floor_char_boundary(LOG_BYTES);
            let mut cut = line.get(..end).unwrap_or_default().to_owned();
            // Writing to a string cannot fail.
            let _ = write!(cut, " [cut: {} bytes]", line.len());
            cut
        };
        self.ask(&HostCall::Log { message }).map(drop)
    }
}

impl PrintHandler for Session {
    fn println(&self, text: &str) -> starlark::Result<()> {
        self.log(text).map_err(|error| self.fail(error))
    }
}
