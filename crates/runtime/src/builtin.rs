//! The built-in skills. They have no special rights.

use include_dir::{Dir, include_dir};
use prowess_core::{MemorySource, SkillId};

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills");

/// The capability of a host that runs code of skills.
pub const CODE: &str = "code";

/// The ids of the built-in skills. Skills of a project or a remote source cannot use them.
pub fn builtin_ids() -> Vec<SkillId> {
    let directories = SKILLS.dirs();
    let names = directories.filter_map(|directory| directory.path().to_str());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The built-in skills.
pub fn builtin_skills() -> MemorySource {
    prowess_core::embedded(&SKILLS)
}
