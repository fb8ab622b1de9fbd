//! Statements of Python.

use prowess_syntax::Node;

use super::super::ir::{Expr, Function, Import, Stmt, StmtKind, Target};
use super::python::{expr, exprs, params};
use super::{Lower, operator, target_of};

/// The statements of a block.
pub(super) fn block(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for child in lower.named(node) {
        statement(lower, child, &mut out);
    }
    out
}

fn body(lower: &mut Lower<'_>, node: Node<'_>, name: &str) -> Vec<Stmt> {
    node.child_by_field_name(name)
        .map(|child| block(lower, child))
        .unwrap_or_default()
}

fn field(lower: &mut Lower<'_>, node: Node<'_>, name: &str) -> Expr {
    match node.child_by_field_name(name) {
        Some(child) => expr(lower, child),
        None => Expr::unknown(lower.span(node)),
    }
}

/// Adds a statement.
pub(super) fn statement(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<Stmt>) {
    let span = lower.span(node);
    let lowered = lower.deeper(|lower| {
        let mut inner = Vec::new();
        lower_statement(lower, node, &mut inner);
        inner
    });
    for kind in lowered.unwrap_or_default() {
        out.push(Stmt { span, kind });
    }
}

fn lower_statement(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    match node.kind() {
        "expression_statement" => {
            for child in lower.named(node) {
                match child.kind() {
                    "assignment" | "augmented_assignment" => lower_statement(lower, child, out),
                    _ => {
                        let mut value = expr(lower, child);
                        if lower.text(child).starts_with("exec ") {
                            let span = value.span;
                            value = Expr::call(span, Expr::name(span, "exec"), vec![value]);
                        }
                        out.push(StmtKind::Expr(value));
                    }
                }
            }
        }
        "assignment" => assignment(lower, node, out),
        "augmented_assignment" => {
            let target = target_of(field(lower, node, "left"));
            let sign = node
                .child_by_field_name("operator")
                .map_or("", |sign| lower.text(sign));
            let value = field(lower, node, "right");
            out.push(StmtKind::Augment(target, operator(sign), value));
        }
        "return_statement" => {
            let value = lower.named(node).first().map(|child| expr(lower, *child));
            out.push(StmtKind::Return(value));
        }
        "if_statement" => out.push(conditional(lower, node)),
        "for_statement" => {
            let target = target_of(field(lower, node, "left"));
            let iter = field(lower, node, "right");
            let inner = body(lower, node, "body");
            out.push(StmtKind::For(target, iter, inner));
            if let Some(rest) = node.child_by_field_name("alternative") {
                let rest = body(lower, rest, "body");
                out.push(StmtKind::Block(rest));
            }
        }
        "while_statement" => {
            let condition = field(lower, node, "condition");
            let inner = body(lower, node, "body");
            out.push(StmtKind::While(condition, inner));
        }
        "try_statement" => {
            let main = body(lower, node, "body");
            out.push(StmtKind::Block(main));
            let mut handlers = Vec::new();
            let mut finally = Vec::new();
            for child in lower.named(node) {
                match child.kind() {
                    "except_clause" | "except_group_clause" | "else_clause" => {
                        let mut inner = Vec::new();
                        for part in lower.named(child) {
                            if part.kind() == "block" {
                                inner.extend(block(lower, part));
                            }
                        }
                        handlers.push(inner);
                    }
                    "finally_clause" => {
                        for part in lower.named(child) {
                            finally.extend(block(lower, part));
                        }
                    }
                    _ => {}
                }
            }
            out.push(StmtKind::Maybe(handlers));
            out.push(StmtKind::Block(finally));
        }
        "with_statement" => {
            with_items(lower, node, out);
            let inner = body(lower, node, "body");
            out.push(StmtKind::Block(inner));
        }
        "match_statement" => {
            let subject = field(lower, node, "subject");
            out.push(StmtKind::Expr(subject));
            let mut cases = Vec::new();
            if let Some(inner) = node.child_by_field_name("body") {
                for child in lower.named(inner) {
                    cases.push(body(lower, child, "consequence"));
                }
            }
            out.push(StmtKind::Maybe(cases));
        }
        "function_definition" => {
            let function = function(lower, node);
            out.push(StmtKind::Function(function.into(), Vec::new()));
        }
        "decorated_definition" => decorated(lower, node, out),
        "class_definition" => {
            let name = node
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let bases = node
                .child_by_field_name("superclasses")
                .map(|list| exprs(lower, list))
                .unwrap_or_default();
            let inner = body(lower, node, "body");
            out.push(StmtKind::Class(name.into(), bases, inner));
        }
        "import_statement" | "future_import_statement" => {
            let imports = plain_imports(lower, node);
            out.push(StmtKind::Import(imports));
        }
        "import_from_statement" => {
            let imports = from_imports(lower, node);
            out.push(StmtKind::Import(imports));
        }
        "global_statement" | "nonlocal_statement" => {
            let names = lower
                .named(node)
                .into_iter()
                .map(|child| lower.text(child).into())
                .collect();
            out.push(StmtKind::Global(names));
        }
        "raise_statement" | "assert_statement" | "delete_statement" => {
            let values = exprs(lower, node);
            for value in values {
                out.push(StmtKind::Expr(value));
            }
            if node.kind() == "raise_statement" {
                out.push(StmtKind::Break);
            }
        }
        // Python 2: a call in all but its shape.
        "print_statement" | "exec_statement" => {
            let span = lower.span(node);
            let name = if node.kind() == "print_statement" {
                "print"
            } else {
                "exec"
            };
            let args = exprs(lower, node);
            let call = Expr::call(span, Expr::name(span, name), args);
            out.push(StmtKind::Expr(call));
        }
        "break_statement" => out.push(StmtKind::Break),
        "continue_statement" => out.push(StmtKind::Continue),
        "pass_statement" => {}
        "block" | "module" | "ERROR" => {
            let inner = block(lower, node);
            out.push(StmtKind::Block(inner));
        }
        _ => {
            let value = expr(lower, node);
            out.push(StmtKind::Expr(value));
        }
    }
}

