//! Severities of diagnostics under each profile.

use serde::Serialize;

/// Which of the two readings of a diagnostic is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Tolerant: what an agent uses to get at a skill.
    Load,
    /// Strict: what an author uses before others see the skill.
    Check,
}

/// How much a diagnostic matters under a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the skill works.
    Warning,
    /// Load: the skill is skipped. Check: the skill is invalid.
    Error,
}

/// The severity under each profile; `None` means that the profile does not mention it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Severity when loading.
    pub load: Option<Severity>,
    /// Severity when checking.
    pub check: Option<Severity>,
}

impl Levels {
    /// The skill cannot be had at all.
    pub const FATAL: Self = Self::new(Some(Severity::Error), Some(Severity::Error));
    /// Accepted or repaired when loading, invalid when checking.
    pub const TOLERATED: Self = Self::new(Some(Severity::Warning), Some(Severity::Error));
    /// A warning under both.
    pub const WARNING: Self = Self::new(Some(Severity::Warning), Some(Severity::Warning));
    /// Advice for authors.
    pub const ADVICE: Self = Self::new(None, Some(Severity::Warning));
    /// Invalid when checking, of no interest when loading.
    pub const STRICT: Self = Self::new(None, Some(Severity::Error));
    /// Of interest only when loading.
    pub const LOAD_ONLY: Self = Self::new(Some(Severity::Warning), None);

    const fn new(load: Option<Severity>, check: Option<Severity>) -> Self {
        Self { load, check }
    }

    /// The severity under `profile`.
    pub const fn under(self, profile: Profile) -> Option<Severity> {
        match profile {
            Profile::Load => self.load,
            Profile::Check => self.check,
        }
    }
}
