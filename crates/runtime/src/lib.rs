//! Living skills: when they become active.
//!
//! A skill with a `SKILL.yaml` says what makes it active: files of the project, words of a message, a language, a
//! way of being used. [`Triggers::evaluate`] tells which skills that is the case for, and why.

mod language;
mod project;
mod triggers;

pub use language::languages_of;
pub use project::{Project, ProjectLimits};
pub use triggers::{Activation, Cause, Situation, TriggerError, Triggers, UnknownSkill};
