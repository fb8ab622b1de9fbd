//! Programs that print, decode or change text.

use super::super::step::StepKind;
use super::super::value::{Data, HOLE, Value};
use super::Interpreter;
use super::command::Words;
use super::command_run::joined;
use crate::decoders as decode;

impl Interpreter<'_> {
    /// `echo`, `base64 -d` and the like.
    pub(super) fn run_decoder(&mut self, words: &Words) -> Option<Value> {
        let texts = words.texts();
        let span = words.span;
        let input = || -> Value { words.stdin.clone() };
        Some(match &*words.name {
            "echo" => {
                let escapes = texts
                    .first()
                    .is_some_and(|first| first.starts_with('-') && first.contains('e'));
                let skip = texts
                    .iter()
                    .take_while(|text| matches!(text.as_str(), "-e" | "-n" | "-ne" | "-en" | "-E"))
                    .count();
                let value = joined(words.rest.get(skip..).unwrap_or_default());
                if escapes {
                    let text = super::method::unescaped(&value.shown());
                    self.how = "escapes";
                    return Some(Value::text(text).with(&value.taints));
                }
                Value::text(format!("{}\n", value.shown())).with(&value.taints)
            }
            "printf" => self.printf(words),
            "base64" | "gbase64" | "base32"
                if words.has(&["-d", "-D", "--decode", "-di", "-id", "--d"]) =>
            {
                let input = self.input_of(words);
                let thirty_two = words.name == "base32";
                let bytes = input.as_bytes().and_then(|bytes| {
                    if thirty_two {
                        decode::base32(&bytes)
                    } else {
                        decode::base64(&bytes)
                    }
                });
                let value = self.decoded("base64 decoded", bytes, &input, span);
                as_text(value)
            }
            "base64" | "gbase64" | "xxd" | "od" | "hexdump" if !words.has(&["-r", "-rp"]) => {
                let input = self.input_of(words);
                let taints = self.onward(&input.taints, span, StepKind::Becomes("encoded"));
                Value::unknown().with(&taints)
            }
            "xxd" => {
                let input = self.input_of(words);
                let bytes = input.as_bytes().and_then(|bytes| decode::hex(&bytes));
                let value = self.decoded("hex decoded", bytes, &input, span);
                as_text(value)
            }
            "gunzip" | "zcat" | "gzcat" | "gzip" | "zlib-flate" | "unxz" | "xzcat" | "bunzip2"
            | "bzcat" | "xz" | "bzip2"
                if !matches!(&*words.name, "gzip" | "xz" | "bzip2")
                    || texts
                        .iter()
                        .any(|text| text.starts_with('-') && text.contains('d')) =>
            {
                let input = self.input_of(words);
                let bytes = input.as_bytes().and_then(|bytes| decode::inflate(&bytes));
                let value = self.decoded("decompressed", bytes, &input, span);
                as_text(value)
            }
            "openssl" if texts.iter().any(|text| text == "-d") => {
                let input = words.after(&["-in"]).map_or_else(
                    || words.stdin.clone(),
                    |path| self.read_file(&path, span, "openssl"),
                );
                let plain = texts
                    .iter()
                    .any(|text| text == "-base64" || text == "base64" || text == "-a")
                    && !texts.iter().any(|text| {
                        text.starts_with("-aes") || text == "-k" || text.starts_with("-pass")
                    });
                let bytes = if plain {
                    input.as_bytes().and_then(|bytes| decode::base64(&bytes))
                } else {
                    None
                };
                let value = self.decoded(
                    if plain { "base64 decoded" } else { "decrypted" },
                    bytes,
                    &input,
                    span,
                );
                as_text(value)
            }
            "rev" => {
                let input = self.input_of(words);
                self.how = "reversed";
                match input.full_text() {
                    Some(text) => {
                        let lines: Vec<String> = text
                            .lines()
                            .map(|line| line.chars().rev().collect())
                            .collect();
                        let marked = self.decoded(
                            "reversed",
                            Some(lines.join("\n").into_bytes()),
                            &input,
                            span,
                        );
                        as_text(marked)
                    }
                    None => input,
                }
            }
            "tr" => self.tr(words, &texts),
            "sed" | "awk" | "gawk" | "cut" | "grep" | "sort" | "uniq" | "head" | "tail" | "jq"
            | "wc" | "tac" | "paste" | "fold" | "column" | "strings" | "nl" | "yq" | "egrep"
            | "rg" | "perl-rename" => self.filter(words, &texts),
            "cat" | "less" | "more" | "bat" | "type" | "dd" | "pv" => {
                if words.name == "dd" {
                    return None;
                }
                self.input_of(words)
            }
            "tee" => {
                let input = input();
                for path in words.operands() {
                    self.write_file(&path, &input, span, "tee");
                }
                input
            }
            _ => return None,
        })
    }

    /// What a program reads: the files that it names, or its input.
    pub(super) fn input_of(&mut self, words: &Words) -> Value {
        let files: Vec<Value> = words
            .operands()
            .into_iter()
            .filter(|word| word.shown() != "-")
            .collect();
        if files.is_empty() {
            return words.stdin.clone();
        }
        let mut whole = Value::unknown();
        for file in files {
            let content = self.read_file(&file, words.span, &words.name);
            whole.add_taints(&content.taints);
            if matches!(whole.data, Data::Unknown) {
                whole.data = content.data;
            }
        }
        whole
    }

    fn printf(&mut self, words: &Words) -> Value {
        let Some(format) = words.rest.first() else {
            return Value::none();
        };
        let format_text = super::method::unescaped(&format.shown());
        let rest = words.rest.get(1..).unwrap_or_default();
        let mut text = String::new();
        let mut rest_words = rest.iter();
        // The format is used again until the words are used up.
        loop {
            let left = rest_words.len();
            let batch: Vec<Value> = rest_words
                .by_ref()
                .take(format_text.matches('%').count().max(1))
                .map(|word| Value::text(super::method::unescaped(&word.shown())).with(&word.taints))
                .collect();
            text.push_str(&super::text::percent(
                &format_text,
                &batch,
                &Value::unknown(),
            ));
            if rest_words.len() == 0
                || rest_words.len() == left
                || text.len() > 60_000
                || !format_text.contains('%')
            {
                break;
            }
        }
        if format.shown().contains("\\x") || format.shown().contains("\\1") {
            self.how = "escapes";
        }
        Value::text(text)
            .with(&joined(rest).taints)
            .with(&format.taints)
    }

    fn tr(&mut self, words: &Words, texts: &[String]) -> Value {
        let input = words.stdin.clone();
        let sets: Vec<Vec<char>> = texts
            .iter()
            .filter(|text| !text.starts_with('-') || text.len() == 1)
            .map(|text| expand_set(text))
            .collect();
        let deletes = texts.iter().any(|text| text == "-d");
        let Some(text) = input.full_text() else {
            return input;
        };
        let out: String = match (sets.first(), sets.get(1)) {
            (Some(set), _) if deletes => text.chars().filter(|c| !set.contains(c)).collect(),
            (Some(from), Some(to)) => text
                .chars()
                .map(|c| match from.iter().position(|known| *known == c) {
                    Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                    None => c,
                })
                .collect(),
            _ => return input,
        };
        self.how = "letters replaced";
        let rotates = sets.first().is_some_and(|set| set.len() > 20) && !deletes;
        if rotates {
            let value = self.decoded(
                "letters replaced",
                Some(out.into_bytes()),
                &input,
                words.span,
            );
            return as_text(value);
        }
        Value::text(out).with(&input.taints)
    }

    /// A filter: what it prints is a part of what it reads.
    fn filter(&mut self, words: &Words, texts: &[String]) -> Value {
        let script = usize::from(
            matches!(
                &*words.name,
                "sed" | "awk" | "gawk" | "grep" | "jq" | "yq" | "egrep" | "rg"
            ) && !words.has(&["-e", "-f"]),
        );
        let files: Vec<Value> = words.operands().into_iter().skip(script).collect();
        let mut whole = words.stdin.clone();
        if !files.is_empty() && !matches!(&*words.name, "cut" | "head" | "tail" | "fold")
            || files.iter().any(|file| file.shown().contains('/'))
        {
            whole = Value::unknown();
            for file in files {
                let content = self.read_file(&file, words.span, &words.name);
                whole.add_taints(&content.taints);
                if matches!(whole.data, Data::Unknown) {
                    whole.data = content.data;
                }
            }
        }
        let exact = match (&*words.name, whole.full_text()) {
            ("sed", Some(text)) => sed(&text, texts),
            ("cut", Some(text)) => cut(&text, texts),
            ("wc", _) => return Value::unknown(),
            ("sort" | "uniq" | "tac", Some(text)) if !text.contains('\n') => Some(text.to_string()),
            _ => None,
        };
        if matches!(&*words.name, "grep" | "awk" | "cut" | "sed" | "egrep") {
            // One setting picked out of a file of settings.
            whole
                .taints
                .retain(|taint| taint.kind != super::super::value::TaintKind::Settings);
        }
        match exact {
            Some(text) => Value::text(text).with(&whole.taints),
            None => Value::unknown().with(&whole.taints),
        }
    }
}

