//! The lifecycle of a plugin.

use super::context::Context;
use super::error::Error;
use super::registry::Registry;

/// A plugin: its identity and its registrations.
///
/// Handlers live as long as the plugin and are called while others wait for the host, so shared state is in an `Rc`
/// with a `Cell` or `RefCell`, and no borrow is held across a call to the host.
pub trait Plugin {
    /// The skill of the plugin. It must match the manifest of the skill.
    fn manifest(&self) -> Manifest;

    /// Registers what the plugin contributes. Called once; what fails here fails the activation of the skill.
    fn activate(&mut self, context: &Context, registry: &mut Registry) -> Result<(), Error>;

    /// Called once before the end, after the handlers for [`Phase::Deactivate`](crate::Phase::Deactivate). Not called
    /// if the worker is killed.
    fn deactivate(&mut self, _context: &Context) {}
}

/// Which skill a plugin is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The skill's name.
    pub name: String,
    /// The skill's version.
    pub version: String,
}

impl Manifest {
    /// A name and a version. Where the crate is called like the skill,
    /// `Manifest::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))`.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
        }
    }
}
