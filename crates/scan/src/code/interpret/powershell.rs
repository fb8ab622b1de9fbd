//! Cmdlets and classes of `PowerShell`.

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, CodeLanguage, FlowKind};
use super::super::step::{Arrangement, StepKind, Store};
use super::super::value::{Data, External, TaintKind, Value};
use super::Interpreter;
use super::call::{Args, origin_of};
use super::command::Words;
use super::network::Role;
use crate::decoders as decode;

/// The words of a cmdlet: parameters by name, and the rest.
struct Parameters {
    named: Vec<(String, Value)>,
    rest: Vec<Value>,
}

impl Parameters {
    fn of(words: &[Value]) -> Self {
        const SWITCHES: &[&str] = &[
            "-force",
            "-recurse",
            "-usebasicparsing",
            "-passthru",
            "-asplaintext",
            "-raw",
            "-append",
            "-nonewline",
            "-wait",
            "-nop",
            "-noprofile",
            "-noninteractive",
            "-verb",
            "-hidden",
            "-skipcertificatecheck",
            "-nologo",
            "-sta",
            "-verbose",
            "-compress",
        ];
        let mut named = Vec::new();
        let mut rest = Vec::new();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            let text = word.shown();
            let option = text.starts_with('-')
                && text.len() > 1
                && matches!(word.data, Data::Text(_))
                && !text.contains(' ');
            if !option {
                rest.push(word.clone());
                continue;
            }
            let name = text.to_ascii_lowercase();
            let switch = SWITCHES.contains(&name.as_str());
            let value = words.next_if(|next| {
                let option = matches!(next.data, Data::Text(_)) && next.shown().starts_with('-');
                !switch && !option
            });
            named.push((name, value.cloned().unwrap_or_default()));
        }
        Self { named, rest }
    }

    /// A parameter by one of its names, or by position.
    fn get(&self, names: &[&str], at: usize) -> Value {
        self.name(names)
            .unwrap_or_else(|| self.rest.get(at).cloned().unwrap_or_default())
    }

    fn name(&self, names: &[&str]) -> Option<Value> {
        self.named
            .iter()
            .find(|(known, _)| {
                names.iter().any(|name| {
                    known == name || known.len() > 3 && name.starts_with(known.as_str())
                })
            })
            .map(|(_, value)| value.clone())
    }

    fn has(&self, names: &[&str]) -> bool {
        self.name(names).is_some()
    }
}

