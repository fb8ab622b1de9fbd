//! Statements and commands of `PowerShell`.

use prowess_syntax::Node;

use super::super::ir::{
    Command, Expr, ExprKind, Function, Op, Param, Redirect, Stmt, StmtKind, Target,
};
use super::Lower;
use super::powershell_expression::{expr, variable_target};
use super::target_of;

/// The statements of a script.
pub(in super::super) fn module(lower: &mut Lower<'_>, root: Node<'_>) -> Vec<Stmt> {
    block(lower, root)
}

/// The statements among the children of a node.
pub(super) fn block(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for child in lower.named(node) {
        statement(lower, child, &mut out);
    }
    out
}

fn statement(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<Stmt>) {
    let span = lower.span(node);
    let kinds = lower.deeper(|lower| {
        let mut kinds = Vec::new();
        lower_statement(lower, node, &mut kinds);
        kinds
    });
    for kind in kinds.unwrap_or_default() {
        out.push(Stmt { span, kind });
    }
}

fn lower_statement(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    match node.kind() {
        "statement_list" | "statement_block" | "script_block" | "script_block_body" | "program"
        | "ERROR" | "catch_clauses" | "catch_clause" | "finally_clause" | "elseif_clauses"
        | "else_clause" | "named_block" | "named_block_list" | "for_initializer"
        | "for_iterator" | "switch_body" | "switch_clauses" | "switch_clause" => {
            let inner = block(lower, node);
            out.push(StmtKind::Block(inner));
        }
        "pipeline" => {
            for child in lower.named(node) {
                if child.kind() == "assignment_expression" {
                    assignment(lower, child, out);
                } else {
                    let value = chain(lower, child);
                    out.push(StmtKind::Expr(value));
                }
            }
        }
        "assignment_expression" => assignment(lower, node, out),
        "if_statement" | "elseif_clause" => {
            let condition = node
                .child_by_field_name("condition")
                .map(|condition| pipeline(lower, condition));
            let condition = condition.unwrap_or_else(|| Expr::unknown(lower.span(node)));
            let mut yes = Vec::new();
            let mut no = Vec::new();
            for child in lower.named(node) {
                match child.kind() {
                    "statement_block" => statement(lower, child, &mut yes),
                    "elseif_clauses" | "else_clause" => statement(lower, child, &mut no),
                    _ => {}
                }
            }
            out.push(StmtKind::If(condition, yes, no));
        }
        "foreach_statement" => {
            let mut target = Target::Ignore;
            let mut iter = Expr::unknown(lower.span(node));
            let mut body = Vec::new();
            for child in lower.named(node) {
                match child.kind() {
                    "variable" => target = variable_target(lower, child),
                    "pipeline" => iter = pipeline(lower, child),
                    "statement_block" => body = block(lower, child),
                    _ => {}
                }
            }
            out.push(StmtKind::For(target, iter, body));
        }
        "for_statement" | "while_statement" | "do_statement" => looping(lower, node, out),
        "try_statement" => {
            for child in lower.named(node) {
                let inner = block(lower, child);
                out.push(if child.kind() == "catch_clauses" {
                    StmtKind::Maybe(vec![inner])
                } else {
                    StmtKind::Block(inner)
                });
            }
        }
        "switch_statement" => {
            let inner = block(lower, node);
            out.push(StmtKind::Maybe(vec![inner]));
        }
        "function_statement" => {
            let function = function(lower, node);
            out.push(StmtKind::Function(function.into(), Vec::new()));
        }
        "flow_control_statement" => {
            let text = lower.text(node).to_ascii_lowercase();
            let value = lower
                .named(node)
                .first()
                .map(|child| pipeline(lower, *child));
            if text.starts_with("return") {
                out.push(StmtKind::Return(value));
            } else {
                out.extend(value.map(StmtKind::Expr));
                out.push(if text.starts_with("continue") {
                    StmtKind::Continue
                } else {
                    StmtKind::Break
                });
            }
        }
        "param_block" => {
            let mut params = Vec::new();
            parameters(lower, node, &mut params);
            for param in params {
                if let Some(default) = param.default {
                    out.push(StmtKind::Assign(vec![param.target], default));
                }
            }
        }
        "comment" | "empty_statement" => {}
        _ => {
            let value = expr(lower, node);
            out.push(StmtKind::Expr(value));
        }
    }
}

fn looping(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let mut condition = Expr::unknown(lower.span(node));
    let mut body = Vec::new();
    let mut step = Vec::new();
    for child in lower.named(node) {
        match child.kind() {
            "for_initializer" => out.push(StmtKind::Block(block(lower, child))),
            "for_iterator" => step = block(lower, child),
            "for_condition" | "while_condition" => {
                if let Some(inner) = lower.named(child).first() {
                    condition = pipeline(lower, *inner);
                }
            }
            "statement_block" => body = block(lower, child),
            _ => {}
        }
    }
    body.extend(step);
    out.push(StmtKind::While(condition, body));
}

