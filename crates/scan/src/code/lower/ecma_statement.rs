//! Statements of JavaScript and TypeScript.

use prowess_syntax::Node;

use super::super::ir::{Expr, ExprKind, Import, Stmt, StmtKind, Target};
use super::Lower;
use super::ecma::{expr, exprs, field, function, pattern, unquoted};

/// The statements of a block.
pub(super) fn block(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Stmt> {
    let mut out = Vec::new();
    for child in lower.named(node) {
        statement(lower, child, &mut out);
    }
    out
}

/// The statements of a field, which may be a block or one statement.
fn body(lower: &mut Lower<'_>, node: Node<'_>, name: &str) -> Vec<Stmt> {
    let mut out = Vec::new();
    if let Some(child) = node.child_by_field_name(name) {
        statement(lower, child, &mut out);
    }
    out
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
            for value in exprs(lower, node) {
                out.push(StmtKind::Expr(value));
            }
        }
        "lexical_declaration" | "variable_declaration" => {
            for child in lower.named(node) {
                if child.kind() != "variable_declarator" {
                    continue;
                }
                let Some(value) = child.child_by_field_name("value") else {
                    continue;
                };
                let value = expr(lower, value);
                let target = child
                    .child_by_field_name("name")
                    .map_or(Target::Ignore, |name| pattern(lower, name));
                out.push(StmtKind::Assign(vec![target], value));
            }
        }
        "function_declaration" | "generator_function_declaration" => {
            let function = function(lower, node);
            out.push(StmtKind::Function(function.into(), Vec::new()));
        }
        "class_declaration" | "class" | "abstract_class_declaration" => class(lower, node, out),
        "return_statement" => {
            let value = lower.named(node).first().map(|child| expr(lower, *child));
            out.push(StmtKind::Return(value));
        }
        "if_statement" => {
            let condition = field(lower, node, "condition");
            let yes = body(lower, node, "consequence");
            let no = body(lower, node, "alternative");
            out.push(StmtKind::If(condition, yes, no));
        }
        "for_statement" => for_statement(lower, node, out),
        "for_in_statement" => {
            let target = node
                .child_by_field_name("left")
                .map_or(Target::Ignore, |left| pattern(lower, left));
            let mut iter = field(lower, node, "right");
            let keys = node
                .child_by_field_name("operator")
                .is_some_and(|sign| lower.text(sign) == "in");
            if keys {
                let span = iter.span;
                let callee = Expr::name(span, "Object.keys");
                iter = Expr::call(span, callee, vec![iter]);
            }
            let inner = body(lower, node, "body");
            out.push(StmtKind::For(target, iter, inner));
        }
        "while_statement" | "do_statement" => {
            let condition = field(lower, node, "condition");
            let inner = body(lower, node, "body");
            out.push(StmtKind::While(condition, inner));
        }
        "try_statement" => {
            let main = body(lower, node, "body");
            out.push(StmtKind::Block(main));
            let handler = node
                .child_by_field_name("handler")
                .map(|handler| body(lower, handler, "body"));
            out.push(StmtKind::Maybe(handler.into_iter().collect()));
            let finally = node
                .child_by_field_name("finalizer")
                .map(|finalizer| body(lower, finalizer, "body"));
            out.extend(finally.map(StmtKind::Block));
        }
        "switch_statement" => {
            let value = field(lower, node, "value");
            out.push(StmtKind::Expr(value));
            let mut cases = Vec::new();
            if let Some(inner) = node.child_by_field_name("body") {
                for child in lower.named(inner) {
                    let mut case = block(lower, child);
                    case.retain(|one| !matches!(one.kind, StmtKind::Break));
                    cases.push(case);
                }
            }
            out.push(StmtKind::Maybe(cases));
        }
        "import_statement" => {
            let imports = imports(lower, node);
            out.push(StmtKind::Import(imports));
        }
        "export_statement" => export(lower, node, out),
        "throw_statement" => {
            for value in exprs(lower, node) {
                out.push(StmtKind::Expr(value));
            }
            out.push(StmtKind::Break);
        }
        "break_statement" => out.push(StmtKind::Break),
        "continue_statement" => out.push(StmtKind::Continue),
        "interface_declaration"
        | "type_alias_declaration"
        | "empty_statement"
        | "comment"
        | "hash_bang_line"
        | "ambient_declaration" => {}
        "statement_block" | "program" | "ERROR" | "else_clause" | "labeled_statement"
        | "class_static_block" | "internal_module" | "module" | "switch_case"
        | "switch_default" | "finally_clause" => {
            let inner = block(lower, node);
            out.push(StmtKind::Block(inner));
        }
        _ => {
            let value = expr(lower, node);
            out.push(StmtKind::Expr(value));
        }
    }
}

