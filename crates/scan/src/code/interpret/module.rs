//! Units as modules and programs: imports, and functions that nothing calls.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::CodeLanguage;
use super::super::ir::Import;
use super::super::known::functions::module_name;
use super::super::known::paths::base_name;
use super::super::value::{Data, Value};
use super::call::Args;
use super::{Interpreter, ModuleState};

impl Interpreter<'_> {
    /// Runs a unit once as a module and gives its scope.
    pub(super) fn run_module(&mut self, unit: usize) -> Option<usize> {
        match self.modules.get(unit)? {
            ModuleState::Running(scope) | ModuleState::Done(scope) => return Some(*scope),
            ModuleState::Waiting => {}
        }
        let scope = self.new_scope(None);
        if let Some(state) = self.modules.get_mut(unit) {
            *state = ModuleState::Running(scope);
        }
        self.run_unit_in(unit, scope);
        if let Some(state) = self.modules.get_mut(unit) {
            *state = ModuleState::Done(scope);
        }
        Some(scope)
    }

    /// Runs the statements of a unit in a scope.
    pub(super) fn run_unit_in(&mut self, unit: usize, scope: usize) {
        let Some(program) = self.programs.get(unit).map(Rc::clone) else {
            return;
        };
        if self.depth > super::DEPTH / 2 {
            return;
        }
        let saved = (self.scope, self.module_scope, self.branches, self.hot);
        self.scope = scope;
        self.module_scope = scope;
        self.branches = 0;
        self.hot = 0;
        self.inside(unit, None, |this| {
            this.returns.push(None);
            this.block(&program);
            this.returns.pop();
        });
        (self.scope, self.module_scope, self.branches, self.hot) = saved;
    }

    /// The unit that a module name or a path means.
    pub(super) fn find_unit(&self, name: &str) -> Option<usize> {
        let name = name
            .trim()
            .trim_start_matches("./")
            .trim_start_matches("../");
        if name.is_empty() || name.len() > 300 {
            return None;
        }
        let here = self.units.get(self.unit).map_or("", |unit| unit.path);
        let folder = here.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut best = None;
        for (at, unit) in self.units.iter().enumerate() {
            if at == self.unit || !same_file(unit.path, name) {
                continue;
            }
            let near = unit.path.rsplit_once('/').map_or("", |(other, _)| other) == folder;
            if near {
                return Some(at);
            }
            best = best.or(Some(at));
        }
        best
    }

    /// Binds what an import names.
    pub(super) fn import(&mut self, import: &Import, span: Span) {
        let value = match &import.member {
            Some(member) if &**member == "*" => {
                self.import_all(&import.module, span);
                return;
            }
            Some(member) if self.is_python() => {
                // `from package import module`
                let inner = format!("{}.{member}", import.module.trim_matches('.'));
                match self.find_python_unit(&inner) {
                    Some(unit) => self.imported(unit),
                    None => {
                        let module = self.module_value(&import.module, span);
                        self.member(&module, member, span)
                    }
                }
            }
            Some(member) => {
                let module = self.module_value(&import.module, span);
                self.member(&module, member, span)
            }
            None => self.module_value(&import.module, span),
        };
        if !import.local.is_empty() {
            self.set_local(&import.local, value);
        }
    }

    fn import_all(&mut self, module: &str, span: Span) {
        let value = self.module_value(module, span);
        let names = match &value.data {
            Data::Module(unit) => self.run_module(*unit).and_then(|scope| {
                let scope = self.scopes.get(scope)?;
                Some(scope.vars.clone())
            }),
            _ => None,
        };
        if let Some(names) = names {
            for (name, value) in names {
                self.set_local(&name, value);
            }
            return;
        }
        if let Data::External(external) = &value.data {
            // The usual suspects: what else is there cannot be known.
            const NAMES: &[&str] = &[
                "system",
                "popen",
                "environ",
                "getenv",
                "run",
                "Popen",
                "call",
                "check_output",
                "urlopen",
                "urlretrieve",
                "Request",
                "b64decode",
                "socket",
                "Path",
                "post",
                "get",
                "listdir",
                "path",
            ];
            let base = external.name.to_string();
            for name in NAMES {
                if self.lookup(name).is_none() && known_member(&base, name) {
                    self.set_local(name, Value::external(&format!("{base}.{name}")));
                }
            }
        }
    }

    fn imported(&mut self, unit: usize) -> Value {
        self.run_module(unit);
        Value::of(Data::Module(unit))
    }

    fn find_python_unit(&self, module: &str) -> Option<usize> {
        let path = module.trim_matches('.').replace('.', "/");
        self.find_unit(&format!("{path}.py"))
    }

    /// A module by its name: a unit of the skill, or something of a library.
    pub(super) fn module_value(&mut self, module: &str, span: Span) -> Value {
        let unit = if self.is_python() {
            let name = module.trim_matches('.');
            (!is_standard(name))
                .then(|| self.find_python_unit(name))
                .flatten()
        } else if module.starts_with('.') || module.starts_with('/') {
            self.find_unit(module)
        } else {
            None
        };
        if let Some(unit) = unit {
            return self.imported(unit);
        }
        // A file that was written before: what runs is its content.
        if !self.is_python() && (module.starts_with('.') || module.starts_with('/')) {
            self.execute_path(module, span, "require");
        }
        Value::external(module_name(module))
    }

    /// Runs a unit as a program, with what it is given, and what it prints as the result.
    pub(super) fn run_program(&mut self, unit: usize, arguments: Value, stdin: Value) -> Value {
        if self.calls.len() >= super::CALLS || self.depth > super::DEPTH / 2 {
            return Value::unknown();
        }
        let marked = !arguments.all_taints().is_empty() || !stdin.taints.is_empty();
        let known = self.modules.get(unit) != Some(&ModuleState::Waiting);
        if known && !marked && self.outputs.is_empty() {
            return Value::unknown();
        }
        if matches!(self.modules.get(unit), Some(ModuleState::Running(_))) {
            return Value::unknown();
        }
        let saved = (
            std::mem::replace(&mut self.arguments, arguments),
            std::mem::replace(&mut self.stdin, stdin),
        );
        let scope = self.new_scope(None);
        if let Some(state) = self.modules.get_mut(unit) {
            *state = ModuleState::Running(scope);
        }
        self.outputs.push(Value::of(Data::text("")));
        let holes = std::mem::take(&mut self.holes);
        self.run_unit_in(unit, scope);
        self.holes = holes;
        if let Some(state) = self.modules.get_mut(unit) {
            *state = ModuleState::Done(scope);
        }
        (self.arguments, self.stdin) = saved;
        self.outputs.pop().unwrap_or_default()
    }

    /// Looks at the functions and classes that nothing called so far.
    pub(super) fn call_the_uncalled(&mut self) {
        let mut at = 0;
        while let Some(class) = self.classes.get(at).map(Rc::clone) {
            at += 1;
            if self.steps == 0 {
                return;
            }
            let object = if self.instantiated.contains(&class.scope) {
                None
            } else {
                let span = Span::at(0);
                Some(self.instantiate(&class, Args::default(), span))
            };
            let Some(scope) = self.scopes.get(class.scope) else {
                continue;
            };
            let methods: Vec<Value> = scope.vars.values().cloned().collect();
            for method in methods {
                if let Data::Function(closure) = &method.data
                    && !self.called.contains(&address(closure))
                {
                    let this = object.clone().unwrap_or_else(|| self.instance_of(&class));
                    let bound = super::super::value::Closure {
                        function: Rc::clone(&closure.function),
                        unit: closure.unit,
                        scope: closure.scope,
                        this: Some(this),
                    };
                    let span = closure.function.span;
                    self.call_closure(&bound, Args::default(), span);
                }
            }
        }
        let mut at = 0;
        while let Some(closure) = self.closures.get(at).map(Rc::clone) {
            at += 1;
            if self.steps == 0 {
                return;
            }
            if !self.called.contains(&address(&closure)) {
                let span = closure.function.span;
                self.call_closure(&closure, Args::default(), span);
            }
        }
        self.closures.clear();
        self.classes.clear();
    }
}

