//! Calls a handler.

use std::rc::Rc;

use prowess_sdk::wire::{Failure, code};
use starlark::environment::Module;
use starlark::eval::Evaluator;
use starlark::values::{Heap, OwnedFrozenValue, Value};

use crate::error::WorkerError;
use crate::interpreter::bounds::Meter;
use crate::interpreter::session::Session;
use crate::interpreter::{bounds, trace};

/// Calls a handler with one argument, on a heap that is dropped afterwards.
///
/// `argument` puts the argument there, `take` takes what counts of the result out of it.
pub(super) fn call<T>(
    handler: &OwnedFrozenValue,
    session: &Rc<Session>,
    argument: impl for<'v> FnOnce(Heap<'v>) -> Result<Value<'v>, WorkerError>,
    take: impl for<'v> FnOnce(Value<'v>, Heap<'v>) -> Result<T, WorkerError>,
) -> Result<T, Failure> {
    let _entered = session.enter();
    let outcome = Module::with_temp_heap(|module| {
        let meter = Meter::new();
        let heap = module.heap();
        let argument = argument(heap).map_err(|error| session.fail(error))?;
        let handler = heap.access_owned_frozen_value(handler);
        let mut evaluator = Evaluator::new(&module);
        bounds::bind(&mut evaluator, session, &meter)?;
        let result = evaluator.eval_function(handler, &[argument], &[]);
        let result = result.map_err(|error| bounds::name(error, &evaluator, session, &meter))?;
        take(result, heap).map_err(|error| session.fail(error))
    });
    outcome.map_err(|error| failure(&error, session))
}

/// The error message for the host.
pub(super) fn failure(error: &starlark::Error, session: &Session) -> Failure {
    Failure {
        code: session.code().unwrap_or(code::FAILED),
        message: trace::describe(error),
    }
}
