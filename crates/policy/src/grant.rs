//! Decisions about the permissions of a skill.

use std::fmt;

use prowess_spec::manifest::{Keyword, Permission};

/// The SHA-256 of everything that a skill consists of: one changed byte makes another skill of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(pub [u8; 32]);

impl fmt::Debug for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Not `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidDigest;

impl fmt::Display for InvalidDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid digest: expected `sha256:` and 64 hexadecimal digits")
    }
}

impl std::error::Error for InvalidDigest {}

impl std::str::FromStr for ContentDigest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let digits = text.strip_prefix("sha256:").ok_or(InvalidDigest)?;
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(InvalidDigest);
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| InvalidDigest)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| InvalidDigest)?;
        }
        Ok(Self(digest))
    }
}

/// A skill as permissions see it: its id, and what it consists of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// The id.
    pub skill: String,
    /// Its content.
    pub content: ContentDigest,
}

/// Which contents of a skill a grant is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contents {
    /// This one: what was looked at when the question was answered.
    Exactly(ContentDigest),
    /// Any content. Only set by a configuration or the command line, never by an answer.
    Any,
}

impl Contents {
    /// Whether these contents are among them.
    pub fn is(self, content: ContentDigest) -> bool {
        match self {
            Self::Exactly(exactly) => exactly == content,
            Self::Any => true,
        }
    }
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It may.
    Allow,
    /// Denied; overrides every approval.
    Deny,
}

/// For how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifetime {
    /// Until the session ends.
    Session,
    /// Until it is revoked, in the project that it was given in.
    Always,
    /// Until it is revoked, in every project.
    Everywhere,
}

/// What a decision applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// Running the code of the skill, in its sandbox.
    Run,
    /// A permission of the code.
    Ask(Permission),
}

impl Right {
    /// The word for it: `run`, or that of the permission.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Ask(permission) => permission.as_str(),
        }
    }

    /// The right that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "run" => Some(Self::Run),
            word => Permission::parse(word).map(Self::Ask),
        }
    }
}

impl From<Permission> for Right {
    fn from(permission: Permission) -> Self {
        Self::Ask(permission)
    }
}

/// A decision about one right of one skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grant {
    /// The skill's id.
    pub skill: String,
    /// Which contents of it.
    pub contents: Contents,
    /// The effect.
    pub right: Right,
    /// Yes or no.
    pub effect: Effect,
    /// For how long.
    pub lifetime: Lifetime,
}

impl Grant {
    /// Whether it is about this skill as it is.
    pub fn is_about(&self, subject: &Subject) -> bool {
        self.contents.is(subject.content) && self.skill == subject.skill
    }
}

/// All decisions, in no particular order: no grant hides another, and a denial overrides all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// No decisions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a decision. It replaces an earlier one about the same content.
    pub fn insert(&mut self, grant: Grant) {
        let same = |old: &Grant| {
            (&old.skill, old.contents, old.right) == (&grant.skill, grant.contents, grant.right)
        };
        self.0.retain(|old| !same(old));
        self.0.push(grant);
    }

    /// Removes all decisions about a skill, for any content.
    pub fn forget(&mut self, skill: &str) {
        self.0.retain(|grant| grant.skill != skill);
    }

    /// Removes the decisions about one right of a skill.
    pub fn revoke(&mut self, skill: &str, right: impl Into<Right>) {
        let right = right.into();
        self.0
            .retain(|grant| grant.skill != skill || grant.right != right);
    }

    /// Removes the decisions for the session.
    pub fn end_session(&mut self) {
        self.0.retain(|grant| grant.lifetime != Lifetime::Session);
    }

    /// Withdraws what was denied for the session, of one skill or of all.
    pub fn forget_denials(&mut self, skill: Option<&str>) {
        let is_denial = |grant: &Grant| {
            let about = skill.is_none_or(|skill| grant.skill == skill);
            about && grant.effect == Effect::Deny && grant.lifetime == Lifetime::Session
        };
        self.0.retain(|grant| !is_denial(grant));
    }

    /// All decisions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Grant> {
        self.0.iter()
    }

    /// The decision about a right of exactly this content; `None` if there is none.
    pub fn effect(&self, subject: &Subject, right: impl Into<Right>) -> Option<Effect> {
        let right = right.into();
        let about = |grant: &&Grant| grant.right == right && grant.is_about(subject);
        // Denials sort last, so the greatest is the effective one.
        self.0.iter().filter(about).map(|grant| grant.effect).max()
    }

    /// Those of `wanted` without a decision.
    pub fn undecided<R: Copy + Into<Right>>(&self, subject: &Subject, wanted: &[R]) -> Vec<R> {
        let undecided = |right: &&R| self.effect(subject, **right).is_none();
        wanted.iter().filter(undecided).copied().collect()
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        let mut all = Self::new();
        for grant in grants {
            all.insert(grant);
        }
        all
    }
}
