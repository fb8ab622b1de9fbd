//! Counts of findings by severity.

use prowess_scan::Severity;
use prowess_spec::manifest::Keyword as _;

/// Formats the count of each severity, worst first: `1 critical, 2 low`.
pub(crate) fn count_severities(severities: &[Severity]) -> String {
    let counts = Severity::ALL.iter().filter_map(|severity| {
        let count = severities.iter().filter(|found| *found == severity).count();
        (count > 0).then(|| format!("{count} {}", severity.as_str()))
    });
    counts.collect::<Vec<_>>().join(", ")
}
