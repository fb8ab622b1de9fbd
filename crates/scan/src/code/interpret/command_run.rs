//! Programs that run other programs: wrappers, shells, interpreters.

use super::super::facts::{CapabilityKind, CodeLanguage, FlowKind};
use super::super::known::hosts::host_of;
use super::super::step::{Origin, StepKind};
use super::super::value::{Data, TaintKind, Value};
use super::Interpreter;
use super::command::Words;
use super::module::language_of;

impl Interpreter<'_> {
    /// Programs whose arguments are another command.
    pub(super) fn run_wrapper(&mut self, words: &Words) -> Option<Value> {
        let texts = words.texts();
        let skip = match &*words.name {
            "sudo" | "doas" => skip_options(&texts, &["-u", "-g", "-h", "-p", "-C", "-U"]),
            "nohup" | "setsid" | "time" | "exec" | "command" | "builtin" | "unbuffer" | "then"
            | "else" | "do" | "busybox" | "caffeinate" | "winpty" | "chronic" | "!" => {
                skip_options(&texts, &["-a"])
            }
            "nice" | "ionice" | "stdbuf" | "taskset" => {
                skip_options(&texts, &["-n", "-c", "-o", "-i", "-e"])
            }
            "timeout" | "gtimeout" => skip_options(&texts, &["-s", "-k"]) + 1,
            "env" => {
                let mut at = skip_options(&texts, &["-u", "-C", "-S"]);
                while texts
                    .get(at)
                    .is_some_and(|text| text.contains('=') && !text.starts_with('-'))
                {
                    at += 1;
                }
                if at >= texts.len() {
                    let taint = self.whole_environment(words.span);
                    return Some(Value::unknown().with(&[taint]));
                }
                at
            }
            "xargs" | "parallel" => {
                let at = skip_options(&texts, &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-j"]);
                let mut command: Vec<Value> = words.rest.get(at..).unwrap_or_default().to_vec();
                let input = words.stdin.clone();
                let item = Value::text(input.shown().trim()).with(&input.taints);
                let placeholder = command.iter().position(|word| word.shown().contains("{}"));
                match placeholder {
                    Some(at) => {
                        if let Some(word) = command.get_mut(at) {
                            *word = Value::text(word.shown().replace("{}", &item.shown()))
                                .with(&item.taints);
                        }
                    }
                    None => command.push(item),
                }
                return Some(self.run_words(command, Value::unknown(), words.span));
            }
            "find" | "fd" => {
                let at = texts.iter().position(|text| {
                    matches!(text.as_str(), "-exec" | "-execdir" | "-ok" | "-x")
                })?;
                let folder = texts.first().cloned().unwrap_or_default();
                let found = Value::text(format!(
                    "{folder}/{}",
                    texts
                        .iter()
                        .skip_while(|text| !text.ends_with("name"))
                        .nth(1)
                        .cloned()
                        .unwrap_or_else(|| "*".to_owned())
                ));
                let command: Vec<Value> = words
                    .rest
                    .get(at + 1..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|word| !matches!(word.shown().as_str(), ";" | "+" | "\\;"))
                    .map(|word| {
                        if word.shown() == "{}" {
                            found.clone()
                        } else {
                            word.clone()
                        }
                    })
                    .collect();
                return Some(self.run_words(command, Value::unknown(), words.span));
            }
            "eval" => {
                let code = joined(&words.rest);
                self.capability(CapabilityKind::DynamicCode, words.span, "eval");
                return Some(self.run_command_text(&code, words.stdin.clone(), words.span, "eval"));
            }
            "source" | "." => {
                let path = words.rest.first().cloned().unwrap_or_default();
                return Some(self.source(&path, words));
            }
            "watch" => {
                let at = skip_options(&texts, &["-n", "--interval"]);
                let code = joined(words.rest.get(at..).unwrap_or_default());
                return Some(self.run_command_text(&code, Value::unknown(), words.span, "watch"));
            }
            "su" | "script" | "flock" | "screen" | "tmux" => {
                let code = words.after(&["-c"])?;
                return Some(self.run_command_text(
                    &code,
                    words.stdin.clone(),
                    words.span,
                    &words.name,
                ));
            }
            "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch"
                if texts.first().is_some_and(|first| first == "run") =>
            {
                1 + skip_options(
                    texts.get(1..).unwrap_or_default(),
                    &["--with", "--python", "-p", "--project", "--directory"],
                )
            }
            "npx" | "bunx" | "uvx" | "pnpx" | "pipx" => {
                return Some(self.package_run(words));
            }
            _ => return None,
        };
        let command = words.rest.get(skip..).unwrap_or_default().to_vec();
        Some(self.run_words(command, words.stdin.clone(), words.span))
    }

    fn package_run(&mut self, words: &Words) -> Value {
        let operands = words.operands();
        let package = operands
            .iter()
            .map(Value::shown)
            .find(|word| word != "run")
            .unwrap_or_default();
        if matches!(&*package, "tsx" | "ts-node") {
            let rest = words
                .rest
                .iter()
                .skip_while(|word| word.shown() != package)
                .cloned()
                .collect();
            return self.run_words(rest, words.stdin.clone(), words.span);
        }
        let how = package_kind(&package);
        self.capability(
            CapabilityKind::PackageInstall,
            words.span,
            &format!("{}: {package} ({how})", words.name),
        );
        Value::unknown()
    }

    /// `source file`, with what was written to it before.
    fn source(&mut self, path: &Value, words: &Words) -> Value {
        let text = path.shown();
        if text == "/dev/stdin" || text == "-" {
            return self.run_command_text(&words.stdin, Value::unknown(), words.span, "source");
        }
        if let Some(content) = self.written(&text)
            && text.starts_with("/dev/fd/")
        {
            return self.run_command_text(&content, Value::unknown(), words.span, "source");
        }
        if let Some(unit) = self.find_unit(&text)
            && let Some(program) = self.programs.get(unit).cloned()
            && self.calls.len() < super::CALLS
        {
            // It runs in the scope of the one that reads it.
            let running = matches!(self.modules.get(unit), Some(super::ModuleState::Running(_)));
            if running {
                return Value::unknown();
            }
            self.inside(unit, None, |this| this.block(&program));
            return Value::unknown();
        }
        if path.as_text().is_none() {
            self.executed(path, words.span, "source");
        }
        self.execute_file(
            &text,
            Value::unknown(),
            Value::unknown(),
            words.span,
            "source",
        )
    }

    /// Shells, Python, Node and the like.
    pub(super) fn run_interpreter(&mut self, words: &Words) -> Option<Value> {
        let span = words.span;
        let Some(language) = language_of(&words.name) else {
            return self.run_foreign(words);
        };
        if language == CodeLanguage::PowerShell {
            return Some(self.run_powershell(words));
        }
        let shell = language == CodeLanguage::Shell;
        let mut rest = words.rest.as_slice();
        if matches!(&*words.name, "deno" | "bun") {
            match rest.first().map(Value::shown).as_deref() {
                Some("run" | "eval" | "x") => rest = rest.get(1..).unwrap_or_default(),
                Some("install" | "add" | "i" | "test" | "build") => return None,
                _ => {}
            }
        }
        let mut at = 0;
        while let Some(word) = rest.get(at) {
            let text = word.shown();
            let code = if shell {
                text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
            } else {
                matches!(
                    text.as_str(),
                    "-c" | "-e" | "--eval" | "-p" | "-pe" | "--print" | "-uc" | "-Sc" | "-Ic"
                )
            };
            if code {
                let code = rest.get(at + 1).cloned().unwrap_or_default();
                if shell {
                    return Some(self.run_command_text(
                        &code,
                        words.stdin.clone(),
                        span,
                        &words.name,
                    ));
                }
                let arguments = Value::list(rest.get(at + 2..).unwrap_or_default().to_vec());
                return Some(self.run_inner(&code, language, arguments, words));
            }
            if text == "-m" && language == CodeLanguage::Python {
                return Some(self.python_module(rest.get(at + 1..).unwrap_or_default(), words));
            }
            if text == "-" || text == "-s" || text == "/dev/stdin" {
                break;
            }
            if matches!(
                text.as_str(),
                "-r" | "--require" | "--import" | "-W" | "-X" | "--loader" | "-o" | "-O"
            ) {
                at += 2;
                continue;
            }
            if text.starts_with('-') || text.starts_with('+') {
                at += 1;
                continue;
            }
            // A script, by its path.
            let arguments = Value::list(rest.get(at + 1..).unwrap_or_default().to_vec());
            if text.starts_with("/dev/fd/")
                && let Some(content) = self.written(&text)
            {
                return Some(self.run_inner(&content, language, arguments, words));
            }
            if text.starts_with("http://") || text.starts_with("https://") {
                let response = self.send(word, &[], &words.name, span, false);
                self.executed(&response, span, &words.name);
                return Some(Value::unknown());
            }
            if word.as_text().is_none() || text.chars().count() == 1 {
                self.executed(word, span, &words.name);
            }
            return Some(self.execute_file(
                &text,
                arguments,
                words.stdin.clone(),
                span,
                &words.name,
            ));
        }
        // Without a script the program comes from its input.
        if shell {
            self.files.insert("shell -i".to_owned(), Value::unknown());
        }
        let stdin = words.stdin.clone();
        if matches!(stdin.data, Data::Unknown) && stdin.taints.is_empty() {
            return Some(Value::unknown());
        }
        Some(self.run_inner(&stdin, language, Value::unknown(), words))
    }

    /// Runs code that is given as a text.
    pub(super) fn run_inner(
        &mut self,
        code: &Value,
        language: CodeLanguage,
        arguments: Value,
        words: &Words,
    ) -> Value {
        if language == CodeLanguage::Shell {
            return self.run_command_text(code, Value::unknown(), words.span, &words.name);
        }
        let saved = (
            std::mem::replace(&mut self.arguments, arguments),
            std::mem::replace(&mut self.stdin, words.stdin.clone()),
        );
        let found = match code.as_text() {
            // Values inside of a known program are not the program.
            Some(text)
                if text.contains(super::super::value::HOLE)
                    && !text.starts_with(super::super::value::HOLE) =>
            {
                false
            }
            _ => self.executed(code, words.span, &words.name),
        };
        let result = match code.as_text() {
            Some(text) => self.run_text(&text, language, code, words.span),
            None => {
                if !found {
                    self.dynamic(words.span);
                }
                Value::unknown()
            }
        };
        (self.arguments, self.stdin) = saved;
        result
    }

    fn python_module(&mut self, rest: &[Value], words: &Words) -> Value {
        let module = rest.first().map(Value::shown).unwrap_or_default();
        match &*module {
            "pip" | "pip3" => {
                let mut command = vec![Value::text("pip")];
                command.extend(rest.get(1..).unwrap_or_default().iter().cloned());
                self.run_words(command, Value::unknown(), words.span)
            }
            _ => {
                let path = format!("{}.py", module.replace('.', "/"));
                match self.find_unit(&path) {
                    Some(unit) => {
                        let arguments = Value::list(rest.get(1..).unwrap_or_default().to_vec());
                        self.run_program(unit, arguments, words.stdin.clone())
                    }
                    None => Value::unknown(),
                }
            }
        }
    }

    /// Interpreters whose code is not parsed: what it comes from is noted all the same.
    fn run_foreign(&mut self, words: &Words) -> Option<Value> {
        if !matches!(
            &*words.name,
            "perl"
                | "ruby"
                | "php"
                | "osascript"
                | "lua"
                | "awk"
                | "gawk"
                | "java"
                | "Rscript"
                | "tclsh"
                | "expect"
                | "mshta"
                | "rundll32"
                | "regsvr32"
                | "cscript"
                | "wscript"
        ) {
            return None;
        }
        let span = words.span;
        if matches!(&*words.name, "awk" | "gawk") {
            return None;
        }
        if matches!(&*words.name, "mshta" | "rundll32" | "regsvr32") {
            let url = words
                .rest
                .iter()
                .find(|word| word.shown().contains("http"))?;
            let host = host_of(url.shown().trim_start_matches("/i:"))?;
            let from = Origin::new(&host, url.shown().trim_start_matches("/i:"));
            let taint = self.taint(
                TaintKind::Remote,
                span,
                StepKind::Receives { from, by: None },
            );
            self.flow(
                FlowKind::RemoteToExecution,
                &taint,
                span,
                StepKind::Executed {
                    path: None,
                    by: (&words.name).into(),
                },
            );
            return Some(Value::unknown());
        }
        let code = words.after(&["-e", "-E", "-r", "-ne", "-pe", "-ple"]);
        match code {
            Some(code) => {
                let text = code.shown();
                if code
                    .as_text()
                    .is_none_or(|text| text.starts_with(super::super::value::HOLE))
                {
                    self.executed(&code, span, &words.name);
                }
                self.foreign_text(&text, words);
                Some(Value::unknown().with(&words.stdin.taints))
            }
            None => {
                let script = words.operands().into_iter().next();
                match script {
                    Some(path) => Some(self.execute_file(
                        &path.shown(),
                        Value::unknown(),
                        Value::unknown(),
                        span,
                        &words.name,
                    )),
                    None => {
                        let stdin = words.stdin.clone();
                        self.executed(&stdin, span, &words.name);
                        Some(Value::unknown())
                    }
                }
            }
        }
    }

    /// The few things that are said in another language and still clear.
    fn foreign_text(&mut self, text: &str, words: &Words) {
        let socket =
            text.contains("Socket") || text.contains("fsockopen") || text.contains("TCPSocket");
        let shell =
            text.contains("/bin/sh") || text.contains("/bin/bash") || text.contains("exec(");
        if socket && shell {
            self.deed(
                FlowKind::ReverseShell,
                words.span,
                StepKind::AttachesShell {
                    to: None,
                    by: Some((&words.name).into()),
                },
            );
        }
        if words.name == "osascript"
            && let Some(at) = text.find("do shell script")
        {
            let rest = text.get(at..).unwrap_or_default();
            let command = rest.split('"').nth(1).unwrap_or_default();
            let command = Value::text(command);
            self.run_command_text(&command, Value::unknown(), words.span, "osascript");
        }
    }
}

/// The words as one text.
pub(super) fn joined(words: &[Value]) -> Value {
    let mut text = String::new();
    let mut whole = Value::unknown();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.shown());
        whole.add_taints(&word.all_taints());
    }
    Value::text(text).with(&whole.taints)
}

/// The index of the first word that is no option; some options have a value.
fn skip_options(texts: &[String], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(text) = texts.get(at) {
        if !text.starts_with('-') {
            break;
        }
        at += if with_value.contains(&text.as_str()) {
            2
        } else {
            1
        };
        if text == "--" {
            break;
        }
    }
    at
}

/// How a package is named: by version, by address, or just so.
pub(super) fn package_kind(package: &str) -> &'static str {
    if package.starts_with("git+")
        || package.contains("github.com")
        || package.ends_with(".git")
        || package.starts_with("github:")
    {
        "git"
    } else if package.contains("://") {
        "url"
    } else if package.starts_with('.') || package.starts_with('/') {
        "path"
    } else if package.contains("==")
        || package.trim_start_matches('@').contains('@') && !package.ends_with("@latest")
    {
        "pinned"
    } else {
        "unpinned"
    }
}
