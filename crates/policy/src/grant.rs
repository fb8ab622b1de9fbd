//! What somebody said about a skill's permissions.

use std::fmt;

use prowess_spec::manifest::{Permission, Word};

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
    /// What it consists of.
    pub content: ContentDigest,
}

/// Which contents of a skill a grant is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contents {
    /// This one: what was looked at when the question was answered.
    Exactly(ContentDigest),
    /// Whatever it may become. Only a configuration or a command line says so, never an answer.
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
    /// It may not, whoever else says that it may.
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

/// What somebody says yes or no to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// That the skill's code runs at all, closed in as it is.
    Run,
    /// That it may ask for something.
    Ask(Permission),
}

impl Right {
    /// The word for it: `run`, or that of the permission.
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Ask(permission) => permission.word(),
        }
    }

    /// The right that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "run" => Some(Self::Run),
            word => Permission::from_word(word).map(Self::Ask),
        }
    }
}

impl From<Permission> for Right {
    fn from(permission: Permission) -> Self {
        Self::Ask(permission)
    }
}

/// What somebody said about one right of one skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grant {
    /// The skill's id.
    pub skill: String,
    /// Which contents of it.
    pub contents: Contents,
    /// What it may do, or not.
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

/// Everything that was said, in no particular order: no grant hides another, and a denial beats them all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Nothing said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what was said. An answer about the same content replaces an earlier one.
    pub fn say(&mut self, grant: Grant) {
        let same = |old: &Grant| {
            (&old.skill, old.contents, old.right) == (&grant.skill, grant.contents, grant.right)
        };
        self.0.retain(|old| !same(old));
        self.0.push(grant);
    }

    /// Takes back everything that was said about a skill, whatever its content.
    pub fn forget(&mut self, skill: &str) {
        self.0.retain(|grant| grant.skill != skill);
    }

    /// Takes back what was said about one right of a skill.
    pub fn revoke(&mut self, skill: &str, right: impl Into<Right>) {
        let right = right.into();
        self.0
            .retain(|grant| grant.skill != skill || grant.right != right);
    }

    /// Takes back what was said for the session only.
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

    /// Everything that was said.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Grant> {
        self.0.iter()
    }

    /// What was said about a right of this very content; nothing if nobody was asked.
    pub fn effect(&self, subject: &Subject, right: impl Into<Right>) -> Option<Effect> {
        let right = right.into();
        let about = |grant: &&Grant| grant.right == right && grant.is_about(subject);
        // Denials sort behind, so the greatest is the one that counts.
        self.0.iter().filter(about).map(|grant| grant.effect).max()
    }

    /// Those of `wanted` about which somebody has to be asked.
    pub fn undecided<R: Copy + Into<Right>>(&self, subject: &Subject, wanted: &[R]) -> Vec<R> {
        let undecided = |right: &&R| self.effect(subject, **right).is_none();
        wanted.iter().filter(undecided).copied().collect()
    }
}

impl FromIterator<Grant> for Grants {
    fn from_iter<I: IntoIterator<Item = Grant>>(grants: I) -> Self {
        let mut all = Self::new();
        for grant in grants {
            all.say(grant);
        }
        all
    }
}
