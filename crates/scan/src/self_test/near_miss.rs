//! Harmless skills that look like attacks.

use super::SkillFiles;
use super::attack::{Attack, Payload};
use super::speech;

/// A harmless skill.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// Its name, and how it is written.
    pub name: String,
    /// The skill.
    pub files: SkillFiles,
}

/// Entries as in the attacks: `=== NAME | PAYLOAD | DESCRIPTION`, then the text.
const DATA: &str = include_str!("near_misses.txt");

/// Ways to write a text that hide nothing.
const FORMS: &[&str] = &[
    "emphasis",
    "list",
    "table",
    "quotation",
    "wrapped",
    "polite",
    "padded",
    "carriage-returns",
];
const CARRIERS: &[&str] = &["json", "yaml", "csv", "reference", "python-comment"];

/// Every near miss, as it is and in other forms.
pub fn near_misses() -> Vec<NearMiss> {
    super::attack::read(DATA).iter().flat_map(forms).collect()
}

fn forms(base: &Attack) -> Vec<NearMiss> {
    let named = |form: &str, files: SkillFiles| NearMiss {
        name: format!("{} ({form})", base.name),
        files,
    };
    let mut all = vec![named("plain", base.files())];
    if base.payload == Payload::Prose {
        for (name, write) in speech::PROSE
            .iter()
            .filter(|(name, _)| FORMS.contains(name))
        {
            all.push(named(name, base.with_body(&write(&base.text))));
        }
        for (name, path, write) in speech::CARRIERS
            .iter()
            .filter(|(name, ..)| CARRIERS.contains(name))
        {
            all.push(named(name, base.with_carrier(path, write(&base.text))));
        }
    } else {
        let text = base.text.as_str();
        let padding = if base.payload == Payload::JavaScript {
            "// settings\n"
        } else {
            "# settings\n"
        };
        all.push(named(
            "padded",
            base.with_text(format!("{}{text}", padding.repeat(200))),
        ));
        all.push(named(
            "carriage-returns",
            base.with_text(text.replace('\n', "\r\n")),
        ));
        all.push(named("fence", base.with_fence()));
    }
    all
}
