//! Skills that the user named by their path: running them is approved, in a sandbox with the skill and scratch only.

use std::path::{Path, PathBuf};

use prowess_config::{SandboxMode, SkillsConfig};
use prowess_core::{SkillId, Skills};
use prowess_runtime::{Approvals, SkillContent};
use prowess_spec::manifest::{Keyword as _, Permission};
use prowess_spec::{MANIFEST_FILE, is_skill_file};

use crate::environment;

/// Approves the present content of skills for this command: their code, `granted`, and what the user accepted for directories
/// that they work on. Everything else is asked about, and everything where no sandbox holds it.
pub(super) async fn approve_named(
    skills: &Skills,
    config: &SkillsConfig,
    approvals: &Approvals,
    ids: &[SkillId],
    granted: &[Permission],
) {
    if config.skills.sandbox != SandboxMode::Full {
        return;
    }
    let work = environment::work_records();
    let catalog = skills.catalog();
    for id in ids {
        // What cannot be read says so when it is run.
        let Ok(content) = SkillContent::read(skills, id).await else {
            continue;
        };
        let location = skills.sources().location(&catalog, id);
        let record = location
            .zip(work.as_ref())
            .and_then(|(location, work)| work.of(Path::new(&location)));
        let accepted = record.map(|record| record.permissions).unwrap_or_default();
        let accepted = accepted.iter().filter_map(|name| Permission::parse(name));
        let permissions: Vec<Permission> = granted.iter().copied().chain(accepted).collect();
        approvals.approve_for_session(&content.subject(), &permissions);
    }
}

/// The directory of the skill that a path leads into, and the path inside of it; `None` for an id.
pub(crate) fn split_path(target: &str) -> Option<(PathBuf, String)> {
    let is_path = target.starts_with(['.', '/']);
    let path = Path::new(target);
    let mut above = path.ancestors().filter(|_| is_path);
    let directory = above.find(|directory| is_skill(directory))?;
    let inside = path.strip_prefix(directory).ok()?;
    Some((directory.to_owned(), inside.to_str()?.to_owned()))
}

/// Whether a directory is that of a skill.
pub(crate) fn is_skill(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| {
        let name = name.to_string_lossy();
        is_skill_file(&name) || name == MANIFEST_FILE
    })
}

/// The ids of the skills of a source that is named by its path.
pub(super) fn ids_of(skills: &Skills, path: &Path) -> Vec<SkillId> {
    let name = path.display().to_string();
    let catalog = skills.catalog();
    let of_path = catalog.skills().filter(|skill| **skill.source == *name);
    of_path.map(|skill| skill.descriptor.id.clone()).collect()
}
