//! Older versions of a registry in the place of newer ones: a registry that drops or yanks its newest version, or that lies,
//! must not bring back what was fixed.

use clap::Args;
use prowess_registry::{LockedSkill, PackageReference};
use prowess_spec::SkillName;
use semver::Version;

use crate::error::{CommandError, Result};

/// Whether an older version may replace a newer one.
#[derive(Args, Clone, Copy, Default)]
pub(super) struct DowngradeArgument {
    /// Install a version of a registry that is older than the installed one
    #[arg(long)]
    allow_downgrade: bool,
}

impl DowngradeArgument {
    /// Refuses to replace a version of a registry by an older one.
    pub(super) fn check(
        self,
        name: &SkillName,
        before: &LockedSkill,
        after: &LockedSkill,
    ) -> Result<()> {
        let (Some(installed), Some(offered)) = (registry_version(before), registry_version(after))
        else {
            return Ok(());
        };
        if offered >= installed || self.allow_downgrade {
            return Ok(());
        }
        Err(CommandError::permission(format!(
            "`{name}` {offered} is older than the installed {installed}"
        ))
        .hint("if you want the older version, add `--allow-downgrade`"))
    }
}

/// The version of a skill that comes from a registry.
pub(super) fn registry_version(locked: &LockedSkill) -> Option<Version> {
    match locked.source.parse().ok()? {
        PackageReference::Registry { .. } => Version::parse(locked.resolved.as_deref()?).ok(),
        _ => None,
    }
}
