//! Plain words in messages, help, comments and Markdown files.
#![cfg(test)]
#![allow(
    clippy::string_slice,
    clippy::needless_raw_string_hashes,
    reason = "a test"
)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that do not occur in strings, comments and Markdown files, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("somebody", "the user"),
    ("anybody", "any user"),
    ("nobody", "no user"),
    ("whoever", "the user or the caller"),
    ("whosever", "the user or the caller"),
    ("who asks", "the caller"),
    ("makes no sense", "is invalid"),
    ("make no sense", "are invalid"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("came to", "resulted in"),
    ("aimed at", "targeted"),
    ("taken back", "revoked"),
    ("given up", "cancelled"),
];

/// Words that do not occur in strings either.
const MESSAGE_WORDS: &[(&str, &str)] = &[
    ("kept", "saved or cached"),
    ("there is no", "unknown, missing or not found"),
    ("can be had", "is available"),
    ("cannot be had", "is unavailable"),
];

/// Paths that still have such words. Remove a path when its words are replaced.
const PENDING: &[&str] = &[];

/// Paths that are not checked: lists of words, input of tests, and build output.
const SKIPPED: &[&str] = &[
    "stop.rs",
    "target",
    ".git",
    "tests",
    "fixtures",
    "corpus",
    "node_modules",
    "dist",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Message,
    Comment,
}

/// The strings and comments of Rust source, each with its first line.
fn texts(source: &str) -> Vec<(Kind, usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let line = || source[..at].matches('\n').count() + 1;
        let (kind, length) = if rest.starts_with("//") {
            (Some(Kind::Comment), rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(length) = raw_string(rest).filter(|_| !in_word(source, at)) {
            (Some(Kind::Message), length)
        } else if rest.starts_with('"') {
            (Some(Kind::Message), string(rest))
        } else {
            (None, character(rest))
        };
        if let Some(kind) = kind {
            found.push((kind, line(), &rest[..length]));
        }
        at += length;
    }
    found
}

fn in_word(source: &str, at: usize) -> bool {
    source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn raw_string(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let opened = body.trim_start_matches('#').strip_prefix('"')?;
    let hashes = body.len() - opened.len() - 1;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = rest.len() - opened.len();
    Some(start + opened.find(&end).unwrap_or(opened.len()) + end.len())
        .filter(|end| *end <= rest.len())
}

fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// The length of a character literal, such as `'"'`, or of one character.
fn character(rest: &str) -> usize {
    let mut chars = rest.chars();
    let first = chars.next().map_or(1, char::len_utf8);
    if first == 1 && rest.starts_with('\'') {
        let second = chars.next();
        let close = match second {
            Some('\\') => rest[2..]
                .char_indices()
                .nth(1)
                .and_then(|(at, _)| rest[2 + at..].find('\'').map(|close| 2 + at + close)),
            Some(c) => Some(1 + c.len_utf8()).filter(|at| rest[*at..].starts_with('\'')),
            None => None,
        };
        return close.map_or(1, |close| close + 1);
    }
    first
}

/// The lines of `text` that contain `word` as a whole word.
fn lines_with<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    // Names in braces are placeholders.
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '}');
    text.lines().enumerate().filter_map(move |(number, line)| {
        let lower = line.to_lowercase();
        let mut places = lower.match_indices(word);
        let whole = places.any(|(at, _)| {
            !lower[..at].ends_with(is_word) && !lower[at + word.len()..].starts_with(is_word)
        });
        whole.then_some(number)
    })
}

fn check(path: &str, text: &str, first: usize, words: &[(&str, &str)], found: &mut Vec<String>) {
    for (word, instead) in words {
        for line in lines_with(text, word) {
            let line = first + line;
            found.push(format!("{path}:{line}: \"{word}\": write \"{instead}\""));
        }
    }
}

fn check_file(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !has_extension(Path::new(path), "rs") {
        check(path, text, 1, WORDS, &mut found);
        return found;
    }
    for (kind, line, text) in texts(text) {
        check(path, text, line, WORDS, &mut found);
        if kind == Kind::Message {
            check(path, text, line, MESSAGE_WORDS, &mut found);
        }
    }
    found
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension == wanted)
}

/// Markdown files, and source files below a directory `src`.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_symlink() || SKIPPED.contains(&name) {
            continue;
        }
        let in_src = || path.components().any(|part| part.as_os_str() == "src");
        if path.is_dir() {
            files(&path, found);
        } else if has_extension(&path, "md") || (has_extension(&path, "rs") && in_src()) {
            found.push(path);
        }
    }
}

#[test]
fn words_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    files(root, &mut paths);
    assert!(paths.len() > 300, "only {} files", paths.len());
    let mut pending: Vec<&str> = PENDING.to_vec();
    let mut report = String::new();
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        let found = check_file(name, &fs::read_to_string(&path).unwrap());
        if let Some(place) = PENDING.iter().find(|place| name.starts_with(**place)) {
            pending.retain(|it| found.is_empty() || it != place);
            continue;
        }
        for line in found {
            let _ = writeln!(report, "{line}");
        }
    }
    assert!(report.is_empty(), "\n{report}");
    assert!(pending.is_empty(), "remove from PENDING: {pending:?}");
}

#[test]
fn strings_and_comments_are_found() {
    let source = r##"
let a = 'x'; // one
let b = '"'; let c = "two \" \\"; let d = '\'';
/// three
let e = r#"four "quoted""#; fn life<'a>() {}
let f = "five
six";
"##;
    let found: Vec<(usize, &str)> = texts(source)
        .into_iter()
        .map(|(_, line, text)| (line, text))
        .collect();
    assert_eq!(
        found,
        [
            (2, "// one"),
            (3, r#""two \" \\""#),
            (4, "/// three"),
            (5, r##"r#"four "quoted""#"##),
            (6, "\"five\nsix\""),
        ]
    );
}

#[test]
fn a_word_is_reported_with_its_replacement() {
    let found = check_file(
        "x.rs",
        "let a =\n    \"cannot mend it; nobody's\";\n// recommended\n",
    );
    assert_eq!(
        found,
        [
            "x.rs:2: \"nobody\": write \"no user\"",
            "x.rs:2: \"mend\": write \"fix\"",
        ]
    );
}
