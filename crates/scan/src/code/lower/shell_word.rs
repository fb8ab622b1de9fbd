//! Words of bash: quotes, expansions, substitutions.

use prowess_syntax::Node;

use super::super::ir::{Expansion, Expr, ExprKind, Op, Operation};
use super::Lower;
use super::escape::{integer, unescape};
use super::shell::{block, expr};

/// A word.
pub(super) fn word(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    lower
        .deeper(|lower| Expr::new(span, kind(lower, node)))
        .unwrap_or_else(|| Expr::unknown(span))
}

/// The words among the children.
pub(super) fn words_of(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Expr> {
    lower
        .named(node)
        .into_iter()
        .map(|child| word(lower, child))
        .collect()
}

fn kind(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let text = lower.text(node);
    match node.kind() {
        "word" | "variable_name" | "regex" | "extglob_pattern" | "string_content"
        | "heredoc_content" | "test_operator" => ExprKind::Text(unbackslash(text).into()),
        "number" => ExprKind::Text(text.into()),
        "raw_string" => ExprKind::Text(text.trim_matches('\'').into()),
        "ansi_c_string" => {
            let inner = text
                .strip_prefix("$'")
                .and_then(|rest| rest.strip_suffix('\''))
                .unwrap_or(text);
            ExprKind::Text(unescape(inner, true).into())
        }
        "command_name" => match lower.named(node).first() {
            Some(inner) => kind(lower, *inner),
            None => ExprKind::Text(text.into()),
        },
        "string" | "translated_string" | "heredoc_body" => quoted(lower, node),
        "concatenation" | "brace_expression" => {
            let parts = words_of(lower, node);
            ExprKind::Template(parts)
        }
        "simple_expansion" => ExprKind::Expansion(Box::new(Expansion {
            name: text.trim_start().trim_start_matches('$').into(),
            operation: Operation::Default(None),
        })),
        "expansion" => expansion(lower, node),
        "command_substitution" => {
            let inner = block(lower, node);
            ExprKind::Capture(inner.into())
        }
        "process_substitution" => {
            let inner = block(lower, node);
            ExprKind::ProcessFile(inner.into())
        }
        "array" => {
            let items = words_of(lower, node);
            ExprKind::List(items)
        }
        "arithmetic_expansion" | "binary_expression" | "parenthesized_expression" => {
            arithmetic(lower, node)
        }
        "unary_expression" | "ternary_expression" | "subscript" => {
            let parts = words_of(lower, node);
            ExprKind::Unknown(parts)
        }
        "command"
        | "pipeline"
        | "list"
        | "redirected_statement"
        | "subshell"
        | "compound_statement" => expr(lower, node).kind,
        _ => {
            let parts = words_of(lower, node);
            if parts.is_empty() {
                ExprKind::Text(text.into())
            } else {
                ExprKind::Unknown(parts)
            }
        }
    }
}

/// A text with expansions: what lies between them is literal.
fn quoted(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let document = node.kind() == "heredoc_body";
    let whole = lower.text(node);
    let start = node.start_byte();
    let (mut at, end) = if document {
        (start, node.end_byte())
    } else {
        let opening = whole.find('"').map_or(0, |at| at + 1);
        (
            start + opening,
            node.end_byte() - usize::from(whole.len() > opening && whole.ends_with('"')),
        )
    };
    let mut parts = Vec::new();
    for child in lower.named(node) {
        if matches!(child.kind(), "string_content" | "heredoc_content") {
            continue;
        }
        // The grammar counts blanks in front of an expansion to the expansion.
        let text = lower.text(child);
        let blanks = text.len() - text.trim_start().len();
        let from = child.start_byte() + blanks;
        literal(lower, node, at, from, &mut parts);
        parts.push(word(lower, child));
        at = child.end_byte();
    }
    literal(lower, node, at, end, &mut parts);
    match parts.len() {
        0 => ExprKind::Text("".into()),
        // A lone expansion in quotes is a template, so that it is not split into words.
        _ => ExprKind::Template(parts),
    }
}

fn literal(lower: &Lower<'_>, node: Node<'_>, from: usize, to: usize, parts: &mut Vec<Expr>) {
    let text = lower.source.get(from..to).unwrap_or_default();
    if !text.is_empty() {
        let text = unbackslash_quoted(text);
        parts.push(Expr::text(lower.span(node), &text));
    }
}

/// A word without its backslashes.
fn unbackslash(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.next() {
                Some('\n') | None => {}
                Some(next) => out.push(next),
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The inside of double quotes: a backslash only hides `$`, `` ` ``, `"`, `\` and the end of the line.
fn unbackslash_quoted(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.peek() {
                Some('$' | '`' | '"' | '\\') => out.extend(chars.next()),
                Some('\n') => {
                    chars.next();
                }
                _ => out.push('\\'),
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn arithmetic(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return match lower.named(node).first() {
            Some(inner) => number_or_word(lower, *inner).kind,
            None => ExprKind::Unknown(Vec::new()),
        };
    };
    let sign = node
        .child_by_field_name("operator")
        .map_or("", |sign| lower.text(sign));
    let op = super::operator(sign);
    let op = if matches!(op, Op::Either) {
        Op::Other
    } else {
        op
    };
    let left = number_or_word(lower, left);
    let right = number_or_word(lower, right);
    ExprKind::Binary(op, Box::new(left), Box::new(right))
}

fn number_or_word(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    match node.kind() {
        "number" => match integer(lower.text(node)) {
            Some(number) => Expr::new(span, ExprKind::Int(number)),
            None => Expr::unknown(span),
        },
        _ => word(lower, node),
    }
}

fn expansion(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let span = lower.span(node);
    let children = lower.children(node);
    let mut name: Option<&str> = None;
    let mut subscript: Option<&str> = None;
    let mut signs: Vec<&str> = Vec::new();
    let mut rest: Vec<Node<'_>> = Vec::new();
    for child in children {
        match child.kind() {
            "${" | "}" => {}
            "variable_name" | "special_variable_name" if name.is_none() => {
                name = Some(lower.text(child));
            }
            "subscript" if name.is_none() => {
                name = child
                    .child_by_field_name("name")
                    .map(|name| lower.text(name));
                subscript = child.child_by_field_name("index").map(|at| lower.text(at));
            }
            _ if child.is_named() => rest.push(child),
            _ => signs.push(lower.text(child)),
        }
    }
    let Some(name) = name else {
        let digits: String = lower
            .text(node)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        return ExprKind::Expansion(Box::new(Expansion {
            name: digits.into(),
            operation: Operation::Default(None),
        }));
    };
    let sign = signs.first().copied().unwrap_or("");
    let mut parts: Vec<Expr> = rest.iter().map(|part| word(lower, *part)).collect();
    let numbers: Vec<Option<i64>> = rest
        .iter()
        .map(|part| integer(lower.text(*part).trim().trim_matches(['(', ')'])))
        .collect();
    let operation = match sign {
        "!" => Operation::Indirect,
        "#" if parts.is_empty() => Operation::Length,
        ":" => Operation::Substring(
            numbers.first().copied().flatten().unwrap_or(0),
            numbers.get(1).copied().flatten(),
        ),
        "/" | "//" | "/#" | "/%" if !parts.is_empty() => {
            let from = parts.remove(0);
            let to = if parts.is_empty() {
                None
            } else {
                Some(parts.remove(0))
            };
            Operation::Replace {
                from,
                to,
                all: sign == "//",
            }
        }
        "#" | "##" | "%" | "%%" => Operation::Trim {
            pattern: parts.pop().unwrap_or_else(|| Expr::text(span, "")),
            suffix: sign.starts_with('%'),
        },
        "^" | "^^" => Operation::Case { upper: true },
        "," | ",," => Operation::Case { upper: false },
        _ => Operation::Default(parts.pop()),
    };
    let whole = ExprKind::Expansion(Box::new(Expansion {
        name: name.into(),
        operation,
    }));
    match subscript {
        Some(index) if index != "@" && index != "*" => {
            let index = match integer(index) {
                Some(at) => Expr::new(span, ExprKind::Int(at)),
                None => Expr::unknown(span),
            };
            ExprKind::Index(Box::new(Expr::new(span, whole)), Box::new(index))
        }
        _ => whole,
    }
}
