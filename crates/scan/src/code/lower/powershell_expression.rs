//! Expressions of `PowerShell`.

use prowess_syntax::Node;

use super::super::ir::{Expansion, Expr, ExprKind, Op, Operation, Target};
use super::Lower;
use super::escape::integer;
use super::powershell::{block, command, pipeline, script_block, token, word_operator};

/// An expression. The grammar wraps each in ten levels of operators: those without one are passed over.
pub(super) fn expr(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let mut node = node;
    for _ in 0..64 {
        if !node.kind().ends_with("_expression") || node.children().nth(1).is_some() {
            break;
        }
        match node.named_child(0) {
            Some(inner) if inner.kind() != "variable" || node.kind() != "element_access" => {
                node = inner;
            }
            _ => break,
        }
    }
    let span = lower.span(node);
    lower
        .deeper(|lower| Expr::new(span, kind(lower, node)))
        .unwrap_or_else(|| Expr::unknown(span))
}

fn exprs(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Expr> {
    lower
        .named(node)
        .into_iter()
        .map(|child| expr(lower, child))
        .collect()
}

fn kind(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let text = lower.text(node);
    let span = lower.span(node);
    match node.kind() {
        "command" => command(lower, node),
        "pipeline" | "pipeline_chain" => pipeline(lower, node).kind,
        "variable" => variable(text),
        "string_literal" => match node.named_child(0) {
            Some(inner) => expr(lower, inner).kind,
            None => ExprKind::Text(text.trim_matches(['"', '\'']).into()),
        },
        "verbatim_string_characters" => {
            ExprKind::Text(super::ecma::unquoted(text).replace("''", "'").into())
        }
        "verbatim_here_string_characters" => ExprKind::Text(here(text).into()),
        "expandable_string_literal" | "expandable_here_string_literal" => {
            expandable(lower, node, true).kind
        }
        "integer_literal" | "decimal_integer_literal" | "hexadecimal_integer_literal" => {
            integer(text).map_or(ExprKind::Unknown(Vec::new()), ExprKind::Int)
        }
        "parenthesized_expression" | "sub_expression" | "array_expression" => {
            let children = lower.named(node);
            match children.as_slice() {
                [single] => {
                    let value = if single.kind() == "statement_list"
                        && single.named_children().count() == 1
                    {
                        match single.named_child(0) {
                            Some(inner) => pipeline(lower, inner),
                            None => Expr::unknown(span),
                        }
                    } else {
                        pipeline(lower, *single)
                    };
                    if node.kind() == "array_expression" && !matches!(value.kind, ExprKind::List(_))
                    {
                        ExprKind::List(vec![Expr::new(span, ExprKind::Spread(Box::new(value)))])
                    } else {
                        value.kind
                    }
                }
                [] => ExprKind::List(Vec::new()),
                _ => ExprKind::Capture(block(lower, node).into()),
            }
        }
        "array_literal_expression" => ExprKind::List(exprs(lower, node)),
        "script_block_expression" => ExprKind::Function(script_block(lower, node).into()),
        "hash_literal_expression" => hash(lower, node),
        "type_literal" => ExprKind::Name(type_name(text).into()),
        "cast_expression" => {
            let children = lower.named(node);
            match children.as_slice() {
                [kind, value] => {
                    let value = expr(lower, *value);
                    let callee = Expr::name(span, &type_name(lower.text(*kind)));
                    Expr::call(span, callee, vec![value]).kind
                }
                _ => ExprKind::Unknown(exprs(lower, node)),
            }
        }
        "member_access" | "invokation_expression" => member(lower, node),
        "element_access" => {
            let mut parts = exprs(lower, node).into_iter();
            match (parts.next(), parts.next()) {
                (Some(object), Some(index)) => ExprKind::Index(Box::new(object), Box::new(index)),
                (Some(object), None) => object.kind,
                _ => ExprKind::Unknown(Vec::new()),
            }
        }
        "expression_with_unary_operator" => unary(lower, node),
        "post_increment_expression"
        | "post_decrement_expression"
        | "pre_increment_expression"
        | "pre_decrement_expression" => {
            let target = lower
                .named(node)
                .first()
                .map_or(Target::Ignore, |inner| variable_target(lower, *inner));
            let op = if node.kind().contains("increment") {
                Op::Add
            } else {
                Op::Subtract
            };
            ExprKind::Augment(Box::new((target, op, Expr::new(span, ExprKind::Int(1)))))
        }
        "generic_token" | "simple_name" | "command_name" | "path_command_name_token" => {
            ExprKind::Text(token(text).into())
        }
        "assignment_expression" | "statement_list" => {
            let inner = block(lower, node);
            ExprKind::Block(inner.into(), Vec::new())
        }
        name if name.ends_with("_expression") => binary(lower, node),
        _ if node.is_error() => ExprKind::Unknown(exprs(lower, node)),
        _ => ExprKind::Unknown(exprs(lower, node)),
    }
}

fn expansion(name: &str) -> ExprKind {
    ExprKind::Expansion(Box::new(Expansion {
        name: name.into(),
        operation: Operation::Default(None),
    }))
}

fn variable(text: &str) -> ExprKind {
    let name = text
        .trim_start_matches(['$', '@'])
        .trim_matches(['{', '}'])
        .to_ascii_lowercase();
    if let Some(name) = name.strip_prefix("env:") {
        return expansion(&name.to_ascii_uppercase());
    }
    let name = name
        .strip_prefix("global:")
        .or_else(|| name.strip_prefix("script:"))
        .or_else(|| name.strip_prefix("local:"))
        .unwrap_or(&name);
    match name {
        "true" => ExprKind::Bool(true),
        "false" => ExprKind::Bool(false),
        "null" => ExprKind::None,
        "home" => ExprKind::Text("~".into()),
        "profile" => {
            ExprKind::Text("~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1".into())
        }
        "psscriptroot" => ExprKind::Text(".".into()),
        "psitem" => expansion("_"),
        _ => expansion(name),
    }
}

/// A variable as a place to store into.
pub(super) fn variable_target(lower: &mut Lower<'_>, node: Node<'_>) -> Target {
    match variable(lower.text(node)) {
        ExprKind::Expansion(expansion) => Target::Name(expansion.name),
        _ => Target::Ignore,
    }
}

fn here(text: &str) -> &str {
    let inner = text
        .strip_prefix("@'")
        .or_else(|| text.strip_prefix("@\""))
        .unwrap_or(text);
    let inner = inner
        .strip_suffix("'@")
        .or_else(|| inner.strip_suffix("\"@"))
        .unwrap_or(inner);
    inner.trim_matches(['\r', '\n'])
}

/// A text with variables: what lies between them is literal.
pub(super) fn expandable(lower: &mut Lower<'_>, node: Node<'_>, quoted: bool) -> Expr {
    let span = lower.span(node);
    let start = node.start_byte();
    let end = node.end_byte();
    let mut marks: Vec<(usize, usize, Option<Expr>)> = Vec::new();
    if quoted {
        for child in lower.named(node) {
            if matches!(child.kind(), "variable" | "sub_expression") {
                let value = expr(lower, child);
                marks.push((child.start_byte(), child.end_byte(), Some(value)));
            }
        }
    } else {
        // `$env:TEMP\a.exe`
        let text = lower.text(node);
        let length = text.find('\\').unwrap_or(text.len());
        let name = text.get(..length).unwrap_or_default();
        marks.push((start, start + length, Some(Expr::new(span, variable(name)))));
    }
    let mut parts = Vec::new();
    let mut at = start;
    for (from, to, value) in marks {
        literal(
            lower,
            at,
            from,
            at == start && quoted,
            false,
            span,
            &mut parts,
        );
        parts.extend(value);
        at = to;
    }
    literal(
        lower,
        at,
        end,
        at == start && quoted,
        quoted,
        span,
        &mut parts,
    );
    Expr::new(span, ExprKind::Template(parts))
}

fn literal(
    lower: &Lower<'_>,
    from: usize,
    to: usize,
    first: bool,
    last: bool,
    span: prowess_spec::Span,
    parts: &mut Vec<Expr>,
) {
    let mut text = lower.source.get(from..to).unwrap_or_default();
    if first {
        text = text
            .strip_prefix("@\"")
            .unwrap_or_else(|| text.strip_prefix('"').unwrap_or(text));
    }
    if last {
        text = text
            .strip_suffix("\"@")
            .unwrap_or_else(|| text.strip_suffix('"').unwrap_or(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '`' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') | None => {}
            Some(other) => out.push(other),
        }
    }
    if !out.is_empty() {
        parts.push(Expr::text(span, &out));
    }
}

fn type_name(text: &str) -> String {
    let inner: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect::<String>()
        .to_ascii_lowercase();
    inner.replacen("[system.", "[", 1)
}

fn hash(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut entries = Vec::new();
    for body in lower.named(node) {
        for entry in lower.named(body) {
            if entry.kind() != "hash_entry" {
                continue;
            }
            let mut key = None;
            let mut value = Expr::unknown(lower.span(entry));
            for part in lower.named(entry) {
                if part.kind() == "key_expression" {
                    key = Some(match part.named_child(0) {
                        Some(inner) if inner.kind() == "simple_name" => {
                            Expr::text(lower.span(inner), lower.text(inner))
                        }
                        Some(inner) => expr(lower, inner),
                        None => Expr::text(lower.span(part), lower.text(part)),
                    });
                } else {
                    value = pipeline(lower, part);
                }
            }
            if let Some(key) = key {
                entries.push((Some(key), value));
            }
        }
    }
    ExprKind::Map(entries)
}

/// The arguments in parentheses.
pub(super) fn arguments(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Expr> {
    let mut args = Vec::new();
    for list in lower.named(node) {
        if list.kind() == "argument_expression_list" {
            args.extend(exprs(lower, list));
        } else {
            args.push(expr(lower, list));
        }
    }
    args
}

/// Names of methods as the tables write them: the language does not care about case.
fn method_name(text: &str) -> String {
    let lower = token(text).to_ascii_lowercase();
    match lower.as_str() {
        "tochararray" => "ToCharArray".to_owned(),
        "substring" => "Substring".to_owned(),
        "replace" => "Replace".to_owned(),
        "split" => "Split".to_owned(),
        "tolower" => "ToLower".to_owned(),
        "toupper" => "ToUpper".to_owned(),
        "tostring" => "ToString".to_owned(),
        _ => lower,
    }
}

fn member(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let span = lower.span(node);
    let mut object = None;
    let mut name = String::new();
    let mut args = None;
    for child in lower.named(node) {
        match child.kind() {
            "member_name" => {
                name = match child.named_child(0) {
                    Some(inner) if inner.kind() == "variable" => String::new(),
                    _ => method_name(lower.text(child)),
                };
            }
            "argument_list" => args = Some(arguments(lower, child)),
            "ERROR" => {}
            _ if object.is_none() => object = Some(expr(lower, child)),
            _ => {}
        }
    }
    let object = object.unwrap_or_else(|| Expr::unknown(span));
    let access = Expr::new(span, ExprKind::Member(Box::new(object), name.into()));
    match args {
        Some(args) => Expr::call(span, access, args).kind,
        None => access.kind,
    }
}

fn method(span: prowess_spec::Span, object: Expr, name: &str, args: Vec<Expr>) -> ExprKind {
    let callee = Expr::new(span, ExprKind::Member(Box::new(object), name.into()));
    Expr::call(span, callee, args).kind
}

fn items(expr: Expr) -> Vec<Expr> {
    match expr.kind {
        ExprKind::List(items) => items,
        kind => vec![Expr::new(expr.span, kind)],
    }
}

fn unary(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let span = lower.span(node);
    let sign = lower
        .children(node)
        .first()
        .filter(|child| !child.is_named())
        .map(|child| lower.text(*child).to_ascii_lowercase())
        .unwrap_or_default();
    let Some(inner) = lower.named(node).into_iter().next_back() else {
        return ExprKind::Unknown(Vec::new());
    };
    let inner = expr(lower, inner);
    match sign.as_str() {
        "-" => ExprKind::Negative(Box::new(inner)),
        "!" | "-not" => ExprKind::Not(Box::new(inner)),
        "-join" => method(span, inner, "join", vec![Expr::text(span, "")]),
        "-split" => method(span, inner, "Split", Vec::new()),
        "-bnot" => ExprKind::Invert(Box::new(inner)),
        _ => inner.kind,
    }
}

fn binary(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let span = lower.span(node);
    let mut operands = Vec::new();
    let mut sign = String::new();
    for child in lower.children(node) {
        if child.kind().ends_with("_operator") && child.kind() != "expression_with_unary_operator"
            || !child.is_named()
        {
            sign = lower.text(child).to_ascii_lowercase();
        } else if !child.is_extra() {
            operands.push(expr(lower, child));
        }
    }
    if sign == "," || operands.len() > 2 {
        return ExprKind::List(operands);
    }
    let mut operands = operands.into_iter();
    let (Some(left), Some(right)) = (operands.next(), operands.next()) else {
        return ExprKind::Unknown(Vec::new());
    };
    match sign.as_str() {
        "-f" => method(span, left, "format", items(right)),
        "-join" => method(span, left, "join", vec![right]),
        "-replace" | "-creplace" | "-ireplace" => method(span, left, "Replace", items(right)),
        "-split" | "-csplit" | "-isplit" => method(span, left, "Split", items(right)),
        ".." => Expr::call(span, Expr::name(span, "[range]"), vec![left, right]).kind,
        sign if sign.starts_with('-') && sign.len() > 1 => {
            ExprKind::Binary(word_operator(sign), Box::new(left), Box::new(right))
        }
        sign => ExprKind::Binary(super::operator(sign), Box::new(left), Box::new(right)),
    }
}
