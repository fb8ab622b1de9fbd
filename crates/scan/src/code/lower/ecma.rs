//! Expressions of JavaScript and TypeScript.

use prowess_syntax::Node;

use super::super::ir::{Arg, Call, Expr, ExprKind, Function, Op, Param, Stmt, StmtKind, Target};
use super::ecma_statement::{block, statement};
use super::escape::{integer, unescape};
use super::{Lower, operator};

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

pub(super) fn field(lower: &mut Lower<'_>, node: Node<'_>, name: &str) -> Expr {
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

fn kind(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    match node.kind() {
        "identifier"
        | "this"
        | "super"
        | "property_identifier"
        | "private_property_identifier"
        | "shorthand_property_identifier"
        | "shorthand_property_identifier_pattern"
        | "import" => ExprKind::Name(lower.text(node).into()),
        "true" => ExprKind::Bool(true),
        "false" => ExprKind::Bool(false),
        "null" | "undefined" => ExprKind::None,
        "number" => integer(lower.text(node)).map_or(ExprKind::Unknown(Vec::new()), ExprKind::Int),
        "string" => ExprKind::Text(unescape(unquoted(lower.text(node)), true).into()),
        "template_string" => template(lower, node),
        "regex" => {
            let pattern = node
                .child_by_field_name("pattern")
                .map_or("", |pattern| lower.text(pattern));
            let flags = node
                .child_by_field_name("flags")
                .map_or("", |flags| lower.text(flags));
            // A pattern keeps its slashes, so that `replace` knows it is not a plain text.
            ExprKind::Text(format!("/{pattern}/{flags}").into())
        }
        "member_expression" => {
            let object = field(lower, node, "object");
            let name = node
                .child_by_field_name("property")
                .map_or("", |name| lower.text(name));
            ExprKind::Member(Box::new(object), name.into())
        }
        "subscript_expression" => {
            let object = field(lower, node, "object");
            let index = field(lower, node, "index");
            ExprKind::Index(Box::new(object), Box::new(index))
        }
        "call_expression" | "new_expression" => call(lower, node),
        "binary_expression" => binary(lower, node),
        "unary_expression" => {
            let argument = Box::new(field(lower, node, "argument"));
            match node
                .child_by_field_name("operator")
                .map(|sign| lower.text(sign))
            {
                Some("-") => ExprKind::Negative(argument),
                Some("!") => ExprKind::Not(argument),
                Some("~") => ExprKind::Invert(argument),
                Some("typeof" | "delete" | "void") => ExprKind::Unknown(vec![*argument]),
                _ => argument.kind,
            }
        }
        "update_expression" => {
            let span = lower.span(node);
            let target = node
                .child_by_field_name("argument")
                .map_or(Target::Ignore, |target| pattern(lower, target));
            let op = if lower.text(node).contains("--") {
                Op::Subtract
            } else {
                Op::Add
            };
            let one = Expr::new(span, ExprKind::Int(1));
            ExprKind::Augment(Box::new((target, op, one)))
        }
        "array" => ExprKind::List(exprs(lower, node)),
        "object" => object(lower, node),
        "arrow_function"
        | "function_expression"
        | "function"
        | "generator_function"
        | "function_declaration"
        | "method_definition"
        | "generator_function_declaration" => ExprKind::Function(function(lower, node).into()),
        "ternary_expression" => {
            let condition = field(lower, node, "condition");
            let yes = field(lower, node, "consequence");
            let no = field(lower, node, "alternative");
            ExprKind::Conditional(Box::new((condition, yes, no)))
        }
        "assignment_expression" => {
            let target = node
                .child_by_field_name("left")
                .map_or(Target::Ignore, |target| pattern(lower, target));
            let value = field(lower, node, "right");
            ExprKind::Assign(Box::new((target, value)))
        }
        "augmented_assignment_expression" => {
            let target = node
                .child_by_field_name("left")
                .map_or(Target::Ignore, |target| pattern(lower, target));
            let sign = node
                .child_by_field_name("operator")
                .map_or("", |sign| lower.text(sign));
            let value = field(lower, node, "right");
            ExprKind::Augment(Box::new((target, operator(sign), value)))
        }
        "spread_element" => {
            let inner = lower.named(node).first().map(|child| expr(lower, *child));
            ExprKind::Spread(Box::new(
                inner.unwrap_or_else(|| Expr::unknown(lower.span(node))),
            ))
        }
        // Types are not values.
        "as_expression"
        | "satisfies_expression"
        | "non_null_expression"
        | "await_expression"
        | "parenthesized_expression"
        | "yield_expression"
        | "template_substitution" => match lower.named(node).first() {
            Some(child) => expr(lower, *child).kind,
            None => ExprKind::None,
        },
        "sequence_expression" => {
            // The value is the last one: `(0, eval)(x)`.
            let mut parts = exprs(lower, node);
            let last = parts.pop();
            let span = lower.span(node);
            let mut body: Vec<Stmt> = parts
                .into_iter()
                .map(|part| Stmt {
                    span: part.span,
                    kind: StmtKind::Expr(part),
                })
                .collect();
            if let Some(last) = last {
                body.push(Stmt {
                    span,
                    kind: StmtKind::Expr(last),
                });
            }
            ExprKind::Block(body.into(), Vec::new())
        }
        "class" => {
            let mut out = Vec::new();
            statement(lower, node, &mut out);
            ExprKind::Block(out.into(), Vec::new())
        }
        "type_annotation" | "type_arguments" | "type_parameters" | "comment" => ExprKind::None,
        _ if node.is_error() || node.kind().ends_with("_statement") => {
            let statements = block(lower, node);
            ExprKind::Block(statements.into(), Vec::new())
        }
        _ => ExprKind::Unknown(exprs(lower, node)),
    }
}

/// The inside of a quoted text.
pub(super) fn unquoted(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

fn template(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut parts = Vec::new();
    for child in lower.named(node) {
        let span = lower.span(child);
        match child.kind() {
            "string_fragment" => parts.push(Expr::text(span, lower.text(child))),
            "escape_sequence" => {
                let text = unescape(lower.text(child), true);
                parts.push(Expr::text(span, &text));
            }
            _ => parts.push(expr(lower, child)),
        }
    }
    if parts.is_empty() {
        return ExprKind::Text("".into());
    }
    ExprKind::Template(parts)
}

fn call(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let callee = node
        .child_by_field_name("function")
        .or_else(|| node.child_by_field_name("constructor"));
    let callee = match callee {
        Some(callee) => expr(lower, callee),
        None => Expr::unknown(lower.span(node)),
    };
    let mut args = Vec::new();
    if let Some(list) = node.child_by_field_name("arguments") {
        if list.kind() == "template_string" {
            let value = expr(lower, list);
            args.push(Arg {
                name: None,
                spread: false,
                value,
            });
        } else {
            for child in lower.named(list) {
                let spread = child.kind() == "spread_element";
                let inner = if spread {
                    child.named_child(0).unwrap_or(child)
                } else {
                    child
                };
                let value = expr(lower, inner);
                args.push(Arg {
                    name: None,
                    spread,
                    value,
                });
            }
        }
    }
    ExprKind::Call(Box::new(Call { callee, args }))
}

fn binary(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let sign = node
        .child_by_field_name("operator")
        .map_or("", |sign| lower.text(sign));
    let op = operator(sign);
    if matches!(op, Op::Add | Op::Either | Op::Or | Op::Multiply) {
        let operands = lower.operands(node, sign);
        if operands.len() > 2 || op == Op::Either {
            let operands = operands.into_iter().map(|one| expr(lower, one)).collect();
            return ExprKind::Chain(op, operands);
        }
    }
    let left = field(lower, node, "left");
    let right = field(lower, node, "right");
    ExprKind::Binary(op, Box::new(left), Box::new(right))
}

fn object(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut entries = Vec::new();
    for child in lower.named(node) {
        let span = lower.span(child);
        match child.kind() {
            "pair" => {
                let key = child
                    .child_by_field_name("key")
                    .map(|key| property(lower, key));
                let value = field(lower, child, "value");
                entries.push((key.or_else(|| Some(Expr::unknown(span))), value));
            }
            "shorthand_property_identifier" => {
                let name = lower.text(child);
                entries.push((Some(Expr::text(span, name)), Expr::name(span, name)));
            }
            "method_definition" => {
                let name = child
                    .child_by_field_name("name")
                    .map_or("", |name| lower.text(name));
                let value = expr(lower, child);
                entries.push((Some(Expr::text(span, name)), value));
            }
            "spread_element" => {
                let value = lower.named(child).first().map(|inner| expr(lower, *inner));
                entries.push((None, value.unwrap_or_else(|| Expr::unknown(span))));
            }
            _ => {}
        }
    }
    ExprKind::Map(entries)
}

fn property(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    match node.kind() {
        "property_identifier" | "private_property_identifier" | "number" => {
            Expr::text(lower.span(node), lower.text(node))
        }
        "computed_property_name" => match node.named_child(0) {
            Some(inner) => expr(lower, inner),
            None => Expr::unknown(lower.span(node)),
        },
        _ => expr(lower, node),
    }
}

/// A function in any of its shapes.
pub(super) fn function(lower: &mut Lower<'_>, node: Node<'_>) -> Function {
    let name = node
        .child_by_field_name("name")
        .map_or("", |name| lower.text(name));
    let mut params = Vec::new();
    if let Some(single) = node.child_by_field_name("parameter") {
        params.push(Param {
            target: pattern(lower, single),
            default: None,
            rest: false,
        });
    }
    if let Some(list) = node.child_by_field_name("parameters") {
        for child in lower.named(list) {
            params.push(param(lower, child));
        }
    }
    let body = match node.child_by_field_name("body") {
        Some(body) if body.kind() == "statement_block" => block(lower, body),
        Some(body) => {
            let value = expr(lower, body);
            vec![Stmt {
                span: value.span,
                kind: StmtKind::Return(Some(value)),
            }]
        }
        None => Vec::new(),
    };
    Function {
        name: name.into(),
        params,
        body,
        span: lower.span(node),
    }
}

fn param(lower: &mut Lower<'_>, node: Node<'_>) -> Param {
    let mut default = node
        .child_by_field_name("value")
        .map(|value| expr(lower, value));
    let mut inner = node.child_by_field_name("pattern").unwrap_or(node);
    if inner.kind() == "assignment_pattern" {
        default = inner
            .child_by_field_name("right")
            .map(|value| expr(lower, value));
        inner = inner.child_by_field_name("left").unwrap_or(inner);
    }
    let rest = inner.kind() == "rest_pattern";
    if rest {
        inner = inner.named_child(0).unwrap_or(inner);
    }
    Param {
        target: pattern(lower, inner),
        default,
        rest,
    }
}

/// Where a value is stored: a name, a member, a destructuring pattern.
pub(super) fn pattern(lower: &mut Lower<'_>, node: Node<'_>) -> Target {
    lower
        .deeper(|lower| inner_pattern(lower, node))
        .unwrap_or(Target::Ignore)
}

fn inner_pattern(lower: &mut Lower<'_>, node: Node<'_>) -> Target {
    match node.kind() {
        "identifier"
        | "shorthand_property_identifier_pattern"
        | "shorthand_property_identifier" => Target::Name(lower.text(node).into()),
        "member_expression" | "subscript_expression" => super::target_of(expr(lower, node)),
        "array_pattern" | "array" => {
            let children = lower.named(node);
            Target::List(
                children
                    .into_iter()
                    .map(|one| pattern(lower, one))
                    .collect(),
            )
        }
        "object_pattern" | "object" => {
            let mut entries = Vec::new();
            for child in lower.named(node) {
                match child.kind() {
                    "pair_pattern" | "pair" => {
                        let key = child
                            .child_by_field_name("key")
                            .map_or("", |key| lower.text(key));
                        let target = child
                            .child_by_field_name("value")
                            .map_or(Target::Ignore, |value| pattern(lower, value));
                        entries.push((key.trim_matches(['"', '\'']).into(), target));
                    }
                    "object_assignment_pattern" => {
                        let name = child
                            .child_by_field_name("left")
                            .map_or("", |name| lower.text(name));
                        entries.push((name.into(), Target::Name(name.into())));
                    }
                    "rest_pattern" => {
                        let inner = child
                            .named_child(0)
                            .map_or(Target::Ignore, |inner| pattern(lower, inner));
                        entries.push(("...".into(), inner));
                    }
                    _ => {
                        let name = lower.text(child);
                        entries.push((name.into(), Target::Name(name.into())));
                    }
                }
            }
            Target::Map(entries)
        }
        "assignment_pattern" => node
            .child_by_field_name("left")
            .map_or(Target::Ignore, |left| pattern(lower, left)),
        "rest_pattern" | "spread_element" => {
            let inner = node
                .named_child(0)
                .map_or(Target::Ignore, |inner| pattern(lower, inner));
            Target::Rest(Box::new(inner))
        }
        "parenthesized_expression" | "non_null_expression" | "as_expression" => node
            .named_child(0)
            .map_or(Target::Ignore, |inner| pattern(lower, inner)),
        _ => Target::Ignore,
    }
}
