//! `${VAR}` in the strings of a repository.

use std::borrow::Cow;
use std::ffi::OsString;

use crate::problem::ProblemKind;

/// `text` with its variables replaced; `$${` becomes `${`, and any other `$` is unchanged.
///
/// The value of a variable is not expanded again.
pub(crate) fn expand<'t>(
    text: &'t str,
    variables: &dyn Fn(&str) -> Result<OsString, ProblemKind>,
) -> Result<Cow<'t, str>, ProblemKind> {
    if !text.contains("${") {
        return Ok(Cow::Borrowed(text));
    }
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            expanded.extend([before, "${"]);
            rest = after;
            continue;
        }
        let (name, after) = after.split_once('}').ok_or(ProblemKind::OpenVariable)?;
        if !is_variable(name) {
            return Err(ProblemKind::VariableName);
        }
        let value = variables(name)?;
        let value = value.into_string().map_err(|_| ProblemKind::NotUnicode {
            variable: name.to_owned(),
        })?;
        expanded.extend([before, &value]);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(Cow::Owned(expanded))
}

/// The names of the variables in a text.
pub(crate) fn variables(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (before, after) = rest.split_once("${")?;
            if before.ends_with('$') {
                rest = after;
                continue;
            }
            let (name, after) = after.split_once('}')?;
            rest = after;
            return Some(name);
        }
    })
}

/// Letters, digits and underscores, not beginning with a digit.
pub(crate) fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &Result<&str, ProblemKind>) {
        let variables = |name: &str| match name {
            "X" => Ok("x".into()),
            "NESTED" => Ok("${X}".into()),
            "EMPTY" => Ok("".into()),
            _ => Err(ProblemKind::Unset {
                variable: name.to_owned(),
            }),
        };
        let expanded = expand(text, &variables);
        assert_eq!(expanded.as_deref(), expected.as_ref().copied());
    }

    #[test]
    fn variables_expand_once() {
        check("", &Ok(""));
        check("a${X}b${X}", &Ok("axbx"));
        check("$X $ $$ {X} }", &Ok("$X $ $$ {X} }"));
        check("$${X}", &Ok("${X}"));
        check("$$${X}", &Ok("$${X}"));
        check("$${X} ${X}", &Ok("${X} x"));
        check("$${", &Ok("${"));
        check("${NESTED}", &Ok("${X}"));
        check("a${EMPTY}b", &Ok("ab"));
        let unset = |name: &str| ProblemKind::Unset {
            variable: name.to_owned(),
        };
        check("${Y}", &Err(unset("Y")));
        check("${x}", &Err(unset("x")));
        check("${", &Err(ProblemKind::OpenVariable));
        check("a${X", &Err(ProblemKind::OpenVariable));
        for name in ["", "1X", "X Y", "X-Y", "X:-y", "é", "${X"] {
            check(&format!("${{{name}}}"), &Err(ProblemKind::VariableName));
        }
    }
}
