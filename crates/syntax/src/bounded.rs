//! One parse, within bounds.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, Parser, Tree};

use crate::language::CodeLanguage;
use crate::meter::Meter;

/// Bytes that a parser is given at once; how often it asks tells how much it reads.
const CHUNK: usize = 2048;

fn grammar(language: CodeLanguage) -> Language {
    match language {
        CodeLanguage::Python => tree_sitter_python::LANGUAGE.into(),
        // One grammar for the three: it accepts JavaScript and JSX as well, and each grammar costs a megabyte.
        CodeLanguage::JavaScript | CodeLanguage::TypeScript | CodeLanguage::Tsx => {
            tree_sitter_typescript::LANGUAGE_TSX.into()
        }
        CodeLanguage::Shell => tree_sitter_bash::LANGUAGE.into(),
        CodeLanguage::PowerShell => tree_sitter_powershell::LANGUAGE.into(),
    }
}

/// The tree of `bytes`, which have the characters of `source` at the same places; `None` when the ticks are used up.
pub(crate) fn tree(
    bytes: &[u8],
    source: &str,
    language: CodeLanguage,
    ticks: &mut usize,
) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).ok()?;
    // Some tokens make a grammar look ahead to the end of the file, each time.
    let reads = Cell::new(4000 + bytes.len() / CHUNK * 40);
    let mut meter = Meter::new(*ticks);
    let mut progress = |_: &tree_sitter::ParseState| {
        if meter.step() == 0 || reads.get() == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |at: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        if reads.get() == 0 {
            return [].as_slice();
        }
        // A chunk that ends inside of a character, with nothing after it, makes the parser read from address zero.
        let end = source.floor_char_boundary(at.saturating_add(CHUNK));
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(
        &mut read,
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    *ticks = meter.left();
    let tree = tree?;
    (reads.get() > 0).then_some(tree)
}
