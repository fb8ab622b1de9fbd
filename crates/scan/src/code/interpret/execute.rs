//! Code and commands that are made at run time: noted, and interpreted as far as they are known.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, CodeLanguage, FlowKind, Unit, UnparsedReason};
use super::super::ir::Stmt;
use super::super::known::paths::is_usual_to_source;
use super::super::step::StepKind;
use super::super::value::{Data, HOLE, TaintKind, Value};
use super::Interpreter;
use super::call::Args;

/// Bytes of a program inside of a text.
const INNER_BYTES: usize = 64 * 1024;
/// Programs inside of texts of one analysis.
const INNER_PROGRAMS: usize = 400;

impl Interpreter<'_> {
    /// Notes what a value that is executed came from.
    pub(super) fn executed(&mut self, value: &Value, span: Span, by: &str) -> bool {
        let mut found = false;
        for taint in value.all_taints() {
            let kind = match taint.kind {
                TaintKind::Remote => FlowKind::RemoteToExecution,
                TaintKind::Decoded => FlowKind::DecodedToExecution,
                TaintKind::Outside => FlowKind::ControlFileToExecution,
                _ => continue,
            };
            found = true;
            self.flow(
                kind,
                &taint,
                span,
                StepKind::Executed {
                    path: None,
                    by: by.into(),
                },
            );
        }
        found
    }

    /// Executes a text as code.
    pub(super) fn execute_code(
        &mut self,
        code: &Value,
        language: CodeLanguage,
        span: Span,
        by: &str,
    ) -> Value {
        self.capability(CapabilityKind::DynamicCode, span, by);
        let found = self.executed(code, span, by);
        let mut result = Value::unknown();
        let mut known = false;
        for option in code.alternatives() {
            if let Some(text) = option.as_text() {
                known |= !text.contains(HOLE);
                if !found && self.is_hidden(&text) {
                    let taint = self.taint(
                        TaintKind::Decoded,
                        span,
                        StepKind::Becomes("put together by code"),
                    );
                    self.flow(
                        FlowKind::DecodedToExecution,
                        &taint,
                        span,
                        StepKind::Executed {
                            path: None,
                            by: by.into(),
                        },
                    );
                }
                let value = self.run_text(&text, language, &option, span);
                result = result.join(&value);
            } else if let Data::Function(_) = option.data {
                known = true;
                result = self.call_value(&option, Args::default(), span);
            }
        }
        if !known && !found {
            self.dynamic(span);
        }
        result
    }

    /// Whether a reader of the source does not see a text that it executes.
    fn is_hidden(&self, text: &str) -> bool {
        let longest = text
            .split(['\n', '\'', '"', '\\', HOLE])
            .map(str::trim)
            .max_by_key(|line| line.len())
            .unwrap_or_default();
        // What is read from a file is not in the source either; that is told by its mark. A comment shows nothing.
        let is_code = |source: &str, at: usize| {
            let before = source
                .get(..at)
                .and_then(|before| before.rsplit('\n').next());
            let before = before.unwrap_or_default().trim_start();
            !["#", "//", "/*", "*"]
                .iter()
                .any(|mark| before.starts_with(mark))
                && ![" #", "\t#", " //", "\t//"]
                    .iter()
                    .any(|mark| before.contains(mark))
        };
        let is_seen = |unit: &Unit<'_>| {
            let mut places = unit.source.match_indices(longest);
            places.any(|(at, _)| is_code(unit.source, at))
        };
        longest.len() >= 12 && !self.units.iter().any(is_seen)
    }

    /// The program that a text holds, parsed once.
    fn inner_program(&mut self, text: &str, language: CodeLanguage, span: Span) -> Rc<Vec<Stmt>> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let outer = self.outer.unwrap_or(span);
        outer.start.hash(&mut hasher);
        self.unit.hash(&mut hasher);
        let key = (language, hasher.finish(), text.len());
        if let Some(known) = self.programs_of_texts.get(&key) {
            return Rc::clone(known);
        }
        if self.programs_of_texts.len() >= INNER_PROGRAMS || text.len() > INNER_BYTES {
            self.facts
                .unparsed(self.unit, outer, UnparsedReason::StepsUsedUp);
            return Rc::new(Vec::new());
        }
        let program = self.parser.program(text, language, Some(outer));
        if let Some(reason) = program.problem.filter(|reason| reason.is_parser_lost()) {
            self.facts.unparsed(self.unit, outer, reason);
        }
        let body = Rc::new(program.body);
        self.programs_of_texts.insert(key, Rc::clone(&body));
        body
    }

    /// Interprets a text as a program, in the running scope when the language is the same.
    pub(super) fn run_text(
        &mut self,
        text: &str,
        language: CodeLanguage,
        value: &Value,
        span: Span,
    ) -> Value {
        if self.depth + 30 >= super::DEPTH || text.trim().is_empty() || self.steps == 0 {
            return Value::unknown();
        }
        let program = self.inner_program(text, language, span);
        let saved = (self.language, self.outer, self.scope, self.folds, self.hot);
        let holes = std::mem::replace(&mut self.holes, value.all_taints());
        let same = self.language == language
            || matches!(
                (self.language, language),
                (
                    CodeLanguage::TypeScript | CodeLanguage::Tsx,
                    CodeLanguage::JavaScript
                )
            );
        self.language = language;
        self.outer = Some(self.outer.unwrap_or(span));
        self.folds = 0;
        if !same {
            self.scope = self.new_scope(None);
        }
        self.returns.push(None);
        self.depth += 10;
        let shell = self.is_shell();
        let result = if shell {
            self.capture(&program)
        } else {
            self.outputs.push(Value::of(Data::text("")));
            let value = match program.split_last() {
                Some((last, front)) => {
                    self.block(front);
                    match &last.kind {
                        super::super::ir::StmtKind::Expr(expr) => self.eval(expr),
                        _ => {
                            self.block(std::slice::from_ref(last));
                            Value::unknown()
                        }
                    }
                }
                None => Value::unknown(),
            };
            let printed = self.outputs.pop().unwrap_or_default();
            if same { value } else { printed }
        };
        self.depth -= 10;
        self.returns.pop();
        self.holes = holes;
        (self.language, self.outer, self.scope, self.folds, self.hot) = saved;
        result
    }

    /// Executes a file: one of the skill, one that was written before, or one outside.
    pub(super) fn execute_path(&mut self, path: &str, span: Span, by: &str) -> Value {
        self.execute_file(path, Value::unknown(), Value::unknown(), span, by)
    }

    /// Executes a file with arguments and input; what it prints is the result.
    pub(super) fn execute_file(
        &mut self,
        path: &str,
        arguments: Value,
        stdin: Value,
        span: Span,
        by: &str,
    ) -> Value {
        let what = StepKind::Executed {
            path: Some(path.into()),
            by: by.into(),
        };
        let sources = matches!(by, "source" | ".");
        self.run_file(path, (arguments, stdin), span, sources, what)
    }

    /// Executes a file that is the command itself.
    pub(super) fn start(
        &mut self,
        path: &str,
        arguments: Value,
        stdin: Value,
        span: Span,
    ) -> Value {
        let what = StepKind::Executed {
            path: Some(path.into()),
            by: "a shell".into(),
        };
        self.run_file(path, (arguments, stdin), span, false, what)
    }

    fn run_file(
        &mut self,
        path: &str,
        (arguments, stdin): (Value, Value),
        span: Span,
        sources: bool,
        what: StepKind,
    ) -> Value {
        if let Some(written) = self.written(path) {
            let mut serious = false;
            for taint in &written.taints {
                let kind = match taint.kind {
                    TaintKind::Remote => FlowKind::RemoteToExecution,
                    TaintKind::Decoded => FlowKind::DecodedToExecution,
                    _ => continue,
                };
                serious = true;
                self.flow(kind, taint, span, what.clone());
            }
            if let Some(text) = written.full_text() {
                let language = language_of_file(path, &text).unwrap_or(CodeLanguage::Shell);
                return self.run_text(&text, language, &written, span);
            }
            if serious || !written.taints.is_empty() || !matches!(written.data, Data::Unknown) {
                return Value::unknown();
            }
        }
        if let Some(unit) = self.find_unit(path) {
            return self.run_program(unit, arguments, stdin);
        }
        let outside = Self::is_control_path(path) && !path.contains(HOLE)
            || (sources || self.is_python())
                && super::super::known::paths::is_home(path)
                && !is_usual_to_source(path)
                && !path.contains("/skills/")
                && !path.contains("/plugins/");
        if outside && self.written(path).is_none() {
            let taint = self.taint(TaintKind::Outside, span, StepKind::Takes(path.into()));
            self.flow(FlowKind::ControlFileToExecution, &taint, span, what);
        }
        Value::unknown()
    }

    /// A command as a text or a list, as `subprocess.run` takes it.
    pub(super) fn process(&mut self, name: &str, args: &Args, span: Span) -> Value {
        let mut command = args.get("args", 0);
        for key in ["cmd", "command"] {
            if let Some(given) = args.name(key) {
                command = given.clone();
            }
        }
        if let Data::Map(entries) = &command.data
            && let Some(inner) = entries.get("cmd")
        {
            command = inner.clone();
        }
        let stdin = match args.name("input").or_else(|| args.name("stdin")) {
            Some(value) => value.clone(),
            None => self.option_of(args, "input"),
        };
        if args
            .name("stdin")
            .is_some_and(|value| value.is_marked(&TaintKind::Socket))
        {
            self.shell_on_socket(&stdin, span);
        }
        let mut result = Value::unknown();
        for option in command.alternatives() {
            let value = match &option.data {
                Data::List(words) => self.run_words(words.to_vec(), stdin.clone(), span),
                _ => self.run_command_text(&option, stdin.clone(), span, name),
            };
            result = if matches!(result.data, Data::Unknown) {
                value.with(&result.taints)
            } else {
                result.join(&value)
            };
        }
        let functions = args.functions();
        if !functions.is_empty() {
            self.call_back(
                &functions,
                &[Value::none(), result.clone(), result.clone()],
                span,
            );
        }
        let output = result.as_text();
        let mut value = Value::external(&format!("{name}()")).with(&result.taints);
        if matches!(
            name,
            "subprocess.check_output" | "subprocess.getoutput" | "child_process.execSync"
        ) && let Some(output) = output
        {
            value.data = Data::Text(output);
        }
        value
    }

    /// A command as one text: a shell's.
    pub(super) fn run_command_text(
        &mut self,
        command: &Value,
        stdin: Value,
        span: Span,
        by: &str,
    ) -> Value {
        let Some(text) = command.as_text() else {
            self.capability(CapabilityKind::Process, span, "");
            self.executed(command, span, by);
            return Value::unknown();
        };
        // Only what is known in full, or begins with the unknown, is executed as a whole.
        if !text.contains(HOLE) || text.starts_with(HOLE) {
            self.executed(command, span, by);
        }
        let saved = std::mem::replace(&mut self.stdin, stdin);
        let result = self.run_text(&text, CodeLanguage::Shell, command, span);
        self.stdin = saved;
        result
    }

    /// A program and its arguments, as `spawn` takes them.
    pub(super) fn program(&mut self, name: &str, args: &Args, span: Span) -> Value {
        let mut positional = args.positional.clone();
        if name.starts_with("os.spawn") && !positional.is_empty() {
            positional.remove(0);
        }
        let program = if positional.is_empty() {
            Value::unknown()
        } else {
            positional.remove(0)
        };
        let mut words = vec![program];
        let list_form = name.starts_with("os.execv")
            || name.starts_with("os.spawnv")
            || name.starts_with("os.posix");
        for value in positional {
            match &value.data {
                Data::List(items) => {
                    // The list of `execv` repeats the program.
                    let skip = usize::from(list_form);
                    words.extend(items.iter().skip(skip).cloned());
                }
                Data::Map(entries) => {
                    if let Some(Value {
                        data: Data::List(items),
                        ..
                    }) = entries.get("args")
                    {
                        words.extend(items.iter().cloned());
                    }
                }
                Data::Function(_) => {}
                _ if name.starts_with("os.execl")
                    && words.len() == 1
                    && value.as_text() == words.first().and_then(Value::as_text) => {}
                _ => words.push(value.clone()),
            }
        }
        if name == "child_process.fork" || name == "worker_threads.Worker" || name == "Worker" {
            words.insert(0, Value::text("node"));
        }
        let stdin = self.option_of(args, "input");
        let value = self.run_words(words, stdin, span);
        let functions = args.functions();
        if !functions.is_empty() {
            self.call_back(
                &functions,
                &[Value::none(), value.clone(), value.clone()],
                span,
            );
        }
        Value::external(&format!("{name}()")).with(&value.taints)
    }

    /// A member of the options that a call has in its maps.
    fn option_of(&self, args: &Args, key: &str) -> Value {
        args.positional
            .iter()
            .find_map(|value| match &value.data {
                Data::Map(entries) => entries.get(key).cloned(),
                _ => None,
            })
            .unwrap_or_default()
    }
}

/// The language of a file by its name or its first line.
pub(super) fn language_of_file(path: &str, text: &str) -> Option<CodeLanguage> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    Some(match ending {
        "py" | "pyw" => CodeLanguage::Python,
        "js" | "mjs" | "cjs" => CodeLanguage::JavaScript,
        "ts" | "mts" | "cts" => CodeLanguage::TypeScript,
        "sh" | "bash" | "zsh" | "command" => CodeLanguage::Shell,
        "ps1" | "psm1" => CodeLanguage::PowerShell,
        _ => {
            let first = text.lines().next().unwrap_or_default();
            if !first.starts_with("#!") {
                return None;
            }
            if first.contains("python") {
                CodeLanguage::Python
            } else if first.contains("node") {
                CodeLanguage::JavaScript
            } else {
                CodeLanguage::Shell
            }
        }
    })
}
