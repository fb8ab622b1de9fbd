//! Where every request of a skill's code passes.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::SkillId;
use prowess_policy::{Decision, Denial, Subject, TurnLimits, Usage};
use prowess_spec::manifest::{Permission, Word};

use crate::approval::{Approvals, Approver, CommandQuestion, CommandRefusal};
use crate::content::SkillContent;

/// What one skill may do, asked anew each time: a revoked permission is gone at the next call.
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
    /// The gate of a skill, which may ask for what it declares.
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

    /// Whose gate it is.
    pub fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// Whether the skill may do this, once more in this turn.
    pub fn pass(&self, permission: Permission) -> Result<(), Denial> {
        self.may(permission)?;
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        match usage.take(permission, &self.limits) {
            Decision::Allowed => Ok(()),
            Decision::Denied(denial) => Err(denial),
        }
    }

    /// Whether the skill may do this at all; nothing is counted.
    pub fn may(&self, permission: Permission) -> Result<(), Denial> {
        match self
            .approvals
            .decide(&self.subject, &self.declared, permission)
        {
            Decision::Allowed => Ok(()),
            Decision::Denied(denial) => Err(denial),
        }
    }

    /// Has a command decided, asking the user where no earlier answer covers it.
    pub(crate) async fn command(
        &self,
        approver: &dyn Approver,
        question: CommandQuestion<'_>,
    ) -> Result<(), CommandRefusal> {
        self.approvals
            .require_command(approver, &self.subject, question)
            .await
    }

    /// What is declared and approved.
    pub(crate) fn permissions(&self) -> impl Iterator<Item = Permission> + '_ {
        let declared = self.declared.iter().copied();
        declared.filter(|permission| self.may(*permission).is_ok())
    }

    /// What is declared and approved, in the words of a manifest.
    pub fn granted(&self) -> Vec<String> {
        self.permissions()
            .map(|permission| permission.word().to_owned())
            .collect()
    }

    /// A new turn: what was counted begins anew.
    pub fn begin_turn(&self) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Usage::default();
    }
}
