//! `SKILL.yaml`: the manifest of a skill that does more than instruct.

mod dependencies;
mod parse;
mod reader;
mod stand_in;
mod types;
mod words;

pub use dependencies::check_dependencies;
pub use parse::{ParsedManifest, parse};
pub use stand_in::stand_in;
pub use types::{
    Compatibility, Dependency, Implementation, InputSchema, Manifest, Prompt, SecurityRule,
    SecurityRules, Tool, Triggers, WikiSection,
};
pub use words::{Backend, Mode, Permission, Platform, RuleSeverity, SkillType, Word};
