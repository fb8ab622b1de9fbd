//! The skills that come with Prowess: skills like any other, with no rights of their own.

use include_dir::{Dir, include_dir};
use prowess_core::MemorySource;

static SKILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/skills");

/// What a host declares when it can run the code of skills.
pub const CODE: &str = "code";

/// The skills that come with Prowess.
pub fn builtin_skills() -> MemorySource {
    prowess_sources::embedded(&SKILLS)
}
