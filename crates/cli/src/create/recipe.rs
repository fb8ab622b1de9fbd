//! From what was typed to what will be made.

use prowess_spec::manifest::{Keyword, SkillType};
use prowess_spec::{NameRule, SkillName};

use super::arguments::{BackendName, CreateArguments, Language};
use crate::error::{CommandError, Result};

/// The recipe of a new skill.
#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) name: SkillName,
    pub(super) description: String,
    /// Empty for a skill that only instructs.
    pub(super) types: Vec<SkillType>,
    pub(super) code: Option<Code>,
}

/// The language and backend of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Starlark,
    Python,
    Node,
    Shell,
    Rust,
    Plugin,
}

impl Code {
    /// The directory of its templates, and their word.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Starlark => "starlark",
            Self::Python => "python",
            Self::Node => "node",
            Self::Shell => "shell",
            Self::Rust => "rust",
            Self::Plugin => "plugin",
        }
    }

    /// Whether it must be built before it runs.
    pub(super) fn is_built(self) -> bool {
        matches!(self, Self::Rust | Self::Plugin)
    }
}

impl Recipe {
    pub(super) fn new(arguments: &CreateArguments) -> Result<Self> {
        let name = SkillName::parse(&arguments.name)
            .map_err(|broken| invalid_name(&arguments.name, &broken))?;
        let mut types: Vec<SkillType> = Vec::new();
        for kind in arguments.types.iter().copied().map(SkillType::from) {
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        let needs_code = types.iter().any(|kind| *kind != SkillType::Prompt);
        let code = match (code(arguments)?, needs_code) {
            (Some(_), false) if !types.is_empty() => {
                return Err(CommandError::usage("a skill of type `prompt` has no code")
                    .hint("omit --backend and --language, or add --type tool"));
            }
            (None, true) => Some(Code::Starlark),
            (code, _) => code,
        };
        if code.is_some() && types.is_empty() {
            types.push(SkillType::Tool);
        }
        let description = match &arguments.description {
            Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            None => {
                format!("Describe in one sentence what {name} does. Use when the user needs it.")
            }
        };
        Ok(Self {
            name,
            description,
            types,
            code,
        })
    }

    /// Whether `prowess run NAME/hello` does something.
    pub(super) fn says_hello(&self) -> bool {
        let says = |kind: &SkillType| matches!(kind, SkillType::Tool | SkillType::Workflow);
        self.types.iter().any(says)
    }

    /// The words of templates.
    pub(super) fn words(&self) -> Vec<&'static str> {
        let types = self.types.iter().map(|kind| kind.as_str());
        types.chain(self.code.map(Code::as_str)).collect()
    }
}

fn code(arguments: &CreateArguments) -> Result<Option<Code>> {
    let process = |language| match language {
        Language::Python => Code::Python,
        Language::Node => Code::Node,
        Language::Shell => Code::Shell,
        Language::Rust => Code::Rust,
    };
    match (arguments.backend, arguments.language) {
        (None, None) => Ok(None),
        (None | Some(BackendName::Process), Some(language)) => Ok(Some(process(language))),
        (Some(BackendName::Process), None) => Ok(Some(Code::Python)),
        (Some(BackendName::Starlark), None) => Ok(Some(Code::Starlark)),
        (Some(BackendName::Plugin), None | Some(Language::Rust)) => Ok(Some(Code::Plugin)),
        (Some(BackendName::Starlark), Some(_)) => Err(CommandError::usage("--language cannot be used with --backend starlark").hint("omit --language, or use --backend process")),
        (Some(BackendName::Plugin), Some(_)) => Err(CommandError::usage("the plugin template supports Rust only").hint("omit --language; for other languages, see the C interface in the documentation of prowess-sdk")),
    }
}

fn invalid_name(name: &str, broken: &[NameRule]) -> CommandError {
    let reasons: Vec<String> = broken
        .iter()
        .map(|rule| match rule {
            NameRule::Empty => "empty".to_owned(),
            NameRule::TooLong(length) => format!("{length} characters"),
            NameRule::Uppercase => "upper-case letters".to_owned(),
            NameRule::Character(c) => format!("`{}` is not allowed", c.escape_debug()),
            NameRule::EdgeHyphen => "a hyphen at the start or end".to_owned(),
            NameRule::DoubleHyphen => "two hyphens in a row".to_owned(),
        })
        .collect();
    let example = SkillName::slug(name).map(|slug| format!(", for example `{slug}`"));
    let hint = format!(
        "use lower-case letters, digits and single hyphens, at most 64 characters{}",
        example.unwrap_or_default()
    );
    let reasons = reasons.join(", ");
    CommandError::usage(format!(
        "invalid skill name `{}`: {reasons}",
        name.escape_debug()
    ))
    .hint(hint)
}
