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
    /// Calls of the progress callback after an error.
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
        errors: (budget.errors / 2).max(100).min(budget.errors),
        nodes: UNIT_NODES.min(budget.nodes),
    };
    let before = (allowance.ticks, allowance.errors);
    let prepared = match language {
        CodeLanguage::PowerShell => powershell::with_line_ends(source),
        _ => None,
    };
    let source = prepared.as_deref().unwrap_or(source);
    let tree = tree(source, language, &mut allowance);
    budget.ticks -= before.0 - allowance.ticks;
    budget.errors -= before.1 - allowance.errors;
    let Some(tree) = tree else {
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::StepsUsedUp),
        };
    };
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
    } else if error_bytes(&tree) * 2 > source.len() {
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
    let mut progress = |state: &tree_sitter::ParseState| {
        left.ticks = left.ticks.saturating_sub(1);
        if state.has_error() {
            // The parser then follows many ways at once.
            left.errors = left.errors.saturating_sub(1);
        }
        if left.ticks == 0 || left.errors == 0 || reads.get() == 0 {
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

/// Bytes inside of error nodes, each counted once.
fn error_bytes(tree: &Tree) -> usize {
    if !tree.root_node().has_error() {
        return 0;
    }
    let mut cursor = tree.walk();
    let mut bytes = 0;
    loop {
        let node = cursor.node();
        let descend = if node.is_error() {
            bytes += node.end_byte().saturating_sub(node.start_byte());
            false
        } else {
            node.has_error()
        };
        if descend && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return bytes;
            }
        }
    }
}