impl Interpreter<'_> {
    /// Runs a command of a `PowerShell` script.
    pub(super) fn run_cmdlet(&mut self, words: Vec<Value>, stdin: Value, span: Span) -> Value {
        if self.depth + 12 >= super::DEPTH || !self.tick() {
            return Value::unknown();
        }
        let Some(first) = words.first().cloned() else {
            return Value::none();
        };
        if let Data::Function(_) = first.data {
            let rest = words.get(1..).unwrap_or_default().to_vec();
            return self.call_value(&first, Args::of(rest), span);
        }
        let Some(name) = first.as_text() else {
            self.executed(&first, span, "PowerShell");
            return Value::unknown().with(&first.taints);
        };
        let name = name.to_ascii_lowercase();
        let rest = words.get(1..).unwrap_or_default();
        let parameters = Parameters::of(rest);
        if let Some(Value {
            data: Data::Function(closure),
            ..
        }) = self.lookup(&name).cloned()
        {
            let args = Args {
                positional: parameters.rest,
                named: parameters
                    .named
                    .into_iter()
                    .map(|(name, value)| (name.trim_start_matches('-').into(), value))
                    .collect(),
            };
            self.outputs.push(Value::of(Data::text("")));
            let returned = self.call_closure(&closure, args, span);
            let printed = self.outputs.pop().unwrap_or_default();
            return if matches!(returned.data, Data::None) {
                printed
            } else {
                returned.with(&printed.taints)
            };
        }
        self.depth += 3;
        let result = self.cmdlet(&name, &parameters, &stdin, span);
        self.depth -= 3;
        match result {
            Some(value) => value,
            None => self.run_words(words, stdin, span),
        }
    }

    fn cmdlet(
        &mut self,
        name: &str,
        parameters: &Parameters,
        stdin: &Value,
        span: Span,
    ) -> Option<Value> {
        Some(match name {
            "invoke-expression" | "iex" => {
                let code = if parameters.rest.is_empty() && !parameters.has(&["-command"]) {
                    stdin.clone()
                } else {
                    parameters.get(&["-command"], 0)
                };
                self.execute_code(&code, CodeLanguage::PowerShell, span, "Invoke-Expression")
            }
            "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "curl" | "wget" => {
                if name == "curl"
                    && parameters.named.iter().any(|(name, _)| {
                        matches!(
                            name.as_str(),
                            "-s" | "-d" | "-fssl" | "-o" | "-h" | "-l" | "-x" | "-f"
                        )
                    })
                {
                    return None;
                }
                let url = parameters.get(&["-uri"], 0);
                let mut parts = vec![(Role::Url, url.clone())];
                for (key, value) in &parameters.named {
                    let role = if matches!(key.as_str(), "-body" | "-infile" | "-form") {
                        Role::Payload
                    } else {
                        Role::Header
                    };
                    let value = if key == "-infile" {
                        self.read_file(value, span, name)
                    } else {
                        value.clone()
                    };
                    parts.push((role, value));
                }
                parts.push((Role::Payload, stdin.clone()));
                let response = self.send(&url, &parts, name, span, false);
                match parameters.name(&["-outfile"]) {
                    Some(path) => {
                        self.write_file(&path, &response, span, name);
                        Value::none()
                    }
                    None => response,
                }
            }
            "start-bitstransfer" => {
                let url = parameters.get(&["-source"], 0);
                let response = self.send(&url, &[(Role::Url, url.clone())], name, span, false);
                self.write_file(&parameters.get(&["-destination"], 1), &response, span, name);
                Value::none()
            }
            "new-object" => {
                let kind = parameters
                    .get(&["-typename"], 0)
                    .shown()
                    .to_ascii_lowercase();
                let kind = kind.trim_start_matches("system.").to_owned();
                let args = parameters
                    .name(&["-argumentlist"])
                    .or_else(|| parameters.rest.get(1).cloned())
                    .unwrap_or_default();
                return Some(self.new_object(
                    &kind,
                    &Args::of(args.items().unwrap_or_else(|| vec![args.clone()])),
                    span,
                ));
            }
            "get-content" | "gc" | "cat" | "type" => {
                let path = parameters.get(&["-path", "-literalpath"], 0);
                let content = self.read_file(&path, span, name);
                if content.taints.is_empty() && matches!(content.data, Data::Unknown) {
                    Value::unknown()
                } else {
                    content
                }
            }
            "set-content" | "sc" | "add-content" | "ac" | "out-file" | "tee-object" => {
                let path = parameters.get(&["-path", "-filepath", "-literalpath"], 0);
                let at = usize::from(!parameters.has(&["-path", "-filepath", "-literalpath"]));
                let content = parameters
                    .name(&["-value", "-inputobject"])
                    .or_else(|| parameters.rest.get(at).cloned())
                    .unwrap_or_else(|| stdin.clone());
                self.write_file(&path, &content, span, name);
                Value::none()
            }
            "copy-item" | "move-item" | "cp" | "mv" | "copy" | "move" => {
                let content = self.read_file(&parameters.get(&["-path"], 0), span, name);
                self.write_file(&parameters.get(&["-destination"], 1), &content, span, name);
                Value::none()
            }
            "remove-item" | "rm" | "del" | "rd" | "ri" | "rmdir" => {
                if parameters.has(&["-recurse"]) || parameters.has(&["-r", "-rf"]) {
                    let path = parameters.get(&["-path", "-literalpath"], 0);
                    self.remove_tree(&path, span, name);
                }
                Value::none()
            }
            "get-childitem" | "gci" | "ls" | "dir" => {
                let path = parameters.get(&["-path"], 0);
                match path.as_text() {
                    Some(text) => {
                        let content = self.read_file(&path, span, name);
                        let mut value = Value::text(&*text);
                        value.taints = content
                            .taints
                            .into_iter()
                            .filter(|taint| {
                                matches!(
                                    taint.kind,
                                    TaintKind::Secret
                                        | TaintKind::Personal
                                        | TaintKind::Environment
                                )
                            })
                            .collect();
                        if text.eq_ignore_ascii_case("env:") {
                            let taint = self.whole_environment(span);
                            value.add_taints(&[taint]);
                        }
                        value
                    }
                    None => Value::unknown(),
                }
            }
            "foreach-object" | "%" | "foreach" => {
                let function = parameters.get(&["-process"], 0);
                let items = stdin
                    .items()
                    .filter(|_| !matches!(stdin.data, Data::Text(_)));
                let mut list = Vec::new();
                for (round, item) in items
                    .unwrap_or_else(|| vec![stdin.clone()])
                    .into_iter()
                    .enumerate()
                {
                    if self.steps == 0 {
                        break;
                    }
                    let hot = usize::from(round > 0);
                    self.hot += hot;
                    list.push(self.with_item(&function, item, span));
                    self.hot -= hot;
                }
                match (list.len(), list.pop()) {
                    (1, Some(single)) => single,
                    (_, Some(tail)) => {
                        list.push(tail);
                        Value::list(list)
                    }
                    (_, None) => Value::none(),
                }
            }
            "where-object"
            | "?"
            | "select-object"
            | "sort-object"
            | "out-string"
            | "convertto-json"
            | "convertfrom-json"
            | "select"
            | "out-default"
            | "write-output"
            | "echo"
            | "write"
            | "get-variable"
            | "convertto-securestring" => {
                let function = parameters.get(&[], 0);
                if let Data::Function(_) = function.data {
                    self.with_item(&function, stdin.clone(), span);
                }
                let mut value = if name.starts_with("write") || name == "echo" {
                    function
                } else {
                    stdin.clone()
                };
                if name.starts_with("conv") && !parameters.rest.is_empty() {
                    value = parameters.get(&[], 0);
                }
                value
            }
            "out-null" | "write-host" | "write-verbose" | "write-error" | "start-sleep"
            | "set-location" | "push-location" | "test-path" | "write-warning" | "write-debug"
            | "set-strictmode" => Value::none(),
            "join-path" => {
                let parts = [
                    parameters.get(&["-path"], 0),
                    parameters.get(&["-childpath"], usize::from(!parameters.has(&["-path"]))),
                ];
                let mut whole = Value::text(super::text::join_path(&parts));
                for part in &parts {
                    whole.add_taints(&part.taints);
                }
                whole
            }
            "resolve-path" | "convert-path" | "split-path" | "get-item" => {
                parameters.get(&["-path"], 0)
            }
            "start-process" | "saps" | "start" | "invoke-item" | "ii" => {
                let mut command = vec![parameters.get(&["-filepath"], 0)];
                let arguments = parameters
                    .name(&["-argumentlist", "-args"])
                    .or_else(|| parameters.rest.get(1).cloned());
                match arguments
                    .as_ref()
                    .map(|value| (&value.data, value.as_text()))
                {
                    Some((Data::List(items), _)) => command.extend(items.iter().cloned()),
                    Some((_, Some(text))) => {
                        command.extend(split_quoted(&text).into_iter().map(|word| {
                            Value::text(word).with(
                                &arguments
                                    .as_ref()
                                    .map(|value| value.taints.clone())
                                    .unwrap_or_default(),
                            )
                        }));
                    }
                    _ => command.extend(arguments.clone()),
                }
                self.run_words(command, Value::unknown(), span)
            }
            "start-job" | "invoke-command" | "icm" | "register-objectevent" => {
                let block = parameters
                    .name(&["-scriptblock", "-action"])
                    .or_else(|| parameters.rest.first().cloned())
                    .unwrap_or_default();
                self.call_value(&block, Args::default(), span)
            }
            "add-type" | "import-module" | "ipmo" => {
                let path = parameters.get(&["-path", "-name", "-typedefinition"], 0);
                self.executed(&path, span, name);
                if let Some(text) = path.as_text()
                    && text.contains(['\\', '/'])
                {
                    self.execute_path(&text, span, name);
                }
                Value::none()
            }
            "set-itemproperty" | "new-itemproperty" | "sp" | "new-item" | "ni" => {
                let path = parameters
                    .get(&["-path"], 0)
                    .shown()
                    .to_ascii_lowercase()
                    .replace('\\', "/");
                if path.contains("currentversion/run") || path.contains("winlogon") {
                    self.capability(CapabilityKind::Persistence, span, "registry");
                    self.deed(
                        FlowKind::Persistence,
                        span,
                        StepKind::Arranges(Arrangement::RunKey),
                    );
                } else if let Some(value) = parameters.name(&["-value"]) {
                    self.write_file(&parameters.get(&["-path"], 0), &value, span, name);
                }
                Value::none()
            }
            "register-scheduledtask" | "new-scheduledtaskaction" | "register-scheduledjob" => {
                self.capability(CapabilityKind::Persistence, span, name);
                if name.starts_with("register") {
                    self.deed(
                        FlowKind::Persistence,
                        span,
                        StepKind::Arranges(Arrangement::RegisteredTask),
                    );
                }
                Value::unknown()
            }
            "new-service" | "set-service" => {
                self.capability(CapabilityKind::Persistence, span, name);
                if name == "new-service" {
                    self.deed(
                        FlowKind::Persistence,
                        span,
                        StepKind::Arranges(Arrangement::Service),
                    );
                }
                Value::unknown()
            }
            "set-mppreference" | "add-mppreference" => {
                self.deed(FlowKind::ConditionalTrigger, span, StepKind::Blinds);
                Value::none()
            }
            "get-clipboard" | "gcb" => {
                self.capability(CapabilityKind::Clipboard, span, name);
                let taint = self.taint(
                    TaintKind::Personal,
                    span,
                    StepKind::Opens {
                        store: Store::Clipboard,
                        by: None,
                    },
                );
                Value::unknown().with(&[taint])
            }
            "get-date" | "get-computerinfo" | "get-wmiobject" | "get-ciminstance" => {
                let taint = self.taint(
                    TaintKind::Surroundings,
                    span,
                    StepKind::LooksAt(name.into()),
                );
                Value::unknown().with(&[taint])
            }
            "expand-archive" => {
                let content = self.read_file(&parameters.get(&["-path"], 0), span, name);
                self.unpack(&content, &parameters.get(&["-destinationpath"], 1), span);
                Value::none()
            }
            "compress-archive" => {
                let content = self.read_file(&parameters.get(&["-path"], 0), span, name);
                self.write_file(
                    &parameters.get(&["-destinationpath"], 1),
                    &content,
                    span,
                    name,
                );
                Value::none()
            }
            "send-mailmessage" => {
                let host = parameters.name(&["-smtpserver"]).unwrap_or_default();
                let mut parts = vec![(
                    Role::Payload,
                    parameters.name(&["-body"]).unwrap_or_default(),
                )];
                if let Some(path) = parameters.name(&["-attachments"]) {
                    let content = self.read_file(&path, span, name);
                    parts.push((Role::Payload, content));
                }
                self.send(&host, &parts, name, span, true)
            }
            "resolve-dnsname" => {
                let target = parameters.get(&["-name"], 0);
                self.send(
                    &target,
                    &[(Role::Payload, target.clone())],
                    name,
                    span,
                    true,
                )
            }
            "format-volume" | "clear-disk" => {
                self.deed(
                    FlowKind::Destruction,
                    span,
                    StepKind::Destroys {
                        how: "erases",
                        what: "a disk".into(),
                        by: name.into(),
                    },
                );
                Value::none()
            }
            "gv" | "new-variable" | "set-variable" | "sv" => {
                let variable = parameters.get(&["-name"], 0).shown().to_ascii_lowercase();
                self.set_local(&variable, parameters.get(&["-value"], 1));
                Value::none()
            }
            _ => return None,
        })
    }

    /// Runs a script block with `$_`.
    fn with_item(&mut self, function: &Value, item: Value, span: Span) -> Value {
        self.set_local("_", item.clone());
        self.outputs.push(Value::of(Data::text("")));
        let returned = self.call_value(function, Args::of(vec![item]), span);
        let printed = self.outputs.pop().unwrap_or_default();
        if matches!(returned.data, Data::None | Data::Unknown) {
            return printed.with(&returned.taints);
        }
        returned
    }

    fn new_object(&mut self, kind: &str, args: &Args, span: Span) -> Value {
        if kind.contains("tcpclient") || kind.contains("sockets.socket") {
            let external = External::new(kind);
            return self.connect(&external, args, span);
        }
        if kind.contains("deflatestream")
            || kind.contains("gzipstream")
            || kind.contains("cryptostream")
        {
            let source = args.at(0);
            let bytes = source.as_bytes().and_then(|bytes| decode::inflate(&bytes));
            return self.decoded("decompressed", bytes, &source, span);
        }
        if kind.contains("memorystream") || kind.contains("streamreader") {
            let mut rest = args.at(0);
            if let Data::List(items) = &rest.data
                && items.len() == 1
                && let Some(single) = items.first()
            {
                rest = single.clone();
            }
            return rest;
        }
        Value::of(Data::External(External {
            name: External::new(&format!("{kind}()")).name,
            origin: args.positional.iter().find_map(origin_of),
        }))
    }

    /// Functions of .NET.
    pub(super) fn dotnet(&mut self, external: &External, args: &Args, span: Span) -> Option<Value> {
        let name = external.name.to_ascii_lowercase();
        let first = args.at(0);
        Some(match name.as_str() {
            "[convert].frombase64string" => {
                let bytes = first.as_bytes().and_then(|bytes| decode::base64(&bytes));
                self.decoded("base64 decoded", bytes, &first, span)
            }
            "[convert].tobase64string" => Value::unknown().with(&self.onward(
                &first.all_taints(),
                span,
                StepKind::Becomes("base64-encoded"),
            )),
            "[convert].tobyte" | "[convert].toint32" | "[convert].toint16" | "[int]" | "[byte]" => {
                if let Some(number) = first.as_int() {
                    return Some(Value::int(number));
                }
                let radix = args
                    .at(1)
                    .as_int()
                    .and_then(|radix| u32::try_from(radix).ok())
                    .filter(|radix| (2..=36).contains(radix))
                    .unwrap_or(10);
                let number = first.full_text().and_then(|text| {
                    i64::from_str_radix(text.trim_start_matches("0x"), radix).ok()
                });
                Value::of(number.map_or(Data::Unknown, Data::Int)).with(&first.taints)
            }
            "[char]" | "[convert].tochar" => {
                self.how = "character codes";
                let code = first
                    .as_int()
                    .and_then(|code| u32::try_from(code).ok())
                    .and_then(char::from_u32);
                match code {
                    Some(c) => Value::text(c.to_string()).with(&first.taints),
                    None => first,
                }
            }
            "[char[]]" => {
                self.how = "character codes";
                let items = first.items().unwrap_or_default();
                let chars = items
                    .iter()
                    .map(|item| {
                        match item
                            .as_int()
                            .and_then(|code| u32::try_from(code).ok())
                            .and_then(char::from_u32)
                        {
                            Some(c) => Value::text(c.to_string()),
                            None => item.clone(),
                        }
                    })
                    .collect();
                Value::list(chars).with(&first.taints)
            }
            "[string]" | "[byte[]]" | "[object[]]" | "[array]" | "[pscustomobject]" | "[void]"
            | "[string[]]" | "[xml]" | "[uri]" => first,
            "[range]" => {
                let (from, to) = (first.as_int()?, args.at(1).as_int()?);
                if from.abs_diff(to) > 4096 {
                    return None;
                }
                let list = if from <= to {
                    (from..=to).map(Value::int).collect()
                } else {
                    (to..=from).rev().map(Value::int).collect()
                };
                Value::list(list)
            }
            "[string].join" => {
                let items = args.at(1);
                return Some(
                    self.call_method(&items, &"join".into(), &Args::of(vec![first]), span)
                        .0,
                );
            }
            "[string].concat" => {
                let text: String = args.positional.iter().map(Value::shown).collect();
                let mut value = Value::text(text);
                for arg in &args.positional {
                    value.add_taints(&arg.taints);
                }
                value
            }
            "[array].reverse" => Value::none(),
            "[scriptblock].create" => {
                let code = first.clone();
                self.execute_code(
                    &code,
                    CodeLanguage::PowerShell,
                    span,
                    "[scriptblock]::Create",
                );
                Value::unknown().with(&code.taints)
            }
            "[io.file].readalltext" | "[io.file].readallbytes" | "[io.file].readalllines" => {
                self.read_file(&first, span, &name)
            }
            "[io.file].writealltext" | "[io.file].writeallbytes" | "[io.file].appendalltext" => {
                self.write_file(&first, &args.at(1), span, &name);
                Value::none()
            }
            "[environment].getenvironmentvariable" => {
                let variable = first.full_text()?.to_ascii_uppercase();
                self.environment_variable(&variable, span)
            }
            "[environment].getenvironmentvariables" => {
                let taint = self.whole_environment(span);
                Value::unknown().with(&[taint])
            }
            "[environment].getfolderpath" => match first.shown().to_ascii_lowercase().as_str() {
                "applicationdata" => Value::text("%APPDATA%"),
                "localapplicationdata" => Value::text("%LOCALAPPDATA%"),
                "startup" => Value::text("%APPDATA%/Microsoft/Windows/Start Menu/Programs/Startup"),
                _ => Value::text("%USERPROFILE%"),
            },
            "[io.path].combine" | "[system.io.path]::combine" => {
                Value::text(super::text::join_path(&args.positional))
            }
            "[io.path].gettemppath" => Value::text("%TEMP%"),
            "[reflection.assembly].load"
            | "[reflection.assembly].loadfile"
            | "[appdomain].currentdomain.load" => {
                self.capability(CapabilityKind::DynamicCode, span, "Assembly.Load");
                self.executed(&first, span, "Assembly.Load");
                Value::unknown().with(&first.taints)
            }
            "[diagnostics.process].start" => {
                self.run_words(args.positional.clone(), Value::unknown(), span)
            }
            _ if name.starts_with("[text.encoding]") && name.ends_with(".getstring") => {
                let text = match first.as_bytes() {
                    Some(bytes) if name.contains("unicode") => decode::utf16(&bytes),
                    Some(bytes) => Some(decode::text(&bytes)),
                    None => None,
                };
                match text {
                    Some(text) => Value::text(text).with(&first.taints),
                    None => Value::unknown().with(&first.taints),
                }
            }
            _ if name.starts_with("[text.encoding]") && name.ends_with(".getbytes") => first,
            _ if name.ends_with("].new") => {
                let kind = name
                    .trim_start_matches('[')
                    .trim_end_matches("].new")
                    .to_owned();
                self.new_object(&kind, args, span)
            }
            _ if name.contains("webclient()") || name.contains("httpclient()") => {
                self.web_client(&name, args, span)?
            }
            _ if name.ends_with(".invoke")
                || name.ends_with(".invokescript")
                || name.ends_with(".addscript") =>
            {
                self.execute_code(&first, CodeLanguage::PowerShell, span, "PowerShell")
            }
            _ => return None,
        })
    }

    fn web_client(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        let url = args.at(0);
        let method = name.rsplit('.').next().unwrap_or_default().to_owned();
        Some(match method.as_str() {
            "downloadstring"
            | "downloaddata"
            | "openread"
            | "getstringasync"
            | "getasync"
            | "downloadstringtaskasync"
            | "getbytearrayasync" => {
                self.send(&url, &[(Role::Url, url.clone())], &method, span, false)
            }
            "downloadfile" | "downloadfileasync" => {
                let response = self.send(&url, &[(Role::Url, url.clone())], &method, span, false);
                self.write_file(&args.at(1), &response, span, &method);
                Value::none()
            }
            "uploadstring" | "uploaddata" | "uploadvalues" | "postasync" => {
                let payload = args.positional.last().cloned().unwrap_or_default();
                self.send(
                    &url,
                    &[(Role::Url, url.clone()), (Role::Payload, payload)],
                    &method,
                    span,
                    false,
                )
            }
            "uploadfile" => {
                let path = args.positional.last().cloned().unwrap_or_default();
                let content = self.read_file(&path, span, &method);
                self.send(&url, &[(Role::Payload, content)], &method, span, false)
            }
            _ => return None,
        })
    }

    /// `powershell -Command …`, `-EncodedCommand …`, `-File …`.
    pub(super) fn run_powershell(&mut self, words: &Words) -> Value {
        let mut rest = words.rest.iter().enumerate();
        while let Some((at, word)) = rest.next() {
            let text = word.shown().to_ascii_lowercase();
            let option = text.trim_start_matches(['-', '/']);
            if text.starts_with('-')
                && option.starts_with('e')
                && ("encodedcommand".starts_with(option) || option == "ec")
            {
                let code = words.rest.get(at + 1).cloned().unwrap_or_default();
                let decoded = code
                    .as_bytes()
                    .and_then(|bytes| decode::base64(&bytes))
                    .and_then(|bytes| decode::utf16(&bytes));
                let value = self.decoded(
                    "base64 decoded",
                    decoded.map(String::into_bytes),
                    &code,
                    words.span,
                );
                return self.execute_code(
                    &value,
                    CodeLanguage::PowerShell,
                    words.span,
                    "-EncodedCommand",
                );
            }
            if text.starts_with('-')
                && (option == "c" || "command".starts_with(option) && option.len() > 2)
            {
                let code = super::command_run::joined(words.rest.get(at + 1..).unwrap_or_default());
                return self.run_inner(&code, CodeLanguage::PowerShell, Value::unknown(), words);
            }
            if text.starts_with('-') && (option == "f" || option == "file") {
                let path = words.rest.get(at + 1).cloned().unwrap_or_default();
                return self.execute_file(
                    &path.shown(),
                    Value::unknown(),
                    words.stdin.clone(),
                    words.span,
                    &words.name,
                );
            }
            if text.starts_with('-') {
                let has_value = matches!(
                    option,
                    "executionpolicy"
                        | "ep"
                        | "ex"
                        | "exec"
                        | "windowstyle"
                        | "w"
                        | "version"
                        | "psconsolefile"
                        | "win"
                        | "inputformat"
                );
                if has_value {
                    rest.next();
                }
                continue;
            }
            if text.ends_with(".ps1") {
                return self.execute_file(
                    &word.shown(),
                    Value::unknown(),
                    words.stdin.clone(),
                    words.span,
                    &words.name,
                );
            }
            let code = super::command_run::joined(words.rest.get(at..).unwrap_or_default());
            return self.run_inner(&code, CodeLanguage::PowerShell, Value::unknown(), words);
        }
        let stdin = words.stdin.clone();
        if !stdin.taints.is_empty() || stdin.as_text().is_some() {
            return self.run_inner(&stdin, CodeLanguage::PowerShell, Value::unknown(), words);
        }
        Value::unknown()
    }
}

/// Words of a text; quotes keep blanks together.
fn split_quoted(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, c) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
