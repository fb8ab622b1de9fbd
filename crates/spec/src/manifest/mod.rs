//! `SKILL.yaml`: the manifest of a skill that does more than instruct.

mod dependencies;
mod document;
mod file_pattern;
mod keywords;
mod languages;
mod parse;
mod reader;
mod stand_in;
mod types;

pub use dependencies::check_dependencies;
pub use document::is_foreign;
pub use file_pattern::{file_glob, is_hidden_from};
pub use keywords::{Backend, Keyword, Mode, Permission, Platform, RuleSeverity, SkillType};
pub use languages::languages_of;
pub use parse::{ParsedManifest, parse};
pub use stand_in::stand_in;
pub use types::{
    Compatibility, Dependency, Implementation, InputSchema, Manifest, Prompt, SecurityRule,
    SecurityRules, Tool, Triggers, WikiSection,
};