fn as_text(value: Value) -> Value {
    match &value.data {
        Data::Bytes(bytes) => Value::text(decode::text(bytes)).with(&value.taints),
        _ => value,
    }
}

/// `a-z` written out.
fn expand_set(text: &str) -> Vec<char> {
    let text = super::method::unescaped(text);
    let list: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = list.get(at) {
        match (list.get(at + 1), list.get(at + 2)) {
            (Some('-'), Some(end)) if c <= end && (*end as u32 - *c as u32) < 256 => {
                out.extend(*c..=*end);
                at += 3;
            }
            _ => {
                out.push(*c);
                at += 1;
            }
        }
    }
    out
}

/// `sed s/a/b/g` with plain text.
fn sed(text: &str, texts: &[String]) -> Option<String> {
    let script = texts.iter().find(|text| text.starts_with('s'))?;
    let mut chars = script.chars();
    chars.next();
    let mark = chars.next()?;
    let rest = chars.as_str();
    let mut parts = rest.split(mark);
    let (from, to, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let plain = !from.is_empty()
        && from
            .chars()
            .all(|c| !matches!(c, '*' | '[' | '(' | '\\' | '^' | '$' | '.' | '+'));
    if !plain || text.contains(HOLE) {
        return None;
    }
    Some(if flags.contains('g') {
        text.replace(from, to)
    } else {
        text.replacen(from, to, 1)
    })
}

/// `cut -c2-5`.
fn cut(text: &str, texts: &[String]) -> Option<String> {
    let range = texts.iter().find_map(|text| text.strip_prefix("-c"))?;
    let (from, to) = range.split_once('-').unwrap_or((range, range));
    let from: usize = from.parse().unwrap_or(1);
    let to: usize = to.parse().unwrap_or(usize::MAX);
    Some(
        text.chars()
            .skip(from.saturating_sub(1))
            .take(to.saturating_sub(from).saturating_add(1))
            .collect(),
    )
}
