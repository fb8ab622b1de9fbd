//! Statements.

use std::rc::Rc;

use super::super::ir::{Expr, ExprKind, Op, Stmt, StmtKind, Target};
use super::super::value::{Class, Closure, Data, Value};
use super::call::Args;
use super::{CLOSURES, Control, DEPTH, Interpreter};

/// Rounds of a loop whose end is not known.
const ROUNDS: usize = 2;
/// Rounds of a loop over a list that is known.
const KNOWN_ROUNDS: usize = 4096;

impl Interpreter<'_> {
    /// Runs statements one after another.
    pub(super) fn block(&mut self, statements: &[Stmt]) -> Control {
        if self.depth >= DEPTH {
            return Control::Next;
        }
        // Functions are known before the statement that defines them runs.
        if !self.is_python() && self.hot == 0 {
            for statement in statements {
                if let StmtKind::Function(function, _) = &statement.kind {
                    self.define(function);
                }
            }
        }
        for statement in statements {
            if !self.tick() {
                return Control::Return;
            }
            self.depth += 1;
            let control = self.statement(statement);
            self.depth -= 1;
            if control != Control::Next {
                return control;
            }
        }
        Control::Next
    }

    fn define(&mut self, function: &Rc<super::super::ir::Function>) -> Value {
        if let Some(Value {
            data: Data::Function(known),
            ..
        }) = self.lookup(&function.name)
            && Rc::ptr_eq(&known.function, function)
            && known.scope == self.scope
        {
            return Value::of(Data::Function(Rc::clone(known)));
        }
        let value = self.closure(function);
        if !function.name.is_empty() {
            self.set_local(&function.name, value.clone());
        }
        value
    }

    /// A function with the running scope.
    pub(super) fn closure(&mut self, function: &Rc<super::super::ir::Function>) -> Value {
        let closure = Rc::new(Closure {
            function: Rc::clone(function),
            unit: self.unit,
            scope: self.scope,
            this: None,
        });
        if self.closures.len() < CLOSURES && self.hot == 0 {
            self.closures.push(Rc::clone(&closure));
        }
        Value::of(Data::Function(closure))
    }

    fn statement(&mut self, statement: &Stmt) -> Control {
        match &statement.kind {
            StmtKind::Expr(expr) => {
                let value = self.eval(expr);
                if self.is_shell() {
                    self.print(&value);
                }
                Control::Next
            }
            StmtKind::Assign(targets, expr) => {
                let value = self.eval(expr);
                for target in targets {
                    self.assign(target, value.clone(), statement.span);
                }
                Control::Next
            }
            StmtKind::Augment(target, op, expr) => {
                self.augment(target, *op, expr, statement.span);
                Control::Next
            }
            StmtKind::Return(expr) => {
                let value = match expr {
                    Some(expr) => self.eval(expr),
                    None => Value::none(),
                };
                if let Some(slot) = self.returns.last_mut() {
                    *slot = Some(match slot.take() {
                        Some(before) => before.join(&value),
                        None => value,
                    });
                }
                Control::Return
            }
            StmtKind::If(condition, yes, no) => self.conditional(condition, yes, no),
            StmtKind::For(target, iter, body) => self.for_loop(target, iter, body),
            StmtKind::While(condition, body) => self.while_loop(condition, body),
            StmtKind::Block(body) => self.block(body),
            StmtKind::Maybe(blocks) => {
                for block in blocks {
                    self.maybe(|this| this.block(block));
                }
                Control::Next
            }
            StmtKind::Function(function, decorators) => {
                let value = if decorators.is_empty() {
                    self.define(function)
                } else {
                    let mut value = self.closure(function);
                    for decorator in decorators.iter().rev() {
                        let callee = self.eval(decorator);
                        // A decorator of a library wraps the function; only those of the skill are run.
                        if matches!(callee.data, Data::Function(_)) {
                            let args = Args::of(vec![value.clone()]);
                            let wrapped = self.call_value(&callee, args, statement.span);
                            if !matches!(wrapped.data, Data::Unknown | Data::None) {
                                value = wrapped;
                            }
                        } else if let Data::External(external) = &callee.data
                            && super::super::known::functions::effect(&external.name).is_some()
                        {
                            let args = Args::of(vec![value.clone()]);
                            self.call_value(&callee, args, statement.span);
                        }
                    }
                    value
                };
                self.set_local(&function.name, value);
                Control::Next
            }
            StmtKind::Class(name, bases, body) => {
                self.class(name, bases, body);
                Control::Next
            }
            StmtKind::Import(imports) => {
                for import in imports {
                    self.import(import, statement.span);
                }
                Control::Next
            }
            StmtKind::Break => Control::Break,
            StmtKind::Continue => Control::Continue,
            StmtKind::Global(names) => {
                if let Some(scope) = self.scopes.get_mut(self.scope) {
                    scope.globals.extend(names.iter().cloned());
                }
                Control::Next
            }
            StmtKind::Export(name, expr) => {
                let value = self.eval(expr);
                let module = self.module_scope;
                self.export(module, name, value);
                Control::Next
            }
        }
    }

    fn class(&mut self, name: &super::super::ir::Name, bases: &[Expr], body: &[Stmt]) {
        let bases: Vec<Value> = bases.iter().map(|base| self.eval(base)).collect();
        let outer = self.scope;
        let scope = self.new_scope(Some(outer));
        self.scope = scope;
        let closures = self.closures.len();
        self.block(body);
        // Methods are looked at with their class.
        self.closures.truncate(closures);
        self.scope = outer;
        let class = Rc::new(Class {
            name: Rc::clone(name),
            scope,
            bases,
        });
        if self.classes.len() < CLOSURES {
            self.classes.push(Rc::clone(&class));
        }
        self.set_local(name, Value::of(Data::Class(class)));
    }

    fn for_loop(&mut self, target: &Target, iter: &Expr, body: &[Stmt]) -> Control {
        let values = self.eval(iter);
        let mut items = values.items();
        if let (Some(list), true) = (&mut items, self.is_shell()) {
            // A word of a shell may hold several.
            *list = list.iter().flat_map(split_words).collect();
        }
        match items {
            Some(items) if items.len() <= KNOWN_ROUNDS => {
                let mut control = Control::Next;
                for (round, item) in items.into_iter().enumerate() {
                    if self.steps == 0 {
                        break;
                    }
                    self.assign(target, item, iter.span);
                    let hot = usize::from(round > 0);
                    self.hot += hot;
                    control = self.block(body);
                    self.hot -= hot;
                    if matches!(control, Control::Break | Control::Return) {
                        break;
                    }
                }
                if control == Control::Return {
                    return Control::Return;
                }
            }
            _ => {
                let item = self.item_of(&values, iter.span);
                for _ in 0..ROUNDS {
                    self.maybe(|this| {
                        this.assign(target, item.clone(), iter.span);
                        this.block(body)
                    });
                }
            }
        }
        Control::Next
    }

    fn while_loop(&mut self, condition: &Expr, body: &[Stmt]) -> Control {
        let endless = matches!(condition.kind, ExprKind::Bool(true) | ExprKind::Int(1));
        let mut known = 0;
        while !endless && known < KNOWN_ROUNDS && self.steps > 0 {
            let hot = usize::from(known > 0);
            self.hot += hot;
            let value = self.eval(condition);
            if value.truth() != Some(true) {
                self.hot -= hot;
                if value.truth() == Some(false) && known > 0 {
                    return Control::Next;
                }
                break;
            }
            let control = self.block(body);
            self.hot -= hot;
            known += 1;
            match control {
                Control::Return => return Control::Return,
                Control::Break => return Control::Next,
                Control::Next | Control::Continue => {}
            }
        }
        if known == 0 {
            for _ in 0..ROUNDS {
                self.maybe(|this| {
                    if !endless {
                        this.eval(condition);
                    }
                    this.block(body)
                });
            }
        }
        Control::Next
    }

    fn augment(&mut self, target: &Target, op: Op, expr: &Expr, span: prowess_spec::Span) {
        let before = self.read_target(target, span);
        self.folds += 1;
        let value = self.eval(expr);
        self.folds -= 1;
        let result = self.binary(op, &before, &value, span);
        if self.folds == 0 {
            self.note_text(&result, span);
        }
        if self.is_python() {
            self.assign(target, result, span);
        } else {
            self.assign_outward(target, result, span);
        }
    }

    /// The value of `x += …` as an expression.
    pub(super) fn augmented(
        &mut self,
        target: &Target,
        op: Op,
        expr: &Expr,
        span: prowess_spec::Span,
    ) -> Value {
        self.augment(target, op, expr, span);
        self.read_target(target, span)
    }
}

/// The words that a value of a shell is split into.
pub(super) fn split_words(value: &Value) -> Vec<Value> {
    match &value.data {
        Data::Text(text) if text.contains([' ', '\n', '\t']) => text
            .split_whitespace()
            .map(|word| Value::text(word).with(&value.taints))
            .collect(),
        Data::List(items) => items.to_vec(),
        _ => vec![value.clone()],
    }
}
