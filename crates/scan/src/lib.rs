//! Security rules over a skill: findings with spans, and what was not read.
//!
//! Everything here is pure: bytes in, a [`Report`] out, whatever the bytes. [`Rules::base`] is what really
//! happens to people; [`PatternRule`]s and [`Scanner`]s add to it. No word around a match makes it less severe:
//! the author of a skill writes those words too. A skill that quotes attacks is therefore reported.
//!
//! A report without findings does not mean that a skill is harmless: no rule understands what a program does,
//! and code that was not read makes the [`Verdict`] `Unverified`.

mod acts;
mod address;
mod base;
mod code;
mod code_units;
mod decoded;
mod decoders;
mod excerpt;
mod flows;
mod fold;
mod hidden;
pub mod limits;
mod lost_parser;
mod matcher;
mod media;
mod pattern_rule;
mod patterns;
mod payload;
mod picture;
mod place;
mod plugin;
mod provenance;
mod report;
mod rule;
mod rule_id;
mod rules;
mod scanner;
mod segment;
pub mod self_test;
mod staged;
mod text;
mod tools;
mod turned;
mod unicode;

pub use base::base_rules;
#[doc(hidden)]
pub use code::inspect;
pub use pattern_rule::{PatternRule, RuleError};
pub use report::{Evidence, Finding, NotRead, Omitted, Reason, Report, Severity, Verdict};
pub use rule::{Rule, Sample};
pub use rule_id::RuleId;
pub use rules::Rules;
pub use scanner::{Hit, HitStep, Scanner};
pub use segment::{Context, Language};
pub use text::{File, Text};
