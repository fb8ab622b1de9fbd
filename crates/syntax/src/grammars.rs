//! The parsers, within bounds.

use crate::bounded::tree;
use crate::errors::errors;
use crate::flatten::flatten;
use crate::limits::SOURCE_BYTES;
use crate::samples::expected_errors;
use crate::scanner_faults::{bearable, is_too_deep};
use crate::trees::{Parse, ParseRequest, Parsed, SyntaxTrees};

/// The parsers, called in this process. What they are given may crash it: only a worker that is jailed for that calls
/// them, and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grammars;

impl SyntaxTrees for Grammars {
    fn parse(&self, request: &ParseRequest<'_>) -> Parse {
        let (source, language) = (request.source, request.language);
        if source.len() > SOURCE_BYTES {
            return Parse::Unfinished;
        }
        if is_too_deep(source, language) {
            return Parse::TooDeep;
        }
        let bytes = bearable(source, language);
        let mut left = request.ticks;
        if expected_errors(source, &bytes, language, &mut left) > request.errors {
            return Parse::TooManyErrors;
        }
        let Some(tree) = tree(&bytes, source, language, &mut left) else {
            return Parse::Unfinished;
        };
        let (errors, error_bytes) = errors(&tree);
        Parse::Tree(Parsed {
            tree: flatten(&tree),
            errors,
            error_bytes,
            ticks: request.ticks - left,
        })
    }
}
