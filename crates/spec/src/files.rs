//! Which file of a directory is the skill.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::levels::Levels;
use crate::span::Span;

/// The name that the standard gives to a skill's file.
pub const SKILL_FILE: &str = "SKILL.md";
/// The name of a manifest.
pub const MANIFEST_FILE: &str = "SKILL.yaml";

/// Whether `name` is some spelling of [`SKILL_FILE`].
pub fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Chooses between the spellings in a directory, with diagnostics about the choice.
pub fn choose_skill_file<'n>(names: &[&'n str]) -> Option<(&'n str, Vec<Diagnostic>)> {
    let mut spellings: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| is_skill_file(name))
        .collect();
    // `SKILL.md`, then `skill.md`, then whatever comes first by name.
    spellings.sort_by_key(|name| (*name != SKILL_FILE, *name != "skill.md", *name));
    let (chosen, others) = spellings.split_first()?;
    let mut diagnostics = Vec::new();
    if *chosen != SKILL_FILE {
        let levels = match *chosen {
            "skill.md" => Levels::WARNING,
            _ => Levels::TOLERATED,
        };
        let message = format!("the file is named `{chosen}`");
        diagnostics.push(
            Diagnostic::new(Code::FileName, Span::at(0), message)
                .help(format!("rename it to `{SKILL_FILE}`"))
                .levels(levels),
        );
    }
    if let Some(other) = others.first() {
        let message = format!("`{other}` is ignored: `{chosen}` exists");
        diagnostics.push(
            Diagnostic::new(Code::TwoSkillFiles, Span::at(0), message).help("remove one of them"),
        );
    }
    Some((chosen, diagnostics))
}
