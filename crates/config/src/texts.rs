//! Strings with rules.

use prowess_spec::SkillName;

use crate::expand::is_variable;
use crate::limits::NAME_CHARS;
use crate::problem::ProblemKind;
use crate::secret::Secret;
use crate::values::{TextValue, ValueContext};

fn unfit<T>(rule: &'static str, help: &'static str) -> Result<T, ProblemKind> {
    Err(ProblemKind::Unfit { rule, help })
}

/// Refuses what is blank or holds control characters.
fn plain<'t>(written: &'t TextValue<'_>) -> Result<&'t str, ProblemKind> {
    if written.text.trim().is_empty() {
        return unfit("is empty", "write a value, or remove the key");
    }
    if written.text.contains(char::is_control) {
        return unfit("contains a control character", "remove it");
    }
    Ok(&written.text)
}

/// One line of text.
pub(crate) fn line(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<String, ProblemKind> {
    plain(written).map(str::to_owned)
}

/// Text of any number of lines.
pub(crate) fn lines(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<String, ProblemKind> {
    if written.text.trim().is_empty() {
        return unfit("is empty", "write a value");
    }
    Ok(written.text.clone().into_owned())
}

/// A rule of `audit` and the digest of a skill.
pub(crate) fn allowed_finding(text: &str) -> Result<(), ProblemKind> {
    let digest = text.split_once("@sha256:").map(|(_, digest)| digest);
    let complete = digest.is_some_and(|digest| {
        digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if complete {
        Ok(())
    } else {
        unfit(
            "is not a rule and a digest",
            "write `RULE@sha256:` and 64 digits, as `prowess audit` prints them",
        )
    }
}

/// One line that is never shown.
pub(crate) fn secret(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<Secret, ProblemKind> {
    plain(written).map(Secret::new)
}

/// The name of a repository.
pub(crate) fn name(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<String, ProblemKind> {
    let text = written.text.as_ref();
    if is_name(text) {
        Ok(text.to_owned())
    } else {
        unfit(
            "is not a valid name: a name has lower-case letters, digits, `-` and `_`, at most 64, and starts with a letter or digit",
            "write a name such as `team-skills`",
        )
    }
}

fn is_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= NAME_CHARS
        && text
            .bytes()
            .all(|byte| word(byte) || matches!(byte, b'-' | b'_'))
        && text.bytes().next().is_some_and(word)
}

/// The id of a skill: that of a server can have the name of its repository and `:` in front.
pub(crate) fn skill_id(text: &str) -> Result<String, ProblemKind> {
    match text.split_once(':') {
        Some((repository, bare)) if is_name(repository) => {
            id(bare)?;
            Ok(text.to_owned())
        }
        _ => id(text),
    }
}

/// The id of a package, or of a skill without a label: names with `/` between them.
pub(crate) fn id(text: &str) -> Result<String, ProblemKind> {
    let exact = |part: &str| SkillName::parse(part).is_ok_and(|name| name.as_str() == part);
    if text.split('/').all(exact) {
        Ok(text.to_owned())
    } else {
        unfit(
            "is not a valid skill id: an id has names of lower-case letters, digits and hyphens, separated by `/`",
            "write an id such as `writing/release-notes`",
        )
    }
}

/// The name of an environment variable.
pub(crate) fn variable(text: &str) -> Result<String, ProblemKind> {
    if is_variable(text) {
        Ok(text.to_owned())
    } else {
        unfit(
            "is not a valid variable name: a name has letters, digits and `_`, and does not start with a digit",
            "write the name of an environment variable, such as `API_KEY`",
        )
    }
}

/// The name of the variable with a key for a server. What is for Prowess itself is for no server.
pub(crate) fn key_variable(text: &str) -> Result<String, ProblemKind> {
    let name = variable(text)?;
    if name.to_uppercase().starts_with("PROWESS_") {
        return unfit(
            "is a variable of Prowess itself, which no server gets",
            "write the name of the variable with the key, such as `API_KEY`",
        );
    }
    Ok(name)
}

/// The name of an HTTP header.
pub(crate) fn header(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<String, ProblemKind> {
    let text = written.text.as_ref();
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !text.is_empty() && text.bytes().all(token) {
        Ok(text.to_owned())
    } else {
        unfit(
            "is not a valid header name",
            "write one such as `X-API-Key`",
        )
    }
}

/// The name of a branch or a tag, by the rules that git has for them.
pub(crate) fn reference(
    _: &ValueContext<'_>,
    written: &TextValue<'_>,
) -> Result<String, ProblemKind> {
    let text = plain(written)?;
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && part.strip_suffix(".lock").is_none()
    };
    let fits = !text.starts_with('-')
        && !text.ends_with('.')
        && !text.contains([' ', '~', '^', ':', '?', '*', '[', '\\'])
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && text.split('/').all(part);
    if fits {
        Ok(text.to_owned())
    } else {
        unfit(
            "is not a valid git reference name",
            "write the name of a branch or a tag",
        )
    }
}

/// The hash of a commit.
pub(crate) fn commit(_: &ValueContext<'_>, written: &TextValue<'_>) -> Result<String, ProblemKind> {
    let text = written.text.as_ref();
    let fits = (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if fits {
        Ok(text.to_ascii_lowercase())
    } else {
        unfit("is not a commit hash", "write all 40 digits of the hash")
    }
}
