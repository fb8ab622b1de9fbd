//! Making text safe inside the tags that a model reads.

use std::borrow::Cow;

/// One line of text for an XML element or attribute: no control characters, markup escaped.
pub(super) fn xml_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}

/// Runs of white space become a blank, control characters go.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let clean = |c: char| !c.is_control();
    if text.chars().all(clean) {
        return Cow::Borrowed(text.trim());
    }
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if clean(c) {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The body with every closing tag of the wrapper made harmless: `</skill>` in any case, blanks inside.
pub(super) fn without_closing_tags(body: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut from = 0;
    while let Some(at) = body
        .get(from..)
        .and_then(|rest| rest.find("</"))
        .map(|at| from + at)
    {
        from = at + 2;
        let Some(length) = closing_tag(body.get(from..).unwrap_or_default()) else {
            continue;
        };
        let out = out.get_or_insert_with(|| String::with_capacity(body.len() + 8));
        out.push_str(body.get(copied..at).unwrap_or_default());
        out.push_str(ESCAPED);
        from += length;
        copied = from;
    }
    match out {
        None => Cow::Borrowed(body),
        Some(mut out) => {
            out.push_str(body.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// What stands for a closing tag inside a body.
pub(super) const ESCAPED: &str = "<\\/skill>";

/// The length of `skill`, blanks and `>` at the beginning of `text`.
fn closing_tag(text: &str) -> Option<usize> {
    let name = text.get(..5)?;
    if !name.eq_ignore_ascii_case("skill") {
        return None;
    }
    let rest = text.get(5..)?;
    let blanks = rest.len() - rest.trim_start_matches(char::is_whitespace).len();
    rest.get(blanks..)?
        .starts_with('>')
        .then_some(5 + blanks + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_one_escaped_line() {
        assert_eq!(
            xml_line("a & \"b\" <c> 'd'"),
            "a &amp; &quot;b&quot; &lt;c&gt; &apos;d&apos;"
        );
        assert_eq!(xml_line(" a\r\n  b\tc\u{7}d "), "a b cd");
    }
}
