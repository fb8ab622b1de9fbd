//! Attacks of our own, hidden in many ways: a moving target for the rules.
//!
//! [`attacks`] are small skills that harm, [`variants`] hides each of them by every transformation that fits, and
//! [`near_misses`] are harmless skills that look like attacks. A variant that is `clean` is a failure.

#![allow(clippy::format_collect, reason = "the texts are small")]

mod attack;
mod disguise;
mod encode;
mod near_miss;
mod pack;
mod program;
mod speech;

pub use attack::{Attack, Payload, attacks};
pub use near_miss::{NearMiss, near_misses};

use prowess_spec::{Context, is_skill_file, parse};

use crate::report::{Report, Verdict};
use crate::rules::Rules;
use crate::text::File;

/// The files of a skill, by path.
pub type SkillFiles = Vec<(String, Vec<u8>)>;

/// An attack after a transformation.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The attack.
    pub attack: String,
    /// The transformation.
    pub transformation: &'static str,
    /// The skill.
    pub files: SkillFiles,
}

/// The attack as it is, and by every transformation that fits.
pub fn variants(attack: &Attack) -> Vec<Variant> {
    let mut all = Vec::new();
    let mut add = |transformation: &'static str, files: SkillFiles| {
        all.push(Variant {
            attack: attack.name.clone(),
            transformation,
            files,
        });
    };
    add("plain", attack.files());
    match attack.payload {
        Payload::Shell => {
            for (name, hide) in encode::SHELL {
                add(
                    name,
                    attack.with_payload("scripts/run.sh", hide(&attack.text)),
                );
            }
            for (name, path, hide) in program::AROUND_SHELL {
                add(name, attack.with_payload(path, hide(&attack.text)));
            }
        }
        Payload::Python => {
            for (name, hide) in program::PYTHON {
                add(
                    name,
                    attack.with_payload("scripts/run.py", hide(&attack.text)),
                );
            }
        }
        Payload::JavaScript => {
            for (name, hide) in program::JAVASCRIPT {
                add(
                    name,
                    attack.with_payload("scripts/run.js", hide(&attack.text)),
                );
            }
        }
        Payload::Prose => {
            for (name, hide) in speech::PROSE {
                add(name, attack.with_body(&hide(&attack.text)));
            }
            for (name, path, hide) in speech::CARRIERS {
                add(name, attack.with_carrier(path, hide(&attack.text)));
            }
        }
    }
    for (name, hide) in disguise::ANY {
        if let Some(files) = hide(attack) {
            add(name, files);
        }
    }
    all
}

/// Audits the files of a skill.
pub fn audit(rules: &Rules, files: &SkillFiles) -> Report {
    let skill = files
        .iter()
        .find(|(path, _)| is_skill_file(path))
        .and_then(|(_, bytes)| parse(bytes, &Context::default()).skill);
    let files = files.iter().map(|(path, bytes)| File { path, bytes });
    rules.scan(files, skill.as_ref())
}

/// The result of one variant.
#[derive(Clone, Debug)]
pub struct VariantResult {
    /// The variant.
    pub variant: Variant,
    /// What the audit says.
    pub verdict: Verdict,
}

/// Audits every variant of an attack.
pub fn audit_variants(rules: &Rules, attack: &Attack) -> Vec<VariantResult> {
    variants(attack)
        .into_iter()
        .map(|variant| VariantResult {
            verdict: audit(rules, &variant.files).verdict(),
            variant,
        })
        .collect()
}
