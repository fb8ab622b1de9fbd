//! Syntax trees, within bounds.

use std::cell::Cell;
use std::ops::ControlFlow;

use prowess_spec::Span;
use tree_sitter::{Language, ParseOptions, Parser, Tree};

use super::facts::{CodeLanguage, UnparsedReason};
use super::ir::Stmt;
use super::lower::{Lower, ecma, powershell, python, shell};

/// What parsing and lowering may still spend.
#[derive(Debug)]
pub(super) struct ParseBudget {
    /// Calls of the progress callback.
    pub ticks: usize,
    /// Syntax errors: recovering from one costs as much as a hundred lines.
    pub errors: usize,
    /// Nodes that are lowered.
    pub nodes: usize,
}

/// A lowered program, and what is missing of it.
pub(super) struct Program {
    pub body: Vec<Stmt>,
    pub problem: Option<UnparsedReason>,
}

/// Lowers `source`. With `outer`, every place in the result is that one: the source is the content of a text.
pub(super) fn program(
    source: &str,
    language: CodeLanguage,
    outer: Option<Span>,
    budget: &mut ParseBudget,
) -> Program {
    if is_too_deep(source) {
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::TooDeep),
        };
    }
    // By its length: one hostile file does not use up what the others need.
    let mut allowance = ParseBudget {
        ticks: (400 + source.len() / 60).min(budget.ticks),
        errors: budget.errors / 2,
        nodes: UNIT_NODES.min(budget.nodes),
    };
    let before = allowance.ticks;
    let prepared = match language {
        CodeLanguage::PowerShell => powershell::with_line_ends(source),
        _ => None,
    };
    let source = prepared.as_deref().unwrap_or(source);
    if budget.errors == 0 {
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::StepsUsedUp),
        };
    }
    if expected_errors(source, language) > allowance.errors {
        // Trying it cost something as well.
        budget.errors = budget.errors.saturating_sub(400 + source.len() / 50);
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::SyntaxErrors),
        };
    }
    let tree = tree(source, language, &mut allowance);
    budget.ticks -= before - allowance.ticks;
    let Some(tree) = tree else {
        budget.errors = budget.errors.saturating_sub(source.len() / 10);
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::StepsUsedUp),
        };
    };
    let (errors, error_bytes) = errors(&tree);
    budget.errors = budget.errors.saturating_sub(errors);
    let mut lower = Lower::new(source, outer, allowance.nodes);
    let root = tree.root_node();
    let body = match language {
        CodeLanguage::Python => python::module(&mut lower, root),
        CodeLanguage::JavaScript | CodeLanguage::TypeScript | CodeLanguage::Tsx => {
            ecma::module(&mut lower, root)
        }
        CodeLanguage::Shell => shell::module(&mut lower, root),
        CodeLanguage::PowerShell => powershell::module(&mut lower, root),
    };
    budget.nodes -= allowance.nodes - lower.nodes;
    let problem = if lower.nodes == 0 {
        Some(UnparsedReason::StepsUsedUp)
    } else if lower.too_deep {
        Some(UnparsedReason::TooDeep)
    } else if error_bytes * 2 > source.len() {
        Some(UnparsedReason::SyntaxErrors)
    } else {
        None
    };
    Program { body, problem }
}

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

/// Bytes that the parser is given at once; how often it asks tells how much it reads.
const CHUNK: usize = 2048;
/// Bytes of a part of a long source that is tried first, and how far the parts are from one another.
const WINDOW: usize = 2048;
const WINDOW_EVERY: usize = 32 * 1024;
/// Nodes of one tree that are read.
const UNIT_NODES: usize = 250_000;
/// Signs without an end between them that a program may have; each may be one level of the tree.
const OPEN_SIGNS: usize = 10_000;
/// Brackets that are open at once; the parser's memory grows with them.
const OPEN_BRACKETS: usize = 2000;

fn tree(source: &str, language: CodeLanguage, left: &mut ParseBudget) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).ok()?;
    let bytes = source.as_bytes();
    // Some tokens make a grammar look ahead to the end of the file, each time.
    let reads = Cell::new(4000 + bytes.len() / CHUNK * 40);
    let mut progress = |_: &tree_sitter::ParseState| {
        left.ticks = left.ticks.saturating_sub(1);
        if left.ticks == 0 || reads.get() == 0 {
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
        let end = bytes.len().min(at.saturating_add(CHUNK));
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(
        &mut read,
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )?;
    (reads.get() > 0).then_some(tree)
}

/// Whether brackets are nested more deeply than any program needs.
fn is_too_deep(source: &str) -> bool {
    let mut open = 0_usize;
    // A stretch without an end, and the signs in it: `a = a = a`, `!!!!`.
    let (mut stretch, mut signs) = (0_usize, 0_usize);
    for byte in source.bytes() {
        stretch += 1;
        match byte {
            b';' | b',' | b')' | b']' | b'}' => (stretch, signs) = (0, 0),
            _ if byte.is_ascii_punctuation() => {
                signs += 1;
                // Encoded data has few of them.
                if signs > OPEN_SIGNS && signs * 5 > stretch {
                    return true;
                }
            }
            _ => {}
        }
        match byte {
            b'(' | b'[' | b'{' => {
                open += 1;
                if open > OPEN_BRACKETS {
                    return true;
                }
            }
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// How many errors a long source has, told from parts of it. A short one is simply parsed.
fn expected_errors(source: &str, language: CodeLanguage) -> usize {
    let mut found = 0;
    let mut sampled = 0;
    let mut at = 0;
    while source.len() > 2 * WINDOW && at < source.len() {
        let start = source.floor_char_boundary(at);
        let end = source.floor_char_boundary(start + WINDOW);
        let part = source.get(start..end).unwrap_or_default();
        let mut allowance = ParseBudget {
            ticks: 400,
            errors: 0,
            nodes: 0,
        };
        // What is cut off at both ends is not an error.
        found += match tree(part, language, &mut allowance) {
            Some(tree) => errors(&tree).0.saturating_sub(2),
            None => WINDOW / 10,
        };
        sampled += part.len().max(1);
        at += WINDOW_EVERY;
    }
    if found == 0 {
        return 0;
    }
    found.saturating_mul(source.len() / sampled.max(1))
}

/// The error nodes of a tree, and the bytes inside of them, each counted once.
fn errors(tree: &Tree) -> (usize, usize) {
    if !tree.root_node().has_error() {
        return (0, 0);
    }
    let mut cursor = tree.walk();
    let (mut count, mut bytes) = (0_usize, 0_usize);
    // Inside of an error there are more: each of them was recovered from.
    let mut outside = 0;
    loop {
        let node = cursor.node();
        if node.is_missing() {
            count += 1;
        }
        if node.is_error() {
            count += 1;
            if node.start_byte() >= outside {
                bytes += node.end_byte().saturating_sub(node.start_byte());
                outside = node.end_byte();
            }
            // A flat error holds what was skipped.
            count += usize::try_from(node.child_count()).unwrap_or(0) / 4;
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (count, bytes);
            }
        }
    }
}
