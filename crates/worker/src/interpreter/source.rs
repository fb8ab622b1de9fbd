//! A look at a source file before the parser sees it.
//!
//! The parser itself copes with any nesting; what later walks through the tree does so with one call a level, and ends the
//! process where its stack does. So brackets are counted first. Strings and comments are passed over as the language
//! has them.

use crate::error::WorkerError;
use crate::limits::{BRACKET_DEPTH, SOURCE_BYTES};

/// Refuses a file that is too long or nested too deeply.
pub(super) fn check(path: &str, text: &str) -> Result<(), WorkerError> {
    if text.len() > SOURCE_BYTES {
        return Err(WorkerError::SourceBytes {
            path: path.to_owned(),
            bytes: text.len(),
        });
    }
    let mut rest = text;
    let mut depth: usize = 0;
    while let Some(at) = rest.find(['(', '[', '{', ')', ']', '}', '"', '\'', '#']) {
        let (_, found) = rest.split_at(at);
        rest = match found.as_bytes().first() {
            Some(b'#') => found.split_once('\n').map_or("", |(_, next)| next),
            Some(b'"') => behind_string(found, "\"\"\"", '"'),
            Some(b'\'') => behind_string(found, "'''", '\''),
            Some(b'(' | b'[' | b'{') => {
                depth += 1;
                if depth > BRACKET_DEPTH {
                    return Err(too_deep(path, text, text.len() - found.len()));
                }
                behind_one(found)
            }
            _ => {
                depth = depth.saturating_sub(1);
                behind_one(found)
            }
        };
    }
    Ok(())
}

fn behind_one(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

/// The text after the string at the start of `text`.
fn behind_string<'t>(text: &'t str, long: &str, short: char) -> &'t str {
    let is_long = text.starts_with(long);
    let mut rest = text.strip_prefix(long).unwrap_or_else(|| behind_one(text));
    while let Some(at) = rest.find([short, '\\', '\n']) {
        let (_, found) = rest.split_at(at);
        rest = behind_one(found);
        if found.starts_with('\\') {
            rest = behind_one(rest);
        } else if is_long {
            if let Some(behind) = found.strip_prefix(long) {
                return behind;
            }
        } else {
            // A line end ends it too: the string is broken, and the parser reports it.
            return rest;
        }
    }
    ""
}

fn too_deep(path: &str, text: &str, at: usize) -> WorkerError {
    let before = text.get(..at).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let in_line = before.get(line_start..).unwrap_or_default();
    WorkerError::BracketDepth {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: in_line.chars().count() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_count_outside_of_strings_and_comments() {
        let open = |count: usize| "(".repeat(count);
        let most = open(BRACKET_DEPTH);
        let table = [
            (String::new(), true),
            (most.clone(), true),
            (open(BRACKET_DEPTH + 1), false),
            (open(100_000), false),
            ("[{(".repeat(100), false),
            ("()[]{}".repeat(1_000), true),
            (format!("x = '{most}{most}'"), true),
            (format!("x = \"a\\\"{most}{most}\""), true),
            (format!("x = '''a'b\n{most}{most}'''"), true),
            (format!("x = \"\"\"a\"\"b\n{most}{most}\"\"\""), true),
            (format!("x = ''; y = {most}("), false),
            (format!("# {most}{most}\nx = 1"), true),
            (format!("# it's\n{most}("), false),
            (format!("x = 'it is broken\n{most}("), false),
            (format!("x = r'\\' + '\n{most}("), false),
            (format!("'ä' + '\\ä' + {most}"), true),
            ("'\\".to_owned(), true),
        ];
        for (text, fine) in table {
            let shown = text.chars().take(30).collect::<String>();
            assert_eq!(check("a.star", &text).is_ok(), fine, "{shown}");
        }
    }

    #[test]
    fn position_is_reported() {
        let text = format!("x = 1\nä = {}", "[".repeat(300));
        let error = check("lib/a.star", &text).unwrap_err().to_string();
        assert_eq!(
            error,
            "lib/a.star:2:205: brackets are nested deeper than the limit of 200"
        );
        let long = " ".repeat(SOURCE_BYTES + 1);
        let error = check("a.star", &long).unwrap_err().to_string();
        assert_eq!(
            error,
            "`a.star` is too large: 524289 bytes, the limit is 524288"
        );
    }
}
