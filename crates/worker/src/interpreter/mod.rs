//! Starlark.
//!
//! A skill's entrypoint is evaluated once, as a module of its own, and then frozen. Each request calls a handler out of
//! the frozen module with an evaluator and a heap that are dropped afterwards, so nothing that a handler does
//! outlives it.

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
