//! Statements and commands of bash.

use prowess_syntax::Node;

use super::super::ir::{
    Command, Expr, ExprKind, Function, Name, Op, Redirect, Stmt, StmtKind, Target,
};
use super::Lower;
use super::shell_word::{word, words_of};

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
        "variable_assignment" => out.push(assignment(lower, node)),
        "variable_assignments" | "declaration_command" => {
            for child in lower.named(node) {
                match child.kind() {
                    "variable_assignment" => out.push(assignment(lower, child)),
                    _ => {
                        let value = word(lower, child);
                        out.push(StmtKind::Expr(value));
                    }
                }
            }
        }
        "list" => {
            // `a && b || c` nests to the left.
            let mut parts = Vec::new();
            let mut at = node;
            loop {
                let mut children = lower.named(at);
                if children.first().is_some_and(|first| first.kind() == "list") {
                    let first = children.remove(0);
                    parts.extend(children.into_iter().rev());
                    at = first;
                } else {
                    parts.extend(children.into_iter().rev());
                    break;
                }
            }
            let mut inner = Vec::new();
            for part in parts.into_iter().rev() {
                statement(lower, part, &mut inner);
            }
            out.push(StmtKind::Block(inner));
        }
        "if_statement" => out.push(conditional(lower, node)),
        "for_statement" => {
            let name: Name = node
                .child_by_field_name("variable")
                .map_or("", |name| lower.text(name))
                .into();
            let values = node.children_by_field_name("value");
            let items = values.map(|value| word(lower, value)).collect();
            let body = inner_block(lower, node);
            let list = Expr::new(lower.span(node), ExprKind::List(items));
            out.push(StmtKind::For(Target::Name(name), list, body));
        }
        "while_statement" | "c_style_for_statement" => {
            let condition = node
                .child_by_field_name("condition")
                .map(|condition| expr(lower, condition));
            let body = inner_block(lower, node);
            let span = lower.span(node);
            // `until` and `while`, and whatever the condition says: the body may run.
            let condition = condition.unwrap_or_else(|| Expr::unknown(span));
            let condition = Expr::new(span, ExprKind::Unknown(vec![condition]));
            out.push(StmtKind::While(condition, body));
        }
        "case_statement" => {
            let value = node
                .child_by_field_name("value")
                .map(|value| word(lower, value));
            out.extend(value.map(StmtKind::Expr));
            let mut cases = Vec::new();
            for child in lower.named(node) {
                if child.kind() == "case_item" {
                    let mut inner = Vec::new();
                    for part in lower.named(child) {
                        if !is_word(part.kind()) {
                            statement(lower, part, &mut inner);
                        }
                    }
                    cases.push(inner);
                }
            }
            out.push(StmtKind::Maybe(cases));
        }
        "function_definition" => {
            let name = node
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let body = node
                .child_by_field_name("body")
                .map(|body| block(lower, body))
                .unwrap_or_default();
            let function = Function {
                name: name.into(),
                params: Vec::new(),
                body,
                span: lower.span(node),
            };
            out.push(StmtKind::Function(function.into(), Vec::new()));
        }
        "compound_statement" | "do_group" | "program" | "else_clause" => {
            let inner = block(lower, node);
            out.push(StmtKind::Block(inner));
        }
        "ERROR" => {
            let inner = block(lower, node);
            out.push(StmtKind::Block(inner));
        }
        _ => {
            let value = expr(lower, node);
            out.push(StmtKind::Expr(value));
        }
    }
}

fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "string"
            | "raw_string"
            | "concatenation"
            | "extglob_pattern"
            | "regex"
            | "number"
            | "simple_expansion"
            | "expansion"
            | "ansi_c_string"
            | "string_content"
            | "variable_name"
            | "heredoc_start"
            | "heredoc_end"
            | "heredoc_body"
            | "file_descriptor"
            | "test_operator"
            | "special_variable_name"
    )
}

