//! Native plugins.
//!
//! A plugin is a third-party shared library, and runs in this process with all its permissions: the host confines the
//! whole worker before it starts. [`prowess_sdk::plugin::abi`] defines the interface.

mod elf;
mod error;
mod guest;
mod library;
mod process;

pub use error::LoadError;
pub use guest::PluginGuest;
pub use process::plugin;