fn assignment(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let children = lower.named(node);
    let mut target = Target::Ignore;
    let mut sign = "=";
    for child in &children {
        match child.kind() {
            "left_assignment_expression" => {
                if let Some(inner) = child.named_child(0) {
                    let inner = expr(lower, inner);
                    target = match inner.kind {
                        ExprKind::Expansion(expansion) => Target::Name(expansion.name),
                        kind => target_of(Expr::new(inner.span, kind)),
                    };
                }
            }
            "assignement_operator" => sign = lower.text(*child),
            _ => {}
        }
    }
    let value = match node.child_by_field_name("value") {
        Some(value) => pipeline(lower, value),
        None => Expr::unknown(lower.span(node)),
    };
    out.push(if sign == "=" {
        StmtKind::Assign(vec![target], value)
    } else {
        StmtKind::Augment(target, super::operator(sign), value)
    });
}

/// A pipeline, or a statement in its place, as a value.
pub(super) fn pipeline(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    if node.kind() != "pipeline" {
        if node.kind().ends_with("_statement") || node.kind() == "statement_list" {
            let span = lower.span(node);
            let mut inner = Vec::new();
            statement(lower, node, &mut inner);
            return Expr::new(span, ExprKind::Capture(inner.into()));
        }
        return expr(lower, node);
    }
    let span = lower.span(node);
    let children = lower.named(node);
    match children.as_slice() {
        [single] if single.kind() != "assignment_expression" => chain(lower, *single),
        _ => {
            let mut inner = Vec::new();
            statement(lower, node, &mut inner);
            Expr::new(span, ExprKind::Block(inner.into(), Vec::new()))
        }
    }
}

fn chain(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    lower
        .deeper(|lower| {
            if node.kind() != "pipeline_chain" {
                return expr(lower, node);
            }
            let mut parts = Vec::new();
            for child in lower.named(node) {
                match child.kind() {
                    "redirections" | "redirection" => {}
                    _ => parts.push(expr(lower, child)),
                }
            }
            if parts.len() == 1
                && let Some(single) = parts.pop()
            {
                return single;
            }
            Expr::new(span, ExprKind::Pipeline(parts))
        })
        .unwrap_or_else(|| Expr::unknown(span))
}

/// A command with its parameters and arguments.
pub(super) fn command(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut words = Vec::new();
    let mut redirects = Vec::new();
    let mut dotted = false;
    for child in lower.named(node) {
        let span = lower.span(child);
        match child.kind() {
            "command_invokation_operator" => dotted = lower.text(child) == ".",
            "command_name" => words.push(Expr::text(span, &token(lower.text(child)))),
            "command_name_expr" => {
                if let Some(inner) = child.named_child(0) {
                    words.push(name_word(lower, inner));
                }
            }
            "path_command_name" => words.push(name_word(lower, child)),
            "command_elements" => elements(lower, child, &mut words, &mut redirects),
            _ => words.push(expr(lower, child)),
        }
    }
    if dotted {
        words.insert(0, Expr::text(lower.span(node), "."));
    }
    // A number range at the start of a pipeline looks like a command.
    if let [only] = words.as_slice()
        && let ExprKind::Text(text) = &only.kind
        && let Some((from, to)) = text.split_once("..")
        && let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>())
    {
        let span = only.span;
        let ends = vec![
            Expr::new(span, ExprKind::Int(from)),
            Expr::new(span, ExprKind::Int(to)),
        ];
        return Expr::call(span, Expr::name(span, "[range]"), ends).kind;
    }
    ExprKind::Command(Box::new(Command {
        words,
        assigns: Vec::new(),
        redirects,
        powershell: true,
    }))
}

fn name_word(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    match node.kind() {
        "command_name" => Expr::text(span, &token(lower.text(node))),
        "path_command_name" => {
            let parts = lower.named(node);
            if parts.is_empty() {
                return Expr::text(span, &token(lower.text(node)));
            }
            let parts: Vec<Expr> = parts
                .into_iter()
                .map(|part| match part.kind() {
                    "path_command_name_token" => Expr::text(lower.span(part), lower.text(part)),
                    _ => expr(lower, part),
                })
                .collect();
            let mut parts = parts;
            match (parts.len(), parts.pop()) {
                (1, Some(single)) => single,
                (_, Some(last)) => {
                    parts.push(last);
                    Expr::new(span, ExprKind::Template(parts))
                }
                (_, None) => Expr::unknown(span),
            }
        }
        _ => expr(lower, node),
    }
}

