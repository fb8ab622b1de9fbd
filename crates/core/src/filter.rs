//! Which skills are wanted.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::id::SkillId;

/// Takes skills in, or leaves them out, by id or pattern.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    rule: Rule,
    /// Skills that are excluded regardless of the rule.
    without: Vec<SkillId>,
}

#[derive(Clone, Debug, Default)]
enum Rule {
    #[default]
    All,
    Only(GlobSet),
    Except(GlobSet),
}

/// Why a filter could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// Both lists were given.
    #[error("`only` and `except` cannot be used together")]
    OnlyAndExcept,
    /// A pattern is invalid.
    #[error("invalid skill pattern `{pattern}`: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The reason.
        reason: String,
    },
}

impl Filter {
    /// A filter from two lists, of which one must be empty. Two empty lists accept everything.
    ///
    /// `pdf_report` means `pdf-report`; `extraction/**` means everything below `extraction`.
    ///
    /// ```
    /// use prowess_core::Filter;
    ///
    /// let filter = Filter::new(&["extraction/**"], &[]).unwrap();
    /// assert!(filter.accepts(&"extraction/email".parse().unwrap()));
    /// assert!(!filter.accepts(&"pdf".parse().unwrap()));
    /// assert!(Filter::new(&["a"], &["b"]).is_err());
    /// ```
    pub fn new<S: AsRef<str>>(only: &[S], except: &[S]) -> Result<Self, FilterError> {
        let rule = match (only, except) {
            ([], []) => Rule::All,
            (only, []) => Rule::Only(patterns(only)?),
            ([], except) => Rule::Except(patterns(except)?),
            _ => return Err(FilterError::OnlyAndExcept),
        };
        let without = Vec::new();
        Ok(Self { rule, without })
    }

    /// The same, and never this skill.
    #[must_use]
    pub fn without(mut self, id: SkillId) -> Self {
        self.without.push(id);
        self
    }

    /// Whether the skill is accepted.
    pub fn accepts(&self, id: &SkillId) -> bool {
        if self.without.contains(id) {
            return false;
        }
        match &self.rule {
            Rule::All => true,
            Rule::Only(patterns) => patterns.is_match(id.as_str()),
            // Without its label too: a skill that is disabled does not come back as a server's.
            Rule::Except(patterns) => {
                !patterns.is_match(id.as_str()) && !patterns.is_match(id.bare().as_str())
            }
        }
    }
}

fn patterns<S: AsRef<str>>(texts: &[S]) -> Result<GlobSet, FilterError> {
    let mut set = GlobSetBuilder::new();
    let failure = |pattern: &str, error: &globset::Error| FilterError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.kind().to_string(),
    };
    for text in texts {
        let text = text.as_ref();
        // A label can have underscores.
        let pattern = match text.split_once(':') {
            Some((label, path)) => format!("{label}:{}", path.replace('_', "-")),
            None => text.replace('_', "-"),
        };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| failure(text, &error))?);
    }
    set.build().map_err(|error| failure("", &error))
}
