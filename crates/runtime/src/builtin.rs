//! The skills that come with Prowess: skills like any other, with no rights of their own.

use include_dir::{Dir, include_dir};
use prowess_core::{MemorySource, SkillId};

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills");

/// What a host declares when it can run the code of skills.
pub const CODE: &str = "code";

/// The ids of the skills that come with Prowess. A project's or a remote's skill cannot take them.
pub fn builtin_ids() -> Vec<SkillId> {
    let directories = SKILLS.dirs();
    let names = directories.filter_map(|directory| directory.path().to_str());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The skills that come with Prowess.
pub fn builtin_skills() -> MemorySource {
    prowess_core::embedded(&SKILLS)
}
