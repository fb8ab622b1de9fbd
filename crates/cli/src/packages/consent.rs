//! What is looked at before a skill is installed or linked, and what the user agreed to.

use clap::Args;
use prowess_registry::{InstallableTree, LockFile, LockedSkill, digest_of};
use prowess_scan::Rules;
use prowess_spec::SkillName;

use super::apply::SkillOnDisk;
use super::inspect::{Consent, Inspection};
use super::session::Session;
use crate::audit::AllowedFindings;
use crate::error::Result;
use crate::{code_skills, terminal};

/// Findings that are accepted beforehand, as `[audit] allow` of the user's file does.
#[derive(Args)]
pub(super) struct AllowArgument {
    /// Accept this finding for exactly these bytes (repeatable); `prowess audit --json` prints both
    #[arg(long, value_name = "RULE@sha256:DIGEST")]
    allow: Vec<String>,
}

/// Looks at skills before they are installed or linked.
pub(super) struct Examiner<'e> {
    session: &'e Session<'e>,
    rules: Rules,
    allowed: AllowedFindings,
    applied: LockFile,
}

impl<'e> Examiner<'e> {
    pub(super) fn new(session: &'e Session<'e>, allow: &AllowArgument) -> Result<Self> {
        Ok(Self {
            session,
            rules: code_skills::base_rules(),
            allowed: AllowedFindings::new(&session.config).with(&allow.allow)?,
            applied: session.applied(),
        })
    }

    /// Inspects the files of a skill. Findings that are allowed for these bytes, or for those at the source, are left out.
    pub(super) fn inspect(
        &self,
        name: &SkillName,
        tree: &InstallableTree,
        locked: &LockedSkill,
    ) -> Inspection {
        let digest = digest_of(&tree.files().digests());
        let mut digests = vec![digest.to_string()];
        if digest == locked.digest {
            digests.push(locked.source_digest().to_string());
        }
        let (files, rules) = (tree.files(), &self.rules);
        Inspection::new(name.as_str(), files, rules, &self.allowed, &digests)
    }

    /// What it takes to have these files here. The user is not asked again about what they accepted in an earlier version,
    /// on this machine and in this place: what a lock file says was accepted by others.
    pub(super) fn consent(
        &self,
        name: &SkillName,
        tree: &InstallableTree,
        inspection: &Inspection,
    ) -> Consent {
        let Some(before) = self.applied.skills.get(name) else {
            return inspection.consent();
        };
        if before.digest == digest_of(&tree.files().digests()) {
            return Consent::None;
        }
        let earlier = self.session.store.get(before.digest);
        let earlier = earlier.map(|tree| self.inspect(name, &tree.into(), before));
        match earlier {
            Some(earlier) if !inspection.is_worse_than(&earlier) => Consent::None,
            _ => inspection.consent(),
        }
    }
}

/// What is said about a skill that is to be linked as it is on disk.
pub(super) fn examine_on_disk(
    examiner: &Examiner<'_>,
    name: &SkillName,
    locked: &LockedSkill,
    skill: &SkillOnDisk,
) -> (Inspection, Consent) {
    let inspection = examiner.inspect(name, &skill.tree, locked);
    let needed = examiner.consent(name, &skill.tree, &inspection);
    // What could not be read can be anything.
    let least = if skill.has_unread {
        Consent::Yes
    } else {
        Consent::None
    };
    (inspection, needed.max(least))
}

/// What the user agrees to by options, or at a terminal.
#[derive(Clone, Copy)]
pub(super) struct GivenConsent {
    pub(super) level: Consent,
    can_ask: bool,
}

impl GivenConsent {
    pub(super) fn new(level: Consent, is_json: bool) -> Self {
        Self {
            level,
            can_ask: level == Consent::None && !is_json && terminal::can_ask(),
        }
    }

    /// Whether the user agrees. Nothing is asked without a terminal; the answer is no.
    pub(super) fn covers(self, needed: Consent, question: &str) -> Result<bool> {
        Ok(needed <= self.level || self.can_ask && terminal::confirm(question)?)
    }

    /// Whether a question can be asked.
    pub(super) fn can_ask(self) -> bool {
        self.can_ask
    }
}

impl Consent {
    /// What `--yes` and `--force` agree to.
    pub(super) fn of_options(yes: bool, force: bool) -> Self {
        match (force, yes) {
            (true, _) => Self::Force,
            (false, true) => Self::Yes,
            (false, false) => Self::None,
        }
    }
}
