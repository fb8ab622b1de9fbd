//! Links: `[label](url)`, `![label](url)` and `<url>`.

/// Bytes of a link. A longer one is text.
const LONGEST: usize = 2_000;

/// Parentheses inside of each other in a URL.
const DEEPEST: i32 = 8;

/// What may begin a link, or make it something else.
const MARKS: [char; 4] = ['`', '\\', '[', '<'];

/// The first link of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'t> {
    Nothing,
    /// The text ends where a link may continue.
    Open,
    Link(Link<'t>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'t> {
    pub(super) before: &'t str,
    pub(super) label: &'t str,
    pub(super) url: &'t str,
    pub(super) rest: &'t str,
}

/// Finds the first link outside of code. `code` are the backticks that end the code at the start of the text.
pub(super) fn find_link(text: &str, mut code: usize) -> Found<'_> {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(MARKS)) {
        at += found;
        let (before, rest) = text.split_at(at);
        let first = rest.chars().next().unwrap_or_default();
        let mut step = 1;
        match first {
            '`' => {
                step = rest.len() - rest.trim_start_matches('`').len();
                code = match code {
                    0 => step,
                    open if open == step => 0,
                    open => open,
                };
            }
            '\\' if code == 0 => step += rest.chars().nth(1).map_or(0, char::len_utf8),
            '[' if code == 0 => match link(rest) {
                Found::Nothing => {}
                Found::Open => return Found::Open,
                Found::Link(link) => {
                    let before = before.strip_suffix('!').unwrap_or(before);
                    return Found::Link(Link { before, ..link });
                }
            },
            '<' if code == 0 => {
                if let Some((label, rest)) = address(rest) {
                    let url = "";
                    return Found::Link(Link {
                        before,
                        label,
                        url,
                        rest,
                    });
                }
            }
            _ => {}
        }
        at += step;
    }
    Found::Nothing
}

/// The link at the start of a text.
fn link(text: &str) -> Found<'_> {
    let whole = text;
    let text = whole.get(..whole.floor_char_boundary(LONGEST));
    let text = text.unwrap_or_default();
    let open = if text.len() == whole.len() {
        Found::Open
    } else {
        Found::Nothing
    };
    let Some((label, behind)) = text.get(1..).and_then(|text| text.split_once(']')) else {
        return open;
    };
    if label.is_empty() || label.contains('[') {
        return Found::Nothing;
    }
    if behind.is_empty() {
        return open;
    }
    let Some(target) = behind.strip_prefix('(') else {
        return Found::Nothing;
    };
    let mut depth = 0;
    let end = target.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        !(0..=DEEPEST).contains(&depth)
    });
    let Some(end) = end else {
        return open;
    };
    if depth > DEEPEST {
        return Found::Nothing;
    }
    let target = target.get(..end).unwrap_or_default();
    let (url, title) = target.split_once(' ').unwrap_or((target, ""));
    if url.is_empty() || !(title.is_empty() || title.starts_with(['"', '\''])) {
        return Found::Nothing;
    }
    Found::Link(Link {
        before: "",
        label,
        url,
        rest: whole
            .get("[](".len() + label.len() + target.len() + 1..)
            .unwrap_or_default(),
    })
}

/// The address in angle brackets at the start of a text, and what follows it.
fn address(text: &str) -> Option<(&str, &str)> {
    let (url, rest) = text.strip_prefix('<')?.split_once('>')?;
    let schemes = ["https://", "http://", "mailto:"];
    let is_url = schemes.iter().any(|scheme| url.starts_with(scheme));
    (is_url && !url.contains(' ')).then_some((url, rest))
}
