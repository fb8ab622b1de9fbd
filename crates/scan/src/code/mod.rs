//! Static analysis of the code of a skill: where secrets and remote text come from, and where they go.
//!
//! Each program is parsed, lowered to one small language and interpreted over abstract values: a constant as far
//! as it is known, and the marks of where it came from. Nothing is ever run.

#![allow(
    clippy::too_many_lines,
    clippy::match_same_arms,
    clippy::single_match_else,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "one arm for each kind of node, function and command reads best as a table, and the order of arms counts"
)]
#![allow(
    clippy::unused_self,
    reason = "folding is a set of methods, whether or not one of them needs the state"
)]

mod analyse;
mod collect;
mod facts;
pub mod inspect;
mod interpret;
mod ir;
mod known;
mod lower;
mod parse;
mod step;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use analyse::analyse;
#[allow(unused_imports, reason = "the rules that read these facts follow")]
pub(crate) use facts::{
    Analysis, Capability, CapabilityKind, CodeBudget, CodeLanguage, DerivedText, Flow, FlowKind,
    Step, Unit, Unparsed, UnparsedReason,
};
pub(crate) use step::{AgentFile, Arrangement, Startup, StepKind, Store};
