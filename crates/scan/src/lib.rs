//! Security rules over a skill: findings with spans, and what was not read.
//!
//! Everything here is pure: bytes in, a [`Report`] out, whatever the bytes. [`Rules::base`] is what really
//! happens to people; [`PatternRule`]s and [`Scanner`]s add to it. A rule that matches in a passage that
//! only shows an attack is reported for information, because skills about security quote what they warn of.
//!
//! A report without findings does not mean that a skill is harmless: see [`Report::not_read`], and that no
//! rule understands what a program does.

mod base;
mod excerpt;
mod fold;
mod hidden;
pub mod limits;
mod matcher;
mod media;
mod pattern_rule;
mod patterns;
mod payload;
mod place;
mod quoted;
mod report;
mod rule;
mod rule_id;
mod rules;
mod scanner;
mod segment;
mod staged;
mod text;
mod tools;
mod unicode;

pub use base::base_rules;
pub use pattern_rule::{PatternRule, RuleError};
pub use report::{Finding, NotRead, Omitted, Reason, Report, Severity};
pub use rule::{Rule, Sample};
pub use rule_id::RuleId;
pub use rules::Rules;
pub use scanner::{Hit, Scanner};
pub use segment::{Context, Language};
pub use text::{File, Text};
