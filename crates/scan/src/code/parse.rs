//! Programs, lowered from their syntax trees within bounds.

use prowess_spec::Span;
use prowess_syntax::{LostParser, Parse, ParseRequest, Parsed, SyntaxTrees};

use super::facts::{CodeBudget, CodeLanguage, UnparsedReason};
use super::ir::Stmt;
use super::lower::{Lower, ecma, powershell, python, shell};

/// Nodes of one tree that are read.
const UNIT_NODES: usize = 250_000;
/// What a program costs that the parser did not finish or survive, counted in syntax errors.
const LOST_ERRORS: usize = 2_000;

/// Who parses, and what parsing and lowering may still spend on this skill.
pub(super) struct Parser<'a> {
    trees: &'a dyn SyntaxTrees,
    ticks: usize,
    /// Recovering from a syntax error costs as much as a hundred lines.
    errors: usize,
    nodes: usize,
}

/// A lowered program, and what is missing of it.
pub(super) struct Program {
    pub body: Vec<Stmt>,
    pub problem: Option<UnparsedReason>,
}

impl Program {
    fn without_body(problem: UnparsedReason) -> Self {
        Self {
            body: Vec::new(),
            problem: Some(problem),
        }
    }
}

impl<'a> Parser<'a> {
    pub(super) fn new(trees: &'a dyn SyntaxTrees, budget: &CodeBudget) -> Self {
        Self {
            trees,
            ticks: budget.parse_ticks,
            errors: budget.errors,
            nodes: budget.nodes,
        }
    }

    /// Lowers `source`. With `outer`, every place in the result is that one: the source is the content of a text.
    pub(super) fn program(
        &mut self,
        source: &str,
        language: CodeLanguage,
        outer: Option<Span>,
    ) -> Program {
        if self.errors == 0 || self.ticks == 0 {
            return Program::without_body(UnparsedReason::StepsUsedUp);
        }
        let prepared = match language {
            CodeLanguage::PowerShell => powershell::with_line_ends(source),
            _ => None,
        };
        let source = prepared.as_deref().unwrap_or(source);
        match self.parsed(source, language) {
            Ok(parsed) => self.lowered(source, language, outer, &parsed),
            Err(problem) => Program::without_body(problem),
        }
    }

    fn parsed(&mut self, source: &str, language: CodeLanguage) -> Result<Parsed, UnparsedReason> {
        // By its length: one hostile file does not use up what the others need.
        let request = ParseRequest {
            language,
            source,
            ticks: (400 + source.len() / 60).min(self.ticks),
            errors: self.errors / 2,
        };
        let (cost, problem) = match self.trees.parse(&request) {
            Parse::Tree(parsed) => {
                self.ticks = self.ticks.saturating_sub(parsed.ticks);
                self.errors = self.errors.saturating_sub(parsed.errors);
                return Ok(parsed);
            }
            Parse::TooDeep => (0, UnparsedReason::TooDeep),
            // Trying it cost something as well.
            Parse::TooManyErrors => (400 + source.len() / 50, UnparsedReason::SyntaxErrors),
            Parse::Unfinished => {
                self.ticks = self.ticks.saturating_sub(request.ticks);
                let cost = LOST_ERRORS.max(source.len() / 10);
                (cost, UnparsedReason::StepsUsedUp)
            }
            Parse::Lost(LostParser::Crashed) => (LOST_ERRORS, UnparsedReason::ParserCrashed),
            // No second wait for the same skill.
            Parse::Lost(LostParser::TimedOut) => (usize::MAX, UnparsedReason::ParserTimedOut),
            Parse::Lost(LostParser::Unavailable) => (0, UnparsedReason::NoParser),
        };
        self.errors = self.errors.saturating_sub(cost);
        Err(problem)
    }

    fn lowered(
        &mut self,
        source: &str,
        language: CodeLanguage,
        outer: Option<Span>,
        parsed: &Parsed,
    ) -> Program {
        let Some(root) = parsed.tree.root() else {
            return Program::without_body(UnparsedReason::SyntaxErrors);
        };
        let nodes = UNIT_NODES.min(self.nodes);
        let mut lower = Lower::new(source, outer, nodes);
        let body = match language {
            CodeLanguage::Python => python::module(&mut lower, root),
            CodeLanguage::JavaScript | CodeLanguage::TypeScript | CodeLanguage::Tsx => {
                ecma::module(&mut lower, root)
            }
            CodeLanguage::Shell => shell::module(&mut lower, root),
            CodeLanguage::PowerShell => powershell::module(&mut lower, root),
        };
        self.nodes -= nodes - lower.nodes;
        let problem = if lower.nodes == 0 || parsed.tree.is_cut() {
            Some(UnparsedReason::StepsUsedUp)
        } else if lower.too_deep {
            Some(UnparsedReason::TooDeep)
        } else if parsed.error_bytes * 2 > source.len() {
            Some(UnparsedReason::SyntaxErrors)
        } else {
            None
        };
        Program { body, problem }
    }
}
