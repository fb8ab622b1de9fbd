//! Packages: installing skills for every agent, and keeping them.

pub(crate) mod add;
mod apply;
mod choose;
mod conflicts;
mod consent;
mod downgrade;
mod edited_base;
pub(crate) mod import;
mod inspect;
mod installed;
mod interrupted;
mod lock_trust;
mod names;
mod newer;
mod news;
mod open_packages;
pub(crate) mod outdated;
mod registry_notes;
pub(crate) mod remove;
pub(crate) mod report;
mod session;
mod signatures;
pub(crate) mod sync;
pub(crate) mod update;
pub(crate) mod verify;

pub(crate) use inspect::Inspection;
pub(crate) use session::ScopeName;
