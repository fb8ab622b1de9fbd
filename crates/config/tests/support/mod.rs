//! A small world of files for the loader.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::PathBuf;

use prowess_config::{ConfigEntry, Error, Lookup, Problem, Repository, SkillsConfig};
use prowess_testing::TestDirectory;

/// `work/` is the working directory, `home/` the home directory, `user/` the user's configuration.
pub(crate) struct World {
    files: TestDirectory,
    pub(crate) variables: BTreeMap<String, OsString>,
    /// Whether the user said yes to whatever the project reaches.
    pub(crate) trusts: bool,
}

impl World {
    pub(crate) fn new() -> Self {
        let files = TestDirectory::new();
        files.create("work").create("home").create("user/prowess");
        Self {
            files,
            variables: BTreeMap::new(),
            trusts: true,
        }
    }

    /// A world with a project's file.
    pub(crate) fn with(text: &str) -> Self {
        Self::new().project(text)
    }

    pub(crate) fn project(self, text: impl AsRef<[u8]>) -> Self {
        self.write("work/prowess.toml", text)
    }

    pub(crate) fn user(self, text: impl AsRef<[u8]>) -> Self {
        self.write("user/prowess/prowess.toml", text)
    }

    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// The user was not asked yet.
    pub(crate) fn untrusted(mut self) -> Self {
        self.trusts = false;
        self
    }

    pub(crate) fn write(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.put(path, text);
        self
    }

    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        self.files.write(path, text);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.files.path(path)
    }

    pub(crate) fn look<T>(&self, directory: &str, look: impl FnOnce(&Lookup<'_>) -> T) -> T {
        look(&Lookup {
            directory: &self.path(directory),
            home: Some(&self.path("home")),
            user_config: Some(&self.path("user")),
            variables: &|name| self.variables.get(name).cloned(),
            trusts: &|_, _| self.trusts,
        })
    }

    pub(crate) fn load(&self) -> Result<SkillsConfig, Error> {
        self.look("work", SkillsConfig::load)
    }

    pub(crate) fn config(&self) -> SkillsConfig {
        self.load()
            .map_err(|error| self.render(error.problems()))
            .unwrap()
    }

    /// What is wrong with the files.
    pub(crate) fn refused(&self) -> String {
        let error = self.load().unwrap_err();
        if error.problems().is_empty() {
            self.relative(&error.to_string())
        } else {
            self.render(error.problems())
        }
    }

    /// What is wrong with repositories.
    pub(crate) fn failed(&self) -> String {
        self.render(self.config().problems())
    }

    pub(crate) fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.files.root().display()), "")
    }

    /// Problems as a terminal would show them.
    pub(crate) fn render<'p>(&self, problems: impl IntoIterator<Item = &'p Problem>) -> String {
        let mut out = String::new();
        for problem in problems {
            writeln!(out, "{problem}").unwrap();
            let position = problem.position();
            let line = problem.source().lines().nth(position.line - 1);
            let line = line.unwrap_or_default().trim_start_matches('\u{feff}');
            let width = problem.span().end.saturating_sub(problem.span().start);
            let room = line.chars().count().saturating_sub(position.column - 1);
            let marks = "^".repeat(width.min(room).max(1));
            let blanks = " ".repeat(position.column - 1);
            writeln!(out, "  | {line}\n  | {blanks}{marks}").unwrap();
            if let Some(help) = problem.help() {
                writeln!(out, "  help: {help}").unwrap();
            }
        }
        self.relative(&out)
    }

    pub(crate) fn entries(&self) -> String {
        let config = self.config();
        let line = |entry: &ConfigEntry| {
            let ConfigEntry { key, value, origin } = entry;
            format!("{key} = {value}  # {origin}\n")
        };
        self.relative(&config.entries().iter().map(line).collect::<String>())
    }
}

pub(crate) fn names(config: &SkillsConfig) -> Vec<&str> {
    let names = config.repositories.iter();
    names.map(|repository| repository.name.as_str()).collect()
}

pub(crate) fn repository<'c>(config: &'c SkillsConfig, name: &str) -> &'c Repository {
    let mut all = config.repositories.iter();
    all.find(|repository| repository.name == name).unwrap()
}

/// A repository of `kind` with these lines.
pub(crate) fn entry(name: &str, kind: &str, lines: &str) -> String {
    format!("[[skills.repositories]]\nname = \"{name}\"\ntype = \"{kind}\"\n{lines}\n")
}