fn inner_block(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Stmt> {
    node.child_by_field_name("body")
        .map(|body| block(lower, body))
        .unwrap_or_default()
}

fn assignment(lower: &mut Lower<'_>, node: Node<'_>) -> StmtKind {
    let target = node.child_by_field_name("name");
    let name: Name = target
        .map_or("", |name| lower.text(name))
        .split('[')
        .next()
        .unwrap_or_default()
        .into();
    let span = lower.span(node);
    let value = match node.child_by_field_name("value") {
        Some(value) => word(lower, value),
        None => Expr::text(span, ""),
    };
    let appends = lower
        .children(node)
        .iter()
        .any(|child| child.kind() == "+=");
    let indexed = target.is_some_and(|target| target.kind() == "subscript");
    if appends || indexed {
        StmtKind::Augment(Target::Name(name), Op::Add, value)
    } else {
        StmtKind::Assign(vec![Target::Name(name)], value)
    }
}

fn conditional(lower: &mut Lower<'_>, node: Node<'_>) -> StmtKind {
    let span = lower.span(node);
    let conditions: Vec<Node<'_>> = node
        .children_by_field_name("condition")
        .filter(Node::is_named)
        .collect();
    let tests = conditions.iter().map(|one| expr(lower, *one)).collect();
    let mut yes = Vec::new();
    let mut rest = Vec::new();
    for child in lower.named(node) {
        if conditions.contains(&child) {
            continue;
        }
        match child.kind() {
            // The test of an `elif` is a command among its statements.
            "elif_clause" | "else_clause" => {
                let inner = block(lower, child);
                rest.push(Stmt {
                    span: lower.span(child),
                    kind: StmtKind::Maybe(vec![inner]),
                });
            }
            _ => statement(lower, child, &mut yes),
        }
    }
    StmtKind::If(Expr::new(span, ExprKind::Unknown(tests)), yes, rest)
}

/// A command, or what can stand in its place, as an expression: its value is what it prints.
pub(super) fn expr(lower: &mut Lower<'_>, node: Node<'_>) -> Expr {
    let span = lower.span(node);
    lower
        .deeper(|lower| Expr::new(span, kind(lower, node)))
        .unwrap_or_else(|| Expr::unknown(span))
}

fn kind(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    match node.kind() {
        "command" => command(lower, node),
        "pipeline" => {
            let parts = lower.named(node);
            ExprKind::Pipeline(parts.into_iter().map(|part| expr(lower, part)).collect())
        }
        "redirected_statement" => redirected(lower, node),
        "negated_command" => match lower.named(node).first() {
            Some(inner) => kind(lower, *inner),
            None => ExprKind::None,
        },
        "test_command" => ExprKind::Not(Box::new(Expr::new(
            lower.span(node),
            ExprKind::Unknown(words_of(lower, node)),
        ))),
        "unset_command" => ExprKind::None,
        "subshell" | "compound_statement" => {
            let inner = block(lower, node);
            ExprKind::Block(inner.into(), Vec::new())
        }
        kind if is_word(kind) => word(lower, node).kind,
        "command_substitution"
        | "process_substitution"
        | "arithmetic_expansion"
        | "array"
        | "command_name" => word(lower, node).kind,
        "list"
        | "if_statement"
        | "for_statement"
        | "while_statement"
        | "case_statement"
        | "variable_assignment"
        | "variable_assignments"
        | "declaration_command"
        | "c_style_for_statement"
        | "function_definition"
        | "do_group" => {
            let mut inner = Vec::new();
            statement(lower, node, &mut inner);
            ExprKind::Block(inner.into(), Vec::new())
        }
        _ => {
            let inner = block(lower, node);
            ExprKind::Block(inner.into(), Vec::new())
        }
    }
}

fn command(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut command = Command {
        words: Vec::new(),
        assigns: Vec::new(),
        redirects: Vec::new(),
        powershell: false,
    };
    let mut following = Vec::new();
    for child in lower.named(node) {
        match child.kind() {
            "variable_assignment" => {
                let name = child
                    .child_by_field_name("name")
                    .map_or("", |name| lower.text(name));
                let value = match child.child_by_field_name("value") {
                    Some(value) => word(lower, value),
                    None => Expr::text(lower.span(child), ""),
                };
                command.assigns.push((name.into(), value));
            }
            "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                redirect(lower, child, &mut command.redirects, &mut following);
            }
            "comment" => {}
            _ => command.words.push(word(lower, child)),
        }
    }
    ExprKind::Command(Box::new(command))
}

