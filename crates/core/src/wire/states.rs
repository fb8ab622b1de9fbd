//! Skills that are there and not used, or not under their own id, and why.

use serde::Serialize;

use crate::catalog::{Catalog, Skill};

/// The setting that limits the number of skills.
pub const MAX_SKILLS: &str = "skills.max_skills";

/// Why a skill with the id of a built-in one is refused.
pub const RESERVED_ID: &str = "reserved-id";

/// Every skill of a catalog that is not used, or not under its own id.
#[derive(Debug, Default, Serialize)]
pub struct SkillStates<'c> {
    /// Skills that need something that this host does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<UnavailableSkill<'c>>,
    /// Skills that the settings leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<SkillPlace<'c>>,
    /// Skills with the id of a built-in one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedSkill<'c>>,
    /// Skills with the id of another one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<ShadowedSkill<'c>>,
    /// Skills of servers that are used under another id, because another skill has theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labelled: Vec<LabelledSkill<'c>>,
    /// Skills that cannot be loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<InvalidSkill<'c>>,
    /// Skills beyond the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<OmittedSkills>,
}

/// A skill and its source.
#[derive(Debug, Serialize)]
pub struct SkillPlace<'c> {
    /// The id.
    pub id: &'c str,
    /// The name of its source.
    pub source: &'c str,
}

/// A skill that needs something that this host does not have.
#[derive(Debug, Serialize)]
pub struct UnavailableSkill<'c> {
    /// The skill.
    #[serde(flatten)]
    pub skill: SkillPlace<'c>,
    /// Everything that it needs.
    pub requires_capabilities: Vec<&'c str>,
}

/// A skill with the id of a built-in one.
#[derive(Debug, Serialize)]
pub struct RefusedSkill<'c> {
    /// The skill.
    #[serde(flatten)]
    pub skill: SkillPlace<'c>,
    /// [`RESERVED_ID`].
    pub reason: &'static str,
}

/// A skill with the id of another one.
#[derive(Debug, Serialize)]
pub struct ShadowedSkill<'c> {
    /// The skill.
    #[serde(flatten)]
    pub skill: SkillPlace<'c>,
    /// Its path, from the name of its source on.
    pub path: String,
    /// The source of the one that is used.
    pub winner: &'c str,
    /// The path of the one that is used.
    pub winner_path: String,
}

/// A skill of a server whose id belongs to another skill.
#[derive(Debug, Serialize)]
pub struct LabelledSkill<'c> {
    /// The skill, with its label.
    #[serde(flatten)]
    pub skill: SkillPlace<'c>,
    /// The other skill.
    pub other: SkillPlace<'c>,
}

/// A skill that cannot be loaded.
#[derive(Debug, Serialize)]
pub struct InvalidSkill<'c> {
    /// Its path in the source.
    pub path: &'c str,
    /// The name of its source.
    pub source: &'c str,
    /// The reasons.
    pub reasons: Vec<&'c str>,
}

/// Skills beyond the limit.
#[derive(Debug, Serialize)]
pub struct OmittedSkills {
    /// Their number.
    pub count: usize,
    /// The setting that raises it.
    pub setting: &'static str,
}

fn place(skill: Skill<'_>) -> SkillPlace<'_> {
    SkillPlace {
        id: skill.descriptor.id.as_str(),
        source: skill.source,
    }
}

impl<'c> SkillStates<'c> {
    /// Collects the skills of a catalog that are not used.
    pub fn of(catalog: &'c Catalog) -> Self {
        let unavailable = catalog.unavailable().map(|skill| UnavailableSkill {
            requires_capabilities: skill
                .descriptor
                .requires_capabilities
                .iter()
                .map(|it| &**it)
                .collect(),
            skill: place(skill),
        });
        let refused = catalog.refused().map(|skill| RefusedSkill {
            skill: place(skill),
            reason: RESERVED_ID,
        });
        let shadowed = catalog.shadowed().map(|shadowed| ShadowedSkill {
            skill: place(shadowed.loser),
            path: shadowed.loser.path(),
            winner: shadowed.winner.source,
            winner_path: shadowed.winner.path(),
        });
        let labelled = catalog.clashes().map(|clash| LabelledSkill {
            skill: place(clash.labelled),
            other: place(clash.other),
        });
        let invalid = catalog.invalid().map(|(source, invalid)| InvalidSkill {
            path: &invalid.path,
            source,
            reasons: invalid.reasons().collect(),
        });
        Self {
            unavailable: unavailable.collect(),
            disabled: catalog.disabled().map(place).collect(),
            refused: refused.collect(),
            shadowed: shadowed.collect(),
            labelled: labelled.collect(),
            invalid: invalid.collect(),
            omitted: Self::omitted(catalog),
        }
    }

    /// The number of skills beyond the limit, if any.
    pub fn omitted(catalog: &Catalog) -> Option<OmittedSkills> {
        (catalog.omitted() > 0).then(|| OmittedSkills {
            count: catalog.omitted(),
            setting: MAX_SKILLS,
        })
    }
}
