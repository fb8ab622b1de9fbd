//! Code that may run or not.

use super::super::ir::{Expr, Stmt};
use super::super::step::StepKind;
use super::super::value::{TaintKind, Value};
use super::{Control, Interpreter};

impl Interpreter<'_> {
    /// Runs `then` as something that may not happen: afterwards names have either value.
    pub(super) fn maybe(&mut self, then: impl FnOnce(&mut Self) -> Control) -> Control {
        let before = self.snapshot();
        self.branches += 1;
        let control = then(self);
        self.branches -= 1;
        // What ends the function, or the loop, does not go on with its values.
        if control == Control::Return {
            self.restore(before);
        } else {
            self.merge(before);
        }
        control
    }

    /// Runs the branch that is taken; both when that is not known.
    pub(super) fn conditional(&mut self, condition: &Expr, yes: &[Stmt], no: &[Stmt]) -> Control {
        let value = self.eval(condition);
        let trigger = value
            .all_taints()
            .into_iter()
            .find(|taint| taint.kind == TaintKind::Surroundings)
            .map(|taint| {
                let mut step = taint.trail.step.clone();
                step.kind = StepKind::OnlyWhen(Box::new(step.kind));
                step
            });
        let conditions = self.conditions.len();
        self.conditions.extend(trigger);
        let control = match value.truth() {
            Some(known) => {
                let (taken, other) = if known { (yes, no) } else { (no, yes) };
                if self.hot == 0 && !other.is_empty() {
                    // It may be switched on from elsewhere: what it does counts, its values do not.
                    let before = self.snapshot();
                    self.branches += 1;
                    self.block(other);
                    self.branches -= 1;
                    self.restore(before);
                }
                self.block(taken)
            }
            None => self.both(yes, no),
        };
        self.conditions.truncate(conditions);
        control
    }

    fn both(&mut self, yes: &[Stmt], no: &[Stmt]) -> Control {
        let before = self.snapshot();
        self.branches += 1;
        let first = self.block(yes);
        let after = self.snapshot();
        self.restore(before);
        let second = self.block(no);
        self.branches -= 1;
        match (first, second) {
            (Control::Next | Control::Continue, Control::Next | Control::Continue) => {
                self.merge(after);
                Control::Next
            }
            (Control::Next | Control::Continue, _) => {
                self.restore(after);
                Control::Next
            }
            (_, Control::Next | Control::Continue) => Control::Next,
            (Control::Return, Control::Return) => Control::Return,
            _ => Control::Break,
        }
    }

    fn snapshot(&mut self) -> (usize, super::Scope) {
        let scope = self.scopes.get(self.scope);
        let cost = scope.map_or(0, |scope| scope.vars.len() / 4);
        self.steps = self.steps.saturating_sub(cost);
        let copy = super::Scope {
            vars: scope.map(|scope| scope.vars.clone()).unwrap_or_default(),
            parent: None,
            globals: std::collections::BTreeSet::new(),
        };
        (self.scope, copy)
    }

    fn restore(&mut self, (at, copy): (usize, super::Scope)) {
        if let Some(scope) = self.scopes.get_mut(at) {
            scope.vars = copy.vars;
        }
    }

    /// Joins the running scope with an earlier state of it.
    fn merge(&mut self, (at, copy): (usize, super::Scope)) {
        let Some(scope) = self.scopes.get_mut(at) else {
            return;
        };
        for (name, old) in copy.vars {
            match scope.vars.get_mut(&name) {
                Some(new) if new.data.same(&old.data) && new.taints.len() == old.taints.len() => {}
                Some(new) => *new = new.join(&old),
                None => {
                    scope.vars.insert(name, old);
                }
            }
        }
    }

    /// Either of two values.
    pub(super) fn either(&self, first: &Value, second: &Value) -> Value {
        first.join(second)
    }
}
