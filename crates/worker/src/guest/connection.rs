//! Both ends of the line between a worker and its host.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use prowess_sdk::wire::{Asked, Failure, HostCall, MAX_LINE, Version, code};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Ending;
use super::message::{Answered, GuestResponse};
use crate::lines::{Line, Lines};

/// The response of the host, unchanged.
pub(super) type Outcome = Result<Box<RawValue>, Failure>;

/// Both ends, and responses that arrived while another was awaited.
pub(super) struct Connection<R, W> {
    lines: Lines<R>,
    output: W,
    /// The write buffer; reused.
    buffer: Vec<u8>,
    /// The number of requests so far, for ids.
    calls: u64,
    /// Questions that are waited for; with their answers, if those are there.
    waiting: HashMap<String, Option<Outcome>>,
    /// Set once nothing more can be read.
    pub(super) ending: Option<Ending>,
}

/// The message for a caller that awaits a response.
pub(super) enum NextMessage {
    /// The answer.
    Answer(Outcome),
    /// A request, which may have to be answered first.
    Request(Vec<u8>),
    /// Nothing more.
    End,
}

impl<R: Read, W: Write> Connection<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            lines: Lines::new(input),
            output,
            buffer: Vec::new(),
            calls: 0,
            waiting: HashMap::new(),
            ending: None,
        }
    }

    /// The next line; nothing at the end.
    pub(super) fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.ending.is_some() {
            return Ok(None);
        }
        self.ending = Some(match self.lines.next()? {
            Line::Whole(line) => return Ok(Some(line)),
            Line::End => Ending::Done,
            Line::TooLong => {
                let failure = Failure {
                    code: code::PARSE,
                    message: format!("a line is longer than {MAX_LINE} bytes"),
                };
                self.refuse(None, failure)?;
                Ending::Untrusted
            }
        });
        Ok(None)
    }

    /// Answers what may not even be a request.
    pub(super) fn refuse(&mut self, id: Option<&RawValue>, failure: Failure) -> io::Result<()> {
        self.answer::<()>(id.unwrap_or(RawValue::NULL), &Err(failure))
    }

    /// Answers a request.
    pub(super) fn answer<T: Serialize>(
        &mut self,
        id: &RawValue,
        outcome: &Result<T, Failure>,
    ) -> io::Result<()> {
        if self.write(&GuestResponse::new(id, outcome.as_ref()))? {
            return Ok(());
        }
        let failure = Failure {
            code: code::LIMIT,
            message: format!("the response is larger than {MAX_LINE} bytes"),
        };
        self.write(&GuestResponse::<()>::new(id, Err(&failure)))?;
        Ok(())
    }

    /// Writes one message at once, unless it is too long.
    fn write(&mut self, message: &impl Serialize) -> io::Result<bool> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, message)?;
        if self.buffer.len() > MAX_LINE {
            return Ok(false);
        }
        self.buffer.push(b'\n');
        self.output.write_all(&self.buffer)?;
        self.output.flush()?;
        Ok(true)
    }

    /// Sends a request to the host; returns its id.
    pub(super) fn ask(&mut self, call: &HostCall) -> io::Result<Result<String, Failure>> {
        self.calls += 1;
        let own = format!("c{}", self.calls);
        let asked = Asked {
            jsonrpc: Version::Two,
            id: Value::String(own.clone()),
            request: call,
        };
        if !self.write(&asked)? {
            return Ok(Err(Failure {
                code: code::LIMIT,
                message: format!("the call is larger than {MAX_LINE} bytes"),
            }));
        }
        self.waiting.insert(own.clone(), None);
        Ok(Ok(own))
    }

    /// Waits for an answer, or for something that comes before it.
    pub(super) fn wait_for(&mut self, own: &str) -> io::Result<NextMessage> {
        if matches!(self.waiting.get(own), Some(Some(_))) {
            let answer = self.waiting.remove(own).flatten();
            return Ok(answer.map_or(NextMessage::End, NextMessage::Answer));
        }
        while let Some(line) = self.read()? {
            match Answered::parse(&line) {
                Answered::To(id, outcome) if id == own => {
                    self.waiting.remove(own);
                    return Ok(NextMessage::Answer(outcome));
                }
                Answered::To(id, outcome) => {
                    // Stored for the caller that awaits it; unknown responses are dropped.
                    if let Some(slot) = self.waiting.get_mut(&id) {
                        *slot = Some(outcome);
                    }
                }
                Answered::Request => return Ok(NextMessage::Request(line)),
                Answered::Unreadable(failure) => self.refuse(None, failure)?,
            }
        }
        self.waiting.remove(own);
        Ok(NextMessage::End)
    }
}
