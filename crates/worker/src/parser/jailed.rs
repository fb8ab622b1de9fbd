//! Parsers in jails, each for one program at a time.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prowess_sandbox::Launcher;
use prowess_syntax::{LostParser, Parse, ParseRequest, SyntaxTrees};

use super::process::{ParserJail, ParserProcess};
use crate::limits::{IDLE_PARSERS, PARSER_TIME};

/// Syntax trees from jailed processes, which are started when they are needed and kept for the next program.
///
/// What a process says may be the words of the program that it read, so a tree is data that was checked, and no more: a
/// program may hide itself, and the rest of its skill, but changes nothing here. A process that dies or stops is replaced.
/// The program that was in it is tried once more, alone, because an earlier one may have done the damage.
pub struct JailedParsers {
    launcher: Launcher,
    patience: Duration,
    idle: Mutex<Vec<ParserProcess>>,
}

impl JailedParsers {
    /// `launcher` runs [`parser`](super::parser()) as the first thing.
    pub fn new(launcher: Launcher) -> Self {
        Self {
            launcher,
            patience: PARSER_TIME,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// The same with another longest wait for a tree than [`PARSER_TIME`].
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// What holds a parser on this machine, found out by starting one.
    pub fn jail(&self) -> io::Result<ParserJail> {
        let process = self.start()?;
        let jail = process.jail();
        self.put_back(process);
        Ok(jail)
    }

    fn start(&self) -> io::Result<ParserProcess> {
        ParserProcess::start(&self.launcher, self.patience)
    }

    fn take(&self) -> Option<ParserProcess> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn put_back(&self, process: ParserProcess) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_PARSERS {
            idle.push(process);
        }
    }

    fn parse_in(&self, mut process: ParserProcess, request: &ParseRequest<'_>) -> Parse {
        let answer = process.parse(request);
        if !matches!(answer, Parse::Lost(_)) {
            self.put_back(process);
        }
        answer
    }
}

impl SyntaxTrees for JailedParsers {
    fn parse(&self, request: &ParseRequest<'_>) -> Parse {
        if let Some(used) = self.take() {
            match self.parse_in(used, request) {
                Parse::Lost(LostParser::Crashed) => {}
                answer => return answer,
            }
        }
        match self.start() {
            Ok(fresh) => self.parse_in(fresh, request),
            Err(_) => Parse::Lost(LostParser::Unavailable),
        }
    }
}
