//! The limits that the interpreter itself keeps.

use std::cell::Cell;
use std::time::Duration;

use starlark::ErrorKind;
use starlark::eval::Evaluator;

use crate::confine::{mapped_bytes, processor_time};
use crate::error::WorkerError;
use crate::interpreter::session::Session;
use crate::limits::{CALL_DEPTH, HEAP_BYTES, MAPPED_BYTES, PROCESSOR_TIME, TICKS};

/// The interpreter calls back every thousand ticks; memory is checked this many times less often.
const CHECKS_PER_LOOK: u32 = 16;

/// The limits of one evaluation besides those of the evaluator.
pub(super) struct Meter {
    end: Duration,
    checks: Cell<u32>,
    /// The mapped memory at the first check.
    mapped: Cell<Option<u64>>,
    over: Cell<Option<Over>>,
}

#[derive(Clone, Copy)]
enum Over {
    Time,
    Memory,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            end: processor_time().saturating_add(PROCESSOR_TIME),
            checks: Cell::new(0),
            mapped: Cell::new(None),
            over: Cell::new(None),
        }
    }

    fn is_over(&self) -> bool {
        let checks = self.checks.get().wrapping_add(1);
        self.checks.set(checks);
        if processor_time() > self.end {
            self.over.set(Some(Over::Time));
        } else if checks.is_multiple_of(CHECKS_PER_LOOK) && self.is_grown() {
            self.over.set(Some(Over::Memory));
        }
        self.over.get().is_some()
    }

    fn is_grown(&self) -> bool {
        let Some(now) = mapped_bytes() else {
            return false;
        };
        let first = self.mapped.get().unwrap_or(now);
        self.mapped.set(Some(first));
        now.saturating_sub(first) > MAPPED_BYTES
    }
}

/// Bounds an evaluator, and has it print to the log.
pub(super) fn bind<'a>(
    evaluator: &mut Evaluator<'_, 'a, '_>,
    session: &'a Session,
    meter: &'a Meter,
) -> starlark::Result<()> {
    evaluator.set_max_callstack_size(CALL_DEPTH)?;
    evaluator.set_max_heap_size(HEAP_BYTES)?;
    evaluator.set_max_tick_count(TICKS)?;
    evaluator.set_check_cancelled(Box::new(|| meter.is_over()));
    evaluator.set_print_handler(session);
    Ok(())
}

/// Converts an error if a limit ended an evaluation.
pub(super) fn name(
    error: starlark::Error,
    evaluator: &Evaluator<'_, '_, '_>,
    session: &Session,
    meter: &Meter,
) -> starlark::Error {
    let limit = if matches!(error.kind(), ErrorKind::StackOverflow(_)) {
        WorkerError::CallDepth
    } else if session.code().is_some() || !matches!(error.kind(), ErrorKind::Other(_)) {
        return error;
    } else if let Some(over) = meter.over.get() {
        match over {
            Over::Time => WorkerError::ProcessorTime,
            Over::Memory => WorkerError::Mapped,
        }
    } else if evaluator.get_total_tick_count() > TICKS {
        WorkerError::Ticks
    } else if is_full(evaluator) {
        WorkerError::Heap
    } else {
        return error;
    };
    let (span, calls) = (error.span().cloned(), error.call_stack().clone());
    let mut named = session.fail(limit);
    if let Some(span) = span {
        named.set_span(span.span, &span.file);
    }
    named.set_call_stack(|| calls);
    named
}

fn is_full(evaluator: &Evaluator<'_, '_, '_>) -> bool {
    let used = evaluator.heap().peak_allocated_bytes() + evaluator.frozen_heap().allocated_bytes();
    used > HEAP_BYTES
}
