//! Making text safe inside the tags that a model reads.

use std::borrow::Cow;

use prowess_spec::is_hidden;

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
    match without_own_tags(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(escaped) => escaped,
    }
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

/// One line of text where markup means nothing to a parser, but something to a model.
pub(super) fn plain_line(text: &str) -> String {
    without_own_tags(&one_line(text)).into_owned()
}

/// The replacement of a closing tag inside a body.
pub(super) const ESCAPED: &str = "<\\/skill>";

/// The elements around the content of skills.
const OWN_TAGS: [&str; 2] = ["skill", "available_skills"];

/// Text in which nothing opens or closes one of our elements: `<skill id="other">` becomes `<\skill id="other">`.
///
/// A model is a lenient reader. So a tag is one in any case, with blanks or invisible characters inside, and with the
/// full-width forms of its characters. The same text always becomes the same text: prompts stay cached.
pub fn without_own_tags(text: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut copied = 0;
    for (at, c) in text.char_indices() {
        let behind = at + c.len_utf8();
        if at < copied || !is_bracket(c) {
            continue;
        }
        let Some(tag) = own_tag(text.get(behind..).unwrap_or_default()) else {
            continue;
        };
        let out = out.get_or_insert_with(|| String::with_capacity(text.len() + 8));
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push_str("<\\");
        out.push_str(if tag.closes { "/" } else { "" });
        out.push_str(tag.name);
        copied = behind + tag.length;
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// Text that was safe, after it was cut: without its end, if the cut made one of our names of a longer one.
pub fn without_cut_tag(text: &str) -> &str {
    match without_own_tags(text) {
        Cow::Borrowed(text) => text,
        Cow::Owned(_) => text
            .get(..text.rfind(is_bracket).unwrap_or(0))
            .unwrap_or_default(),
    }
}

fn is_bracket(c: char) -> bool {
    matches!(
        c,
        '<' | '\u{ff1c}' | '\u{fe64}' | '\u{2039}' | '\u{3008}' | '\u{27e8}'
    )
}

/// The beginning of a tag of ours, without its bracket.
struct OwnTag {
    name: &'static str,
    closes: bool,
    length: usize,
}

fn own_tag(text: &str) -> Option<OwnTag> {
    let is_slash = |c: char| matches!(c, '/' | '\u{ff0f}' | '\u{2044}' | '\u{2215}');
    let is_blank = |c: char| c.is_whitespace() || is_hidden(c);
    let name_and_rest = text.trim_start_matches(|c| is_blank(c) || is_slash(c));
    let before = text.len() - name_and_rest.len();
    let closes = text.get(..before)?.contains(is_slash);
    OWN_TAGS.into_iter().find_map(|name| {
        let length = name_length(name_and_rest, name)?;
        let behind = name_and_rest.get(length..)?;
        // In a closing tag nothing but blanks is expected; they go with it.
        let end = behind.trim_start_matches(is_blank);
        let blanks = if closes && end.starts_with('>') {
            behind.len() - end.len()
        } else {
            0
        };
        Some(OwnTag {
            name,
            closes,
            length: before + length + blanks,
        })
    })
}

/// The length of `name` at the beginning of `text`, if it ends there.
fn name_length(text: &str, name: &str) -> Option<usize> {
    let mut wanted = name.chars().peekable();
    let mut length = 0;
    for (at, c) in text.char_indices() {
        let Some(next) = wanted.peek() else {
            let goes_on = c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
            return (!goes_on).then_some(length);
        };
        if *next == folded(c) {
            wanted.next();
            length = at + c.len_utf8();
        } else if c.is_whitespace() || !is_hidden(c) {
            return None;
        }
    }
    wanted.peek().is_none().then_some(length)
}

/// A character in lower case and of usual width.
fn folded(c: char) -> char {
    let c = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{17f}' => 's',
        '\u{131}' | '\u{130}' => 'i',
        '\u{212a}' => 'k',
        c => c,
    };
    c.to_ascii_lowercase()
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