/// What tells functions apart: the body itself.
pub(super) fn address(closure: &super::super::value::Closure) -> usize {
    Rc::as_ptr(&closure.function).addr()
}

/// Whether a unit's path is the one that a reference means: `util` means `scripts/util.js`.
fn same_file(path: &str, name: &str) -> bool {
    let tail = |full: &str| {
        full.strip_suffix(name)
            .is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    if tail(path)
        || name.ends_with(path) && name.len() > path.len() && {
            let front = name.strip_suffix(path).unwrap_or_default();
            front.ends_with('/') || front.ends_with('\\')
        }
    {
        return true;
    }
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let bare = ["js", "ts", "mjs", "cjs", "jsx", "tsx"].iter().any(|end| {
        path.rsplit_once('.')
            .is_some_and(|(_, known)| known == *end)
    });
    if bare && (tail(stem) || stem.strip_suffix("/index").is_some_and(tail)) {
        return true;
    }
    if bare {
        // `./util.js` is how TypeScript imports `util.ts`.
        let wanted = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        if stem
            .strip_suffix(wanted)
            .is_some_and(|front| front.is_empty() || front.ends_with('/'))
        {
            return true;
        }
    }
    if let Some(package) = name.strip_suffix(".py") {
        return path
            .strip_suffix("/__init__.py")
            .is_some_and(|folder| folder == package || folder.ends_with(&format!("/{package}")));
    }
    // By absolute or installed path: the folder of the script has to agree as well, when it is named.
    name.contains(['/', '\\']) && base_name(name) == base_name(path) && {
        let folder = |full: &str| {
            let mut parts = full.rsplit(['/', '\\']);
            parts.next();
            parts.next().unwrap_or_default().to_owned()
        };
        folder(name) == folder(path) || folder(path).is_empty()
    }
}

/// Modules of Python's library that a unit of the same name does not replace in practice.
fn is_standard(name: &str) -> bool {
    matches!(
        name.split('.').next().unwrap_or_default(),
        "os" | "sys"
            | "subprocess"
            | "json"
            | "re"
            | "base64"
            | "socket"
            | "time"
            | "urllib"
            | "requests"
            | "shutil"
            | "pathlib"
    )
}

fn known_member(base: &str, name: &str) -> bool {
    match base {
        "os" => matches!(
            name,
            "system" | "popen" | "environ" | "getenv" | "listdir" | "path"
        ),
        "subprocess" => matches!(name, "run" | "Popen" | "call" | "check_output"),
        "urllib.request" => matches!(name, "urlopen" | "urlretrieve" | "Request"),
        "base64" => name == "b64decode",
        "socket" => name == "socket",
        "pathlib" => name == "Path",
        "requests" => matches!(name, "post" | "get"),
        _ => false,
    }
}

/// The language of a program by the name of its interpreter.
pub(super) fn language_of(program: &str) -> Option<CodeLanguage> {
    let name = base_name(program).trim_end_matches(".exe");
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "python" | "pypy" | "ipython" | "py" | "pythonw" => CodeLanguage::Python,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" | "qjs" => CodeLanguage::JavaScript,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "busybox" => CodeLanguage::Shell,
        "powershell" | "pwsh" => CodeLanguage::PowerShell,
        _ => return None,
    })
}
