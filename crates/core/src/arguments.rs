//! Arguments of a skill, as typed after its name.

/// The body with `arguments` in the place of `$ARGUMENTS` and `$1` to `$9`.
///
/// Without a placeholder they are appended; without arguments the placeholders become empty.
///
/// ```
/// use prowess_core::with_arguments;
///
/// assert_eq!(with_arguments("About $1.", "\"big robots\" now"), "About big robots.");
/// assert_eq!(with_arguments("About.", "robots"), "About.\n\nARGUMENTS: robots");
/// ```
pub fn with_arguments(body: &str, arguments: &str) -> String {
    let (mut out, replaced) = fill(body, arguments);
    let arguments = arguments.trim();
    if !replaced && !arguments.is_empty() {
        out.push_str(APPENDED);
        out.push_str(arguments);
    }
    out
}

const APPENDED: &str = "\n\nARGUMENTS: ";
const CUT: &str = "[truncated]";

/// The same, where arguments are shortened if the body would otherwise exceed `limit`.
pub(crate) fn with_arguments_within(body: &str, arguments: &str, limit: usize) -> String {
    let mut out = with_arguments(body, arguments);
    let least = with_arguments(body, "").len();
    let mut length = arguments.len();
    while out.len() > limit.max(least + CUT.len()) && length > 0 {
        length /= 2;
        let kept = arguments.get(..arguments.floor_char_boundary(length));
        out = match kept.unwrap_or_default() {
            "" => with_arguments(body, ""),
            kept => with_arguments(body, &format!("{kept}{CUT}")),
        };
    }
    out
}

/// Whether a body says where its arguments belong.
pub(crate) fn has_placeholders(body: &str) -> bool {
    fill(body, "").1
}

/// The body with its placeholders replaced, and whether there were any.
fn fill(body: &str, arguments: &str) -> (String, bool) {
    let arguments = arguments.trim();
    let words = words(arguments);
    let mut out = String::with_capacity(body.len() + arguments.len());
    let mut rest = body;
    let mut replaced = false;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(behind) = after
            .strip_prefix("ARGUMENTS")
            .filter(|rest| !continues(rest))
        {
            out.push_str(arguments);
            rest = behind;
            replaced = true;
        } else if let Some((number, behind)) = position(after) {
            out.push_str(words.get(number - 1).map_or("", String::as_str));
            rest = behind;
            replaced = true;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    (out, replaced)
}

/// A digit from 1 to 9 that is not part of a longer number, as in `$10`.
fn position(text: &str) -> Option<(usize, &str)> {
    let digit = text
        .chars()
        .next()?
        .to_digit(10)
        .filter(|digit| *digit > 0)?;
    let rest = text.get(1..)?;
    let number = usize::try_from(digit).ok()?;
    (!continues(rest)).then_some((number, rest))
}

fn continues(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Splits as a shell would: blanks separate, quotes hold together, a backslash takes the next literally.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, arguments: &str, expected: &str) {
        assert_eq!(
            with_arguments(body, arguments),
            expected,
            "{body:?} {arguments:?}"
        );
    }

    #[test]
    fn placeholders_are_replaced() {
        check(
            "$ARGUMENTS|$1|$2|$3",
            "about \"big robots\"",
            "about \"big robots\"|about|big robots|",
        );
        check(
            "$1 costs $5 or $10 and $ARGUMENTSX",
            "x",
            "x costs  or $10 and $ARGUMENTSX",
        );
        check("$1", "", "");
        check("plain", "", "plain");
        check("a $ b $$ c $HOME", "x", "a $ b $$ c $HOME\n\nARGUMENTS: x");
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        assert_eq!(
            words(r#"a 'b c' "d \" e" f\ g '' "#),
            ["a", "b c", "d \" e", "f g", ""]
        );
        assert_eq!(words("\"open end"), ["open end"]);
    }
}
