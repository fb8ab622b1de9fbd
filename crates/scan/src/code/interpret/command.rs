//! Commands of a shell: words, redirects, pipes, and which program it is.

use prowess_spec::Span;

use super::super::facts::{CapabilityKind, CodeLanguage, FlowKind};
use super::super::ir::{Command, Expr, ExprKind, Redirect};
use super::super::known::paths::base_name;
use super::super::step::{Origin, StepKind};
use super::super::value::{Data, HOLE, TaintKind, Value};
use super::Interpreter;
use super::call::Args;
use super::module::language_of;
use super::statement::split_words;

impl Interpreter<'_> {
    /// Runs a command; its value is what it prints.
    pub(super) fn command(&mut self, command: &Command, span: Span) -> Value {
        let mut words = Vec::new();
        for word in &command.words {
            let value = self.eval(word);
            // An expansion without quotes may be several words.
            match &word.kind {
                ExprKind::Expansion(_) | ExprKind::Capture(_) if !command.powershell => {
                    words.extend(split_words(&value));
                }
                _ => match &value.data {
                    Data::List(items) if !command.powershell => words.extend(items.iter().cloned()),
                    _ => words.push(value),
                },
            }
        }
        let mut saved_environment = Vec::new();
        for (name, expr) in &command.assigns {
            let value = self.eval(expr);
            if words.is_empty() {
                self.set_local(name, value);
            } else {
                saved_environment
                    .push((name.clone(), self.environment.insert(name.clone(), value)));
            }
        }
        let saved = self.redirect_input(&command.redirects, span);
        let stdin = self.stdin.clone();
        let shell = words
            .first()
            .and_then(Value::as_text)
            .and_then(|name| language_of(&name))
            .is_some_and(|language| language == CodeLanguage::Shell);
        if shell
            && command
                .redirects
                .iter()
                .any(|redirect| matches!(redirect, Redirect::Write(_) | Redirect::Read(_)))
        {
            self.reverse_shell_redirect(&command.redirects, span);
        }
        let output = if command.powershell {
            self.run_cmdlet(words, stdin, span)
        } else {
            self.run_words(words, stdin, span)
        };
        if let Some(stdin) = saved {
            self.stdin = stdin;
        }
        for (name, old) in saved_environment {
            match old {
                Some(old) => self.environment.insert(name, old),
                None => self.environment.remove(&name),
            };
        }
        self.redirect_output(&command.redirects, &output, span)
    }

    fn reverse_shell_redirect(&mut self, redirects: &[Redirect], span: Span) {
        for redirect in redirects {
            if let Redirect::Write(target) | Redirect::Read(target) = redirect {
                let path = self.eval(target).shown();
                if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
                    self.deed(
                        FlowKind::ReverseShell,
                        span,
                        StepKind::AttachesShell {
                            to: Some((&path).into()),
                            by: None,
                        },
                    );
                }
            }
        }
    }

    /// Sets the input by redirects; gives what it was before.
    pub(super) fn redirect_input(&mut self, redirects: &[Redirect], span: Span) -> Option<Value> {
        let mut input = None;
        for redirect in redirects {
            match redirect {
                Redirect::Text(text) => input = Some(self.eval(text)),
                Redirect::Read(path) => {
                    let path = self.eval(path);
                    let value = if path.shown().starts_with("/dev/tcp/") {
                        let host = path.shown();
                        let taint = self.taint(
                            TaintKind::Remote,
                            span,
                            StepKind::Receives {
                                from: Origin::new(&host, &host),
                                by: None,
                            },
                        );
                        Value::unknown().with(&[taint])
                    } else {
                        self.read_file(&path, span, "<")
                    };
                    input = Some(value);
                }
                Redirect::Write(_) => {}
            }
        }
        input.map(|input| std::mem::replace(&mut self.stdin, input))
    }

    /// Writes the output by redirects; gives what is left to print.
    pub(super) fn redirect_output(
        &mut self,
        redirects: &[Redirect],
        output: &Value,
        span: Span,
    ) -> Value {
        let mut left = Some(output.clone());
        for redirect in redirects {
            if let Redirect::Write(target) = redirect {
                let path = self.eval(target);
                let shown = path.shown();
                left = None;
                if let Some(rest) = shown
                    .strip_prefix("/dev/tcp/")
                    .or_else(|| shown.strip_prefix("/dev/udp/"))
                {
                    let host = Value::text(rest.split('/').next().unwrap_or_default());
                    self.send(
                        &host,
                        &[(super::network::Role::Payload, output.clone())],
                        "/dev/tcp",
                        span,
                        true,
                    );
                } else if shown == "/dev/stdout" || shown == "/dev/stderr" || shown == "/dev/tty" {
                    left = Some(output.clone());
                } else {
                    self.write_file(&path, output, span, ">");
                }
            }
        }
        left.unwrap_or_else(Value::none)
    }

    /// Each command's output is the next one's input.
    pub(super) fn pipeline(&mut self, parts: &[Expr]) -> Value {
        let saved = self.stdin.clone();
        let mut output = Value::none();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.stdin = output;
            }
            self.outputs.push(Value::of(Data::text("")));
            let value = self.eval(part);
            let printed = self.outputs.pop().unwrap_or_default();
            output = if matches!(value.data, Data::None) {
                printed
            } else {
                value.with(&printed.taints)
            };
        }
        self.stdin = saved;
        output
    }

    /// Runs a program by its words.
    pub(super) fn run_words(&mut self, words: Vec<Value>, stdin: Value, span: Span) -> Value {
        if self.depth + 12 >= super::DEPTH || !self.tick() {
            return Value::unknown();
        }
        self.depth += 3;
        let output = self.run_program_words(words, stdin, span);
        self.depth -= 3;
        output
    }

    fn run_program_words(&mut self, mut words: Vec<Value>, stdin: Value, span: Span) -> Value {
        if words.is_empty() {
            return Value::none();
        }
        let first = words.remove(0);
        let Some(program) = first.as_text() else {
            self.capability(CapabilityKind::Process, span, "");
            self.executed(&first, span, "a shell");
            return Value::unknown();
        };
        if program.starts_with(HOLE) && program.chars().count() == 1 {
            self.executed(&first, span, "a shell");
            return Value::unknown();
        }
        // A function of the script.
        if self.is_shell()
            && let Some(Value {
                data: Data::Function(closure),
                ..
            }) = self.lookup(&program).cloned()
        {
            self.outputs.push(Value::of(Data::text("")));
            let saved = std::mem::replace(&mut self.stdin, stdin);
            let returned = self.call_closure(&closure, Args::of(words), span);
            self.stdin = saved;
            let printed = self.outputs.pop().unwrap_or_default();
            return printed.with(&returned.taints);
        }
        if first
            .taints
            .iter()
            .any(|taint| matches!(taint.kind, TaintKind::Remote | TaintKind::Decoded))
            && !first.taints.is_empty()
        {
            self.executed(&first, span, "a shell");
        }
        let name = base_name(&program).trim_end_matches(".exe").to_owned();
        if !is_silent(&name) {
            self.capability(CapabilityKind::Process, span, &program);
        }
        let words = Words {
            name,
            program: program.to_string(),
            rest: words,
            stdin,
            span,
        };
        self.run_wrapper(&words)
            .or_else(|| self.run_interpreter(&words))
            .or_else(|| self.run_network(&words))
            .or_else(|| self.run_decoder(&words))
            .or_else(|| self.run_system(&words))
            .or_else(|| self.run_data(&words))
            .unwrap_or_else(|| self.run_other(&words))
    }

    fn run_other(&mut self, words: &Words) -> Value {
        let path = &words.program;
        let looks_like_path = path.contains('/')
            || path.contains('\\')
            || path.ends_with(".sh")
            || path.ends_with(".exe");
        // A bare name is looked up among programs, not in the folder.
        let installed = !looks_like_path
            && self.files.iter().any(|(known, file)| {
                !file.taints.is_empty() && known.contains("bin/") && base_name(known) == path
            });
        if looks_like_path && !path.ends_with('/') || installed {
            let arguments = Value::list(words.rest.clone());
            return self.start(path, arguments, words.stdin.clone(), words.span);
        }
        // What it prints may hold what it read.
        Value::unknown().with(&words.stdin.taints)
    }
}

