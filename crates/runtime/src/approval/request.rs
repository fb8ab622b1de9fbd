//! Requests for approval, and who decides about them.

use std::path::Path;

use async_trait::async_trait;
use prowess_core::SkillId;
use prowess_policy::{CommandReach, Right};
use prowess_sandbox::Protection;
use prowess_spec::manifest::Manifest;

use crate::content::{ChangedFile, SkillContent, is_own};

/// A request to approve rights of a skill.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequest<'a> {
    /// The skill.
    pub skill: &'a SkillContent,
    /// Its manifest, if it has one.
    pub manifest: Option<&'a Manifest>,
    /// The undecided rights.
    pub rights: &'a [Right],
    /// Whether an earlier content of the skill was approved.
    pub changed: bool,
    /// What changed since an approval by name was first used, where there is one.
    pub changed_files: &'a [ChangedFile],
}

impl ApprovalRequest<'_> {
    /// Whether the decision may apply to every project: only for built-in and user skills.
    pub fn may_count_everywhere(&self) -> bool {
        is_own(self.skill.scope)
    }
}

/// The decision about rights of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalDecision {
    /// Allow until the session ends.
    Once,
    /// Allow this content in this project.
    Always,
    /// Allow this content in every project.
    Everywhere,
    /// Deny until the session ends.
    Deny,
    /// No approver is available.
    Unavailable,
}

/// A request to approve a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandApprovalRequest<'a> {
    /// The skill that runs it.
    pub skill: &'a SkillId,
    /// The program and its arguments.
    pub command: &'a [String],
    /// Its working directory.
    pub directory: &'a Path,
    /// What it can reach.
    pub reach: CommandReach,
    /// Its standard input.
    pub stdin: Option<&'a str>,
    /// Environment variables that the skill set.
    pub variables: &'a [(String, String)],
    /// Whether the same words run the same program later; else an answer counts for this call only.
    pub lasts: bool,
}

impl CommandApprovalRequest<'_> {
    /// Whether an approval can be stored: the command does the same later, and has no input or variables besides its
    /// words.
    pub fn may_be_stored(&self) -> bool {
        self.lasts && self.stdin.is_none() && self.variables.is_empty()
    }

    /// Bytes that a user has to read.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.command.iter().map(String::len);
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| name.len() + value.len());
        words.chain(variables).sum::<usize>() + self.stdin.map_or(0, str::len)
    }

    /// The program, if it can be approved with any arguments.
    ///
    /// `None` for programs that run other programs, and outside the sandbox.
    pub fn program(&self) -> Option<&str> {
        let sandboxed = self.reach == CommandReach::Sandboxed;
        prowess_policy::program(self.command).filter(|_| sandboxed && self.may_be_stored())
    }
}

/// The decision about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandDecision {
    /// Allow this call.
    Once,
    /// Allow this skill to run the same command in this project.
    AlwaysCommand,
    /// Allow this skill to run the program with any arguments in this project.
    AlwaysProgram,
    /// Deny this call.
    Deny,
    /// No approver is available.
    Unavailable,
}

/// A request to write a protected file of the project, which the user decides about each time.
#[derive(Clone, Copy, Debug)]
pub struct ProtectedWriteRequest<'a> {
    /// The skill that writes it.
    pub skill: &'a SkillId,
    /// The path as the caller gave it.
    pub path: &'a str,
    /// The file that is written, relative to the project and without links.
    pub target: &'a Path,
    /// What starts because of it.
    pub protections: &'a [Protection],
    /// The whole new text.
    pub content: &'a str,
}

/// The decision about writing a protected file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteDecision {
    /// Write this text.
    Once,
    /// Write nothing.
    Deny,
    /// No approver is available.
    Unavailable,
}

/// Decides about approvals.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about rights of a skill.
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision;

    /// Decides about a command.
    async fn ask_command(&self, _request: CommandApprovalRequest<'_>) -> CommandDecision {
        CommandDecision::Unavailable
    }

    /// Decides about writing a protected file.
    async fn ask_write(&self, _request: ProtectedWriteRequest<'_>) -> WriteDecision {
        WriteDecision::Unavailable
    }
}

/// Decides nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoApprover;

#[async_trait]
impl Approver for NoApprover {
    async fn ask(&self, _request: ApprovalRequest<'_>) -> ApprovalDecision {
        ApprovalDecision::Unavailable
    }
}
