//! What activation needs from its host.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use prowess_core::{SkillId, Skills};
use prowess_sdk::Phase;

use super::start::Workers;
use crate::approval::{Approvals, Approver, NoApprover};
use crate::event::RuntimeEvent;
use crate::host::{Invoke, Services};

/// What a runtime is built from.
pub struct Parts {
    /// The skills.
    pub skills: Skills,
    /// Programs that run the code of skills.
    pub workers: Workers,
    /// What the host offers to skills.
    pub services: Services,
    /// Approvals of the user.
    pub approvals: Approvals,
    /// Decides what was not approved yet.
    pub approver: Arc<dyn Approver>,
}

impl Parts {
    /// Skills without workers, approvals, approver or project.
    pub fn new(skills: Skills) -> Self {
        Self {
            skills,
            workers: Workers::default(),
            services: Services::default(),
            approvals: Approvals::default(),
            approver: Arc::new(NoApprover),
        }
    }
}

/// What activation needs besides the [`ActivationTable`](super::ActivationTable).
pub(crate) struct ActivationContext {
    pub(crate) skills: Skills,
    pub(crate) workers: Workers,
    pub(crate) services: Arc<Services>,
    pub(crate) approvals: Approvals,
    pub(crate) approver: Arc<dyn Approver>,
    /// Calls tools and workflows for skills with `skill:invoke`.
    pub(crate) invoker: Weak<dyn Invoke>,
    /// Ignored cancellations that were reported.
    ignored_cancels: Mutex<Vec<(SkillId, Phase)>>,
}

impl ActivationContext {
    pub(crate) fn new(mut parts: Parts, invoker: Weak<dyn Invoke>) -> Self {
        if parts.services.jails.is_none() {
            parts.services.jails.clone_from(&parts.workers.jails);
        }
        Self {
            skills: parts.skills,
            workers: parts.workers,
            services: Arc::new(parts.services),
            approvals: parts.approvals,
            approver: parts.approver,
            invoker,
            ignored_cancels: Mutex::default(),
        }
    }

    /// Emits events of hooks; an ignored cancellation only once per skill and phase.
    pub(crate) fn emit_all(&self, events: Vec<RuntimeEvent>) {
        for event in events {
            if let RuntimeEvent::CancelIgnored { skill, phase } = &event {
                let mut reported = self
                    .ignored_cancels
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let key = (skill.clone(), *phase);
                if reported.contains(&key) {
                    continue;
                }
                reported.push(key);
            }
            self.services.listener.emit(event);
        }
    }
}