fn elements(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    words: &mut Vec<Expr>,
    redirects: &mut Vec<Redirect>,
) {
    let mut glued = false;
    for child in lower.named(node) {
        let span = lower.span(child);
        match child.kind() {
            "command_argument_sep" => {
                glued = false;
                continue;
            }
            "command_parameter" => {
                let text = lower.text(child).trim_end_matches(':');
                words.push(Expr::text(span, &token(text).to_ascii_lowercase()));
            }
            // `x.Method` and its arguments are two elements.
            "argument_list" => {
                let args = super::powershell_expression::arguments(lower, child);
                match words.pop() {
                    // `New-Object Type(args)`
                    Some(name) if glued && matches!(name.kind, ExprKind::Text(_)) => {
                        words.push(name);
                        words.push(Expr::new(span, ExprKind::List(args)));
                    }
                    Some(callee) if glued => words.push(Expr::call(span, callee, args)),
                    Some(other) => {
                        words.push(other);
                        words.extend(args);
                    }
                    None => words.extend(args),
                }
            }
            "generic_token" => words.push(Expr::text(span, &token(lower.text(child)))),
            "redirection" => {
                let target = lower.named(child).into_iter().next_back();
                if let Some(target) = target
                    && !lower.text(child).contains('&')
                {
                    let path = expr(lower, target);
                    let path = match path.kind {
                        ExprKind::Unknown(_) => {
                            let text = lower.text(target).trim().to_owned();
                            Expr::text(span, &text)
                        }
                        _ => path,
                    };
                    redirects.push(Redirect::Write(path));
                }
            }
            // `$env:TEMP\a.exe`: the grammar takes the rest for a member.
            _ if lower.text(child).starts_with('$') && lower.text(child).contains('\\') => {
                words.push(super::powershell_expression::expandable(
                    lower, child, false,
                ));
            }
            _ => words.push(expr(lower, child)),
        }
        glued = true;
    }
}

/// A bare word without the backticks that are put in to hide it.
pub(super) fn token(text: &str) -> String {
    text.chars()
        .filter(|c| *c != '`')
        .collect::<String>()
        .trim_matches(['"', '\''])
        .to_owned()
}

fn function(lower: &mut Lower<'_>, node: Node<'_>) -> Function {
    let mut name = String::new();
    let mut params = Vec::new();
    let mut body = Vec::new();
    for child in lower.named(node) {
        match child.kind() {
            "function_name" => name = lower.text(child).to_ascii_lowercase(),
            "function_parameter_declaration" => parameters(lower, child, &mut params),
            "script_block" => {
                script_parameters(lower, child, &mut params);
                body.extend(block(lower, child));
            }
            _ if child.is_error() => parameters(lower, child, &mut params),
            _ => {}
        }
    }
    Function {
        name: name.into(),
        params,
        body,
        span: lower.span(node),
    }
}

/// `{ … }` as a function.
pub(super) fn script_block(lower: &mut Lower<'_>, node: Node<'_>) -> Function {
    let mut params = Vec::new();
    let mut body = Vec::new();
    for child in lower.named(node) {
        if child.kind() == "script_block" {
            script_parameters(lower, child, &mut params);
            body.extend(block(lower, child));
        }
    }
    Function {
        name: "".into(),
        params,
        body,
        span: lower.span(node),
    }
}

fn script_parameters(lower: &mut Lower<'_>, node: Node<'_>, params: &mut Vec<Param>) {
    for child in lower.named(node) {
        if child.kind() == "param_block" {
            parameters(lower, child, params);
        }
    }
}

fn parameters(lower: &mut Lower<'_>, node: Node<'_>, params: &mut Vec<Param>) {
    for child in lower.named(node) {
        match child.kind() {
            "script_parameter" => {
                let mut target = Target::Ignore;
                let mut default = None;
                for part in lower.named(child) {
                    match part.kind() {
                        "variable" => target = variable_target(lower, part),
                        "script_parameter_default" => {
                            default = part.named_child(0).map(|value| expr(lower, value));
                        }
                        _ => {}
                    }
                }
                params.push(Param {
                    target,
                    default,
                    rest: false,
                });
            }
            "parameter_list" | "param_block"
                if lower.deeper(|_| ()).is_some() && params.len() < 200 =>
            {
                parameters(lower, child, params);
            }
            _ => {}
        }
    }
}

/// The sign of an operator written as a word.
pub(super) fn word_operator(sign: &str) -> Op {
    match sign.trim_start_matches('-').trim_start_matches(['c', 'i']) {
        "bxor" => Op::Xor,
        "band" => Op::And,
        "bor" => Op::Or,
        "shl" => Op::ShiftLeft,
        "shr" => Op::ShiftRight,
        "eq" => Op::Equal,
        "ne" => Op::NotEqual,
        "lt" => Op::Less,
        "le" => Op::LessEqual,
        "gt" => Op::Greater,
        "ge" => Op::GreaterEqual,
        "and" | "or" | "xor" => Op::Test,
        _ => Op::Test,
    }
}

/// The grammar wants a line to end after `param(…)`: a blank there becomes the end of one, so that places stay.
pub(in super::super) fn with_line_ends(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut changed = false;
    let lower = source.to_ascii_lowercase();
    for (at, _) in lower.match_indices("param").take(1000) {
        let mut depth = 0_usize;
        for place in (at + 5)..bytes.len().min(at + 2000) {
            match bytes.get(place) {
                Some(b'(') => depth += 1,
                Some(b')') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        if let Some(next) = bytes.get_mut(place + 1)
                            && *next == b' '
                        {
                            *next = b'\n';
                            changed = true;
                        }
                        break;
                    }
                }
                Some(b' ') => {}
                _ if depth == 0 => break,
                _ => {}
            }
        }
    }
    if !changed {
        return None;
    }
    String::from_utf8(bytes).ok()
}
