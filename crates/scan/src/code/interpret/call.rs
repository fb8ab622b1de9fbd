//! Calls: of functions of the skill, of classes, and of what a value turns out to be.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::ir::{Call, ExprKind, Name};
use super::super::known::functions::{Effect, effect};
use super::super::step::StepKind;
use super::super::value::{Class, Closure, Data, Taint, Value};
use super::module::address;
use super::{CALLS, Control, DEPTH, Interpreter, Object};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub positional: Vec<Value>,
    pub named: Vec<(Name, Value)>,
}

impl Args {
    pub(super) fn of(positional: Vec<Value>) -> Self {
        Self {
            positional,
            named: Vec::new(),
        }
    }

    /// An argument by position.
    pub(super) fn at(&self, index: usize) -> Value {
        self.positional.get(index).cloned().unwrap_or_default()
    }

    /// An argument by name, or else by position.
    pub(super) fn get(&self, name: &str, index: usize) -> Value {
        self.name(name).cloned().unwrap_or_else(|| self.at(index))
    }

    pub(super) fn name(&self, name: &str) -> Option<&Value> {
        self.named
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, value)| value)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Value> {
        self.positional
            .iter()
            .chain(self.named.iter().map(|(_, value)| value))
    }

    /// The functions among them.
    pub(super) fn functions(&self) -> Vec<Value> {
        self.all()
            .filter(|value| match &value.data {
                Data::Function(_) | Data::Partial(_) => true,
                Data::External(external) => matches!(
                    effect(&external.name),
                    Some(Effect::Evaluate(_) | Effect::Compile(_) | Effect::Process)
                ),
                _ => false,
            })
            .cloned()
            .collect()
    }
}

/// Methods that change the object they are called on.
const CHANGES: &[&str] = &[
    "append",
    "push",
    "extend",
    "update",
    "add",
    "set",
    "insert",
    "unshift",
    "reverse",
    "sort",
    "setdefault",
    "appendleft",
    "write",
    "splice",
    "concat_in_place",
    "Append",
    "Add",
    "pop",
    "shift",
    "connect",
];

