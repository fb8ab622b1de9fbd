//! Reads test files: TOML with one `[[case]]` for each case.

use prowess_spec::manifest::Mode;
use prowess_spec::{LineIndex, nearest};
use toml_edit::{Document, Item, Table};

use super::case::{Action, Case, Expectation};
use super::values::{boolean, files, integer, json, mode, object, path, phase, text, texts, yes};

/// Every key of a case, and the actions that it is for; empty for all.
const KEYS: &[(&str, &[&str])] = &[
    ("name", &[]),
    ("tool", &[]),
    ("workflow", &[]),
    ("hook", &[]),
    ("script", &[]),
    ("trigger", &[]),
    ("scan", &[]),
    ("prompt", &[]),
    ("files", &[]),
    ("input", &["tool", "workflow", "hook"]),
    ("arguments", &["script"]),
    ("message", &["trigger"]),
    ("mode", &["trigger"]),
    ("exit_code", &["script"]),
    (
        "expect",
        &["tool", "workflow", "hook", "script", "scan", "prompt"],
    ),
    (
        "expect_part",
        &["tool", "workflow", "hook", "script", "scan"],
    ),
    (
        "expect_contains",
        &["tool", "workflow", "hook", "script", "scan", "prompt"],
    ),
    ("expect_error", &["tool", "workflow", "hook", "script"]),
    ("expect_files", &["tool", "workflow", "hook", "script"]),
];

/// Something in a test file that is not a case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileProblem {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

/// The cases of a file, and what is wrong with the others.
pub(super) fn read(bytes: &[u8]) -> (Vec<Case>, Vec<FileProblem>) {
    let lines = LineIndex::new(bytes);
    let mut problems = Problems {
        lines: &lines,
        found: Vec::new(),
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        problems.add(0, "not UTF-8 text".to_owned());
        return (Vec::new(), problems.found);
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            problems.add(at, format!("invalid TOML: {message}"));
            return (Vec::new(), problems.found);
        }
    };
    let root = document.as_table();
    let mut cases = Vec::new();
    for (key, item) in root {
        let at = key_start(root, key);
        match item {
            _ if key != "case" => problems.unknown(at, key, &["case"]),
            Item::ArrayOfTables(tables) => {
                cases.extend(tables.iter().filter_map(|table| {
                    let at = table.span().map_or(at, |span| span.start);
                    CaseReader { table, at }.case(&mut problems)
                }));
            }
            _ => problems.add(at, "`case` must be written as `[[case]]`".to_owned()),
        }
    }
    (cases, problems.found)
}

/// The problems of a file.
struct Problems<'l> {
    lines: &'l LineIndex<'l>,
    found: Vec<FileProblem>,
}

impl Problems<'_> {
    fn add(&mut self, at: usize, message: String) {
        let position = self.lines.position(at);
        self.found.push(FileProblem {
            line: position.line,
            column: position.column,
            message,
        });
    }

    fn unknown(&mut self, at: usize, key: &str, known: &[&str]) {
        let message = match nearest(key, known.iter().copied()).first() {
            Some(near) => format!("unknown key `{key}`; did you mean `{near}`?"),
            None => format!("unknown key `{key}`; expected one of: {}", known.join(", ")),
        };
        self.add(at, message);
    }
}

/// Reads the table of one case.
struct CaseReader<'t> {
    table: &'t Table,
    /// Where the table begins.
    at: usize,
}

impl CaseReader<'_> {
    /// The case, unless something is wrong with it.
    fn case(&self, problems: &mut Problems<'_>) -> Option<Case> {
        let before = problems.found.len();
        let known: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
        for (key, _) in self.table {
            if !known.contains(&key) {
                problems.unknown(key_start(self.table, key), key, &known);
            }
        }
        let name = self.read("name", problems, text);
        if name.is_none() && !self.table.contains_key("name") {
            problems.add(self.at, "a case needs a `name`".to_owned());
        }
        let action = self.action(problems);
        if let Some(action) = &action {
            self.check_keys(action.key(), problems);
        }
        let contains = |item: &Item| text(item).map(|one| vec![one]).or_else(|_| texts(item));
        let expected = Expectation {
            whole: self.read("expect", problems, json),
            part: self.read("expect_part", problems, json),
            contains: self
                .read("expect_contains", problems, contains)
                .unwrap_or_default(),
            error: self.read("expect_error", problems, text),
            exit_code: self.read("exit_code", problems, integer),
            files: self
                .read("expect_files", problems, files)
                .unwrap_or_default(),
        };
        let files = self.read("files", problems, files).unwrap_or_default();
        if problems.found.len() > before {
            return None;
        }
        Some(Case {
            name: name?,
            line: problems.lines.position(self.at).line,
            action: action?,
            files,
            expected,
        })
    }

    /// The value of a key, if it has the right type.
    fn read<T>(
        &self,
        key: &str,
        problems: &mut Problems<'_>,
        convert: impl Fn(&Item) -> Result<T, String>,
    ) -> Option<T> {
        let item = self.table.get(key)?;
        let at = item.span().map(|span| span.start);
        match convert(item) {
            Ok(value) => Some(value),
            Err(expected) => {
                let at = at.unwrap_or_else(|| key_start(self.table, key));
                problems.add(at, format!("invalid `{key}`: expected {expected}"));
                None
            }
        }
    }

    fn action(&self, problems: &mut Problems<'_>) -> Option<Action> {
        let stated: Vec<&str> = Action::KEYS
            .into_iter()
            .filter(|key| self.table.contains_key(key))
            .collect();
        let keys = || Action::KEYS.join(", ");
        let key = match stated.as_slice() {
            [key] => *key,
            [] => {
                let message = format!("a case needs one of: {}", keys());
                problems.add(self.at, message);
                return None;
            }
            [first, second, ..] => {
                let message = format!("a case has `{first}` or `{second}`, not both");
                problems.add(key_start(self.table, second), message);
                return None;
            }
        };
        let input = |problems: &mut Problems<'_>| self.read("input", problems, object);
        Some(match key {
            "tool" => Action::Tool {
                name: self.read(key, problems, text)?,
                input: input(problems).unwrap_or_default(),
            },
            "workflow" => Action::Workflow {
                name: self.read(key, problems, text)?,
                input: input(problems).unwrap_or_default(),
            },
            "hook" => Action::Hook {
                phase: self.read(key, problems, phase)?,
                input: input(problems).unwrap_or_default(),
            },
            "script" => Action::Script {
                path: self.read(key, problems, path)?,
                arguments: self.read("arguments", problems, texts).unwrap_or_default(),
            },
            "trigger" => Action::Trigger {
                active: self.read(key, problems, boolean)?,
                message: self.read("message", problems, text).unwrap_or_default(),
                mode: self
                    .read("mode", problems, mode)
                    .unwrap_or(Mode::Interactive),
            },
            "scan" => {
                self.read(key, problems, yes)?;
                Action::Scan
            }
            _ => {
                self.read(key, problems, yes)?;
                Action::Prompt
            }
        })
    }

    /// Reports keys that do nothing for this action.
    fn check_keys(&self, action: &str, problems: &mut Problems<'_>) {
        for (key, actions) in KEYS {
            let fits = actions.is_empty() || actions.contains(&action);
            if self.table.contains_key(key) && !fits {
                let message = format!("`{key}` has no effect with `{action}`");
                problems.add(key_start(self.table, key), message);
            }
        }
    }
}

fn key_start(table: &Table, key: &str) -> usize {
    let span = table.key(key).and_then(toml_edit::Key::span);
    span.map_or(0, |span| span.start)
}
