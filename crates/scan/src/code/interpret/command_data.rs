//! Programs that move data about: files, archives, keychains, the clipboard.

use super::super::facts::CapabilityKind;
use super::super::step::{StepKind, Store};
use super::super::value::{Data, TaintKind, Value};
use super::Interpreter;
use super::command::Words;

impl Interpreter<'_> {
    /// `cp`, `tar`, `security`, `pbpaste` and the like.
    pub(super) fn run_data(&mut self, words: &Words) -> Option<Value> {
        let texts = words.texts();
        let span = words.span;
        Some(match &*words.name {
            "cp" | "mv" | "ln" | "install" | "ditto" => {
                let operands = words.operands();
                let (to, from) = operands.split_last()?;
                for file in from {
                    let content = self.read_file(file, span, &words.name);
                    self.write_file(to, &content, span, &words.name);
                }
                Value::none()
            }
            "ls" | "tree" | "du" | "stat" | "file" | "mkdir" | "touch" | "chmod" | "chown"
            | "which" | "test" | "[" | "sleep" | "kill" | "pkill" | "cd" | "pwd" | "basename"
            | "dirname" | "realpath" | "readlink" | "find" | "date" | "uname" | "whoami"
            | "hostname" | "id" | "seq" | "mktemp" => self.small(words, &texts),
            "printenv" | "set" | "export" | "declare"
                if words.rest.is_empty() || texts.first().is_some_and(|first| first == "-p") =>
            {
                let taint = self.whole_environment(span);
                Value::unknown().with(&[taint])
            }
            "printenv" => {
                let name = texts.first().cloned().unwrap_or_default();
                self.environment_variable(&name, span)
            }
            "tar" | "zip" | "7z" | "7za" | "bsdtar" => self.archive(words, &texts),
            "unzip" | "gunzip" | "unrar" => {
                let archive = words.operands().into_iter().next().unwrap_or_default();
                let content = self.read_file(&archive, span, &words.name);
                let folder = words.after(&["-d"]).unwrap_or_else(|| {
                    let text = archive.shown();
                    Value::text(
                        text.rsplit_once('.')
                            .map_or(text.as_str(), |(stem, _)| stem),
                    )
                });
                self.unpack(&content, &folder, span);
                self.remember_unpacked(&content);
                Value::none()
            }
            "read" | "mapfile" | "readarray" => {
                let stdin = words.stdin.clone();
                let value = match stdin.full_text() {
                    Some(text) => {
                        Value::text(text.lines().next().unwrap_or_default()).with(&stdin.taints)
                    }
                    None => Value::unknown().with(&stdin.taints),
                };
                for name in words.operands() {
                    self.set_local(&name.shown(), value.clone());
                }
                Value::none()
            }
            "security"
                if texts.iter().any(|text| {
                    text.starts_with("find-") || text.starts_with("dump-") || text == "export"
                }) =>
            {
                let one = !texts
                    .iter()
                    .any(|text| text.starts_with("dump-") || text == "export");
                self.secret(
                    words,
                    if one {
                        Store::KeychainEntry
                    } else {
                        Store::Keychain
                    },
                )
            }
            "secret-tool" | "pass" | "op" | "bw" | "lpass" | "gopass" if !words.rest.is_empty() => {
                self.tool_token(words)
            }
            "gh" if words.has(&["auth"]) && words.has(&["token"]) => self.tool_token(words),
            "gcloud" | "az" | "vault" | "doctl" | "heroku"
                if texts
                    .iter()
                    .any(|text| text.contains("token") || text == "read") =>
            {
                self.tool_token(words)
            }
            "aws"
                if texts.iter().any(|text| {
                    text == "get-session-token"
                        || text == "export-credentials"
                        || text == "get-secret-value"
                }) =>
            {
                self.tool_token(words)
            }
            "gpg" | "gpg2" if texts.iter().any(|text| text.starts_with("--export-secret")) => {
                self.secret(words, Store::GpgKeys)
            }
            "pbpaste" | "wl-paste" | "Get-Clipboard" => {
                self.personal(words, CapabilityKind::Clipboard, Store::Clipboard)
            }
            "xclip" | "xsel" => {
                if texts
                    .iter()
                    .any(|text| text == "-o" || text == "--output" || text == "-ob")
                {
                    self.personal(words, CapabilityKind::Clipboard, Store::Clipboard)
                } else {
                    self.capability(CapabilityKind::Clipboard, span, &words.name);
                    Value::none()
                }
            }
            "history" | "fc" => self.personal(words, CapabilityKind::ReadsPersonal, Store::History),
            "screencapture" | "scrot" | "grim" | "gnome-screenshot" | "maim" | "import" => {
                let value = self.personal(words, CapabilityKind::Screenshot, Store::Screen);
                for path in words.operands() {
                    self.write_file(&path, &value, span, &words.name);
                }
                Value::none()
            }
            "arecord" | "parecord" | "rec" => {
                self.capability(CapabilityKind::Microphone, span, &words.name);
                Value::unknown()
            }
            "imagesnap" | "fswebcam" => {
                self.capability(CapabilityKind::Camera, span, &words.name);
                Value::unknown()
            }
            "sqlite3" => {
                let file = words.operands().into_iter().next().unwrap_or_default();
                self.read_file(&file, span, "sqlite3")
            }
            "systemd-detect-virt" | "dmidecode" | "virt-what" => {
                let taint = self.taint(
                    TaintKind::Surroundings,
                    span,
                    StepKind::LooksAt((&words.name).into()),
                );
                Value::unknown().with(&[taint])
            }
            _ => return None,
        })
    }

    fn small(&mut self, words: &Words, texts: &[String]) -> Value {
        match &*words.name {
            "pwd" => Value::text("."),
            "mktemp" => Value::text(format!("/tmp/{}", super::super::value::HOLE)),
            "basename" => Value::text(super::super::known::paths::base_name(
                &texts.first().cloned().unwrap_or_default(),
            )),
            "dirname" => {
                let path = texts.first().cloned().unwrap_or_default();
                Value::text(path.rsplit_once('/').map_or(".", |(folder, _)| folder))
            }
            "realpath" | "readlink" => words.operands().pop().unwrap_or_default(),
            "find" | "ls" => {
                // The names of files are paths again.
                let folder = words.operands().into_iter().next().unwrap_or_default();
                match folder.as_text() {
                    Some(folder) if words.name == "find" => {
                        let name = words
                            .after(&["-name", "-iname", "-path"])
                            .map(|name| name.shown())
                            .unwrap_or_default();
                        Value::text(format!("{folder}/{name}"))
                    }
                    Some(folder) if folder.contains('*') => Value::of(Data::Text(folder)),
                    _ => Value::unknown(),
                }
            }
            "date" | "hostname" | "whoami" | "uname" => {
                let taint = self.taint(
                    TaintKind::Surroundings,
                    words.span,
                    StepKind::LooksAt((&words.name).into()),
                );
                Value::unknown().with(&[taint])
            }
            "cd" => Value::none(),
            _ => Value::unknown(),
        }
    }

    fn secret(&mut self, words: &Words, store: Store) -> Value {
        self.capability(CapabilityKind::ReadsSecret, words.span, &store.to_string());
        let taint = self.taint(
            TaintKind::Secret,
            words.span,
            StepKind::Opens {
                store,
                by: Some((&words.name).into()),
            },
        );
        Value::unknown().with(&[taint])
    }

    /// A token that a tool prints: in a header it is how one logs in.
    fn tool_token(&mut self, words: &Words) -> Value {
        self.capability(CapabilityKind::ReadsSecret, words.span, &words.name);
        let name = match &*words.name {
            "gh" => "GITHUB_TOKEN",
            "gcloud" => "GOOGLE_TOKEN",
            "az" => "AZURE_TOKEN",
            "aws" => "AWS_SECRET",
            _ => "TOKEN",
        };
        let taint = self.taint(
            TaintKind::SecretName(name.into()),
            words.span,
            StepKind::Opens {
                store: Store::Token,
                by: Some((&words.name).into()),
            },
        );
        Value::unknown().with(&[taint])
    }

    fn personal(&mut self, words: &Words, kind: CapabilityKind, store: Store) -> Value {
        self.capability(kind, words.span, &words.name);
        let taint = self.taint(
            TaintKind::Personal,
            words.span,
            StepKind::Opens {
                store,
                by: Some((&words.name).into()),
            },
        );
        Value::unknown().with(&[taint])
    }

    fn archive(&mut self, words: &Words, texts: &[String]) -> Value {
        let span = words.span;
        let mode = texts.first().cloned().unwrap_or_default();
        let flags: String = texts
            .iter()
            .filter(|text| text.starts_with('-') && !text.starts_with("--"))
            .cloned()
            .collect();
        let extracts = (mode.contains('x') && !mode.contains('/') && words.name != "zip")
            || flags.contains('x') && words.name != "zip"
            || texts.iter().any(|text| text == "--extract");
        let mut operands = words.operands();
        if words.name != "zip" && !mode.starts_with('-') && !operands.is_empty() {
            operands.remove(0);
        }
        if let Some(folder) = words.after(&["-C", "--directory"]) {
            let folder = folder.shown();
            operands.retain(|word| word.shown() != folder);
        }
        if extracts {
            let archive = words
                .after(&["-f", "--file"])
                .or_else(|| operands.first().cloned());
            let content = match &archive {
                Some(path) if path.shown() != "-" => self.read_file(path, span, &words.name),
                _ => words.stdin.clone(),
            };
            let folder = words.after(&["-C", "--directory"]).unwrap_or_default();
            self.unpack(&content, &folder, span);
            self.remember_unpacked(&content);
            return Value::none();
        }
        // Creating: the first operand is the archive, `-` is the output.
        let to_output = operands.first().is_some_and(|first| first.shown() == "-")
            || !texts.iter().any(|text| text.contains('f')) && words.name != "zip"
            || texts.iter().any(|text| text == "-");
        let archive = if to_output && words.name != "zip" {
            None
        } else {
            operands.first().cloned()
        };
        let mut content = Value::unknown();
        for file in operands.iter().skip(usize::from(archive.is_some())) {
            if file.shown() != "-" {
                let inner = self.read_file(file, span, &words.name);
                content.add_taints(&inner.taints);
            }
        }
        match archive {
            Some(path) => {
                self.write_file(&path, &content, span, &words.name);
                Value::none()
            }
            None => content,
        }
    }

    /// Files of an archive whose folder is not known: programs that are run by a relative path later may be among them.
    fn remember_unpacked(&mut self, content: &Value) {
        let remote: Vec<_> = content
            .taints
            .iter()
            .filter(|taint| taint.kind == TaintKind::Remote)
            .cloned()
            .collect();
        if !remote.is_empty() {
            self.files
                .insert("unpacked".to_owned(), Value::unknown().with(&remote));
        }
    }
}
