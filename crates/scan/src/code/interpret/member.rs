//! Members, items and slices.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::CapabilityKind;
use super::super::ir::Expr;
use super::super::known::functions::module_name;
use super::super::step::{StepKind, Store};
use super::super::value::{Class, Closure, Data, External, Taint, TaintKind, Value};
use super::Interpreter;
use super::operator::{item_at, slice};

impl Interpreter<'_> {
    /// `object.name`.
    pub(super) fn member(&mut self, object: &Value, name: &str, span: Span) -> Value {
        match &object.data {
            Data::External(external) => self.external_member(external, object, name, span),
            Data::Map(entries) => match entries.get(name) {
                Some(value) => value.clone().with(&object.taints),
                None if name == "constructor" => Value::external("constructor"),
                None => Value::of(Data::Method(Rc::new((object.clone(), name.into())))),
            },
            Data::Module(unit) => self.module_member(*unit, name),
            Data::Object(id) => self.object_member(*id, object, name),
            Data::Class(class) => self
                .class_member(&Rc::clone(class), name, None)
                .unwrap_or_default(),
            Data::OneOf(_) => {
                let mut result: Option<Value> = None;
                for option in object.alternatives() {
                    if matches!(option.data, Data::None | Data::Unknown) {
                        continue;
                    }
                    let value = self.member(&option, name, span);
                    result = Some(match result {
                        Some(before) => before.join(&value),
                        None => value,
                    });
                }
                result.unwrap_or_default().with(&object.taints)
            }
            Data::Function(_) | Data::Method(_) if name == "constructor" => {
                Value::external("Function")
            }
            Data::Function(_) if name == "__globals__" || name == "__builtins__" => {
                Value::external("")
            }
            _ if name == "constructor" => Value::external("constructor"),
            Data::Text(text) if self.is_python() => {
                if let Some(part) = path_part(text, name) {
                    return Value::text(part).with(&object.taints);
                }
                Value::of(Data::Method(Rc::new((object.clone(), name.into()))))
            }
            Data::Text(text) if name == "length" && !text.contains(super::super::value::HOLE) => {
                Value::int(i64::try_from(text.chars().count()).unwrap_or(0))
            }
            Data::List(items) if name == "length" => {
                Value::int(i64::try_from(items.len()).unwrap_or(0))
            }
            Data::Bytes(bytes) if name == "length" => {
                Value::int(i64::try_from(bytes.len()).unwrap_or(0))
            }
            Data::Text(_) | Data::List(_) | Data::Bytes(_) | Data::Function(_) | Data::Int(_) => {
                Value::of(Data::Method(Rc::new((object.clone(), name.into()))))
            }
            _ => Value::unknown().with(&object.all_taints()),
        }
    }

    fn module_member(&mut self, unit: usize, name: &str) -> Value {
        let Some(scope) = self.run_module(unit) else {
            return Value::unknown();
        };
        let Some(scope) = self.scopes.get(scope) else {
            return Value::unknown();
        };
        match scope.vars.get("module.exports").map(|value| &value.data) {
            Some(Data::Map(entries)) => {
                if let Some(value) = entries.get(name) {
                    return value.clone();
                }
                if name == "default" {
                    return Value::of(Data::Map(Rc::clone(entries)));
                }
            }
            Some(other) if name == "default" => return Value::of(other.clone()),
            Some(Data::Object(id)) => {
                let id = *id;
                return self.object_member(id, &Value::of(Data::Object(id)), name);
            }
            _ => {}
        }
        if let Some(value) = scope.vars.get(name) {
            return value.clone();
        }
        if name == "default" {
            return Value::of(Data::Module(unit));
        }
        Value::unknown()
    }

    fn object_member(&mut self, id: usize, object: &Value, name: &str) -> Value {
        let Some(known) = self.objects.get(id) else {
            return Value::unknown();
        };
        if let Some(value) = known.fields.get(name) {
            return value.clone().with(&object.taints);
        }
        let class = Rc::clone(&known.class);
        self.class_member(&class, name, Some(object))
            .unwrap_or_default()
    }

    /// A member of a class or of one that it extends, bound to an object.
    pub(super) fn class_member(
        &mut self,
        class: &Rc<Class>,
        name: &str,
        object: Option<&Value>,
    ) -> Option<Value> {
        let mut at = Rc::clone(class);
        for _ in 0..6 {
            let found = self
                .scopes
                .get(at.scope)
                .and_then(|scope| scope.vars.get(name))
                .cloned();
            if let Some(value) = found {
                if let (Data::Function(closure), Some(object)) = (&value.data, object) {
                    return Some(Value::of(Data::Function(Rc::new(Closure {
                        function: Rc::clone(&closure.function),
                        unit: closure.unit,
                        scope: closure.scope,
                        this: Some(object.clone()),
                    }))));
                }
                return Some(value);
            }
            let mut next = None;
            for base in &at.bases {
                match &base.data {
                    Data::Class(base) => next = next.or(Some(Rc::clone(base))),
                    // What it inherits of a library.
                    Data::External(external) => {
                        return Some(Value::external(&format!("{}().{name}", external.name)));
                    }
                    _ => {}
                }
            }
            at = next?;
        }
        None
    }

    fn external_member(
        &mut self,
        external: &External,
        object: &Value,
        name: &str,
        span: Span,
    ) -> Value {
        let base = &*external.name;
        if base.is_empty() {
            // The global object: names of the program are there too.
            if matches!(
                name,
                "__builtins__" | "builtins" | "__globals__" | "__dict__"
            ) {
                return object.clone();
            }
            if let Some(value) = self.lookup(name) {
                return value.clone();
            }
            return Value::external(module_name(name));
        }
        match (base, name) {
            ("process.env" | "import.meta.env" | "Deno.env", _)
                if !matches!(name, "get" | "toObject") =>
            {
                return self.environment_variable(name, span);
            }
            (_, "default" | "promises" | "prototype") => return object.clone(),
            (_, "__builtins__" | "__globals__" | "__dict__") => return Value::external(""),
            (_, "constructor") if base.ends_with("constructor") || !base.contains("()") => {
                return Value::external("Function");
            }
            ("sys" | "process", "argv") => return self.argument_list(base),
            ("sys" | "process", "stdin") => {
                return Value::external(&format!("{base}.stdin")).with(&self.stdin.taints.clone());
            }
            ("sys", "executable") => return Value::text("python3"),
            ("process", "execPath" | "argv0") => return Value::text("node"),
            ("os" | "path", "sep") => return Value::text("/"),
            ("os", "linesep" | "EOL") => return Value::text("\n"),
            ("sys", "modules") => return Value::external(""),
            ("process", "mainModule") | ("module", "constructor") => {
                return Value::external("module");
            }
            ("string", "ascii_lowercase") => return Value::text("abcdefghijklmnopqrstuvwxyz"),
            ("string", "ascii_uppercase") => return Value::text("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            ("string", "ascii_letters") => {
                return Value::text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
            }
            ("string", "digits") => return Value::text("0123456789"),
            ("string", "punctuation") => return Value::text("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
            _ => {}
        }
        let full = if base == "module" && name == "require" {
            "require".to_owned()
        } else {
            format!("{base}.{name}")
        };
        let mut value = Value::of(Data::External(External {
            name: External::new(module_name(&full)).name,
            origin: external.origin.clone(),
        }));
        value.taints.clone_from(&object.taints);
        value
    }

    /// The arguments of the program, with the names in front that the language has there.
    fn argument_list(&self, base: &str) -> Value {
        let Data::List(items) = &self.arguments.data else {
            return Value::unknown().with(&self.arguments.taints);
        };
        let front = if base == "sys" { 1 } else { 2 };
        let mut list = vec![Value::unknown(); front];
        list.extend(items.iter().cloned());
        Value::list(list)
    }

    /// The mark of the whole environment.
    pub(super) fn whole_environment(&mut self, span: Span) -> Taint {
        self.capability(CapabilityKind::ReadsEnvironment, span, "*");
        self.taint(
            TaintKind::Environment,
            span,
            StepKind::Opens {
                store: Store::Environment,
                by: None,
            },
        )
    }

    /// The marks of a value that is given away, the environment included.
    pub(super) fn taints_of(&mut self, value: &Value, span: Span) -> Vec<Taint> {
        let mut whole = Value::unknown().with(&value.all_taints());
        let mut environment = false;
        let is_environment = |data: &Data| {
            matches!(data, Data::External(external)
                if matches!(&*external.name, "os.environ" | "process.env" | "os.environ.copy()" | "Deno.env.toObject()"))
        };
        match &value.data {
            data if is_environment(data) => environment = true,
            Data::List(items) => environment = items.iter().any(|item| is_environment(&item.data)),
            Data::Map(entries) => {
                environment = entries.values().any(|item| is_environment(&item.data));
            }
            _ => {}
        }
        if environment {
            let taint = self.whole_environment(span);
            whole.add_taints(&[taint]);
        }
        whole.taints
    }

    /// `object[index]`.
    pub(super) fn index(&mut self, object: &Value, index: &Value, span: Span) -> Value {
        match (&object.data, &index.data) {
            (Data::External(external), _)
                if matches!(
                    &*external.name,
                    "os.environ" | "process.env" | "os.environb"
                ) =>
            {
                match index.as_text() {
                    Some(name) => self.environment_variable(&name, span),
                    None => Value::unknown(),
                }
            }
            (Data::External(external), Data::Int(_)) if &*external.name == "sys.argv" => {
                Value::unknown().with(&object.taints)
            }
            (_, Data::Int(at)) => match item_at(&object.data, *at) {
                Some(value) => value.with(&object.taints),
                None => match &object.data {
                    Data::Map(entries) => entries
                        .get(at.to_string().as_str())
                        .cloned()
                        .unwrap_or_default()
                        .with(&object.taints),
                    _ => self.item_of(object, span),
                },
            },
            (Data::List(items), Data::List(picks)) => {
                // `'abc'[-1..-3]` of PowerShell.
                let picked = picks
                    .iter()
                    .filter_map(|pick| {
                        pick.as_int()
                            .and_then(|at| item_at(&Data::List(Rc::clone(items)), at))
                    })
                    .collect();
                Value::list(picked).with(&object.taints)
            }
            (Data::Text(_) | Data::Bytes(_), Data::List(picks)) => {
                let picked = picks
                    .iter()
                    .filter_map(|pick| pick.as_int().and_then(|at| item_at(&object.data, at)))
                    .collect();
                Value::list(picked).with(&object.taints)
            }
            (Data::List(items), Data::Unknown) => {
                let mut joined = Value::unknown();
                for item in items.iter().take(8) {
                    joined = joined.join(item);
                }
                joined.with(&object.taints)
            }
            (_, Data::Text(name)) if !name.contains(super::super::value::HOLE) => {
                let name = Rc::clone(name);
                let value = self.member(object, &name, span);
                match value.data {
                    Data::Method(_) if self.is_python() => {
                        Value::unknown().with(&object.all_taints())
                    }
                    _ => value,
                }
            }
            (Data::External(external), _) if external.name.is_empty() => {
                self.facts.unparsed(
                    self.unit,
                    self.outer.unwrap_or(span),
                    super::UnparsedReason::DynamicCode,
                );
                Value::unknown()
            }
            _ => self.item_of(object, span),
        }
    }

    /// `object[start:end:step]`.
    pub(super) fn eval_slice(&mut self, object: &Expr, bounds: &[Option<Expr>; 3]) -> Value {
        let object = self.eval(object);
        let mut numbers = [None; 3];
        for (bound, number) in bounds.iter().zip(numbers.iter_mut()) {
            if let Some(bound) = bound {
                let value = self.eval(bound);
                match value.as_int() {
                    Some(known) => *number = Some(known),
                    None if matches!(value.data, Data::None) => {}
                    None => return Value::unknown().with(&object.all_taints()),
                }
            }
        }
        if matches!(numbers, [None, None, Some(-1)]) {
            self.how = "reversed";
        }
        let part = slice(&object, numbers);
        part.with(&object.taints)
    }
}

/// What `pathlib` calls the parts of a path.
fn path_part(path: &str, name: &str) -> Option<String> {
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    let last = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "parent" => folder.unwrap_or(".").to_owned(),
        "name" => last.to_owned(),
        "stem" => last
            .rsplit_once('.')
            .map_or(last, |(stem, _)| stem)
            .to_owned(),
        "suffix" => last
            .rsplit_once('.')
            .map(|(_, end)| format!(".{end}"))
            .unwrap_or_default(),
        _ => return None,
    })
}
