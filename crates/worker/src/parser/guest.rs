//! A process that parses, and can do nothing else.

use std::io::{self, Write};
use std::process::ExitCode;

use prowess_syntax::wire::{WireError, read_request, write_answer};
use prowess_syntax::{Grammars, SyntaxTrees};

use super::process::ParserJail;
use crate::confine::{allow_processor_time, bound, confine};
use crate::error::WorkerError;
use crate::guest::Ending;
use crate::limits::PARSER_ADDRESS_SPACE;
use crate::process::{on_own_stack, print_error};

/// Runs a worker that parses programs, on standard input and output until the end of input.
///
/// It bounds the whole process for good, so nothing else can be done in it before or after.
pub fn parser() -> ExitCode {
    // Where a worker cannot be shut in, its memory and time are bounded, and it says so.
    let jail = match confine(PARSER_ADDRESS_SPACE) {
        Ok(()) => ParserJail::LockedDown,
        Err(_) => match bound(PARSER_ADDRESS_SPACE) {
            Ok(()) => ParserJail::BoundedOnly,
            Err(error) => {
                print_error(&WorkerError::Bound(error.into()));
                return ExitCode::FAILURE;
            }
        },
    };
    on_own_stack(move || serve(jail).map_err(WorkerError::Stream))
}

fn serve(jail: ParserJail) -> io::Result<Ending> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let allow_time = allow_processor_time();
    output.write_all(&[jail.code()])?;
    output.flush()?;
    loop {
        let request = match read_request(&mut input) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(Ending::Done),
            Err(WireError::Stream(error)) => return Err(error),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        allow_time();
        write_answer(&mut output, &Grammars.parse(&request.as_request()))?;
    }
}
