//! Native plugins.
//!
//! A plugin is a shared library of somebody else, and runs in this very process with all that the process may do: the
//! host confines the whole worker before it starts. [`prowess_sdk::plugin::abi`] is what both sides agreed on.

mod elf;
mod error;
mod guest;
mod library;
mod process;

pub use error::LoadError;
pub use guest::PluginGuest;
pub use process::plugin;
