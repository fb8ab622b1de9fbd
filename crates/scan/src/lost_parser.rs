//! Programs that the parser does not survive.

use crate::base::base_rule;
use crate::code::{Analysis, UnparsedReason};
use crate::code_units::CodeUnit;
use crate::excerpt::excerpt;
use crate::report::Finding;
use crate::rule_id::RuleId;

/// A finding for each program that ended or stopped the parser.
pub(crate) fn findings(units: &[CodeUnit], analysis: &Analysis) -> Vec<Finding> {
    let lost = |reason| {
        matches!(
            reason,
            UnparsedReason::ParserCrashed | UnparsedReason::ParserTimedOut
        )
    };
    let parts = analysis.unparsed.iter().filter(|part| lost(part.reason));
    let findings = parts.filter_map(|part| {
        let unit = units.get(part.unit)?;
        let rule = base_rule("parser-crash")?;
        Some(Finding {
            rule: RuleId::base(rule.id),
            severity: rule.severity,
            file: unit.path.clone(),
            start: unit.position(part.span.start),
            end: unit.position(part.span.end),
            excerpt: excerpt(&unit.source, part.span),
            message: rule.message.to_owned(),
            help: rule.help.to_owned(),
            evidence: Vec::new(),
        })
    });
    findings.collect()
}
