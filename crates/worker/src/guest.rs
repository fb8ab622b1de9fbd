//! The loop of a worker: reads requests, has a [`Guest`] answer them, and carries its questions to the host.
//!
//! One request is processed at a time. While the guest waits for the host, further requests can arrive, and the host
//! may wait for one of them before it responds: they are processed at once, nested in the one that waits.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::rc::{Rc, Weak};

use prowess_sdk::Phase;
use prowess_sdk::wire::{
    Failure, Findings, HookResult, HostCall, Initialize, Output, PROTOCOL, Registration,
    ScannedFile, code,
};
use serde::Serialize;
use serde_json::value::RawValue;

use connection::{Connection, NextMessage};
use message::{Call, Hook, Incoming, Scan};

use crate::limits::NESTED_REQUESTS;

mod connection;
mod message;

/// Code of a skill, in whatever language.
pub trait Guest {
    /// Loads the code, and returns its contributions.
    fn initialize(
        &mut self,
        skill: Initialize,
        host: &Rc<dyn Host>,
    ) -> Result<Registration, Failure>;

    /// Runs a tool. That it failed is an output too; a failure is that it could not be run, or hit a limit.
    fn execute_tool(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure>;

    /// Has the handlers of a phase look at its data.
    fn handle_hook(
        &self,
        phase: Phase,
        data: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Option<HookResult>, Failure>;

    /// Runs a workflow, as [`Guest::execute_tool`] a tool.
    fn run_workflow(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure>;

    /// Runs a scanner over files.
    fn run_scanner(
        &self,
        name: &str,
        files: &[ScannedFile],
        host: &Rc<dyn Host>,
    ) -> Result<Findings, Failure>;
}

/// The host of a guest.
pub trait Host {
    /// Sends a request and waits for the response. The text of the response is unchanged, so that numbers keep all
    /// digits.
    fn call(&self, call: &HostCall) -> Result<Box<RawValue>, Failure>;
}

/// Why a worker stopped reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The host requested it, or closed its end.
    Done,
    /// After an oversized line the start of the next one is unknown.
    Untrusted,
}

/// Serves a guest until the end of input. Calls `before_each` before each request.
pub fn serve(
    guest: impl Guest + 'static,
    input: impl Read + 'static,
    output: impl Write + 'static,
    before_each: impl Fn() + 'static,
) -> io::Result<Ending> {
    let served = Rc::new_cyclic(|own: &Weak<Served<_, _>>| Served {
        own: own.clone(),
        connection: RefCell::new(Connection::new(input, output)),
        guest: RefCell::new(Box::new(guest)),
        state: Cell::new(State::Fresh),
        nested: Cell::new(0),
        before_each: Box::new(before_each),
    });
    while served.state.get() != State::Ended {
        let line = served.connection.borrow_mut().read()?;
        let Some(line) = line else {
            break;
        };
        served.dispatch(&line)?;
    }
    let ending = served.connection.borrow().ending;
    Ok(ending.unwrap_or(Ending::Done))
}

/// Whether the guest has its code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Initialized,
    Ended,
}

/// A guest and the line to its host, which the loop and the guest's code share.
struct Served<R, W> {
    own: Weak<Self>,
    connection: RefCell<Connection<R, W>>,
    guest: RefCell<Box<dyn Guest>>,
    state: Cell<State>,
    /// Nested requests.
    nested: Cell<usize>,
    before_each: Box<dyn Fn()>,
}

impl<R: Read + 'static, W: Write + 'static> Served<R, W> {
    fn answer<T: Serialize>(&self, id: &RawValue, outcome: &Result<T, Failure>) -> io::Result<()> {
        self.connection.borrow_mut().answer(id, outcome)
    }

    fn refuse(&self, id: Option<&RawValue>, failure: Failure) -> io::Result<()> {
        self.connection.borrow_mut().refuse(id, failure)
    }

    fn dispatch(&self, line: &[u8]) -> io::Result<()> {
        let incoming = match Incoming::parse(line) {
            Ok(incoming) => incoming,
            Err(failure) => return self.refuse(None, failure),
        };
        let Some(method) = incoming.method.as_deref() else {
            // A response that is no longer awaited.
            return Ok(());
        };
        let Some(id) = incoming.id() else {
            let failure = invalid_request("missing request id: expected a number or a string");
            return self.refuse(None, failure);
        };
        if self.nested.get() >= NESTED_REQUESTS {
            let failure = Failure {
                code: code::LIMIT,
                message: format!("more than {NESTED_REQUESTS} nested requests"),
            };
            return self.refuse(Some(id), failure);
        }
        (self.before_each)();
        self.nested.set(self.nested.get() + 1);
        let written = self.work(method, id, incoming.params.unwrap_or(RawValue::NULL));
        self.nested.set(self.nested.get() - 1);
        written
    }

