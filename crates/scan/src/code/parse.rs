//! Syntax trees, within bounds.

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
    // A fifth of the whole for each program: one hostile file does not hide the others.
    let mut allowance = (budget.ticks / 3).max(200).min(budget.ticks);
    let before = allowance;
    let tree = tree(source, language, &mut allowance);
    budget.ticks = budget.ticks.saturating_sub(before - allowance);
    let Some(tree) = tree else {
        return Program {
            body: Vec::new(),
            problem: Some(UnparsedReason::StepsUsedUp),
        };
    };
    let mut lower = Lower::new(source, outer, budget.nodes);
    let root = tree.root_node();
    let body = match language {
        CodeLanguage::Python => python::module(&mut lower, root),
        CodeLanguage::JavaScript | CodeLanguage::TypeScript | CodeLanguage::Tsx => {
            ecma::module(&mut lower, root)
        }
        CodeLanguage::Shell => shell::module(&mut lower, root),
        CodeLanguage::PowerShell => powershell::module(&mut lower, root),
    };
    budget.nodes = lower.nodes;
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

fn tree(source: &str, language: CodeLanguage, ticks: &mut usize) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).ok()?;
    let bytes = source.as_bytes();
    let mut progress = |_: &tree_sitter::ParseState| {
        *ticks = ticks.saturating_sub(1);
        if *ticks == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
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