impl Interpreter<'_> {
    /// A call.
    pub(super) fn eval_call(&mut self, call: &Call, span: Span) -> Value {
        if let ExprKind::Member(object, name) = &call.callee.kind {
            let receiver = self.eval(object);
            self.charge(&receiver);
            let args = self.eval_args(call);
            let mutates = CHANGES.contains(&&**name);
            let mut result = None;
            for option in receiver.alternatives() {
                if matches!(option.data, Data::None) {
                    continue;
                }
                let (value, changed) = self.call_member(&option, name, args.clone(), span);
                if let (true, Some(changed)) = (mutates, changed) {
                    self.write_back(object, changed, span);
                }
                result = Some(match result {
                    Some(before) => value.join(&before),
                    None => value,
                });
            }
            return result.unwrap_or_default();
        }
        let callee = self.eval(&call.callee);
        let args = self.eval_args(call);
        self.call_value(&callee, args, span)
    }

    fn eval_args(&mut self, call: &Call) -> Args {
        let mut args = Args::default();
        for arg in &call.args {
            let value = self.eval(&arg.value);
            self.charge(&value);
            if arg.spread {
                match &value.data {
                    Data::Map(entries) if self.is_python() => {
                        for (key, value) in entries.iter() {
                            args.named.push((Rc::clone(key), value.clone()));
                        }
                    }
                    _ => match value.items() {
                        Some(items) => args.positional.extend(items),
                        None => args
                            .positional
                            .push(Value::unknown().with(&value.all_taints())),
                    },
                }
            } else if let Some(name) = &arg.name {
                args.named.push((Rc::clone(name), value));
            } else {
                args.positional.push(value);
            }
        }
        args
    }

    /// `receiver.name(args)`; also what the receiver is afterwards, when the call changes it.
    fn call_member(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: Args,
        span: Span,
    ) -> (Value, Option<Value>) {
        match &receiver.data {
            Data::External(external) => {
                let member = self.member(receiver, name, span);
                if &**name == "connect" {
                    // A socket knows where it goes from now on.
                    let mut connected = external.clone();
                    connected.origin = args.positional.iter().find_map(origin_of);
                    let value = self.call_value(&member, args, span);
                    let changed = Value::of(Data::External(connected))
                        .with(&receiver.taints)
                        .with(&value.taints);
                    return (value, Some(changed));
                }
                (self.call_value(&member, args, span), None)
            }
            Data::Map(entries) if entries.contains_key(&**name) => {
                let callee = self.member(receiver, name, span);
                if let Data::Function(closure) = &callee.data {
                    let bound = Closure {
                        function: Rc::clone(&closure.function),
                        unit: closure.unit,
                        scope: closure.scope,
                        this: Some(receiver.clone()),
                    };
                    return (self.call_closure(&bound, args, span), None);
                }
                (self.call_value(&callee, args, span), None)
            }
            Data::Object(_) | Data::Module(_) | Data::Class(_) => {
                let callee = self.member(receiver, name, span);
                if matches!(callee.data, Data::Unknown) {
                    return self.call_method(receiver, name, &args, span);
                }
                (self.call_value(&callee, args, span), None)
            }
            Data::Function(_) | Data::Partial(_) | Data::Method(_) => {
                (self.call_of_function(receiver, name, args, span), None)
            }
            _ => self.call_method(receiver, name, &args, span),
        }
    }

    /// `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`.
    fn call_of_function(
        &mut self,
        callee: &Value,
        name: &str,
        mut args: Args,
        span: Span,
    ) -> Value {
        match name {
            "call" | "apply" | "bind" => {
                if !args.positional.is_empty() {
                    args.positional.remove(0);
                }
                if name == "apply" {
                    let list = args.at(0).items().unwrap_or_default();
                    args.positional = list;
                }
                if name == "bind" {
                    return Value::partial(callee.clone(), args.positional);
                }
                self.call_value(callee, args, span)
            }
            "constructor" => self.call_value(&Value::external("Function"), args, span),
            _ => Value::unknown(),
        }
    }

    /// Calls whatever a value is.
    pub(super) fn call_value(&mut self, callee: &Value, args: Args, span: Span) -> Value {
        if self.depth >= DEPTH {
            return Value::unknown();
        }
        match &callee.data {
            Data::Function(closure) => {
                let closure = Rc::clone(closure);
                self.call_closure(&closure, args, span)
            }
            Data::Class(class) => {
                let class = Rc::clone(class);
                self.instantiate(&class, args, span)
            }
            Data::External(external) => {
                let external = external.clone();
                self.call_external(&external, &callee.taints, args, span)
            }
            Data::Method(method) => {
                let method = Rc::clone(method);
                self.call_method(&method.0, &method.1, &args, span).0
            }
            Data::Partial(partial) => {
                let mut positional = partial.1.clone();
                positional.extend(args.positional);
                let callee = partial.0.clone();
                let args = Args {
                    positional,
                    named: args.named,
                };
                self.depth += 1;
                let value = self.call_value(&callee, args, span);
                self.depth -= 1;
                value
            }
            Data::OneOf(_) => {
                let mut result = Value::unknown();
                for option in callee.alternatives() {
                    if matches!(option.data, Data::None | Data::Unknown) {
                        continue;
                    }
                    self.depth += 1;
                    let value = self.call_value(&option, args.clone(), span);
                    self.depth -= 1;
                    result = if matches!(result.data, Data::Unknown) {
                        value.with(&result.taints)
                    } else {
                        result.join(&value)
                    };
                }
                result
            }
            Data::Module(unit) => {
                let exported = self.member(&Value::of(Data::Module(*unit)), "default", span);
                match exported.data {
                    Data::Function(_) | Data::Class(_) => self.call_value(&exported, args, span),
                    _ => Value::unknown(),
                }
            }
            Data::Object(_) => {
                let call = self.member(callee, "__call__", span);
                match call.data {
                    Data::Function(_) => self.call_value(&call, args, span),
                    _ => self.call_unknown(callee, &args, span),
                }
            }
            _ => self.call_unknown(callee, &args, span),
        }
    }

    /// A call of something unknown: functions among its arguments may be called by it.
    pub(super) fn call_unknown(&mut self, callee: &Value, args: &Args, span: Span) -> Value {
        let mut result = Value::unknown().with(&callee.taints);
        for value in args.all() {
            let taints = self.taints_of(value, span);
            result.add_taints(&taints);
        }
        let given = result.clone();
        for function in args.functions() {
            let returned = self.call_value(
                &function,
                Args::of(vec![given.clone(), given.clone()]),
                span,
            );
            result.add_taints(&returned.all_taints());
        }
        result
    }

    /// Runs a function of the skill.
    pub(super) fn call_closure(&mut self, closure: &Closure, args: Args, span: Span) -> Value {
        let function = Rc::as_ptr(&closure.function);
        let again = self
            .calls
            .iter()
            .filter(|running| **running == function)
            .count();
        if self.calls.len() >= CALLS || again >= 2 || self.depth + 20 >= DEPTH || !self.tick() {
            let mut result = Value::unknown();
            for value in args.all() {
                result.add_taints(&value.all_taints());
            }
            return result;
        }
        self.called.insert(address(closure));
        let scope = self.new_scope(Some(closure.scope));
        let escapes = self.closures.len();
        let args = self.passed(closure, args, span);
        let saved = (self.scope, self.module_scope, self.branches);
        let module = match self.modules.get(closure.unit) {
            Some(super::ModuleState::Running(scope) | super::ModuleState::Done(scope)) => *scope,
            _ => self.module_scope,
        };
        self.calls.push(function);
        self.returns.push(None);
        self.branches = 0;
        let outer = if closure.unit == self.unit {
            self.outer
        } else {
            None
        };
        let unit = closure.unit;
        self.depth += 1;
        let body = Rc::clone(&closure.function);
        let language = self.language;
        let returned = self.inside(unit, outer, |this| {
            // A function that code in a text defined is of that text's language.
            if unit == this.unit && outer.is_some() {
                this.language = language;
            }
            this.scope = scope;
            this.module_scope = module;
            this.bind(closure, args, span);
            let _: Control = this.block(&body.body);
            this.returns.pop().flatten()
        });
        self.depth -= 1;
        self.calls.pop();
        (self.scope, self.module_scope, self.branches) = saved;
        // Nothing was made that still refers to the scope: its memory is free again.
        if self.closures.len() == escapes
            && self.scopes.len() == scope + 1
            && !matches!(
                returned.as_ref().map(|value| &value.data),
                Some(Data::Function(_))
            )
        {
            self.scopes.pop();
        }
        returned.unwrap_or_else(Value::none)
    }

    /// The arguments with the step that they were passed.
    fn passed(&self, closure: &Closure, mut args: Args, span: Span) -> Args {
        if closure.function.name.is_empty() || &*closure.function.name == "lambda" {
            return args;
        }
        let what = StepKind::Passed((&*closure.function.name).into());
        for value in &mut args.positional {
            value.taints = self.onward(&value.taints, span, what.clone());
        }
        for (_, value) in &mut args.named {
            value.taints = self.onward(&value.taints, span, what.clone());
        }
        args
    }

    fn bind(&mut self, closure: &Closure, args: Args, span: Span) {
        let mut positional = args.positional.into_iter();
        let mut named = args.named;
        let mut params = closure.function.params.iter().peekable();
        if let Some(this) = &closure.this {
            self.set_local("this", this.clone());
            if self.is_python()
                && let Some(first) = params.next_if(|first| {
                    matches!(&first.target, super::super::ir::Target::Name(name) if matches!(&**name, "self" | "cls"))
                })
            {
                self.assign(&first.target, this.clone(), span);
            }
        }
        if self.is_shell() && closure.function.params.is_empty() {
            let list: Vec<Value> = positional.collect();
            for (at, value) in list.iter().enumerate() {
                let name = (at + 1).to_string();
                self.bind_name(&name, value.clone());
            }
            self.bind_name("@", Value::list(list.clone()));
            self.bind_name("args", Value::list(list));
            return;
        }
        for param in params {
            let name = match &param.target {
                super::super::ir::Target::Name(name) => Some(Rc::clone(name)),
                _ => None,
            };
            let value = if param.rest {
                let mut rest = Value::list(positional.by_ref().collect());
                let map: std::collections::BTreeMap<Rc<str>, Value> = named.drain(..).collect();
                if !map.is_empty() {
                    rest = Value::map(map).with(&rest.all_taints());
                }
                rest
            } else {
                let by_name = name
                    .as_ref()
                    .and_then(|name| named.iter().position(|(known, _)| known == name));
                match by_name {
                    Some(at) => named.remove(at).1,
                    None => match positional.next() {
                        Some(value) => value,
                        None => match &param.default {
                            // It may be called with something else as well.
                            Some(default) => self.eval(default).join(&Value::unknown()),
                            None => Value::unknown(),
                        },
                    },
                }
            };
            match name {
                Some(name) => self.bind_name(&name, value),
                None => self.assign(&param.target, value, span),
            }
        }
    }

    fn bind_name(&mut self, name: &str, value: Value) {
        if let Some(scope) = self.scopes.get_mut(self.scope) {
            scope.vars.insert(name.into(), value);
        }
    }

    /// An object of a class that nothing is known of.
    pub(super) fn instance_of(&mut self, class: &Rc<Class>) -> Value {
        if self.objects.len() >= super::CLOSURES {
            return Value::unknown();
        }
        self.objects.push(Object {
            class: Rc::clone(class),
            fields: std::collections::BTreeMap::new(),
        });
        Value::of(Data::Object(self.objects.len() - 1))
    }

    /// Makes an object: its constructor runs.
    pub(super) fn instantiate(&mut self, class: &Rc<Class>, args: Args, span: Span) -> Value {
        self.instantiated.insert(class.scope);
        let object = self.instance_of(class);
        let constructor = if self.is_python() {
            "__init__"
        } else {
            "constructor"
        };
        let init = self
            .class_member(class, constructor, Some(&object))
            .or_else(|| self.class_member(class, class.name.clone().as_ref(), Some(&object)));
        if let Some(init) = init {
            self.call_value(&init, args, span);
        }
        object
    }

    /// Calls functions with a value, as a library would with its result; their results joined.
    pub(super) fn call_back(
        &mut self,
        functions: &[Value],
        given: &[Value],
        span: Span,
    ) -> Vec<Taint> {
        let mut whole = Value::unknown();
        for function in functions {
            let returned = self.call_value(function, Args::of(given.to_vec()), span);
            whole.add_taints(&returned.all_taints());
        }
        whole.taints
    }
}

/// The host, path or address that a value names.
pub(super) fn origin_of(value: &Value) -> Option<Rc<str>> {
    match &value.data {
        Data::Text(text) => Some(Rc::clone(text)),
        Data::List(items) => items.iter().find_map(|item| match &item.data {
            Data::Text(text) => Some(Rc::clone(text)),
            _ => None,
        }),
        Data::Map(entries) => [
            "baseURL",
            "baseUrl",
            "prefixUrl",
            "url",
            "host",
            "hostname",
            "base_url",
            "path",
        ]
        .iter()
        .find_map(|key| entries.get(*key))
        .and_then(Value::as_text),
        Data::OneOf(_) => value.as_text(),
        _ => None,
    }
}
