//! What happened, for display and logs.

use prowess_spec::SkillPath;
use serde::Serialize;

use crate::id::SkillId;

/// Something that a host may want to show or log. Events never hold a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// A skill's instructions were handed out.
    Activated {
        /// The skill.
        id: SkillId,
        /// Bytes of the block.
        bytes: usize,
        /// Bytes that did not fit.
        dropped_bytes: usize,
    },
    /// The skill is already active.
    AlreadyActive {
        /// The skill.
        id: SkillId,
    },
    /// An unknown reference; the turn continues.
    Unresolved {
        /// The reference.
        reference: String,
        /// Similar ids.
        nearest: Vec<String>,
    },
    /// A skill was there and could not be loaded.
    LoadFailed {
        /// The skill.
        id: SkillId,
        /// Why.
        reason: String,
    },
    /// A path that leaves a skill was refused.
    AccessDenied {
        /// The skill.
        id: SkillId,
        /// The path.
        path: SkillPath,
    },
    /// A tool was called that the active skills do not allow.
    ToolNotAllowed {
        /// The tool.
        tool: String,
    },
}
