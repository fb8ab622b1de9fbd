//! Storing values.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::ir::{Expr, ExprKind, Name, Target};
use super::super::value::{Data, ITEMS_MAX, Value};
use super::Interpreter;

impl Interpreter<'_> {
    /// Binds a name in the running scope, or where the language says.
    pub(super) fn set_local(&mut self, name: &str, value: Value) {
        let at = if self.is_shell() {
            self.holder(name).unwrap_or(self.scope)
        } else {
            let global = self
                .scopes
                .get(self.scope)
                .is_some_and(|scope| scope.globals.contains(name));
            if global {
                // `nonlocal` and `global` alike: the nearest one around.
                let around = self.scopes.get(self.scope).and_then(|scope| scope.parent);
                around
                    .and_then(|parent| self.holder_from(parent, name))
                    .unwrap_or(self.module_scope)
            } else {
                self.scope
            }
        };
        self.set_in(at, name, value);
    }

    fn set_in(&mut self, at: usize, name: &str, value: Value) {
        let weak = at != self.scope && (self.branches > 0 || !self.calls.is_empty());
        let Some(scope) = self.scopes.get_mut(at) else {
            return;
        };
        let room = scope.vars.len() < ITEMS_MAX;
        match scope.vars.get_mut(name) {
            // Elsewhere it is not certain that this assignment was the last one.
            Some(old) if weak => *old = value.join(old),
            Some(old) => *old = value,
            None if room => {
                scope.vars.insert(name.into(), value);
            }
            None => {}
        }
    }

    fn holder(&self, name: &str) -> Option<usize> {
        self.holder_from(self.scope, name)
    }

    fn holder_from(&self, from: usize, name: &str) -> Option<usize> {
        let mut at = from;
        for _ in 0..64 {
            let scope = self.scopes.get(at)?;
            if scope.vars.contains_key(name) {
                return Some(at);
            }
            at = scope.parent?;
        }
        None
    }

    /// An assignment that is not a declaration: a name around the function is meant when there is one.
    pub(super) fn assign_outward(&mut self, target: &Target, value: Value, span: Span) {
        if let Target::Name(name) = target {
            let at = self.holder(name).unwrap_or(self.scope);
            self.set_in(at, name, value);
        } else {
            self.assign(target, value, span);
        }
    }

    /// Stores a value.
    pub(super) fn assign(&mut self, target: &Target, value: Value, span: Span) {
        match target {
            Target::Ignore => {}
            Target::Name(name) if self.is_python() || self.is_shell() => {
                self.set_local(name, value);
            }
            Target::Name(name) => self.set_in(self.scope, name, value),
            Target::Member(object, name) => self.assign_member(object, name, value, span),
            Target::Index(object, index) => {
                let index = self.eval(index);
                self.assign_index(object, &index, value, span);
            }
            Target::List(targets) => self.assign_list(targets, &value, span),
            Target::Map(targets) => {
                for (name, target) in targets {
                    let part = if &**name == "..." {
                        value.clone()
                    } else {
                        self.member(&value, name, span)
                    };
                    self.assign(target, part, span);
                }
            }
            Target::Rest(inner) => self.assign(inner, value, span),
        }
    }

    fn assign_list(&mut self, targets: &[Target], value: &Value, span: Span) {
        let items = value.items();
        for (at, target) in targets.iter().enumerate() {
            let part = match (&items, target) {
                (Some(items), Target::Rest(_)) => {
                    Value::list(items.get(at..).unwrap_or_default().to_vec())
                }
                (Some(items), _) => items.get(at).cloned().unwrap_or_default(),
                (None, _) => self.item_of(value, span),
            };
            let part = part.with(&value.taints);
            self.assign(target, part, span);
        }
    }

    fn assign_member(&mut self, object: &Expr, name: &Name, value: Value, span: Span) {
        if let ExprKind::Name(base) = &object.kind {
            match (&**base, &**name) {
                ("module", "exports") => {
                    let module = self.module_scope;
                    self.set_in(module, "module.exports", value);
                    return;
                }
                ("exports", _) => {
                    let module = self.module_scope;
                    self.export(module, name, value);
                    return;
                }
                _ => {}
            }
        }
        if let ExprKind::Member(inner, exports) = &object.kind
            && &**exports == "exports"
            && matches!(&inner.kind, ExprKind::Name(module) if &**module == "module")
        {
            let module = self.module_scope;
            self.export(module, name, value);
            return;
        }
        let holder = self.eval(object);
        match &holder.data {
            Data::Object(id) => {
                let id = *id;
                self.set_field(id, name, value);
            }
            Data::Module(unit) => {
                if let Some(scope) = self.run_module(*unit) {
                    self.set_in(scope, name, value);
                }
            }
            Data::Class(class) => {
                let scope = class.scope;
                self.set_in(scope, name, value);
            }
            Data::External(external) if matches!(&*external.name, "process.env" | "os.environ") => {
                self.environment.insert(Rc::clone(name), value);
            }
            Data::External(external) if external.name.is_empty() => {
                self.set_in(self.module_scope, name, value);
            }
            // `xhr.onload = …`, `socket.onmessage = …`: what it is called with comes from there.
            Data::External(external) if matches!(value.data, Data::Function(_)) => {
                let argument =
                    Value::external(&format!("{}.{name}()", external.name)).with(&holder.taints);
                self.call_value(&value, super::call::Args::of(vec![argument]), span);
            }
            _ => self.store_part(object, &holder, Some(name), value, span),
        }
    }

    fn assign_index(&mut self, object: &Expr, index: &Value, value: Value, span: Span) {
        let holder = self.eval(object);
        match (&holder.data, index.as_text()) {
            (Data::External(external), Some(key))
                if matches!(&*external.name, "process.env" | "os.environ") =>
            {
                self.environment.insert(key, value);
            }
            (Data::Object(id), Some(key)) => {
                let id = *id;
                self.set_field(id, &key, value);
            }
            (Data::List(items), None) => {
                let mut items = items.to_vec();
                let slot = index.as_int().and_then(|at| usize::try_from(at).ok());
                match slot {
                    Some(at) if at < items.len() => {
                        if let Some(item) = items.get_mut(at) {
                            *item = value;
                        }
                    }
                    Some(at) if at == items.len() && at < ITEMS_MAX => items.push(value),
                    _ => {
                        let marked = holder.clone().with(&value.all_taints());
                        self.write_back(object, marked, span);
                        return;
                    }
                }
                self.write_back(object, Value::list(items).with(&holder.taints), span);
            }
            (_, key) => self.store_part(object, &holder, key.as_deref(), value, span),
        }
    }

    /// Puts a value into a map, or marks the whole when it is not one, and stores that again.
    fn store_part(
        &mut self,
        object: &Expr,
        holder: &Value,
        key: Option<&str>,
        value: Value,
        span: Span,
    ) {
        let changed = match (&holder.data, key) {
            (Data::Map(entries), Some(key)) if entries.len() < ITEMS_MAX => {
                let mut entries = entries.map.clone();
                entries.insert(key.into(), value);
                Value::map(entries).with(&holder.taints)
            }
            (Data::Unknown | Data::None, Some(key)) => {
                let entries = std::iter::once((Rc::from(key), value)).collect();
                Value::map(entries).with(&holder.taints)
            }
            _ => holder.clone().with(&value.all_taints()),
        };
        self.write_back(object, changed, span);
    }

    /// Stores a changed value where it was read from.
    pub(super) fn write_back(&mut self, object: &Expr, value: Value, span: Span) {
        match &object.kind {
            ExprKind::Name(name) => {
                let at = self.holder(name).unwrap_or(self.scope);
                let inner = self
                    .scopes
                    .get_mut(at)
                    .and_then(|scope| scope.vars.get_mut(name));
                match inner {
                    Some(old) => *old = value,
                    None => self.set_local(name, value),
                }
            }
            ExprKind::Member(inner, name) => self.assign_member(inner, name, value, span),
            ExprKind::Index(inner, index) if self.depth < super::DEPTH / 2 => {
                let index = self.eval(index);
                self.assign_index(inner, &index, value, span);
            }
            _ => {}
        }
    }

    pub(super) fn set_field(&mut self, id: usize, name: &str, value: Value) {
        let weak = self.branches > 0;
        let Some(object) = self.objects.get_mut(id) else {
            return;
        };
        let room = object.fields.len() < ITEMS_MAX;
        match object.fields.get_mut(name) {
            Some(old) if weak => *old = value.join(old),
            Some(old) => *old = value,
            None if room => {
                object.fields.insert(name.into(), value);
            }
            None => {}
        }
    }

    /// Makes a value visible to those who import the module.
    pub(super) fn export(&mut self, module: usize, name: &str, value: Value) {
        let key = "module.exports";
        let current = self
            .scopes
            .get(module)
            .and_then(|scope| scope.vars.get(key))
            .cloned();
        let mut entries = match current.map(|value| value.data) {
            Some(Data::Map(entries)) => (*entries).clone(),
            Some(Data::Function(_) | Data::Class(_)) => return,
            _ => std::collections::BTreeMap::new(),
        };
        if entries.len() < ITEMS_MAX {
            entries.insert(name.into(), value);
        }
        self.set_in(module, key, Value::map(entries));
    }
}