fn redirected(lower: &mut Lower<'_>, node: Node<'_>) -> ExprKind {
    let mut redirects = Vec::new();
    let mut following = Vec::new();
    let mut body = node
        .child_by_field_name("body")
        .map(|body| expr(lower, body));
    for child in lower.named(node) {
        if child.kind().ends_with("_redirect") {
            redirect(lower, child, &mut redirects, &mut following);
        }
    }
    let span = lower.span(node);
    let first = match body.take() {
        Some(Expr {
            kind: ExprKind::Command(mut command),
            ..
        }) => {
            command.redirects.append(&mut redirects);
            Expr::new(span, ExprKind::Command(command))
        }
        Some(Expr {
            kind: ExprKind::Pipeline(mut parts),
            ..
        }) => {
            // The redirect belongs to the last command.
            if let Some(last) = parts.pop() {
                let statement = Stmt {
                    span: last.span,
                    kind: StmtKind::Expr(last),
                };
                parts.push(Expr::new(
                    span,
                    ExprKind::Block(vec![statement].into(), redirects),
                ));
            }
            Expr::new(span, ExprKind::Pipeline(parts))
        }
        Some(other) => {
            let statement = Stmt {
                span,
                kind: StmtKind::Expr(other),
            };
            Expr::new(span, ExprKind::Block(vec![statement].into(), redirects))
        }
        None => Expr::new(span, ExprKind::Block(Vec::new().into(), redirects)),
    };
    if following.is_empty() {
        return first.kind;
    }
    following.insert(0, first);
    ExprKind::Pipeline(following)
}

/// Adds a redirect; `following` receives what a here-document is piped to.
fn redirect(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    redirects: &mut Vec<Redirect>,
    following: &mut Vec<Expr>,
) {
    let span = lower.span(node);
    match node.kind() {
        "herestring_redirect" => {
            if let Some(inner) = lower.named(node).first() {
                let text = word(lower, *inner);
                redirects.push(Redirect::Text(text));
            }
        }
        "heredoc_redirect" => {
            let children = lower.named(node);
            let quoted = children
                .iter()
                .find(|child| child.kind() == "heredoc_start")
                .is_some_and(|start| lower.text(*start).contains(['\'', '"', '\\']));
            for child in children {
                match child.kind() {
                    "heredoc_body" => {
                        let text = if quoted {
                            Expr::text(span, lower.text(child))
                        } else {
                            word(lower, child)
                        };
                        redirects.push(Redirect::Text(text));
                    }
                    "pipeline" => {
                        for part in lower.named(child) {
                            following.push(expr(lower, part));
                        }
                    }
                    "file_redirect" => redirect(lower, child, redirects, following),
                    "command" | "subshell" | "compound_statement" | "list" => {
                        following.push(expr(lower, child));
                    }
                    _ => {}
                }
            }
        }
        _ => {
            let reads = lower.children(node).iter().any(|child| child.kind() == "<");
            let Some(destination) = node.child_by_field_name("destination") else {
                return;
            };
            let to = lower.text(destination);
            if to.chars().all(|c| c.is_ascii_digit() || c == '-') {
                return;
            }
            let to = word(lower, destination);
            redirects.push(if reads {
                Redirect::Read(to)
            } else {
                Redirect::Write(to)
            });
        }
    }
}