    fn work(&self, method: &str, id: &RawValue, params: &RawValue) -> io::Result<()> {
        let Some(host) = self.own.upgrade().map(|own| own as Rc<dyn Host>) else {
            return Ok(());
        };
        if method == "shutdown" {
            self.state.set(State::Ended);
            return self.answer(id, &Ok(()));
        }
        if method == "initialize" {
            let Ok(mut guest) = self.guest.try_borrow_mut() else {
                let failure = invalid_request("the worker is busy");
                return self.refuse(Some(id), failure);
            };
            if self.state.get() != State::Fresh {
                let failure = invalid_request("the worker is already initialized");
                return self.refuse(Some(id), failure);
            }
            let outcome = initialization(params).and_then(|skill| guest.initialize(skill, &host));
            if outcome.is_ok() && self.state.get() == State::Fresh {
                self.state.set(State::Initialized);
            }
            return self.answer(id, &outcome);
        }
        let guest = match self.guest.try_borrow() {
            Ok(guest) if self.state.get() == State::Initialized => guest,
            _ if METHODS.contains(&method) => {
                let failure = invalid_request("the worker is not initialized");
                return self.refuse(Some(id), failure);
            }
            _ => return self.refuse(Some(id), unknown(method)),
        };
        match method {
            "tool/execute" => {
                let call = message::parse::<Call<'_>>(params);
                let run = |call: Call<'_>| guest.execute_tool(&call.name, call.input(), &host);
                self.answer(id, &call.and_then(run))
            }
            "workflow/run" => {
                let call = message::parse::<Call<'_>>(params);
                let run = |call: Call<'_>| guest.run_workflow(&call.name, call.input(), &host);
                self.answer(id, &call.and_then(run))
            }
            "hook/handle" => {
                let hook = message::parse::<Hook<'_>>(params);
                let run = |hook: Hook<'_>| guest.handle_hook(hook.phase, hook.data(), &host);
                self.answer(id, &hook.and_then(run))
            }
            "scanner/run" => {
                let scan = message::parse::<Scan>(params);
                let run = |scan: Scan| guest.run_scanner(&scan.name, &scan.files, &host);
                self.answer(id, &scan.and_then(run))
            }
            unknown_method => self.refuse(Some(id), unknown(unknown_method)),
        }
    }

    fn wait(&self, own: &str) -> io::Result<Result<Box<RawValue>, Failure>> {
        while self.state.get() != State::Ended {
            // The line is free again while a request is worked on.
            let next = self.connection.borrow_mut().wait_for(own)?;
            match next {
                NextMessage::Answer(outcome) => return Ok(outcome),
                NextMessage::Request(line) => self.dispatch(&line)?,
                NextMessage::End => break,
            }
        }
        Ok(Err(gone()))
    }
}

/// A worker with loaded code.
const METHODS: [&str; 4] = ["tool/execute", "workflow/run", "hook/handle", "scanner/run"];

impl<R: Read + 'static, W: Write + 'static> Host for Served<R, W> {
    fn call(&self, call: &HostCall) -> Result<Box<RawValue>, Failure> {
        let asked = self.connection.borrow_mut().ask(call);
        let answered = asked.and_then(|asked| match asked {
            Ok(own) => self.wait(&own),
            Err(failure) => Ok(Err(failure)),
        });
        // The next read returns the same error.
        answered.unwrap_or_else(|_| Err(gone()))
    }
}

fn gone() -> Failure {
    Failure {
        code: code::FAILED,
        message: "the host closed the connection".to_owned(),
    }
}

fn unknown(method: &str) -> Failure {
    Failure {
        code: code::METHOD_NOT_FOUND,
        message: format!("unknown method `{}`", method.escape_debug()),
    }
}

fn initialization(params: &RawValue) -> Result<Initialize, Failure> {
    let skill: Initialize = message::parse(params)?;
    if skill.protocol == PROTOCOL {
        return Ok(skill);
    }
    Err(Failure {
        code: code::INVALID_PARAMS,
        message: format!(
            "unsupported protocol {}: expected {PROTOCOL}",
            skill.protocol
        ),
    })
}

fn invalid_request(message: &str) -> Failure {
    Failure {
        code: code::INVALID_REQUEST,
        message: message.to_owned(),
    }
}
