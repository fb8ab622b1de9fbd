//! A step of a skill's life that takes a while, and who takes it may be gone before it ends.

use prowess_core::SkillId;

use crate::lives::Inner;
use crate::state::{InvalidTransition, State};

/// A step that is being taken. Dropped before its end, it ends as was said when it began: no skill stays between two
/// states, where nothing could ever be done with it again.
pub(crate) struct Step<'a> {
    inner: &'a Inner,
    id: &'a SkillId,
    otherwise: Option<(State, String)>,
}

impl<'a> Step<'a> {
    /// A step that comes to `to` if nobody ends it.
    pub(crate) fn begin(inner: &'a Inner, id: &'a SkillId, to: State, reason: &str) -> Self {
        Self {
            inner,
            id,
            otherwise: Some((to, reason.to_owned())),
        }
    }

    /// The end of the step.
    pub(crate) fn end(mut self, to: State, reason: &str) -> Result<(), InvalidTransition> {
        self.otherwise = None;
        self.inner.change(self.id, to, reason)
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if let Some((to, reason)) = self.otherwise.take() {
            // Whoever began the step may end it so, and nobody else takes one meanwhile.
            let _ = self.inner.change(self.id, to, &reason);
        }
    }
}
