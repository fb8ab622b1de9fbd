//! What happened, for whoever shows or logs it.

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
    /// A skill was asked for that the session has already.
    AlreadyActive {
        /// The skill.
        id: SkillId,
    },
    /// A reference led nowhere; the turn goes on.
    Unresolved {
        /// What was named.
        reference: String,
        /// Ids that may have been meant.
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
