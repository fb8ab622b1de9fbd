//! What the contract tests of the format share.
#![allow(dead_code, reason = "each test binary uses its own part")]

use prowess_spec::{
    Code, Context, Diagnostic, LineIndex, Position, Profile, Severity, Skill, is_valid, parse,
};

/// A parsed file, with its text at hand.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) file: String,
    pub(crate) skill: Option<Skill>,
    pub(crate) body: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A file in a directory named `pdf`.
pub(crate) fn file(text: &str) -> Outcome {
    Outcome::new(text.as_bytes(), &Context::default())
}

/// A file with this frontmatter.
pub(crate) fn frontmatter(yaml: &str) -> Outcome {
    file(&format!("---\n{yaml}---\n# Body\n"))
}

/// A file in this directory.
pub(crate) fn in_directory(directory: &str, text: &str) -> Outcome {
    let context = Context {
        directory: Some(directory),
        ..Context::default()
    };
    Outcome::new(text.as_bytes(), &context)
}

impl Outcome {
    pub(crate) fn new(bytes: &[u8], context: &Context<'_>) -> Self {
        let parsed = parse(bytes, context);
        Self {
            file: String::from_utf8_lossy(bytes).into_owned(),
            skill: parsed.skill,
            body: parsed.body.to_owned(),
            diagnostics: parsed.diagnostics,
        }
    }

    pub(crate) fn skill(&self) -> &Skill {
        self.skill
            .as_ref()
            .unwrap_or_else(|| panic!("no skill: {:?}", self.diagnostics))
    }

    pub(crate) fn load(&self) -> Vec<(Code, Severity)> {
        self.under(Profile::Load)
    }

    pub(crate) fn check(&self) -> Vec<(Code, Severity)> {
        self.under(Profile::Check)
    }

    fn under(&self, profile: Profile) -> Vec<(Code, Severity)> {
        self.diagnostics
            .iter()
            .filter_map(|found| Some((found.code, found.severity(profile)?)))
            .collect()
    }

    pub(crate) fn is_valid(&self, profile: Profile) -> bool {
        is_valid(&self.diagnostics, profile)
    }

    /// No skill comes of it, and `code` says why under both profiles.
    pub(crate) fn skipped(&self, code: Code) {
        assert!(self.skill.is_none(), "{:?}", self.skill);
        self.has(Profile::Load, code, Severity::Error);
        self.has(Profile::Check, code, Severity::Error);
    }

    /// It loads with the warning `code`; `check` calls the same an error, and nothing else.
    pub(crate) fn tolerated(&self, code: Code) {
        assert!(self.skill.is_some(), "{:?}", self.diagnostics);
        assert_eq!(self.load(), [(code, Severity::Warning)], "{:?}", self.file);
        assert_eq!(self.check(), [(code, Severity::Error)], "{:?}", self.file);
    }

    /// It loads in silence, and `check` warns once.
    pub(crate) fn advice(&self, code: Code) {
        assert!(self.skill.is_some(), "{:?}", self.diagnostics);
        assert_eq!(self.load(), [], "{:?}", self.file);
        assert_eq!(self.check(), [(code, Severity::Warning)], "{:?}", self.file);
    }

    pub(crate) fn has(&self, profile: Profile, code: Code, severity: Severity) {
        assert!(
            self.under(profile).contains(&(code, severity)),
            "{code} in {:?}",
            self.diagnostics
        );
    }

    fn first(&self, code: Code) -> &Diagnostic {
        let found = self.diagnostics.iter().find(|found| found.code == code);
        found.unwrap_or_else(|| panic!("no {code} in {:?}", self.diagnostics))
    }

    pub(crate) fn position(&self, code: Code) -> Position {
        LineIndex::new(self.file.as_bytes()).position(self.first(code).span.start)
    }

    pub(crate) fn message(&self, code: Code) -> &str {
        &self.first(code).message
    }

    pub(crate) fn help(&self, code: Code) -> &str {
        self.first(code).help.as_deref().unwrap_or_default()
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.skill().frontmatter).unwrap()
    }
}
