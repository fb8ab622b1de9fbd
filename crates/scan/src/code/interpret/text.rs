//! Texts: formatting, paths, replacing.

use super::super::value::{Data, HOLE, Value};

/// Python's `%`.
pub(super) fn percent(format: &str, items: &[Value], whole: &Value) -> String {
    let mut out = String::new();
    let mut items = items.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%');
            continue;
        }
        let mut key = None;
        if chars.peek() == Some(&'(') {
            chars.next();
            key = Some(chars.by_ref().take_while(|c| *c != ')').collect::<String>());
        }
        let mut letter = ' ';
        for c in chars.by_ref() {
            if c.is_alphabetic() {
                letter = c;
                break;
            }
            if !matches!(c, '0'..='9' | '.' | '-' | '+' | '#' | ' ' | '*') {
                break;
            }
        }
        let value = match (&key, &whole.data) {
            (Some(key), Data::Map(entries)) => entries.get(key.as_str()),
            (Some(_), _) => None,
            (None, _) => items.next(),
        };
        match (letter, value) {
            ('c', Some(value)) => match value.as_int().and_then(|code| u32::try_from(code).ok()) {
                Some(code) => out.extend(char::from_u32(code)),
                None => out.push_str(&value.shown()),
            },
            ('x', Some(value)) => match value.as_int() {
                Some(number) => out.push_str(&format_args!("{number:x}").to_string()),
                None => out.push(HOLE),
            },
            (_, Some(value)) => out.push_str(&value.shown()),
            (_, None) => out.push(HOLE),
        }
    }
    out
}

/// `'{} {name}'.format(…)` and the `-f` of `PowerShell`.
pub(super) fn braces(format: &str, items: &[Value], named: &[(std::rc::Rc<str>, Value)]) -> String {
    let mut out = String::new();
    let mut next = 0;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
                out.push('{');
            }
            '}' => {
                if chars.peek() == Some(&'}') {
                    chars.next();
                }
                out.push('}');
            }
            '{' => {
                let field: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let (name, spec) = field.split_once([':', '!']).unwrap_or((field.as_str(), ""));
                let value = if name.is_empty() {
                    next += 1;
                    items.get(next - 1)
                } else if let Ok(at) = name.parse::<usize>() {
                    items.get(at)
                } else {
                    named
                        .iter()
                        .find(|(known, _)| &**known == name)
                        .map(|(_, value)| value)
                };
                match value {
                    Some(value) if spec == "c" => {
                        match value.as_int().and_then(|code| u32::try_from(code).ok()) {
                            Some(code) => out.extend(char::from_u32(code)),
                            None => out.push_str(&value.shown()),
                        }
                    }
                    Some(value) => out.push_str(&value.shown()),
                    None => out.push(HOLE),
                }
            }
            other => out.push(other),
        }
    }
    out
}

/// Parts of a path put together; an absolute part begins anew.
pub(super) fn join_path(parts: &[Value]) -> String {
    let mut out = String::new();
    for part in parts {
        let text = part.shown();
        if text.starts_with('/') || text.starts_with('~') || text.starts_with('%') {
            out = text;
            continue;
        }
        let text = text.strip_prefix("./").unwrap_or(&text);
        if text.is_empty() || text == "." {
            continue;
        }
        if text == ".." && !out.is_empty() && !out.ends_with(HOLE) {
            out = out
                .rsplit_once('/')
                .map_or_else(|| ".".to_owned(), |(front, _)| front.to_owned());
            continue;
        }
        if !out.is_empty() && !out.ends_with('/') {
            out.push('/');
        }
        out.push_str(text);
    }
    out
}

/// A path as it is compared: `/` only, without `./` and doubled separators.
pub(super) fn plain_path(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let mut out = String::new();
    for (at, part) in path.split('/').enumerate() {
        if part == "." || part.is_empty() && at > 0 {
            continue;
        }
        if at > 0 && (path.starts_with('/') || !out.is_empty()) {
            out.push('/');
        }
        out.push_str(part);
    }
    if out.is_empty() && path.starts_with('/') {
        out.push('/');
    }
    out
}

/// A pattern of JavaScript, `/x/g`, that is plain text or one class: what it matches, for replacing.
pub(super) fn plain_pattern(pattern: &str) -> Option<Matcher> {
    let inner = pattern.strip_prefix('/')?;
    let (inner, flags) = inner.rsplit_once('/')?;
    Matcher::parse(inner, flags.contains('g'))
}

/// A pattern without anything but literal characters and one class.
pub(super) struct Matcher {
    literal: Option<String>,
    class: Vec<char>,
    negated: bool,
    pub all: bool,
}

impl Matcher {
    pub(super) fn parse(inner: &str, all: bool) -> Option<Self> {
        let class = inner
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']').or_else(|| rest.strip_suffix("]+")));
        if let Some(class) = class {
            let negated = class.starts_with('^');
            let mut chars = Vec::new();
            let list: Vec<char> = class.trim_start_matches('^').chars().collect();
            let mut at = 0;
            while let Some(c) = list.get(at) {
                match (c, list.get(at + 1), list.get(at + 2)) {
                    ('\\', Some('s'), _) => {
                        chars.extend([' ', '\n', '\t', '\r']);
                        at += 2;
                    }
                    ('\\', Some(next), _) => {
                        chars.push(*next);
                        at += 2;
                    }
                    (from, Some('-'), Some(to))
                        if *from <= *to && (*to as u32 - *from as u32) < 256 =>
                    {
                        chars.extend(*from..=*to);
                        at += 3;
                    }
                    _ => {
                        chars.push(*c);
                        at += 1;
                    }
                }
            }
            return Some(Self {
                literal: None,
                class: chars,
                negated,
                all,
            });
        }
        if matches!(inner, "\\s" | "\\s+" | "\\n") {
            return Some(Self {
                literal: None,
                class: vec![' ', '\n', '\t', '\r'],
                negated: false,
                all,
            });
        }
        let mut literal = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => {
                    let next = chars.next()?;
                    if next.is_alphanumeric() {
                        return None;
                    }
                    literal.push(next);
                }
                '.' | '*' | '+' | '?' | '[' | ']' | '(' | ')' | '{' | '}' | '|' | '^' | '$' => {
                    return None;
                }
                other => literal.push(other),
            }
        }
        (!literal.is_empty()).then_some(Self {
            literal: Some(literal),
            class: Vec::new(),
            negated: false,
            all,
        })
    }

    pub(super) fn replace(&self, text: &str, to: &str) -> String {
        if let Some(literal) = &self.literal {
            return if self.all {
                text.replace(literal.as_str(), to)
            } else {
                text.replacen(literal.as_str(), to, 1)
            };
        }
        let mut out = String::with_capacity(text.len());
        let mut done = false;
        for c in text.chars() {
            let hit = self.class.contains(&c) != self.negated;
            if hit && (self.all || !done) {
                out.push_str(to);
                done = true;
            } else {
                out.push(c);
            }
        }
        out
    }
}
