//! Which skill is in which state.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{Scope, SkillId};

use super::active_skill::ActiveSkill;
use crate::activation_state::{ActivationState, InvalidTransition};

/// The state of every skill, and the active skills in order.
#[derive(Default)]
pub(crate) struct ActivationTable {
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    skills: BTreeMap<SkillId, Row>,
    activations: u64,
}

#[derive(Default)]
struct Row {
    state: ActivationState,
    reason: String,
    active: Option<Arc<ActiveSkill>>,
    /// Number of activations before this one.
    order: u64,
}

impl ActivationTable {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a skill, and the reason for it.
    pub(crate) fn state(&self, id: &SkillId) -> (ActivationState, String) {
        let rows = self.rows();
        let row = rows.skills.get(id);
        row.map(|row| (row.state, row.reason.clone()))
            .unwrap_or_default()
    }

    /// Changes the state of a skill and returns the previous one.
    pub(crate) fn change(
        &self,
        id: &SkillId,
        to: ActivationState,
        reason: &str,
    ) -> Result<ActivationState, InvalidTransition> {
        let mut rows = self.rows();
        let row = rows.skills.entry(id.clone()).or_default();
        let from = row.state;
        row.state = from.to(to)?;
        reason.clone_into(&mut row.reason);
        Ok(from)
    }

    /// Registers an active skill behind the others of its scope.
    pub(crate) fn register(&self, active: ActiveSkill) {
        let mut rows = self.rows();
        rows.activations += 1;
        let order = rows.activations;
        let row = rows.skills.entry(active.id().clone()).or_default();
        row.active = Some(Arc::new(active));
        row.order = order;
    }

    /// Removes a skill from the active ones; its state stays.
    pub(crate) fn unregister(&self, id: &SkillId) -> Option<Arc<ActiveSkill>> {
        self.rows().skills.get_mut(id)?.active.take()
    }

    /// The active skills: built-in ones first, remote ones last, each scope by time of activation.
    pub(crate) fn active(&self) -> Vec<Arc<ActiveSkill>> {
        let rows = self.rows();
        let mut active: Vec<_> = rows
            .skills
            .values()
            .filter_map(|row| Some((row.order, Arc::clone(row.active.as_ref()?))))
            .collect();
        active.sort_by_key(|(order, active)| (tier(active.skill.content.scope), *order));
        active.into_iter().map(|(_, active)| active).collect()
    }

    /// The active skill with this id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<ActiveSkill>> {
        let mut active = self.active().into_iter();
        active.find(|active| active.id().as_str() == id)
    }

    /// The active skill that contributes a tool.
    pub(crate) fn tool_owner(&self, tool: &str) -> Option<Arc<ActiveSkill>> {
        self.active()
            .into_iter()
            .find(|active| active.contributions.has_tool(tool))
    }
}

fn tier(scope: Scope) -> u8 {
    match scope {
        Scope::Builtin => 0,
        Scope::User => 1,
        Scope::Project => 2,
        Scope::Remote => 3,
    }
}
