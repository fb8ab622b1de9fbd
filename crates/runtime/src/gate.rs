//! Permission checks for the calls of a skill's code.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillId;
use prowess_policy::{Decision, Denial, Subject, TurnLimits, Usage};
use prowess_spec::manifest::{Keyword, Permission};

use crate::approval::{
    Approvals, Approver, CommandApprovalRequest, CommandRefusal, ProtectedWriteRequest,
    WriteDecision,
};
use crate::content::SkillContent;

/// Checks the permissions of one skill at each call, so that revocation takes effect immediately.
#[derive(Debug)]
pub struct Gate {
    skill: SkillId,
    subject: Subject,
    declared: Vec<Permission>,
    approvals: Approvals,
    limits: TurnLimits,
    usage: Mutex<Usage>,
}

impl Gate {
    /// Creates the gate of a skill with the permissions that it declares.
    pub fn new(
        skill: &SkillContent,
        declared: &[Permission],
        approvals: Approvals,
        limits: TurnLimits,
    ) -> Arc<Self> {
        Arc::new(Self {
            skill: skill.id.clone(),
            subject: skill.subject(),
            declared: declared.to_vec(),
            approvals,
            limits,
            usage: Mutex::default(),
        })
    }

    /// The skill.
    pub fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// Checks a permission and counts the call against the limits of the turn.
    pub fn pass(&self, permission: Permission) -> Result<(), Denial> {
        self.may(permission)?;
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        match usage.take(permission, &self.limits) {
            Decision::Allowed => Ok(()),
            Decision::Denied(denial) => Err(denial),
        }
    }

    /// Checks a permission without counting a call.
    pub fn may(&self, permission: Permission) -> Result<(), Denial> {
        match self
            .approvals
            .decide(&self.subject, &self.declared, permission)
        {
            Decision::Allowed => Ok(()),
            Decision::Denied(denial) => Err(denial),
        }
    }

    /// Requires approval of a command.
    pub(crate) async fn command(
        &self,
        approver: &dyn Approver,
        request: CommandApprovalRequest<'_>,
    ) -> Result<(), CommandRefusal> {
        self.approvals
            .require_command(approver, &self.subject, request)
            .await
    }

    /// Asks about writing a protected file.
    pub(crate) async fn ask_write(
        &self,
        approver: &dyn Approver,
        request: ProtectedWriteRequest<'_>,
    ) -> WriteDecision {
        self.approvals.ask_write(approver, request).await
    }

    /// The declared and approved permissions.
    pub(crate) fn permissions(&self) -> impl Iterator<Item = Permission> + '_ {
        let declared = self.declared.iter().copied();
        declared.filter(|permission| self.may(*permission).is_ok())
    }

    /// The declared and approved permissions as manifest words.
    pub fn granted(&self) -> Vec<String> {
        self.permissions()
            .map(|permission| permission.as_str().to_owned())
            .collect()
    }

    /// Resets the counts of the turn.
    pub fn begin_turn(&self) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Usage::default();
    }
}
