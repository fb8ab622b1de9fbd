//! Which reports are written.

use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{ParseError, Targets};

/// How the targets of our own crates begin.
const OWN: &str = "prowess";
/// The target of requests of `serve`.
const REQUESTS: &str = "prowess::request";

/// What crates of others may write at most, whatever `RUST_LOG` says: below that, they write headers and bodies. Those
/// that are named here write contents and parameters in warnings, too.
const OTHERS: LevelFilter = LevelFilter::INFO;
const WITHOUT_CONTENTS: [(&str, LevelFilter); 3] = [
    ("genai", LevelFilter::ERROR),
    ("rmcp", LevelFilter::ERROR),
    ("sqlx", LevelFilter::ERROR),
];

/// Reads `RUST_LOG`. A level without a target is for our own crates.
pub(super) fn parse(text: &str) -> Result<Targets, ParseError> {
    let parsed: Targets = text.parse()?;
    let mut targets = Targets::new();
    if let Some(level) = parsed.default_level() {
        targets = targets.with_target(OWN, level);
    }
    Ok(targets.with_targets(parsed.iter()))
}

/// The filter of a log. `--log` always writes requests, and without `RUST_LOG` what is worth knowing; `None` if there is
/// nothing to write.
pub(super) fn targets(stated: Option<Targets>, log: bool) -> Option<Targets> {
    match (stated, log) {
        (None, false) => None,
        (None, true) => Some(Targets::new().with_target(OWN, LevelFilter::INFO)),
        (Some(stated), false) => Some(stated),
        (Some(stated), true) if stated.iter().any(|(target, _)| target == REQUESTS) => Some(stated),
        (Some(stated), true) => Some(stated.with_target(REQUESTS, LevelFilter::INFO)),
    }
}

/// Whether a report may be written at all.
pub(super) fn is_allowed(report: &Metadata<'_>) -> bool {
    *report.level() <= most(report.target())
}

fn most(target: &str) -> LevelFilter {
    if target.starts_with(OWN) {
        return LevelFilter::TRACE;
    }
    let mut named = WITHOUT_CONTENTS.iter();
    let named = named.find(|(name, _)| target.starts_with(name));
    named.map_or(OTHERS, |(_, level)| *level)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn bare_levels_are_for_our_own_crates() {
        let check = |text: &str, target: &str, level: Level, expected: bool| {
            let enabled = parse(text).unwrap().would_enable(target, &level);
            assert_eq!(enabled, expected, "{text} {target} {level}");
        };
        check("debug", "prowess_core::composite", Level::DEBUG, true);
        check("debug", "prowess_core::composite", Level::TRACE, false);
        check("trace", "hyper::proto", Level::ERROR, false);
        check("hyper=info", "hyper::proto", Level::INFO, true);
        check("hyper=info", "prowess_core", Level::ERROR, false);
        check(
            "warn,prowess_agent=trace",
            "prowess_agent",
            Level::TRACE,
            true,
        );
        check(
            "warn,prowess_agent=trace",
            "prowess_mcp",
            Level::INFO,
            false,
        );
        check("off", "prowess_core", Level::ERROR, false);
        assert!(parse("prowess=loud").is_err());
    }

    #[test]
    fn others_write_no_contents_and_no_headers() {
        assert_eq!(most("prowess::request"), LevelFilter::TRACE);
        assert_eq!(most("hyper_util::client"), LevelFilter::INFO);
        assert_eq!(most("rmcp::service"), LevelFilter::ERROR);
        assert_eq!(most("sqlx::query"), LevelFilter::ERROR);
    }

    #[test]
    fn requests_are_written_unless_they_are_named() {
        let shown = |text: &str| {
            let targets = targets(Some(parse(text).unwrap()), true).unwrap();
            targets.would_enable(REQUESTS, &Level::INFO)
        };
        assert!(shown("warn") && shown("hyper=info"));
        assert!(!shown("info,prowess::request=off"));
        assert!(targets(None, false).is_none());
    }
}
