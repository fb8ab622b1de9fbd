//! The phases in which a skill can have handlers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment at which handlers of skills are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The skill itself has become active.
    Activate,
    /// The skill itself is about to become inactive.
    Deactivate,
    /// A conversation begins.
    ConversationStart,
    /// The system prompt is about to be put together.
    BeforePromptBuild,
    /// A tool is about to be called.
    BeforeToolCall,
    /// A tool has answered.
    AfterToolResult,
    /// The model has answered.
    AfterResponse,
    /// A section of a wiki is about to be written.
    BeforeWikiSection,
    /// An audit is done.
    SecurityScanComplete,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 9] = [
        Self::Activate,
        Self::Deactivate,
        Self::ConversationStart,
        Self::BeforePromptBuild,
        Self::BeforeToolCall,
        Self::AfterToolResult,
        Self::AfterResponse,
        Self::BeforeWikiSection,
        Self::SecurityScanComplete,
    ];

    /// The name that code registers for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Activate => "OnActivate",
            Self::Deactivate => "OnDeactivate",
            Self::ConversationStart => "OnConversationStart",
            Self::BeforePromptBuild => "OnBeforePromptBuild",
            Self::BeforeToolCall => "OnBeforeToolCall",
            Self::AfterToolResult => "OnAfterToolResult",
            Self::AfterResponse => "OnAfterResponse",
            Self::BeforeWikiSection => "OnBeforeWikiSection",
            Self::SecurityScanComplete => "OnSecurityScanComplete",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no phase has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPhase(pub String);

impl fmt::Display for UnknownPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Phase::ALL.map(Phase::name).join(", ");
        write!(
            f,
            "unknown phase `{}`; expected one of: {names}",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for UnknownPhase {}

impl FromStr for Phase {
    type Err = UnknownPhase;

    fn from_str(name: &str) -> Result<Self, UnknownPhase> {
        let found = Self::ALL.into_iter().find(|phase| phase.name() == name);
        found.ok_or_else(|| UnknownPhase(name.to_owned()))
    }
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Phase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
