//! Calls of functions of libraries: what they do, by the tables.

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, CodeLanguage, FlowKind, UnparsedReason};
use super::super::known::functions::{Effect, effect};
use super::super::known::paths::is_everything;
use super::super::step::{StepKind, Store};
use super::super::value::{Data, External, Taint, TaintKind, Value};
use super::Interpreter;
use super::call::{Args, origin_of};

impl Interpreter<'_> {
    /// Calls something of a library by its name.
    pub(super) fn call_external(
        &mut self,
        external: &External,
        taints: &[Taint],
        args: Args,
        span: Span,
    ) -> Value {
        // Aliases of methods of functions: `eval.call(null, x)`.
        for end in [".call", ".apply", ".bind"] {
            if let Some(base) = external.name.strip_suffix(end)
                && effect(base).is_some()
            {
                return self.call_through(base, end, args, span);
            }
        }
        if self.language == CodeLanguage::PowerShell
            && let Some(value) = self.dotnet(external, &args, span)
        {
            return value;
        }
        if let Some(value) = self.builtin(&external.name, &args, span) {
            return value;
        }
        match self.effect_of(external, &args) {
            Some(Effect::Opaque) => {
                if &*external.name == "print" || &*external.name == "console.log" {
                    self.print_call(&args, span);
                }
                Value::unknown()
            }
            Some(effect) => self.apply(effect, external, taints, &args, span),
            None => self.call_other(external, taints, &args, span),
        }
    }

    fn call_through(&mut self, base: &str, end: &str, mut args: Args, span: Span) -> Value {
        if !args.positional.is_empty() {
            args.positional.remove(0);
        }
        if end == ".apply" {
            args.positional = args.at(0).items().unwrap_or_default();
        }
        let callee = Value::external(base);
        if end == ".bind" {
            return Value::partial(callee, args.positional);
        }
        self.call_value(&callee, args, span)
    }

    /// The effect, where the same name means different things in different languages.
    fn effect_of(&self, external: &External, args: &Args) -> Option<Effect> {
        let name = &*external.name;
        let found = effect(name)?;
        match (name, self.language) {
            ("eval", CodeLanguage::JavaScript | CodeLanguage::TypeScript | CodeLanguage::Tsx) => {
                Some(Effect::Evaluate(CodeLanguage::JavaScript))
            }
            ("exec" | "compile" | "open" | "print", language)
                if language != CodeLanguage::Python =>
            {
                None
            }
            (
                "fetch" | "require" | "import" | "Function" | "request" | "io" | "ws" | "del"
                | "Worker" | "Date" | "$",
                CodeLanguage::Python,
            ) => None,
            ("pandas.read_csv" | "feedparser.parse", _) => args
                .at(0)
                .as_text()
                .is_some_and(|url| url.contains("://"))
                .then_some(found),
            _ => Some(found),
        }
    }

    fn print_call(&mut self, args: &Args, span: Span) {
        // `print(…, file=f)` writes.
        if let Some(file) = args.name("file").cloned()
            && let Data::External(external) = &file.data
            && let Some(path) = external.origin.clone()
        {
            let content = args.at(0);
            self.write_file(&Value::of(Data::Text(path)), &content, span, "print");
            return;
        }
        for value in &args.positional {
            self.print(value);
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each effect")]
    fn apply(
        &mut self,
        effect: Effect,
        external: &External,
        taints: &[Taint],
        args: &Args,
        span: Span,
    ) -> Value {
        let name = &*external.name;
        match effect {
            Effect::Request(at) => self.request(name, at, args, span),
            Effect::RequestMap => {
                let options = args.at(0);
                let url = self.member(&options, "url", span);
                let mut all = vec![if matches!(url.data, Data::Method(_)) {
                    options.clone()
                } else {
                    url
                }];
                all.push(options);
                let args = Args {
                    positional: all,
                    named: args.named.clone(),
                };
                self.request(name, 0, &args, span)
            }
            Effect::Send => self.send_on(external, args, span),
            Effect::Lookup => {
                let target = args.at(0);
                self.send(
                    &target,
                    &[(super::network::Role::Payload, target.clone())],
                    name,
                    span,
                    true,
                );
                Value::unknown()
            }
            Effect::Download => {
                let url = args.at(0);
                let response = self.send(
                    &url,
                    &[(super::network::Role::Url, url.clone())],
                    name,
                    span,
                    false,
                );
                let path = args.get("filename", 1);
                self.write_file(&path, &response, span, name);
                Value::list(vec![path, Value::unknown()])
            }
            Effect::Connect => self.connect(external, args, span),
            Effect::Process => self.process(name, args, span),
            Effect::Program => self.program(name, args, span),
            Effect::Evaluate(language) => {
                if name == "execfile" || name == "runpy.run_path" || name == "importScripts" {
                    let path = args.at(0).shown();
                    self.execute_path(&path, span, name);
                    return Value::unknown();
                }
                self.execute_code(&args.at(0), language, span, name)
            }
            Effect::Compile(language) => {
                // `Function(a, b, body)`: the last one is the code.
                let code = match language {
                    CodeLanguage::Python => args.at(0),
                    _ => args.positional.last().cloned().unwrap_or_default(),
                };
                if language != CodeLanguage::Python {
                    self.execute_code(&code, language, span, name);
                }
                Value::of(Data::Text(
                    code.as_text()
                        .unwrap_or_else(|| super::super::value::HOLE.to_string().into()),
                ))
                .with(&code.all_taints())
                .with(taints)
            }
            Effect::Deserialise => self.deserialise(name, args, span),
            Effect::Read => {
                let path = args.at(0);
                let value = self.read_file(&path, span, name);
                let functions = args.functions();
                self.call_back(&functions, &[Value::none(), value.clone()], span);
                Value {
                    data: match value.data {
                        Data::Unknown => Data::External(External {
                            name: External::new(&format!("{name}()")).name,
                            origin: path.as_text(),
                        }),
                        data => data,
                    },
                    taints: value.taints,
                }
            }
            Effect::Open => self.open(name, args, span),
            Effect::Write => {
                self.write_file(&args.at(0), &args.at(1), span, name);
                Value::unknown()
            }
            Effect::WriteTo => {
                let file = args.at(1);
                let content = args.at(0);
                if let Data::External(target) = &file.data
                    && let Some(path) = target.origin.clone()
                {
                    let path = Value::of(Data::Text(path));
                    self.write_file(&path, &content, span, name);
                }
                Value::unknown()
            }
            Effect::Copy => {
                let content = self.read_file(&args.at(0), span, name);
                self.write_file(&args.at(1), &content, span, name);
                Value::unknown()
            }
            Effect::Unpack => {
                let archive = self.read_file(&args.at(0), span, name);
                let folder = args.get("extract_dir", 1);
                self.unpack(&archive, &folder, span);
                Value::unknown()
            }
            Effect::RemoveTree => {
                self.remove_tree(&args.at(0), span, name);
                Value::unknown()
            }
            Effect::Duplicate => {
                if let Some(taint) = args
                    .at(0)
                    .taints
                    .iter()
                    .find(|taint| taint.kind == TaintKind::Socket)
                {
                    let taint = taint.clone();
                    self.flow(
                        FlowKind::ReverseShell,
                        &taint,
                        span,
                        StepKind::Attaches {
                            by: Some("os.dup2"),
                        },
                    );
                }
                Value::unknown()
            }
            Effect::Import => self.import_call(name, args, span),
            Effect::Environment => match args.at(0).full_text() {
                Some(variable) => {
                    let value = self.environment_variable(&variable, span);
                    let default = args.at(1);
                    if matches!(value.data, Data::Unknown) && default.as_text().is_some() {
                        return Value::of(default.data)
                            .with(&value.taints)
                            .join(&Value::unknown());
                    }
                    value
                }
                None => Value::unknown(),
            },
            Effect::SecretStore => {
                let own = name.starts_with("keyring.") || name.starts_with("keytar.");
                let store = if own { Store::Login } else { Store::Credential };
                self.capability(CapabilityKind::ReadsSecret, span, name);
                let taint = self.taint(
                    TaintKind::Secret,
                    span,
                    StepKind::Opens {
                        store,
                        by: Some(name.into()),
                    },
                );
                Value::unknown().with(&[taint])
            }
            Effect::Personal(kind) => {
                self.capability(kind, span, name);
                let what = StepKind::Opens {
                    store: Store::Personal,
                    by: Some(name.into()),
                };
                let taint = self.taint(TaintKind::Personal, span, what);
                Value::external(&format!("{name}()")).with(&[taint])
            }
            Effect::Capability(kind) => {
                self.capability(kind, span, name);
                let functions = args.functions();
                let taint = self.taint(
                    TaintKind::Personal,
                    span,
                    StepKind::Records { by: name.into() },
                );
                let given = Value::unknown().with(&[taint]);
                if kind == CapabilityKind::Keyboard {
                    self.call_back(&functions, &[given], span);
                }
                Value::external(&format!("{name}()"))
            }
            Effect::Surroundings => {
                let taint = self.taint(
                    TaintKind::Surroundings,
                    span,
                    StepKind::LooksAt(name.into()),
                );
                Value::external(&format!("{name}()")).with(&[taint])
            }
            Effect::Sleep | Effect::Opaque => Value::unknown(),
        }
    }

    /// A function of a library that is not in the tables.
    fn call_other(
        &mut self,
        external: &External,
        taints: &[Taint],
        args: &Args,
        span: Span,
    ) -> Value {
        let name = &*external.name;
        let mut receiver = Value::of(Data::External(external.clone())).with(taints);
        if let Some((base, method)) = name.rsplit_once('.') {
            receiver.data = Data::External(External {
                name: base.into(),
                origin: external.origin.clone(),
            });
            if let Some(done) = self.file_method(&receiver, method, args, span) {
                return done;
            }
            if let Some(done) = self.request_by_shape(&receiver, method, args, span) {
                return done;
            }
        }
        let mut result = Value::unknown().with(taints);
        if matches!(
            name,
            "os.environ.items" | "os.environ.values" | "Deno.env.toObject" | "os.environb.items"
        ) {
            let taint = self.whole_environment(span);
            return Value::unknown().with(&[taint]);
        }
        for arg in args.all() {
            let inner = self.taints_of(arg, span);
            result.add_taints(&inner);
        }
        if name.ends_with(".json") || name.ends_with(".read") || name.ends_with(".text") {
            self.how = "joined strings";
        }
        let functions = args.functions();
        if !functions.is_empty() {
            let given =
                if name.ends_with(".then") || name.ends_with(".on") || name.ends_with(".once") {
                    // The value itself goes on, with all that is known of it.
                    let mut given = receiver.clone();
                    given.add_taints(taints);
                    given
                } else {
                    Value::unknown().with(&result.taints)
                };
            let mut returned: Option<Value> = None;
            for function in &functions {
                let value =
                    self.call_value(function, Args::of(vec![given.clone(), given.clone()]), span);
                returned = Some(match returned {
                    Some(before) => before.join(&value),
                    None => value,
                });
            }
            if name.ends_with(".then") || name.ends_with(".catch") {
                return returned.unwrap_or_default();
            }
            if let Some(returned) = returned {
                result.add_taints(&returned.all_taints());
            }
        }
        let name = if name.len() > 120 { "…" } else { name };
        result.data = Data::External(External {
            name: External::new(&format!("{name}()")).name,
            origin: args
                .positional
                .iter()
                .find_map(origin_of)
                .or_else(|| external.origin.clone()),
        });
        result
    }

    /// Notes that code runs which cannot be known.
    pub(super) fn dynamic(&mut self, span: Span) {
        self.capability(CapabilityKind::DynamicCode, span, "");
        let span = self.outer.unwrap_or(span);
        self.facts
            .unparsed(self.unit, span, UnparsedReason::DynamicCode);
    }

    fn deserialise(&mut self, name: &str, args: &Args, span: Span) -> Value {
        let data = args.at(0);
        let taints = data.all_taints();
        for taint in &taints {
            let kind = match taint.kind {
                TaintKind::Remote => FlowKind::RemoteToExecution,
                TaintKind::Decoded if name.contains("marshal") || name.contains("pickle") => {
                    FlowKind::DecodedToExecution
                }
                _ => continue,
            };
            self.flow(
                kind,
                taint,
                span,
                StepKind::Deserialised { by: name.into() },
            );
        }
        let mut value = Value::unknown().with(&taints);
        if name.starts_with("marshal") {
            let taint = self.taint(
                TaintKind::Decoded,
                span,
                StepKind::Becomes("compiled code loaded by marshal"),
            );
            value.add_taints(&[taint]);
        }
        value
    }

    fn import_call(&mut self, name: &str, args: &Args, span: Span) -> Value {
        if name == "imp.load_source"
            || name == "importlib.machinery.SourceFileLoader"
            || name.ends_with("spec_from_file_location")
        {
            let path = args.get("location", 1).shown();
            self.execute_path(&path, span, name);
            return Value::unknown();
        }
        let module = args.at(0);
        for taint in module.all_taints() {
            if taint.kind == TaintKind::Remote && module.full_text().is_none() {
                self.flow(
                    FlowKind::RemoteToExecution,
                    &taint,
                    span,
                    StepKind::Imported { by: name.into() },
                );
            }
        }
        match module.full_text() {
            Some(module) if module.starts_with("http://") || module.starts_with("https://") => {
                let url = Value::text(&*module);
                let response = self.send(
                    &url,
                    &[(super::network::Role::Url, url.clone())],
                    name,
                    span,
                    false,
                );
                for taint in response.taints {
                    self.flow(
                        FlowKind::RemoteToExecution,
                        &taint,
                        span,
                        StepKind::Imported { by: name.into() },
                    );
                }
                Value::unknown()
            }
            Some(module) if module.starts_with("data:") => {
                let code = module.split_once(',').map_or("", |(_, code)| code);
                let bytes = if module.contains(";base64") {
                    crate::decoders::base64(code.as_bytes())
                } else {
                    Some(code.as_bytes().to_vec())
                };
                let value = self.decoded("decoded from a data URL", bytes, &args.at(0), span);
                self.execute_code(&value, CodeLanguage::JavaScript, span, name)
            }
            Some(module) => {
                let unit_first = module.split('.').next().unwrap_or_default();
                if self.is_python() && name == "__import__" {
                    return self.module_value(unit_first, span);
                }
                self.module_value(&module, span)
            }
            None => {
                if module.as_text().is_none() {
                    self.capability(CapabilityKind::DynamicCode, span, name);
                } else if let Some(text) = module.as_text() {
                    self.execute_path(&text, span, name);
                }
                Value::unknown()
            }
        }
    }

    pub(super) fn remove_tree(&mut self, path: &Value, span: Span, by: &str) {
        if let Some(text) = path.full_text()
            && is_everything(&text)
            && !matches!(&*text, "." | "./" | "" | ".." | "*" | "./*")
        {
            self.deed(
                FlowKind::Destruction,
                span,
                StepKind::Destroys {
                    how: "deletes",
                    what: (&text).into(),
                    by: by.into(),
                },
            );
        }
    }
}