fn assignment(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let mut targets = Vec::new();
    let mut at = node;
    let value = loop {
        let target = target_of(field(lower, at, "left"));
        targets.push(target);
        match at.child_by_field_name("right") {
            Some(right) if right.kind() == "assignment" && targets.len() < 50 => at = right,
            Some(right) => break Some(expr(lower, right)),
            None => break None,
        }
    };
    if let Some(value) = value {
        out.push(StmtKind::Assign(targets, value));
    }
}

fn conditional(lower: &mut Lower<'_>, node: Node<'_>) -> StmtKind {
    let condition = field(lower, node, "condition");
    let yes = body(lower, node, "consequence");
    let mut branches = vec![(lower.span(node), condition, yes)];
    let mut last = Vec::new();
    // A chain of hundreds would nest as deeply: what is beyond is one branch.
    for (at, child) in node.children_by_field_name("alternative").enumerate() {
        if child.kind() == "elif_clause" {
            let condition = field(lower, child, "condition");
            let inner = body(lower, child, "consequence");
            if at < 30 {
                branches.push((lower.span(child), condition, inner));
            } else {
                last.extend(inner);
            }
        } else {
            last.extend(body(lower, child, "body"));
        }
    }
    let mut rest = last;
    while branches.len() > 1 {
        if let Some((span, condition, yes)) = branches.pop() {
            rest = vec![Stmt {
                span,
                kind: StmtKind::If(condition, yes, rest),
            }];
        }
    }
    match branches.pop() {
        Some((_, condition, yes)) => StmtKind::If(condition, yes, rest),
        None => StmtKind::Block(rest),
    }
}

fn with_items(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    for clause in lower.named(node) {
        if clause.kind() != "with_clause" {
            continue;
        }
        for item in lower.named(clause) {
            let Some(value) = item.child_by_field_name("value") else {
                continue;
            };
            if value.kind() == "as_pattern" {
                let mut parts = lower.named(value).into_iter();
                let inner = parts.next().map(|child| expr(lower, child));
                let target = value
                    .child_by_field_name("alias")
                    .and_then(|alias| alias.named_child(0))
                    .map_or(Target::Ignore, |alias| target_of(expr(lower, alias)));
                if let Some(inner) = inner {
                    out.push(StmtKind::Assign(vec![target], inner));
                }
            } else {
                let inner = expr(lower, value);
                out.push(StmtKind::Expr(inner));
            }
        }
    }
}

fn function(lower: &mut Lower<'_>, node: Node<'_>) -> Function {
    let name = node
        .child_by_field_name("name")
        .map_or("", |name| lower.text(name));
    let params = node
        .child_by_field_name("parameters")
        .map(|list| params(lower, list))
        .unwrap_or_default();
    Function {
        name: name.into(),
        params,
        body: body(lower, node, "body"),
        span: lower.span(node),
    }
}

fn decorated(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let mut decorators = Vec::new();
    for child in lower.named(node) {
        if child.kind() == "decorator" {
            decorators.extend(exprs(lower, child));
        }
    }
    let Some(definition) = node.child_by_field_name("definition") else {
        return;
    };
    if definition.kind() == "function_definition" {
        let function = function(lower, definition);
        out.push(StmtKind::Function(function.into(), decorators));
    } else {
        for decorator in decorators {
            out.push(StmtKind::Expr(decorator));
        }
        lower_statement(lower, definition, out);
    }
}

fn plain_imports(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Import> {
    let mut imports = Vec::new();
    for child in lower.named(node) {
        if child.kind() == "aliased_import" {
            let module = child
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let local = child
                .child_by_field_name("alias")
                .map_or(module, |alias| lower.text(alias));
            imports.push(Import {
                module: module.into(),
                member: None,
                local: local.into(),
            });
        } else {
            // `import a.b` binds `a`.
            let module = lower.text(child);
            let first = module.split('.').next().unwrap_or(module);
            imports.push(Import {
                module: first.into(),
                member: None,
                local: first.into(),
            });
        }
    }
    imports
}

fn from_imports(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Import> {
    let module = node
        .child_by_field_name("module_name")
        .map_or("", |name| lower.text(name));
    let mut imports = Vec::new();
    for child in node.children_by_field_name("name") {
        let (member, local) = if child.kind() == "aliased_import" {
            let member = child
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let local = child
                .child_by_field_name("alias")
                .map_or(member, |alias| lower.text(alias));
            (member, local)
        } else {
            (lower.text(child), lower.text(child))
        };
        imports.push(Import {
            module: module.into(),
            member: Some(member.into()),
            local: local.into(),
        });
    }
    if imports.is_empty() {
        imports.push(Import {
            module: module.into(),
            member: Some("*".into()),
            local: "*".into(),
        });
    }
    imports
}
