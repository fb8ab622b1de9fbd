//! The fields of frontmatter, and the matching of keys.

use crate::value::{Mapping, MappingEntry};

/// A known field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Name,
    Description,
    License,
    Compatibility,
    Metadata,
    AllowedTools,
    DisableModelInvocation,
    UserInvocable,
    ArgumentHint,
    WhenToUse,
    Version,
    Model,
    Context,
    RequiresCapabilities,
}

impl Field {
    pub(crate) const ALL: [Self; 14] = [
        Self::Name,
        Self::Description,
        Self::License,
        Self::Compatibility,
        Self::Metadata,
        Self::AllowedTools,
        Self::DisableModelInvocation,
        Self::UserInvocable,
        Self::ArgumentHint,
        Self::WhenToUse,
        Self::Version,
        Self::Model,
        Self::Context,
        Self::RequiresCapabilities,
    ];

    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::License => "license",
            Self::Compatibility => "compatibility",
            Self::Metadata => "metadata",
            Self::AllowedTools => "allowed-tools",
            Self::DisableModelInvocation => "disable-model-invocation",
            Self::UserInvocable => "user-invocable",
            Self::ArgumentHint => "argument-hint",
            Self::WhenToUse => "when_to_use",
            Self::Version => "version",
            Self::Model => "model",
            Self::Context => "context",
            Self::RequiresCapabilities => "requires-capabilities",
        }
    }

    fn exactly(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.key() == key)
    }

    /// The field that `key` spells with other case, hyphens or underscores.
    pub(crate) fn loosely(key: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|field| same_letters(field.key(), key))
    }
}

fn same_letters(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b))
}

fn letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b' '))
        .map(|byte| byte.to_ascii_lowercase())
}

/// How an entry of the frontmatter relates to the fields.
pub(crate) enum Meaning {
    Field(Field),
    Misspelt(Field),
    Unknown,
}

/// The meaning of `entry`; a misspelt key counts only where the right one is missing, and only once.
pub(crate) fn meaning(entry: &MappingEntry, mapping: &Mapping) -> Meaning {
    if let Some(field) = Field::exactly(&entry.key) {
        return Meaning::Field(field);
    }
    match Field::loosely(&entry.key) {
        Some(field) if stands_for(field, entry, mapping) => Meaning::Misspelt(field),
        _ => Meaning::Unknown,
    }
}

fn stands_for(field: Field, entry: &MappingEntry, mapping: &Mapping) -> bool {
    let mut spellings = mapping
        .entries
        .iter()
        .filter(|other| same_letters(field.key(), &other.key));
    let first = spellings.clone().next();
    let exact = spellings.any(|other| other.key == field.key());
    !exact && first.is_some_and(|first| first.key_span == entry.key_span)
}
