//! The body of a skill.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Parser, Tag};

use crate::limits::LINKED_BYTES;
use crate::span::Span;

/// A path in the body that names a file of the skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The path, relative to the skill, with `/`.
    pub path: String,
    /// Where it is named, in the text that was searched.
    pub span: Span,
}

/// A rough count of tokens: four ASCII characters each, or one character of any other script.
pub fn estimate_tokens(text: &str) -> usize {
    if text.is_ascii() {
        return text.len().div_ceil(4);
    }
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.bytes().filter(|byte| *byte >= 0xc0).count();
    ascii.div_ceil(4) + others
}

/// The files of the skill that `body` names: targets of links and images, and paths under the standard
/// folders `scripts`, `references` and `assets`. Each path once, where it is first named.
pub fn references(body: &str) -> Vec<Reference> {
    let mut found = links(body);
    found.extend(mentions(body));
    found.sort_by_key(|reference| reference.span);
    let mut seen = BTreeSet::new();
    found.retain(|reference| seen.insert(reference.path.clone()));
    found
}

fn links(body: &str) -> Vec<Reference> {
    let body = body
        .get(..body.floor_char_boundary(LINKED_BYTES))
        .unwrap_or(body);
    if !may_link_elsewhere(body) {
        return Vec::new();
    }
    Parser::new(body)
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let path = relative_path(&dest_url)?;
                let link = body.get(range.clone())?;
                let target = link.rfind(&*dest_url).map(|at| range.start + at);
                let span = match target {
                    Some(start) => Span::new(start, start + dest_url.len()),
                    None => Span::new(range.start, range.end),
                };
                Some(Reference { path, span })
            }
            _ => None,
        })
        .collect()
}

/// Whether there may be a link to a file outside the standard folders, which [`mentions`] covers.
///
/// Parsing Markdown costs more than everything else that is done with a file.
fn may_link_elsewhere(body: &str) -> bool {
    let bytes = body.as_bytes();
    memchr::memchr_iter(b']', bytes).any(|at| match bytes.get(at + 1) {
        Some(b'(') => {
            let target = bytes.get(at + 2..).unwrap_or_default();
            let target = target.strip_prefix(b"./").unwrap_or(target);
            let known = [
                &b"http:"[..],
                b"https:",
                b"#",
                b"scripts/",
                b"references/",
                b"assets/",
            ];
            !known.iter().any(|prefix| target.starts_with(prefix))
        }
        Some(b':') => true,
        _ => false,
    })
}

/// The path of a link that stays inside the skill.
fn relative_path(url: &str) -> Option<String> {
    let path = url.split(['#', '?']).next()?;
    let scheme = path.split('/').next()?.contains(':');
    if path.is_empty() || path.starts_with(['/', '\\', '~']) || scheme || is_placeholder(path) {
        return None;
    }
    let decoded = percent_decoded(path)?;
    let path = decoded.trim_start_matches("./").trim_end_matches('/');
    let leaves = path.split(['/', '\\']).any(|part| part == "..");
    // A lone word is where an author meant to put an address.
    let is_path = path.contains(['/', '.']);
    (is_path && !leaves).then(|| path.to_owned())
}

fn is_placeholder(path: &str) -> bool {
    path.contains(['<', '>', '{', '}', '*', '$', '|', ' ', '…']) || path.contains("...")
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(rest.next())? * 16 + digit(rest.next())?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The folders that the standard names.
const FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

fn mentions(body: &str) -> Vec<Reference> {
    memchr::memchr_iter(b'/', body.as_bytes())
        .filter_map(|slash| {
            let before = body.get(..slash)?;
            let folder = FOLDERS
                .into_iter()
                .find(|folder| before.ends_with(folder))?;
            mention(body, slash - folder.len())
        })
        .collect()
}

fn mention(body: &str, start: usize) -> Option<Reference> {
    let before = body.get(..start)?;
    let before = before.strip_suffix("./").unwrap_or(before);
    // Part of a longer path or word, or of an address: not a path from the skill's own folder.
    if before.ends_with(|c: char| c.is_alphanumeric() || "/\\._-}>~$%@:".contains(c)) {
        return None;
    }
    let rest = body.get(start..)?;
    let is_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let length = rest.find(|c: char| !is_path(c)).unwrap_or(rest.len());
    let path = rest.get(..length)?.trim_end_matches(['.', '/']);
    let cut_short = rest
        .get(length..)?
        .starts_with(['<', '{', '*', '$', '[', '(', '…']);
    let file = path.rsplit('/').next()?;
    let (stem, extension) = file.rsplit_once('.')?;
    let plausible = !stem.is_empty() && !extension.is_empty() && !path.contains("..");
    (plausible && !cut_short).then(|| Reference {
        path: path.to_owned(),
        span: Span::new(start, start + path.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[&str]) {
        let paths: Vec<String> = references(body)
            .into_iter()
            .map(|found| found.path)
            .collect();
        assert_eq!(paths, expected, "{body:?}");
    }

    #[test]
    fn links_and_standard_folders_are_references() {
        check(
            "see [the guide](references/GUIDE.md#top)",
            &["references/GUIDE.md"],
        );
        check("![chart](./images/a%20b.png)", &["images/a b.png"]);
        check("[x][1]\n\n[1]: FORMS.md", &["FORMS.md"]);
        check(
            "run `python scripts/a.py`, then scripts/b.sh.",
            &["scripts/a.py", "scripts/b.sh"],
        );
        check("```\nsh ./scripts/c.sh\n```", &["scripts/c.sh"]);
        check("scripts/a.py and scripts/a.py", &["scripts/a.py"]);
    }

    #[test]
    fn other_text_is_not_a_reference() {
        check(
            "[a](https://example.com/x.md) [b](#top) [c](mailto:x@y.z) [d](/etc/passwd)",
            &[],
        );
        check("[up](../other/SKILL.md)", &[]);
        check("`[x](y.md)` in code, [a guide](link)", &[]);
        check("put files in scripts/ or references/NAME", &[]);
        check(
            "$ROOT/scripts/a.py my-scripts/a.py scripts/<name>.py scripts/*.py",
            &[],
        );
        check("", &[]);
    }

    #[test]
    fn tokens_are_estimated() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("abcdefgh"), 2);
        assert_eq!(estimate_tokens("技能"), 2);
    }
}
