//! Native plugins: what their authors compile against.
//!
//! A plugin is a shared library inside a skill. Its worker is a confined child process of the host that loads the
//! library and forwards requests to it, so a plugin has only the permissions of its skill, and its crash does not
//! affect the host. Both sides exchange JSON through three C symbols, see [`abi`]: a plugin keeps working with a newer
//! compiler, crate or host.
//!
//! ```
//! use prowess_sdk::plugin::{Context, Error, Manifest, Plugin, Registry};
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Default)]
//! struct LineCount;
//!
//! #[derive(Deserialize)]
//! struct Input {
//!     path: String,
//! }
//!
//! fn count_lines(context: &Context, input: Input) -> Result<usize, Error> {
//!     Ok(context.read_file(&input.path)?.lines().count())
//! }
//!
//! impl Plugin for LineCount {
//!     fn manifest(&self) -> Manifest {
//!         Manifest::new("line-count", "1.0.0")
//!     }
//!
//!     fn activate(&mut self, _: &Context, registry: &mut Registry) -> Result<(), Error> {
//!         let schema = json!({
//!             "type": "object",
//!             "properties": {"path": {"type": "string"}},
//!             "required": ["path"],
//!         });
//!         registry.tool("count_lines", "Counts the lines of a file.", schema, count_lines);
//!         Ok(())
//!     }
//! }
//!
//! prowess_sdk::export_plugin!(LineCount);
//! # fn main() {
//! # let context = Context::for_tests(|_| Ok(json!({"content": "one\ntwo\n"})));
//! # let input = Input { path: "p".to_owned() };
//! # assert_eq!(count_lines(&context, input).unwrap(), 2);
//! # }
//! ```
//!
//! The library is a crate of `crate-type = ["cdylib"]`; the skill's `SKILL.yaml` names it:
//!
//! ```yaml
//! implementation:
//!   backend: plugin
//!   entrypoint: plugin.so
//! ```

pub mod abi;
mod context;
mod error;
mod hook;
mod instance;
mod lifecycle;
mod registry;
mod responses;

pub use crate::phase::Phase;
pub use crate::wire::{Failure, Finding, HookResult, HostCall, Output, ScannedFile};
pub use context::Context;
pub use error::Error;
pub use hook::{cancelled, modified};
pub use instance::Instance;
pub use lifecycle::{Manifest, Plugin};
pub use registry::Registry;
pub use responses::{Change, Commit, DirectoryEntry, Execution, Fetch, Response};
