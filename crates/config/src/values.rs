//! Converts TOML values to Rust values.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

use prowess_spec::manifest::Keyword;
use prowess_spec::{Span, nearest};
use toml::Spanned;
use toml::de::DeValue;

use crate::expand::expand;
use crate::limits::Bounds;
use crate::lookup::Lookup;
use crate::problem::ProblemKind;

/// Whether `${VAR}` is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variables {
    Expand,
    /// As [`Variables::Expand`] in the files of the user, literal in a project's.
    ExpandForUser,
    Literal,
}

/// The context that a value is converted in: its file and the variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueContext<'a> {
    /// The directory of the file.
    pub(crate) base: &'a Path,
    pub(crate) lookup: &'a Lookup<'a>,
    pub(crate) variables: Variables,
}

/// A string with variables expanded, and as written in the file.
pub(crate) struct TextValue<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) raw: &'t str,
}

/// A problem of a value, or of a part of it with its own position.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) span: Option<Span>,
    pub(crate) kind: ProblemKind,
}

impl From<ProblemKind> for Flaw {
    fn from(kind: ProblemKind) -> Self {
        Self { span: None, kind }
    }
}

pub(crate) fn wrong_type(value: &DeValue<'_>, expected: &'static str) -> Flaw {
    let found = match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    ProblemKind::WrongType { expected, found }.into()
}

pub(crate) fn flag(value: &DeValue<'_>) -> Result<bool, Flaw> {
    value
        .as_bool()
        .ok_or_else(|| wrong_type(value, "`true` or `false`"))
}

pub(crate) fn number(value: &DeValue<'_>, bounds: &Bounds) -> Result<u32, Flaw> {
    let written = value
        .as_integer()
        .ok_or_else(|| wrong_type(value, "a whole number"))?;
    u32::from_str_radix(written.as_str(), written.radix())
        .ok()
        .filter(|number| bounds.range.contains(number))
        .ok_or_else(|| {
            let kind = ProblemKind::OutOfRange {
                value: written.to_string(),
                least: *bounds.range.start(),
                greatest: *bounds.range.end(),
            };
            kind.into()
        })
}

pub(crate) fn share(value: &DeValue<'_>) -> Result<f64, Flaw> {
    let written = match value {
        DeValue::Float(written) => written.as_str().to_owned(),
        DeValue::Integer(written) => written.to_string(),
        _ => return Err(wrong_type(value, "a number")),
    };
    let share = written.parse().ok();
    share
        .filter(|share| *share > 0.0 && *share <= 1.0)
        .ok_or_else(|| ProblemKind::Share { value: written }.into())
}

pub(crate) fn keyword<K: Keyword>(text: &str) -> Result<K, ProblemKind> {
    K::parse(text).ok_or_else(|| {
        let allowed = K::names();
        ProblemKind::UnknownKeyword {
            text: text.to_owned(),
            near: nearest(text, allowed.iter().copied()).first().copied(),
            allowed,
        }
    })
}

pub(crate) fn items<'v, 'd>(value: &'v DeValue<'d>) -> Result<&'v [Spanned<DeValue<'d>>], Flaw> {
    match value {
        DeValue::Array(items) => Ok(items),
        _ => Err(wrong_type(value, "a list")),
    }
}

/// Applies `convert` to each item; a problem has the position of its item.
pub(crate) fn each<T>(
    value: &DeValue<'_>,
    convert: impl Fn(&DeValue<'_>) -> Result<T, Flaw>,
) -> Result<Vec<T>, Flaw> {
    let convert = |item: &Spanned<DeValue<'_>>| {
        convert(item.get_ref()).map_err(|flaw| Flaw {
            span: Some(Span::new(item.span().start, item.span().end)),
            kind: flaw.kind,
        })
    };
    items(value)?.iter().map(convert).collect()
}

impl ValueContext<'_> {
    pub(crate) fn text<'t>(&self, value: &'t DeValue<'_>) -> Result<TextValue<'t>, Flaw> {
        let written = value
            .as_str()
            .ok_or_else(|| wrong_type(value, "a string"))?;
        let text = match self.variables {
            Variables::Expand => expand(written, &|name| self.variable(name))?,
            Variables::ExpandForUser | Variables::Literal => Cow::Borrowed(written),
        };
        Ok(TextValue { text, raw: written })
    }

    /// The value of a variable.
    fn variable(&self, name: &str) -> Result<OsString, ProblemKind> {
        (self.lookup.variables)(name).ok_or_else(|| ProblemKind::Unset {
            variable: name.to_owned(),
        })
    }
}
