//! From the syntax tree of each grammar to the common language.

pub(super) mod ecma;
mod ecma_statement;
mod escape;
pub(super) mod powershell;
mod powershell_expression;
pub(super) mod python;
mod python_statement;
pub(super) mod shell;
mod shell_word;

use prowess_spec::Span;
use prowess_syntax::Node;

use super::ir::{Expr, ExprKind, Op, Target};

/// Levels of a tree that are followed. The interpreter, and dropping what is built here, recurse as deeply.
const DEPTH: usize = 90;

/// The state of lowering one program.
pub(super) struct Lower<'a> {
    pub source: &'a str,
    outer: Option<Span>,
    /// Nodes that may still be read.
    pub nodes: usize,
    depth: usize,
    /// Something lies deeper than is followed.
    pub too_deep: bool,
}

impl<'a> Lower<'a> {
    pub(super) fn new(source: &'a str, outer: Option<Span>, nodes: usize) -> Self {
        Self {
            source,
            outer,
            nodes,
            depth: 0,
            too_deep: false,
        }
    }

    /// The place of a node.
    fn span(&self, node: Node<'_>) -> Span {
        self.outer
            .unwrap_or_else(|| Span::new(node.start_byte(), node.end_byte()))
    }

    /// The text of a node.
    fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The named children without comments.
    fn named<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.nodes == 0 {
            return Vec::new();
        }
        node.named_children()
            .filter(|child| !child.is_extra() || child.is_error())
            .take(self.nodes)
            .collect()
    }

    /// All children, tokens as well.
    fn children<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.nodes == 0 {
            return Vec::new();
        }
        node.children().take(self.nodes).collect()
    }

    /// Runs `then` one level deeper, or gives nothing when that is too deep.
    fn deeper<T>(&mut self, then: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nodes == 0 {
            return None;
        }
        self.nodes -= 1;
        if self.depth >= DEPTH {
            self.too_deep = true;
            return None;
        }
        self.depth += 1;
        let result = then(self);
        self.depth -= 1;
        Some(result)
    }

    /// The operands of a chain `a + b + c`, which a grammar nests to the left, in order.
    fn operands<'t>(&self, node: Node<'t>, operator: &str) -> Vec<Node<'t>> {
        let kind = node.kind();
        let mut operands = Vec::new();
        let mut at = node;
        loop {
            if let Some(right) = at.child_by_field_name("right") {
                operands.push(right);
            }
            let Some(left) = at.child_by_field_name("left") else {
                break;
            };
            let same = left.kind() == kind
                && left
                    .child_by_field_name("operator")
                    .is_some_and(|sign| self.text(sign) == operator);
            if !same || operands.len() >= self.nodes {
                operands.push(left);
                break;
            }
            at = left;
        }
        operands.reverse();
        operands
    }
}

/// The expression as a place to store into.
fn target_of(expr: Expr) -> Target {
    match expr.kind {
        ExprKind::Name(name) => Target::Name(name),
        ExprKind::Member(object, name) => Target::Member(object, name),
        ExprKind::Index(object, index) => Target::Index(object, index),
        ExprKind::Slice(object, _) => {
            let at = Box::new(Expr::unknown(expr.span));
            Target::Index(object, at)
        }
        ExprKind::List(items) => Target::List(items.into_iter().map(target_of).collect()),
        ExprKind::Spread(inner) => Target::Rest(Box::new(target_of(*inner))),
        _ => Target::Ignore,
    }
}

/// The operator that a sign stands for, where the languages agree.
fn operator(sign: &str) -> Op {
    match sign {
        "+" | "+=" => Op::Add,
        "-" | "-=" => Op::Subtract,
        "*" | "*=" => Op::Multiply,
        "/" | "/=" => Op::Divide,
        "//" | "//=" => Op::FloorDivide,
        "%" | "%=" => Op::Remainder,
        "&" | "&=" => Op::And,
        "|" | "|=" => Op::Or,
        "^" | "^=" => Op::Xor,
        "<<" | "<<=" => Op::ShiftLeft,
        ">>" | ">>=" | ">>>" | ">>>=" => Op::ShiftRight,
        "and" | "or" | "&&" | "||" | "??" | "&&=" | "||=" | "??=" => Op::Either,
        "==" | "===" | "is" => Op::Equal,
        "!=" | "!==" | "is not" => Op::NotEqual,
        "<" => Op::Less,
        "<=" => Op::LessEqual,
        ">" => Op::Greater,
        ">=" => Op::GreaterEqual,
        "in" | "not in" | "instanceof" => Op::Test,
        _ => Op::Other,
    }
}

/// Escapes of a text that code decodes itself.
pub(super) fn unescape(text: &str) -> String {
    escape::unescape(text, true)
}
