//! Scripts of skills: requested by the engine, executed by a host.

use std::sync::Arc;

use async_trait::async_trait;
use prowess_spec::SkillPath;

use crate::id::SkillId;
use crate::tools::{ScriptOutput, ToolError};

/// Runs scripts of skills, under whatever permissions and sandbox the host has.
#[async_trait]
pub trait ScriptRunner: Send + Sync {
    /// Runs the script at `path` of a skill.
    async fn run(
        &self,
        id: &SkillId,
        path: &SkillPath,
        args: &[String],
    ) -> Result<ScriptOutput, ToolError>;
}

#[async_trait]
impl<R: ScriptRunner + ?Sized> ScriptRunner for Arc<R> {
    async fn run(
        &self,
        id: &SkillId,
        path: &SkillPath,
        args: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        (**self).run(id, path, args).await
    }
}