fn for_statement(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    if let Some(start) = node.child_by_field_name("initializer") {
        lower_statement(lower, start, out);
    }
    let condition = match node.child_by_field_name("condition") {
        Some(condition) if condition.kind() == "expression_statement" => {
            match condition.named_child(0) {
                Some(inner) => expr(lower, inner),
                None => Expr::unknown(lower.span(node)),
            }
        }
        Some(condition) => expr(lower, condition),
        None => Expr::unknown(lower.span(node)),
    };
    let mut inner = body(lower, node, "body");
    if let Some(step) = node.child_by_field_name("increment") {
        let step = expr(lower, step);
        inner.push(Stmt {
            span: step.span,
            kind: StmtKind::Expr(step),
        });
    }
    out.push(StmtKind::While(condition, inner));
}

fn class(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let name = node
        .child_by_field_name("name")
        .map_or("", |name| lower.text(name));
    let mut bases = Vec::new();
    for child in lower.named(node) {
        if child.kind() == "class_heritage" {
            bases.extend(exprs(lower, child));
        }
    }
    let mut inner = Vec::new();
    if let Some(members) = node.child_by_field_name("body") {
        for child in lower.named(members) {
            let span = lower.span(child);
            match child.kind() {
                "method_definition" => {
                    let method = function(lower, child);
                    inner.push(Stmt {
                        span,
                        kind: StmtKind::Function(method.into(), Vec::new()),
                    });
                }
                "public_field_definition" | "field_definition" => {
                    let name = child
                        .child_by_field_name("name")
                        .or_else(|| child.child_by_field_name("property"))
                        .map_or("", |name| lower.text(name));
                    if let Some(value) = child.child_by_field_name("value") {
                        let value = expr(lower, value);
                        inner.push(Stmt {
                            span,
                            kind: StmtKind::Assign(vec![Target::Name(name.into())], value),
                        });
                    }
                }
                "class_static_block" => statement(lower, child, &mut inner),
                _ => {}
            }
        }
    }
    out.push(StmtKind::Class(name.into(), bases, inner));
}

fn imports(lower: &mut Lower<'_>, node: Node<'_>) -> Vec<Import> {
    let module = node
        .child_by_field_name("source")
        .map_or("", |source| unquoted(lower.text(source)));
    let mut imports = Vec::new();
    let mut add = |member: Option<&str>, local: &str| {
        imports.push(Import {
            module: module.into(),
            member: member.map(Into::into),
            local: local.into(),
        });
    };
    let clauses = lower.named(node);
    let clause = clauses
        .iter()
        .find(|child| child.kind() == "import_clause")
        .copied();
    if let Some(clause) = clause {
        for child in lower.named(clause) {
            match child.kind() {
                "identifier" => add(Some("default"), lower.text(child)),
                "namespace_import" => {
                    if let Some(name) = child.named_child(0) {
                        add(None, lower.text(name));
                    }
                }
                "named_imports" => {
                    for specifier in lower.named(child) {
                        let member = specifier
                            .child_by_field_name("name")
                            .map_or("", |name| lower.text(name));
                        let local = specifier
                            .child_by_field_name("alias")
                            .map_or(member, |alias| lower.text(alias));
                        add(Some(member), local);
                    }
                }
                _ => {}
            }
        }
    } else {
        // For its effects only.
        add(None, "");
    }
    imports
}

fn export(lower: &mut Lower<'_>, node: Node<'_>, out: &mut Vec<StmtKind>) {
    let span = lower.span(node);
    if let Some(declaration) = node.child_by_field_name("declaration") {
        let default = lower
            .children(node)
            .iter()
            .any(|child| child.kind() == "default");
        let name = declaration
            .child_by_field_name("name")
            .map(|name| lower.text(name));
        lower_statement(lower, declaration, out);
        if let (true, Some(name)) = (default, name) {
            out.push(StmtKind::Export("default".into(), Expr::name(span, name)));
        }
        return;
    }
    if let Some(value) = node.child_by_field_name("value") {
        let value = expr(lower, value);
        out.push(StmtKind::Export("default".into(), value));
        return;
    }
    let module = node
        .child_by_field_name("source")
        .map(|source| unquoted(lower.text(source)));
    for clause in lower.named(node) {
        if clause.kind() != "export_clause" {
            continue;
        }
        for specifier in lower.named(clause) {
            let name = specifier
                .child_by_field_name("name")
                .map_or("", |name| lower.text(name));
            let alias = specifier
                .child_by_field_name("alias")
                .map_or(name, |alias| lower.text(alias));
            let value = match module {
                Some(module) => {
                    let callee = Expr::name(span, "require");
                    let module = Expr::call(span, callee, vec![Expr::text(span, module)]);
                    Expr::new(span, ExprKind::Member(Box::new(module), name.into()))
                }
                None => Expr::name(span, name),
            };
            out.push(StmtKind::Export(alias.into(), value));
        }
    }
}
