//! Rules that are added at run time.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use prowess_spec::Span;
use prowess_spec::manifest::SecurityRule;
use regex_automata::meta::{BuildError, Regex};

use crate::base::base_rule;
use crate::excerpt::visible;
use crate::limits::{MESSAGE_CHARS, PATTERN_BYTES, PATTERN_MEMORY, RULE_FINDINGS, WINDOW_BYTES};
use crate::report::Severity;
use crate::rule_id::RuleId;
use crate::scanner::{Hit, Scanner};
use crate::text::Text;

/// A regular expression over the lines of the files of a skill, with the message for a match.
///
/// The pattern sees each line twice: as it is written, and with continued lines joined and obfuscation
/// undone. It never sees two lines that are not one command.
///
/// ```
/// use prowess_scan::{File, PatternRule, Rules, Severity};
/// use prowess_spec::manifest::SecurityRule;
///
/// let rule = PatternRule::parse(&SecurityRule {
///     id: "no-telnet".to_owned(),
///     pattern: r"\btelnet\b".to_owned(),
///     severity: Severity::Low,
///     message: "telnet is not encrypted".to_owned(),
///     files: vec!["*.sh".to_owned()],
/// })?;
/// let file = File { path: "scripts/a.sh", bytes: b"tel\\\nnet host\n" };
/// let report = Rules::none().with(rule).scan([file], None);
/// assert_eq!(report.findings[0].rule.as_str(), "no-telnet");
/// # Ok::<(), prowess_scan::RuleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PatternRule {
    id: RuleId,
    severity: Severity,
    message: String,
    pattern: Regex,
    files: Option<GlobSet>,
}

/// Why a rule cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The name is not in kebab case, or too long.
    #[error("invalid rule name `{id}`: expected lower-case letters, digits and single hyphens")]
    Name {
        /// The text.
        id: String,
    },
    /// The name belongs to the base set.
    #[error("duplicate rule name `{id}`: used by a base rule")]
    Taken {
        /// The text.
        id: String,
    },
    /// The pattern is too long.
    #[error("pattern too long: {bytes} bytes, at most {PATTERN_BYTES} allowed")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The pattern is not a regular expression, or needs too much memory.
    #[error("invalid pattern")]
    Pattern(#[source] Box<BuildError>),
    /// A glob pattern of `files` is not one.
    #[error("invalid pattern in `files`")]
    Files(#[from] globset::Error),
}

impl PatternRule {
    /// Compiles the rule of a manifest.
    pub fn parse(rule: &SecurityRule) -> Result<Self, RuleError> {
        let Some(id) = RuleId::parse(&rule.id) else {
            let id = visible(&rule.id, MESSAGE_CHARS);
            return Err(RuleError::Name { id });
        };
        if base_rule(id.as_str()).is_some() {
            return Err(RuleError::Taken {
                id: rule.id.clone(),
            });
        }
        if rule.pattern.len() > PATTERN_BYTES {
            let bytes = rule.pattern.len();
            return Err(RuleError::TooLong { bytes });
        }
        let config = Regex::config()
            .nfa_size_limit(Some(PATTERN_MEMORY))
            .hybrid_cache_capacity(PATTERN_MEMORY)
            .onepass(false);
        let pattern = Regex::builder().configure(config).build(&rule.pattern);
        Ok(Self {
            id,
            severity: rule.severity,
            message: visible(&rule.message, MESSAGE_CHARS),
            pattern: pattern.map_err(|error| RuleError::Pattern(Box::new(error)))?,
            files: globs(&rule.files)?,
        })
    }

    fn find(&self, text: &str, mut found: impl FnMut(usize, usize)) {
        let mut at = 0;
        let mut count = 0;
        for line in text.split_inclusive('\n') {
            for piece in pieces(line.trim_end_matches(['\n', '\r'])) {
                let start = at + piece.start;
                for matched in self
                    .pattern
                    .find_iter(piece.slice(line))
                    .filter(|matched| !matched.is_empty())
                {
                    count += 1;
                    found(start + matched.start(), start + matched.end());
                }
            }
            at += line.len();
            // Far more than will be listed.
            if count > RULE_FINDINGS * 10 {
                return;
            }
        }
    }
}

/// A long line in pieces, so that a pattern cannot take time that grows with its square.
fn pieces(line: &str) -> impl Iterator<Item = Span> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= line.len() {
            return None;
        }
        let end = line.floor_char_boundary(at + WINDOW_BYTES).max(at + 1);
        let piece = Span::new(at, end.min(line.len()));
        at = piece.end;
        Some(piece)
    })
}

/// Globs as triggers have them: without a `/`, any file of that name.
fn globs(patterns: &[String]) -> Result<Option<GlobSet>, globset::Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let anywhere = if pattern.contains('/') {
            pattern.clone()
        } else {
            format!("**/{pattern}")
        };
        set.add(
            GlobBuilder::new(&anywhere)
                .literal_separator(true)
                .build()?,
        );
    }
    set.build().map(Some)
}

impl Scanner for PatternRule {
    fn scan(&self, text: &Text<'_>) -> Vec<Hit> {
        if self
            .files
            .as_ref()
            .is_some_and(|files| !files.is_match(text.path()))
        {
            return Vec::new();
        }
        let mut spans = Vec::new();
        self.find(text.source(), |start, end| {
            spans.push(Span::new(start, end));
        });
        if text.code.is_changed() {
            self.find(text.code.text(), |start, end| {
                spans.push(text.code.original(start, end));
            });
        }
        let hit = |span| Hit {
            rule: self.id.clone(),
            severity: self.severity,
            span,
            message: self.message.clone(),
            help: String::new(),
            steps: Vec::new(),
        };
        spans.into_iter().map(hit).collect()
    }
}