/// The words of a command, its program apart.
pub(super) struct Words {
    /// The program without its directory.
    pub name: String,
    /// The program as it is written.
    pub program: String,
    pub rest: Vec<Value>,
    pub stdin: Value,
    pub span: Span,
}

impl Words {
    /// The texts of the arguments.
    pub(super) fn texts(&self) -> Vec<String> {
        self.rest.iter().map(Value::shown).collect()
    }

    /// The arguments that are not options.
    pub(super) fn operands(&self) -> Vec<Value> {
        self.rest
            .iter()
            .filter(|word| !word.shown().starts_with('-'))
            .cloned()
            .collect()
    }

    /// Whether one of the words is there.
    pub(super) fn has(&self, options: &[&str]) -> bool {
        self.rest
            .iter()
            .any(|word| options.contains(&word.shown().as_str()))
    }

    /// The word after an option, or what follows it after `=`.
    pub(super) fn after(&self, options: &[&str]) -> Option<Value> {
        let mut words = self.rest.iter();
        while let Some(word) = words.next() {
            let text = word.shown();
            if options.contains(&text.as_str()) {
                return words.next().cloned();
            }
            if let Some((name, value)) = text.split_once('=')
                && name.starts_with("--")
                && options.contains(&name)
            {
                return Some(Value::text(value).with(&word.taints));
            }
        }
        None
    }
}

/// Commands that are part of the language.
fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "echo"
            | "printf"
            | "cd"
            | "set"
            | "export"
            | "test"
            | "["
            | "true"
            | "false"
            | ":"
            | "read"
            | "local"
            | "shift"
            | "exit"
            | "return"
            | "source"
            | "."
            | "eval"
            | "exec"
            | "command"
            | "builtin"
            | "type"
            | "pwd"
            | "trap"
            | "unset"
            | "declare"
            | "typeset"
            | "readonly"
            | "alias"
            | "wait"
            | "let"
            | "getopts"
            | "shopt"
    )
}
