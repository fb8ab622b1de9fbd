//! Starlark.
//!
//! The entrypoint of a skill is evaluated once, as a module, and then frozen. Each request calls a handler of the
//! frozen module with an evaluator and a heap that are dropped afterwards, so state does not outlive a request.

mod bounds;
mod call;
mod findings;
mod from_json;
mod functions;
mod guest;
mod hooks;
mod load;
mod register;
mod registry;
mod session;
mod source;
mod to_json;
mod trace;

pub use guest::StarlarkGuest;
