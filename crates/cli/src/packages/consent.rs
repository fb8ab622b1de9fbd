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
use crate::{code_skills, pages, terminal};

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

    /// Inspects the files of a skill. Findings that are allowed for exactly these bytes are left out.
    pub(super) fn inspect(&self, name: &SkillName, tree: &InstallableTree) -> Inspection {
        self.inspect_with(name, tree, &self.allowed)
    }

    fn inspect_with(
        &self,
        name: &SkillName,
        tree: &InstallableTree,
        allowed: &AllowedFindings,
    ) -> Inspection {
        let digest = digest_of(&tree.files().digests()).to_string();
        Inspection::new(name.as_str(), tree.files(), &self.rules, allowed, &[digest])
    }

    /// Whether a version of the lock file was installed or accepted here.
    pub(super) fn is_accepted(&self, name: &SkillName, locked: &LockedSkill) -> bool {
        let before = self.applied.skills.get(name);
        before.is_some_and(|before| before.digest == locked.digest)
    }

    /// What it takes to have these files here. The user is not asked again about what they accepted in an earlier version,
    /// on this machine and in this place: what a lock file says was accepted by others.
    pub(super) fn consent(
        &self,
        name: &SkillName,
        tree: &InstallableTree,
        inspection: &Inspection,
    ) -> Consent {
        let asked = inspection.consent();
        let Some(before) = self.applied.skills.get(name) else {
            return asked;
        };
        if asked == Consent::None {
            return asked;
        }
        if before.digest == digest_of(&tree.files().digests()) && !inspection.has_unread() {
            return Consent::None;
        }
        let earlier = self.session.store.get(before.digest);
        // What was allowed for those bytes is not allowed for others.
        let none = AllowedFindings::default();
        let earlier = earlier.map(|tree| self.inspect_with(name, &tree.into(), &none));
        match earlier {
            Some(earlier) if !inspection.is_worse_than(&earlier) => Consent::None,
            _ => asked,
        }
    }
}

/// What is said about a skill that is used as it is on disk.
pub(super) fn examine_on_disk(
    examiner: &Examiner<'_>,
    name: &SkillName,
    skill: &SkillOnDisk,
) -> (Inspection, Consent) {
    let inspection = examiner.inspect(name, &skill.tree);
    let inspection = inspection.with_unread(skill.unread.clone());
    let needed = examiner.consent(name, &skill.tree, &inspection);
    (inspection, needed)
}

/// What the user agrees to by options, or at a terminal.
#[derive(Clone, Copy)]
pub(super) struct GivenConsent {
    level: Consent,
    is_json: bool,
}

impl GivenConsent {
    pub(super) fn new(level: Consent, is_json: bool) -> Self {
        Self { level, is_json }
    }

    /// Shows what was found; whether the user agrees to it, after having seen all of it. Nothing is asked without a terminal;
    /// the answer is no.
    pub(super) fn covers(self, needed: Consent, found: &str, question: &str) -> Result<bool> {
        if needed > self.level && self.can_ask() {
            return Ok(pages::confirm(found, question)?);
        }
        if !self.is_json {
            terminal::print(found)?;
        }
        Ok(needed <= self.level)
    }

    /// Whether a question can be asked.
    pub(super) fn can_ask(self) -> bool {
        self.level == Consent::None && !self.is_json && terminal::can_ask()
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
