//! Expressions of Python.

use prowess_syntax::Node;

use super::super::ir::{
    Arg, Call, Clause, Comprehension, Expr, ExprKind, Function, Name, Op, Param, Stmt, Target,
};
use super::escape::{integer, unescape};
use super::python_statement::{block, statement};
use super::{Lower, operator, target_of};

/// The statements of a file.
pub(in super::super) fn module(lower: &mut Lower<'_>, root: Node<'_>) -> Vec<Stmt> {
    block(lower, root)
}

/// An expression.
pub(super) fn expr(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    lower
        .deeper(|lower| Expr::new(span, kind(lower, node)))
        .unwrap_or_else(|| Expr::unknown(span))
}

fn field(lower: &mut Lower<'_>, node: Node<'_>, name: &str) -> Expr {
    match node.child_by_field_name(name) {
        Some(child) => expr(lower, child),
        None => Expr::unknown(lower.span(node)),
    }
}

pub(super) fn exprs(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Expr> {
    lower
        .named(node)
        .into_iter()
        .map(|child| expr(lower, child))
        .collect()
}

fn first(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    match lower.named(node).first() {
        Some(child) => expr(lower, *child).kind,
        None => ExprKind::None,
    }
}

fn kind(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    match node.kind() {
        "identifier" => ExprKind::Name(lower.text(node).into()),
        "true" => ExprKind::Bool(true),
        "false" => ExprKind::Bool(false),
        "none" | "ellipsis" => ExprKind::None,
        "integer" => integer(lower.text(node)).map_or(ExprKind::Unknown(Vec::new()), ExprKind::Int),
        "string" => string(lower, node),
        "concatenated_string" => {
            let parts = exprs(lower, node);
            if parts
                .iter()
                .all(|part| matches!(part.kind, ExprKind::Bytes(_)))
            {
                ExprKind::Chain(Op::Add, parts)
            } else {
                ExprKind::Template(parts)
            }
        }
        "attribute" => {
            // Python 2: in `exec a.b` the object is what the error holds.
            let spilled = lower
                .named(node)
                .into_iter()
                .find(Node::is_error)
                .and_then(|error| error.named_child(0));
            let object = match spilled {
                Some(inner) => expr(lower, inner),
                None => field(lower, node, "object"),
            };
            let name = node
                .child_by_field_name("attribute")
                .map_or("", |name| lower.text(name));
            ExprKind::Member(Box::new(object), name.into())
        }
        "subscript" => subscript(lower, node),
        "call" => call(lower, node),
        "binary_operator" => binary(lower, node),
        "boolean_operator" => {
            let sign = node
                .child_by_field_name("operator")
                .map_or("", |sign| lower.text(sign));
            let operands = lower.operands(node, sign);
            let operands = operands.into_iter().map(|one| expr(lower, one)).collect();
            ExprKind::Chain(Op::Either, operands)
        }
        "comparison_operator" => {
            let signs: Vec<&str> = lower
                .children(node)
                .into_iter()
                .filter(|child| !child.is_named())
                .map(|child| lower.text(child))
                .collect();
            let mut parts = exprs(lower, node);
            if parts.len() == 2 && signs.len() == 1 {
                let right = parts
                    .pop()
                    .unwrap_or_else(|| Expr::unknown(lower.span(node)));
                let left = parts
                    .pop()
                    .unwrap_or_else(|| Expr::unknown(lower.span(node)));
                let op = signs.first().map_or(Op::Test, |sign| operator(sign));
                ExprKind::Binary(op, Box::new(left), Box::new(right))
            } else {
                ExprKind::Chain(Op::Test, parts)
            }
        }
        "not_operator" => ExprKind::Not(Box::new(field(lower, node, "argument"))),
        "unary_operator" => {
            let argument = Box::new(field(lower, node, "argument"));
            match node
                .child_by_field_name("operator")
                .map(|sign| lower.text(sign))
            {
                Some("-") => ExprKind::Negative(argument),
                Some("~") => ExprKind::Invert(argument),
                _ => argument.kind,
            }
        }
        "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern"
        | "list_pattern" => ExprKind::List(exprs(lower, node)),
        "dictionary" => dictionary(lower, node),
        "lambda" => lambda(lower, node),
        "conditional_expression" => {
            let mut parts = exprs(lower, node).into_iter();
            match (parts.next(), parts.next(), parts.next()) {
                (Some(yes), Some(condition), Some(no)) => {
                    ExprKind::Conditional(Box::new((condition, yes, no)))
                }
                _ => ExprKind::Unknown(Vec::new()),
            }
        }
        "named_expression" => {
            let name = node
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let value = field(lower, node, "value");
            ExprKind::Assign(Box::new((Target::Name(name.into()), value)))
        }
        "list_comprehension"
        | "set_comprehension"
        | "generator_expression"
        | "dictionary_comprehension" => comprehension(lower, node),
        "list_splat" | "dictionary_splat" | "list_splat_pattern" | "dictionary_splat_pattern" => {
            let inner = lower.named(node).first().map(|child| expr(lower, *child));
            ExprKind::Spread(Box::new(
                inner.unwrap_or_else(|| Expr::unknown(lower.span(node))),
            ))
        }
        "await" | "parenthesized_expression" | "yield" | "type" | "as_pattern" => {
            first(lower, node)
        }
        "interpolation" => field(lower, node, "expression").kind,
        "slice" => ExprKind::Unknown(exprs(lower, node)),
        "keyword_argument" => field(lower, node, "value").kind,
        // An error node may hold statements.
        _ if node.is_error() => {
            let statements = block(lower, node);
            ExprKind::Block(statements.into(), Vec::new())
        }
        "expression_statement" | "assignment" => {
            let mut out = Vec::new();
            statement(lower, node, &mut out);
            ExprKind::Block(out.into(), Vec::new())
        }
        _ => ExprKind::Unknown(exprs(lower, node)),
    }
}

fn string(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let children = lower.children(node);
    let prefix = children
        .first()
        .map_or("", |start| lower.text(*start))
        .to_ascii_lowercase();
    let raw = prefix.contains('r');
    let bytes = prefix.contains('b');
    let mut parts: Vec<Expr> = Vec::new();
    let mut literal = String::new();
    let mut simple = true;
    for child in children {
        match child.kind() {
            "string_content" => {
                let text = lower.text(child);
                if raw {
                    literal.push_str(text);
                } else if prefix.contains('f') {
                    literal.push_str(&unescape(text, true).replace("{{", "{").replace("}}", "}"));
                } else {
                    literal.push_str(&unescape(text, true));
                }
            }
            "interpolation" => {
                simple = false;
                let span = lower.span(child);
                if !literal.is_empty() {
                    parts.push(Expr::text(span, &literal));
                    literal.clear();
                }
                parts.push(expr(lower, child));
            }
            _ => {}
        }
    }
    if simple {
        if bytes {
            // `\xff` is one byte, a letter beyond ASCII is not allowed.
            let bytes: Vec<u8> = literal
                .chars()
                .map(|c| u8::try_from(c).unwrap_or(b'?'))
                .collect();
            return ExprKind::Bytes(bytes.into());
        }
        return ExprKind::Text(literal.into());
    }
    if !literal.is_empty() {
        parts.push(Expr::text(lower.span(node), &literal));
    }
    ExprKind::Template(parts)
}

fn subscript(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let object = Box::new(field(lower, node, "value"));
    let Some(index) = node.child_by_field_name("subscript") else {
        return ExprKind::Unknown(vec![*object]);
    };
    if index.kind() != "slice" {
        return ExprKind::Index(object, Box::new(expr(lower, index)));
    }
    let mut bounds = [None, None, None];
    let mut at = 0;
    for child in lower.children(index) {
        if child.kind() == ":" {
            at += 1;
        } else if child.is_named() {
            let value = expr(lower, child);
            if let Some(bound) = bounds.get_mut(at) {
                *bound = Some(value);
            }
        }
    }
    ExprKind::Slice(object, Box::new(bounds))
}

fn call(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let callee = field(lower, node, "function");
    let mut args = Vec::new();
    if let Some(list) = node.child_by_field_name("arguments") {
        if list.kind() == "generator_expression" {
            args.push(positional(expr(lower, list)));
        } else {
            for child in lower.named(list) {
                args.push(argument(lower, child));
            }
        }
    }
    ExprKind::Call(Box::new(Call { callee, args }))
}

fn positional(value: Expr) -> Arg {
    Arg {
        name: None,
        spread: false,
        value,
    }
}

fn argument(lower: &mut Lower<'_>, node: Node<'_>) -> Arg {
    match node.kind() {
        "keyword_argument" => Arg {
            name: node
                .child_by_field_name("name")
                .map(|name| lower.text(name).into()),
            spread: false,
            value: field(lower, node, "value"),
        },
        "list_splat" | "dictionary_splat" => {
            let inner = lower.named(node).first().map(|child| expr(lower, *child));
            Arg {
                name: None,
                spread: true,
                value: inner.unwrap_or_else(|| Expr::unknown(lower.span(node))),
            }
        }
        _ => positional(expr(lower, node)),
    }
}

fn binary(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let sign = node
        .child_by_field_name("operator")
        .map_or("", |sign| lower.text(sign));
    let op = operator(sign);
    if matches!(op, Op::Add | Op::Divide | Op::Or | Op::Multiply) {
        let operands = lower.operands(node, sign);
        if operands.len() > 2 {
            let operands = operands.into_iter().map(|one| expr(lower, one)).collect();
            return ExprKind::Chain(op, operands);
        }
    }
    let left = field(lower, node, "left");
    let right = field(lower, node, "right");
    ExprKind::Binary(op, Box::new(left), Box::new(right))
}

fn dictionary(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut entries = Vec::new();
    for child in lower.named(node) {
        if child.kind() == "pair" {
            let key = field(lower, child, "key");
            let value = field(lower, child, "value");
            entries.push((Some(key), value));
        } else {
            let value = lower.named(child).first().map(|inner| expr(lower, *inner));
            entries.push((
                None,
                value.unwrap_or_else(|| Expr::unknown(lower.span(child))),
            ));
        }
    }
    ExprKind::Map(entries)
}

fn lambda(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let params = node
        .child_by_field_name("parameters")
        .map(|list| params(lower, list))
        .unwrap_or_default();
    let body = field(lower, node, "body");
    ExprKind::Function(
        Function {
            name: "lambda".into(),
            params,
            span: lower.span(node),
            body: vec![Stmt {
                span: body.span,
                kind: super::super::ir::StmtKind::Return(Some(body)),
            }],
        }
        .into(),
    )
}

/// The parameters of a function.
pub(super) fn params(lower: &mut Lower<'_>, list: Node<'_>) -> Vec<Param> {
    let mut params = Vec::new();
    for child in lower.named(list) {
        let mut default = child.child_by_field_name("value");
        let mut inner = child;
        let mut rest = false;
        for _ in 0..3 {
            match inner.kind() {
                "default_parameter" | "typed_default_parameter" => {
                    default = inner.child_by_field_name("value");
                    match inner.child_by_field_name("name") {
                        Some(name) => inner = name,
                        None => break,
                    }
                }
                "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                    rest |= inner.kind() != "typed_parameter";
                    match inner.named_child(0) {
                        Some(name) => inner = name,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        if inner.kind() != "identifier" {
            continue;
        }
        let name: Name = lower.text(inner).into();
        params.push(Param {
            target: Target::Name(name),
            default: default.map(|value| expr(lower, value)),
            rest,
        });
    }
    params
}

fn comprehension(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut key = None;
    let mut body = Expr::unknown(lower.span(node));
    if let Some(part) = node.child_by_field_name("body") {
        if part.kind() == "pair" {
            key = Some(field(lower, part, "key"));
            body = field(lower, part, "value");
        } else {
            body = expr(lower, part);
        }
    }
    let mut clauses: Vec<Clause> = Vec::new();
    for child in lower.named(node) {
        match child.kind() {
            "for_in_clause" => {
                let target = target_of(field(lower, child, "left"));
                let iter = field(lower, child, "right");
                clauses.push(Clause {
                    target,
                    iter,
                    conditions: Vec::new(),
                });
            }
            "if_clause" => {
                let condition = exprs(lower, child);
                if let Some(last) = clauses.last_mut() {
                    last.conditions.extend(condition);
                }
            }
            _ => {}
        }
    }
    ExprKind::Comprehension(Box::new(Comprehension { key, body, clauses }))
}
