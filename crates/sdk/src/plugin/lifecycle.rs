//! What a plugin is.

use super::context::Context;
use super::error::Error;
use super::registry::Registry;

/// A plugin: says who it is, and registers what it contributes.
///
/// Handlers live as long as the plugin and are called while others wait for the host, so what they share is behind an
/// `Rc` and a `Cell` or `RefCell`, and no borrow is held across a question to the host.
pub trait Plugin {
    /// Which skill the plugin is for. It has to be what the skill's manifest says.
    fn manifest(&self) -> Manifest;

    /// Registers what the plugin contributes. Called once; what fails here fails the activation of the skill.
    fn activate(&mut self, context: &Context, registry: &mut Registry) -> Result<(), Error>;

    /// Called once before the end, behind the handlers for [`Phase::Deactivate`](crate::Phase::Deactivate). A worker
    /// that is killed has no chance to.
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
