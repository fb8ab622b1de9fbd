//! Programs that talk to the network.

use super::super::facts::{CapabilityKind, FlowKind};
use super::super::known::hosts::host_of;
use super::super::known::paths::base_name;
use super::super::step::{Arrangement, Origin, Owner, StepKind, Store};
use super::super::value::{TaintKind, Value};
use super::Interpreter;
use super::command::Words;
use super::network::Role;

impl Interpreter<'_> {
    /// `curl`, `nc`, `ssh` and the like.
    pub(super) fn run_network(&mut self, words: &Words) -> Option<Value> {
        Some(match &*words.name {
            "curl" => self.curl(words),
            "wget" | "wget2" | "aria2c" => self.wget(words),
            "http" | "https" | "xh" | "curlie" => self.httpie(words),
            "nc" | "ncat" | "netcat" | "socat" | "telnet" => self.netcat(words),
            "openssl" if words.has(&["s_client"]) => {
                let target = words.after(&["-connect", "-host"]).unwrap_or_default();
                self.send(
                    &target,
                    &[(Role::Payload, words.stdin.clone())],
                    "openssl",
                    words.span,
                    true,
                )
            }
            "scp" | "rsync" | "sftp" | "rclone" => self.copy_remote(words),
            "ssh" => {
                let target = words.operands().into_iter().next().unwrap_or_default();
                let mut parts = vec![(Role::Payload, words.stdin.clone())];
                for word in words.operands().into_iter().skip(1) {
                    parts.push((Role::Payload, word));
                }
                self.send(&target, &parts, "ssh", words.span, true);
                Value::unknown()
            }
            "dig" | "nslookup" | "host" | "drill" | "ping" | "getent" => {
                for word in words.operands() {
                    if !word.all_taints().is_empty() || word.shown().contains('.') {
                        self.send(
                            &word,
                            &[(Role::Payload, word.clone())],
                            &words.name,
                            words.span,
                            true,
                        );
                    }
                }
                let taint = self.taint(
                    TaintKind::Remote,
                    words.span,
                    StepKind::Receives {
                        from: Origin::new("an answer", ""),
                        by: Some((&words.name).into()),
                    },
                );
                if matches!(&*words.name, "dig" | "nslookup" | "host")
                    && words
                        .texts()
                        .iter()
                        .any(|text| text.eq_ignore_ascii_case("txt"))
                {
                    return Some(Value::unknown().with(&[taint]));
                }
                Value::unknown()
            }
            "mail" | "sendmail" | "mailx" | "mutt" => {
                let target = words.operands().pop().unwrap_or_default();
                let host = target
                    .shown()
                    .rsplit_once('@')
                    .map(|(_, host)| host.to_owned())
                    .unwrap_or_default();
                self.send(
                    &Value::text(host),
                    &[(Role::Payload, words.stdin.clone())],
                    &words.name,
                    words.span,
                    true,
                )
            }
            "ftp" | "tftp" | "lftp" => {
                let target = words.operands().into_iter().next().unwrap_or_default();
                self.send(
                    &target,
                    &[(Role::Payload, words.stdin.clone())],
                    &words.name,
                    words.span,
                    true,
                )
            }
            "aws" if words.has(&["s3", "s3api"]) => {
                for word in words.operands() {
                    if !word.shown().starts_with("s3") {
                        let content = self.read_file(&word, words.span, "aws");
                        let content = secret_only(content);
                        self.send(
                            &Value::text("s3.amazonaws.com"),
                            &[(Role::Payload, content)],
                            "aws s3",
                            words.span,
                            false,
                        );
                    }
                }
                Value::unknown()
            }
            "git" => return self.git(words),
            "gh" if words.has(&["gist"]) && words.has(&["create"]) => {
                let mut parts = vec![(Role::Payload, words.stdin.clone())];
                for word in words.operands().into_iter().skip(2) {
                    let content = self.read_file(&word, words.span, "gh");
                    parts.push((Role::Payload, secret_only(content)));
                }
                self.send(
                    &Value::text("gist.github.com"),
                    &parts,
                    "gh gist create",
                    words.span,
                    false,
                )
            }
            _ => return None,
        })
    }

    fn curl(&mut self, words: &Words) -> Value {
        const HEADERS: &[&str] = &[
            "-H",
            "--header",
            "-u",
            "--user",
            "-A",
            "--user-agent",
            "-b",
            "--cookie",
            "--oauth2-bearer",
            "-e",
            "--referer",
            "-E",
            "--cert",
            "--key",
            "-K",
            "--netrc-file",
        ];
        const DATA: &[&str] = &[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "-F",
            "--form",
            "--form-string",
            "-T",
            "--upload-file",
            "--json",
            "--data-ascii",
            "--url-query",
        ];
        const OUTPUT: &[&str] = &["-o", "--output"];
        const VALUES: &[&str] = &[
            "-X",
            "--request",
            "-m",
            "--max-time",
            "--connect-timeout",
            "-w",
            "--write-out",
            "--retry",
            "-x",
            "--proxy",
            "-c",
            "--cookie-jar",
            "--retry-delay",
            "--cacert",
            "-D",
            "--dump-header",
            "--resolve",
            "--limit-rate",
            "-r",
            "--range",
            "--interface",
            "--stderr",
            "--max-redirs",
            "--proto",
            "--ciphers",
        ];
        let span = words.span;
        let mut parts = Vec::new();
        let mut urls = Vec::new();
        let mut output = None;
        let mut named = false;
        let mut rest = words.rest.iter();
        while let Some(word) = rest.next() {
            let text = word.shown();
            let (option, inline) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(Value::text(value).with(&word.taints)))
                }
                _ => split_short(&text, word),
            };
            let option = option.as_str();
            if HEADERS.contains(&option) {
                let value = inline.or_else(|| rest.next().cloned()).unwrap_or_default();
                parts.push((Role::Header, value));
            } else if DATA.contains(&option) {
                let value = inline.or_else(|| rest.next().cloned()).unwrap_or_default();
                let value = self.curl_data(option, &value, words);
                parts.push((Role::Payload, value));
            } else if OUTPUT.contains(&option) {
                output = inline.or_else(|| rest.next().cloned());
            } else if VALUES.contains(&option) {
                if inline.is_none() {
                    rest.next();
                }
            } else if option == "--url" {
                urls.extend(inline.or_else(|| rest.next().cloned()));
            } else if text.starts_with('-') {
                named |= option == "--remote-name" || !text.starts_with("--") && text.contains('O');
                // `-fsSLo file`
                if !text.starts_with("--") && text.ends_with('o') && text.len() > 2 {
                    output = rest.next().cloned();
                } else if !text.starts_with("--")
                    && text.ends_with(['X', 'm', 'w'])
                    && text.len() > 2
                {
                    rest.next();
                } else if !text.starts_with("--") && text.ends_with(['H', 'u']) && text.len() > 2 {
                    parts.push((Role::Header, rest.next().cloned().unwrap_or_default()));
                } else if !text.starts_with("--")
                    && text.ends_with(['d', 'F', 'T'])
                    && text.len() > 2
                {
                    let value = rest.next().cloned().unwrap_or_default();
                    let option = if text.ends_with('T') { "-T" } else { "-d" };
                    let value = self.curl_data(option, &value, words);
                    parts.push((Role::Payload, value));
                }
            } else {
                urls.push(word.clone());
            }
        }
        let mut response = Value::unknown();
        for url in urls {
            parts.push((Role::Url, url.clone()));
            let value = self.send(&url, &parts, "curl", span, false);
            parts.pop();
            if named {
                let text = url.shown();
                let name = base_name(text.split(['?', '#']).next().unwrap_or_default()).to_owned();
                self.write_file(&Value::text(name), &value, span, "curl");
            }
            response.add_taints(&value.taints);
        }
        match output {
            Some(path) if path.shown() != "-" => {
                if path.shown() != "/dev/null" {
                    self.write_file(&path, &response, span, "curl");
                }
                Value::none()
            }
            _ if named => Value::none(),
            _ => response,
        }
    }

    /// What an option of curl sends: a text, a file after `@`, the input after `@-`.
    fn curl_data(&mut self, option: &str, value: &Value, words: &Words) -> Value {
        let text = value.shown();
        let file = if matches!(option, "-T" | "--upload-file") {
            Some(text.clone())
        } else if option.starts_with("-F") || option.starts_with("--form") {
            text.split_once('=')
                .map(|(_, value)| value)
                .and_then(|value| value.strip_prefix('@').or_else(|| value.strip_prefix('<')))
                .map(|path| path.split(';').next().unwrap_or(path).to_owned())
        } else if option == "--data-raw" || option == "--form-string" {
            None
        } else {
            text.strip_prefix('@')
                .or_else(|| {
                    text.split_once('@')
                        .filter(|(name, _)| option == "--data-urlencode" && !name.contains('='))
                        .map(|(_, path)| path)
                })
                .map(ToOwned::to_owned)
        };
        match file.as_deref() {
            Some("-" | "." | "/dev/stdin") => words.stdin.clone(),
            Some(path) => {
                let path = Value::text(path).with(&value.taints);
                let content = self.read_file(&path, words.span, "curl");
                if content.taints.is_empty() {
                    let taint = self.taint(
                        TaintKind::File,
                        words.span,
                        StepKind::Reads {
                            path: path.shown().into(),
                            owner: Owner::Unknown,
                        },
                    );
                    return content.with(&[taint]);
                }
                content
            }
            None => value.clone(),
        }
    }

    fn wget(&mut self, words: &Words) -> Value {
        let span = words.span;
        let mut parts = Vec::new();
        for word in &words.rest {
            let text = word.shown();
            if text.starts_with("--post-data") || text.starts_with("--body-data") {
                parts.push((Role::Payload, word.clone()));
            }
            for option in ["--post-file=", "--body-file="] {
                if let Some(path) = text.strip_prefix(option) {
                    let content = self.read_file(&Value::text(path), span, "wget");
                    parts.push((Role::Payload, content));
                }
            }
        }
        if let Some(path) = words.after(&["--post-file", "--body-file"]) {
            let content = self.read_file(&path, span, "wget");
            parts.push((Role::Payload, content));
        }
        let output = words
            .after(&["-O", "--output-document", "-o", "-qO", "-nvO"])
            .or_else(|| {
                words.rest.iter().find_map(|word| {
                    let text = word.shown();
                    text.strip_prefix("-O")
                        .or_else(|| text.strip_prefix("-qO"))
                        .filter(|rest| !rest.is_empty())
                        .map(Value::text)
                })
            });
        let folder = words.after(&["-P", "--directory-prefix", "-d"]);
        let url = words
            .rest
            .iter()
            .find(|word| word.shown().contains("://"))
            .cloned()
            .or_else(|| words.operands().into_iter().next())
            .unwrap_or_default();
        parts.push((Role::Url, url.clone()));
        let response = self.send(&url, &parts, &words.name, span, false);
        match output.as_ref().map(Value::shown).as_deref() {
            Some("-" | "/dev/stdout") => response,
            Some(_) => {
                let path = output.unwrap_or_default();
                self.write_file(&path, &response, span, &words.name);
                Value::none()
            }
            None => {
                let text = url.shown();
                let name = base_name(text.split(['?', '#']).next().unwrap_or_default()).to_owned();
                let path = match folder {
                    Some(folder) => format!("{}/{name}", folder.shown()),
                    None => name,
                };
                self.write_file(&Value::text(path), &response, span, &words.name);
                Value::none()
            }
        }
    }

    fn httpie(&mut self, words: &Words) -> Value {
        let mut parts = vec![(Role::Payload, words.stdin.clone())];
        let mut url = Value::unknown();
        for word in words.operands() {
            let text = word.shown();
            if matches!(text.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE") {
                continue;
            }
            if url.as_text().is_none() {
                url = word;
            } else if let Some((_, path)) = text.split_once('@').filter(|_| !text.contains(':')) {
                let content = self.read_file(&Value::text(path), words.span, "http");
                parts.push((Role::Payload, content));
            } else if text.contains(':') && !text.contains('=') {
                parts.push((Role::Header, word));
            } else {
                parts.push((Role::Payload, word));
            }
        }
        self.send(&url, &parts, &words.name, words.span, false)
    }

    fn netcat(&mut self, words: &Words) -> Value {
        let span = words.span;
        let texts = words.texts();
        let executes = texts.iter().any(|text| {
            text.starts_with('-')
                && !text.starts_with("--")
                && text.contains(['e', 'c'])
                && text.len() <= 4
                || text == "--exec"
                || text == "--sh-exec"
                || text.to_ascii_lowercase().contains("exec:")
        });
        let shell = texts.iter().any(|text| {
            text.contains("/sh")
                || text.contains("bash")
                || text.contains("cmd.exe")
                || text == "sh"
        });
        let listens = texts
            .iter()
            .any(|text| text.starts_with('-') && text.contains('l'));
        if executes && shell {
            self.deed(
                FlowKind::ReverseShell,
                span,
                StepKind::AttachesShell {
                    to: None,
                    by: Some((&words.name).into()),
                },
            );
        }
        let target = words
            .operands()
            .into_iter()
            .find(|word| host_of(&word.shown()).is_some() || word.shown().contains(':'))
            .or_else(|| words.operands().into_iter().next())
            .unwrap_or_default();
        if listens {
            self.capability(CapabilityKind::Network, span, "listens");
            let taint = self.taint(
                TaintKind::Remote,
                span,
                StepKind::Receives {
                    from: Origin::new("a connection", ""),
                    by: Some((&words.name).into()),
                },
            );
            return Value::unknown().with(&[taint]);
        }
        let text = target.shown();
        let host = text.rsplit(':').next_back().unwrap_or(&text).to_owned();
        let name = if text.to_ascii_lowercase().starts_with("tcp:") {
            text.split(':').nth(1).unwrap_or_default().to_owned()
        } else {
            host
        };
        // `sh -i < f | nc host > f`
        if self.files.contains_key("mkfifo") && self.files.contains_key("shell -i") {
            self.deed(
                FlowKind::ReverseShell,
                span,
                StepKind::AttachesShell { to: None, by: None },
            );
        }
        self.send(
            &Value::text(name),
            &[(Role::Payload, words.stdin.clone())],
            &words.name,
            span,
            true,
        )
    }

    fn copy_remote(&mut self, words: &Words) -> Value {
        let operands = words.operands();
        let is_remote = |word: &Value| {
            let text = word.shown();
            text.contains(':') && !text.starts_with('/') && !text.starts_with('.')
                || text.contains("://")
        };
        let Some(target) = operands.iter().find(|word| is_remote(word)) else {
            // Both sides are local.
            if let (Some(from), Some(to)) = (operands.first(), operands.last()) {
                let content = self.read_file(&from.clone(), words.span, &words.name);
                let to = to.clone();
                self.write_file(&to, &content, words.span, &words.name);
            }
            return Value::none();
        };
        let target = target.clone();
        let text = target.shown();
        let host = text
            .rsplit_once('@')
            .map_or(text.as_str(), |(_, host)| host);
        let host = Value::text(host.split(':').next().unwrap_or_default());
        let uploads = operands.last().is_some_and(is_remote);
        if uploads {
            for file in operands.iter().filter(|word| !is_remote(word)) {
                let content = self.read_file(file, words.span, &words.name);
                self.send(
                    &host,
                    &[(Role::Payload, secret_only(content))],
                    &words.name,
                    words.span,
                    true,
                );
            }
        } else if let Some(to) = operands.last() {
            let response = self.send(&host, &[], &words.name, words.span, true);
            let to = to.clone();
            self.write_file(&to, &response, words.span, &words.name);
        }
        Value::none()
    }

    fn git(&mut self, words: &Words) -> Option<Value> {
        let texts = words.texts();
        let verb = texts.iter().find(|text| !text.starts_with('-'))?.clone();
        let span = words.span;
        match &*verb {
            "clone" => {
                let operands: Vec<Value> = words.operands().into_iter().skip(1).collect();
                let url = operands
                    .iter()
                    .find(|word| word.shown().contains(':') || word.shown().contains("//"))?
                    .clone();
                let text = url.shown();
                let host = host_of(text.trim_start_matches("git@")).unwrap_or_default();
                self.capability(CapabilityKind::Network, span, &host);
                let taint = self.taint(
                    TaintKind::Remote,
                    span,
                    StepKind::Clones(Origin::new(&text, &text)),
                );
                let last = operands
                    .last()
                    .filter(|last| last.shown() != text && operands.len() > 1);
                let folder = last.map_or_else(
                    || base_name(text.trim_end_matches(".git")).to_owned(),
                    Value::shown,
                );
                let content = Value::unknown().with(&[taint]);
                self.unpack(&content, &Value::text(folder), span);
                Some(Value::none())
            }
            "config"
                if texts.iter().any(|text| {
                    text == "core.hooksPath"
                        || text == "init.templateDir"
                        || text == "core.sshCommand"
                        || text == "core.fsmonitor"
                }) =>
            {
                let global = texts
                    .iter()
                    .any(|text| text == "--global" || text == "--system");
                self.capability(CapabilityKind::Hooks, span, "git config");
                if global {
                    self.deed(
                        FlowKind::Persistence,
                        span,
                        StepKind::Arranges(Arrangement::GitConfig(texts.join(" ").into())),
                    );
                }
                Some(Value::none())
            }
            "credential" => {
                let taint = self.taint(
                    TaintKind::Secret,
                    span,
                    StepKind::Opens {
                        store: Store::GitCredential,
                        by: Some("git credential".into()),
                    },
                );
                self.capability(CapabilityKind::ReadsSecret, span, "git credential");
                Some(Value::unknown().with(&[taint]))
            }
            _ => Some(Value::unknown()),
        }
    }
}

/// Only what must not leave: copying a project to a server is what the program is for.
fn secret_only(mut content: Value) -> Value {
    content.taints.retain(|taint| {
        matches!(
            taint.kind,
            TaintKind::Secret | TaintKind::Personal | TaintKind::Environment
        )
    });
    content
}

/// `-d@file` as `-d` and `@file`.
fn split_short(text: &str, word: &Value) -> (String, Option<Value>) {
    for option in ["-d", "-F", "-H", "-T", "-o", "-u", "-X"] {
        if let Some(rest) = text.strip_prefix(option)
            && !rest.is_empty()
            && (rest.starts_with(['@', '"', '\'', '/', '{', '.'])
                || option == "-F" && rest.contains('=')
                || option == "-X")
        {
            return (
                option.to_owned(),
                Some(Value::text(rest).with(&word.taints)),
            );
        }
    }
    (text.to_owned(), None)
}
