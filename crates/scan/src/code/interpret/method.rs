//! Methods of texts, bytes, lists and maps.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::ir::Name;
use super::super::value::{Data, Entries, HOLE, ITEMS_MAX, Items, TEXT_MAX, TaintKind, Value};
use super::Interpreter;
use super::call::Args;
use super::operator::{item_at, slice};
use super::text::{braces, join_path, plain_pattern};
use crate::decoders as decode;

impl Interpreter<'_> {
    /// `receiver.name(args)` for what is not an object of the skill; and what the receiver is afterwards.
    pub(super) fn call_method(
        &mut self,
        receiver: &Value,
        name: &Name,
        args: &Args,
        span: Span,
    ) -> (Value, Option<Value>) {
        if let Some(done) = self.file_method(receiver, name, args, span) {
            return (done, None);
        }
        // A client whose making was not seen.
        if let Some(done) = self.request_by_shape(receiver, name, args, span) {
            return (done, None);
        }
        let folded = match &receiver.data {
            Data::Text(text) => self.text_method(text, name, args, span),
            Data::Bytes(bytes) => self.bytes_method(bytes, name, args),
            Data::List(items) => return self.list_method(receiver, items, name, args, span),
            Data::Map(entries) => return self.map_method(receiver, entries, name, args, span),
            Data::Int(number) if &**name == "toString" => {
                let radix = args.at(0).as_int().unwrap_or(10);
                Some(Value::text(if radix == 16 {
                    format!("{number:x}")
                } else {
                    number.to_string()
                }))
            }
            Data::Int(number) if &**name == "to_bytes" => {
                Some(Value::of(Data::bytes(&big_endian(*number))))
            }
            _ => None,
        };
        if let Some(value) = folded {
            let mut value = value.with(&receiver.taints);
            for arg in args.all() {
                value.add_taints(&arg.taints);
            }
            if &**name == "split" || &**name == "partition" {
                value
                    .taints
                    .retain(|taint| taint.kind != TaintKind::Settings);
            }
            return (value, None);
        }
        let changed = super::call::Args::all(args)
            .any(|arg| !arg.all_taints().is_empty())
            .then(|| {
                let mut changed = receiver.clone();
                for arg in args.all() {
                    changed.add_taints(&arg.all_taints());
                }
                changed
            });
        (self.generic_method(receiver, name, args, span), changed)
    }

    /// A method that is not known: its result is marked like what goes in, callbacks are called with that.
    fn generic_method(&mut self, receiver: &Value, name: &str, args: &Args, span: Span) -> Value {
        let mut result = Value::unknown().with(&receiver.all_taints());
        if matches!(
            name,
            "exists"
                | "is_file"
                | "is_dir"
                | "startswith"
                | "endswith"
                | "startsWith"
                | "endsWith"
                | "includes"
                | "test"
                | "isFile"
                | "isDirectory"
                | "digest"
                | "hexdigest"
                | "has"
                | "keys"
                | "log"
                | "info"
                | "debug"
                | "error"
                | "warning"
        ) {
            result.taints.clear();
        }
        if matches!(name, "split" | "partition" | "match" | "matchAll" | "exec") {
            result
                .taints
                .retain(|taint| taint.kind != TaintKind::Settings);
        }
        let functions = args.functions();
        if !functions.is_empty() {
            let mut given = Value::unknown().with(&receiver.all_taints());
            if matches!(receiver.data, Data::OneOf(_)) {
                given.data = receiver.data.clone();
            }
            for arg in args.all() {
                given.add_taints(&arg.taints);
            }
            let taints = self.call_back(&functions, &[given.clone(), given], span);
            result.add_taints(&taints);
        }
        for arg in args.all() {
            let taints = self.taints_of(arg, span);
            result.add_taints(&taints);
        }
        result
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each method")]
    fn text_method(
        &mut self,
        text: &Rc<str>,
        name: &str,
        args: &Args,
        span: Span,
    ) -> Option<Value> {
        let first = args.at(0);
        if text.contains(HOLE) {
            // Case and ends are still known of a text with holes.
            return match name {
                "format" => Some(Value::text(braces(text, &args.positional, &args.named))),
                "lower" | "toLowerCase" => Some(Value::text(text.to_lowercase())),
                "strip" | "trim" | "rstrip" | "lstrip" | "encode" | "expanduser" | "resolve"
                | "absolute" | "toString" | "as_posix" | "decode" | "replace" | "trimEnd"
                | "trimStart" | "with_suffix" | "normalize" => {
                    Some(Value::of(Data::Text(Rc::clone(text))))
                }
                "joinpath" | "concat" => Some(self.text_join(text, name, args)),
                _ => None,
            };
        }
        Some(match name {
            "upper" | "toUpperCase" | "ToUpper" => Value::text(text.to_uppercase()),
            "lower" | "toLowerCase" | "casefold" | "ToLower" => Value::text(text.to_lowercase()),
            "swapcase" => Value::text(
                text.chars()
                    .map(|c| {
                        if c.is_lowercase() {
                            c.to_ascii_uppercase()
                        } else {
                            c.to_ascii_lowercase()
                        }
                    })
                    .collect::<String>(),
            ),
            "strip" | "trim" | "Trim" => trimmed(text, &first, true, true),
            "lstrip" | "trimStart" | "TrimStart" => trimmed(text, &first, true, false),
            "rstrip" | "trimEnd" | "TrimEnd" => trimmed(text, &first, false, true),
            "toString" | "valueOf" | "normalize" | "expanduser" | "resolve" | "absolute"
            | "as_posix" | "expandvars" | "ToString" => Value::of(Data::Text(Rc::clone(text))),
            "encode" => Value::of(Data::bytes(text.as_bytes())),
            "decode" => return self.decode_named(&first.shown(), text.as_bytes(), span),
            "replace" | "replaceAll" | "Replace" => self.replace(text, name, args, span)?,
            "split" | "Split" | "rsplit" => split(text, &first, args.at(1).as_int())?,
            "splitlines" => Value::list(text.lines().map(Value::text).collect()),
            "join" => {
                let items = first.items()?;
                let mut whole = Value::unknown();
                let mut out = String::new();
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_str(text);
                    }
                    if out.len() > TEXT_MAX {
                        break;
                    }
                    out.push_str(&item.shown());
                    whole.add_taints(&item.all_taints());
                }
                Value::text(out).with(&whole.taints)
            }
            "joinpath" | "concat" => self.text_join(text, name, args),
            "format" => {
                let mut value = Value::text(braces(text, &args.positional, &args.named));
                for arg in args.all() {
                    let taints = self.taints_of(arg, span);
                    value.add_taints(&taints);
                }
                value
            }
            "charCodeAt" | "codePointAt" => {
                let code = text
                    .chars()
                    .nth(usize::try_from(first.as_int().unwrap_or(0)).ok()?)?;
                Value::int(i64::from(code as u32))
            }
            "charAt" | "at" => item_at(&Data::Text(Rc::clone(text)), first.as_int().unwrap_or(0))?,
            "slice" | "substring" => {
                let whole = Value::of(Data::Text(Rc::clone(text)));
                slice(&whole, [first.as_int(), args.at(1).as_int(), None])
            }
            "substr" | "Substring" => {
                let whole = Value::of(Data::Text(Rc::clone(text)));
                let start = first.as_int().unwrap_or(0);
                let end = args.at(1).as_int().map(|length| start + length);
                slice(&whole, [Some(start), end, None])
            }
            "repeat" => {
                let times = usize::try_from(first.as_int()?).ok()?;
                if text.len().saturating_mul(times) > TEXT_MAX {
                    return None;
                }
                Value::text(text.repeat(times))
            }
            "ToCharArray" => {
                Value::list(text.chars().map(|c| Value::text(c.to_string())).collect())
            }
            "translate" => self.translate(text, &first)?,
            "with_suffix" => {
                let stem = text.rsplit_once('.').map_or(&**text, |(stem, _)| stem);
                Value::text(format!("{stem}{}", first.shown()))
            }
            "with_name" => {
                let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder);
                Value::text(join_path(&[Value::text(folder), first]))
            }
            "startswith" | "startsWith" => Value::bool(text.starts_with(&*first.full_text()?)),
            "endswith" | "endsWith" => Value::bool(text.ends_with(&*first.full_text()?)),
            "removeprefix" => Value::text(text.strip_prefix(&*first.full_text()?).unwrap_or(text)),
            "removesuffix" => Value::text(text.strip_suffix(&*first.full_text()?).unwrap_or(text)),
            "indexOf" | "find" | "index" => {
                let at = text.find(&*first.full_text()?);
                Value::int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
            }
            _ => return None,
        })
    }

    fn text_join(&mut self, text: &Rc<str>, name: &str, args: &Args) -> Value {
        let mut parts = vec![Value::of(Data::Text(Rc::clone(text)))];
        parts.extend(args.positional.iter().cloned());
        if name == "joinpath" {
            Value::text(join_path(&parts))
        } else {
            Value::text(parts.iter().map(Value::shown).collect::<String>())
        }
    }

    fn replace(&mut self, text: &str, name: &str, args: &Args, span: Span) -> Option<Value> {
        let from = args.at(0).full_text()?;
        let to = args.at(1);
        if matches!(to.data, Data::Function(_)) {
            // `x.replace(/./g, c => …)` over each character.
            if !matches!(&*from, "/./g" | "/[a-zA-Z]/g" | "/[A-Za-z]/g") || text.len() > ITEMS_MAX {
                return None;
            }
            let mut out = String::new();
            for c in text.chars() {
                if &*from != "/./g" && !c.is_ascii_alphabetic() {
                    out.push(c);
                    continue;
                }
                let value = self.call_value(&to, Args::of(vec![Value::text(c.to_string())]), span);
                out.push_str(&value.shown());
            }
            return Some(Value::text(out));
        }
        let to = to.shown();
        if let Some(pattern) = plain_pattern(&from) {
            return Some(Value::text(pattern.replace(text, &to)));
        }
        if from.is_empty()
            || from.starts_with('/') && from.len() > 2 && !self.is_python() && from.ends_with('/')
        {
            return None;
        }
        // JavaScript replaces the first one only.
        let all = self.is_python() || self.is_shell() || name == "replaceAll" || name == "Replace";
        Some(Value::text(if all {
            text.replace(&*from, &to)
        } else {
            text.replacen(&*from, &to, 1)
        }))
    }

    fn translate(&mut self, text: &str, table: &Value) -> Option<Value> {
        let Data::Map(entries) = &table.data else {
            return None;
        };
        self.how = "letters replaced";
        let out: String = text
            .chars()
            .map(|c| {
                let key = c.to_string();
                let code = (c as u32).to_string();
                match entries
                    .get(key.as_str())
                    .or_else(|| entries.get(code.as_str()))
                {
                    Some(value) => match value.as_int().and_then(|code| u32::try_from(code).ok()) {
                        Some(code) => char::from_u32(code)
                            .map(|c| c.to_string())
                            .unwrap_or_default(),
                        None if matches!(value.data, Data::None) => String::new(),
                        None => value.shown(),
                    },
                    None => key,
                }
            })
            .collect();
        Some(Value::text(out))
    }

    fn bytes_method(&mut self, bytes: &Rc<[u8]>, name: &str, args: &Args) -> Option<Value> {
        let first = args.at(0);
        Some(match name {
            "decode" | "toString" => match &*first.shown().to_ascii_lowercase() {
                "base64" => Value::text(decode::to_base64(bytes)),
                "hex" => Value::text(decode::to_hex(bytes)),
                "utf-16" | "utf16" | "utf-16-le" | "utf16le" => Value::text(decode::utf16(bytes)?),
                "rot13" | "rot_13" => Value::text(decode::rot13(&decode::text(bytes))),
                "unicode_escape" | "unicode-escape" | "string_escape" => {
                    Value::text(unescaped(&decode::text(bytes)))
                }
                _ => Value::text(decode::text(bytes)),
            },
            "hex" => Value::text(decode::to_hex(bytes)),
            "strip" => Value::of(Data::bytes(bytes.trim_ascii())),
            "replace" => {
                let text = decode::text(bytes);
                let from = first.as_bytes()?;
                let to = args.at(1).as_bytes()?;
                let result = text.replace(&decode::text(&from), &decode::text(&to));
                Value::of(Data::bytes(result.as_bytes()))
            }
            "join" => {
                let mut out = Vec::new();
                for (at, item) in first.items()?.iter().enumerate() {
                    if at > 0 {
                        out.extend_from_slice(bytes);
                    }
                    out.extend(item.as_bytes()?);
                    if out.len() > TEXT_MAX {
                        return None;
                    }
                }
                Value::of(Data::bytes(&out))
            }
            "slice" | "subarray" => {
                let whole = Value::of(Data::Bytes(Rc::clone(bytes)));
                slice(&whole, [first.as_int(), args.at(1).as_int(), None])
            }
            "map" => return None,
            "translate" => {
                let table = first.as_bytes()?;
                let out: Vec<u8> = bytes
                    .iter()
                    .map(|byte| table.get(usize::from(*byte)).copied().unwrap_or(*byte))
                    .collect();
                Value::of(Data::bytes(&out))
            }
            _ => return None,
        })
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each method")]
    fn list_method(
        &mut self,
        receiver: &Value,
        items: &Rc<Items>,
        name: &str,
        args: &Args,
        span: Span,
    ) -> (Value, Option<Value>) {
        let first = args.at(0);
        let taints = receiver.taints.clone();
        let changed = |list: Vec<Value>| Some(Value::list(list).with(&taints));
        match name {
            "append" | "push" | "add" | "Add" if items.len() < ITEMS_MAX => {
                let mut list = items.to_vec();
                list.extend(args.positional.iter().cloned());
                (Value::none(), changed(list))
            }
            "extend" => {
                let mut list = items.to_vec();
                match first.items() {
                    Some(more) if list.len() + more.len() <= ITEMS_MAX => list.extend(more),
                    _ => list.push(Value::unknown().with(&first.all_taints())),
                }
                (Value::none(), changed(list))
            }
            "insert" | "unshift" if items.len() < ITEMS_MAX => {
                let mut list = items.to_vec();
                let at = if name == "insert" {
                    first.as_int().unwrap_or(0)
                } else {
                    0
                };
                let at = usize::try_from(at).unwrap_or(0).min(list.len());
                let value = if name == "insert" { args.at(1) } else { first };
                list.insert(at, value);
                (Value::none(), changed(list))
            }
            "reverse" => {
                self.how = "reversed";
                let list: Vec<Value> = items.iter().rev().cloned().collect();
                let value = changed(list);
                (value.clone().unwrap_or_default(), value)
            }
            "pop" | "shift" => {
                let mut list = items.to_vec();
                let taken = if name == "shift" || first.as_int() == Some(0) {
                    if list.is_empty() {
                        None
                    } else {
                        Some(list.remove(0))
                    }
                } else {
                    list.pop()
                };
                (taken.unwrap_or_default().with(&taints), changed(list))
            }
            "sort" | "copy" | "flat" | "toString" | "values" | "entries" => {
                (receiver.clone(), None)
            }
            "join" => {
                let separator = match first.full_text() {
                    Some(text) => text.to_string(),
                    None => ",".to_owned(),
                };
                let mut out = String::new();
                let mut whole = Value::unknown().with(&taints);
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_str(&separator);
                    }
                    if out.len() > TEXT_MAX {
                        break;
                    }
                    out.push_str(&item.shown());
                    let inner = self.taints_of(item, span);
                    whole.add_taints(&inner);
                }
                (Value::text(out).with(&whole.taints), None)
            }
            "slice" => {
                let part = slice(receiver, [first.as_int(), args.at(1).as_int(), None]);
                (part.with(&taints), None)
            }
            "concat" => {
                let mut list = items.to_vec();
                for more in &args.positional {
                    match more.items() {
                        Some(more) if list.len() + more.len() <= ITEMS_MAX => list.extend(more),
                        _ => list.push(Value::unknown().with(&more.all_taints())),
                    }
                }
                (Value::list(list).with(&taints), None)
            }
            "map" | "forEach" | "flatMap" | "filter" | "some" | "every" | "find" => {
                let mut list = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    if self.steps == 0 {
                        break;
                    }
                    let index = Value::int(i64::try_from(at).unwrap_or(0));
                    let hot = usize::from(at > 0);
                    self.hot += hot;
                    let value = self.call_value(
                        &first,
                        Args::of(vec![item.clone().with(&taints), index]),
                        span,
                    );
                    self.hot -= hot;
                    match name {
                        "filter" | "find" => {
                            if value.truth() != Some(false) {
                                list.push(item.clone());
                            }
                        }
                        _ => list.push(value),
                    }
                }
                if name == "find" {
                    return (
                        list.into_iter().next().unwrap_or_default().with(&taints),
                        None,
                    );
                }
                (Value::list(list).with(&taints), None)
            }
            "reduce" => {
                let mut list = items.iter();
                let mut total = match args.positional.get(1) {
                    Some(start) => start.clone(),
                    None => list.next().cloned().unwrap_or_default(),
                };
                for (at, item) in list.enumerate() {
                    let hot = usize::from(at > 0);
                    self.hot += hot;
                    total = self.call_value(&first, Args::of(vec![total, item.clone()]), span);
                    self.hot -= hot;
                }
                (total.with(&taints), None)
            }
            _ => {
                let whole = Value::unknown().with(&receiver.all_taints());
                (self.generic_method(&whole, name, args, span), None)
            }
        }
    }

    fn map_method(
        &mut self,
        receiver: &Value,
        entries: &Rc<Entries>,
        name: &str,
        args: &Args,
        span: Span,
    ) -> (Value, Option<Value>) {
        let first = args.at(0);
        match name {
            "get" | "setdefault" | "pop" => {
                let found = first.as_text().and_then(|key| entries.get(&*key)).cloned();
                (
                    found.unwrap_or_else(|| args.at(1)).with(&receiver.taints),
                    None,
                )
            }
            "items" | "entries" => {
                let list = entries
                    .iter()
                    .map(|(key, value)| Value::list(vec![Value::text(key), value.clone()]))
                    .collect();
                (Value::list(list).with(&receiver.taints), None)
            }
            "keys" => (Value::list(entries.keys().map(Value::text).collect()), None),
            "values" => (
                Value::list(entries.values().cloned().collect()).with(&receiver.taints),
                None,
            ),
            "copy" => (receiver.clone(), None),
            "set" | "append" | "Add" | "add" => {
                let mut all = entries.map.clone();
                if all.len() < ITEMS_MAX {
                    all.insert(first.shown().into(), args.at(1));
                }
                let changed = Value::map(all).with(&receiver.taints);
                (changed.clone(), Some(changed))
            }
            "update" => {
                let mut changed = receiver.join(&first);
                let taints = self.taints_of(&first, span);
                changed.add_taints(&taints);
                for (key, value) in &args.named {
                    if let Data::Map(all) = &changed.data {
                        let mut all = all.map.clone();
                        all.insert(Rc::clone(key), value.clone());
                        changed = Value::map(all).with(&changed.taints);
                    }
                }
                (Value::none(), Some(changed))
            }
            _ => {
                let whole = Value::unknown().with(&receiver.all_taints());
                (self.generic_method(&whole, name, args, span), None)
            }
        }
    }
}

fn trimmed(text: &str, set: &Value, start: bool, end: bool) -> Value {
    let chars: Vec<char> = match set.full_text() {
        Some(set) => set.chars().collect(),
        None => vec![' ', '\n', '\t', '\r'],
    };
    let mut text = text;
    if start {
        text = text.trim_start_matches(chars.as_slice());
    }
    if end {
        text = text.trim_end_matches(chars.as_slice());
    }
    Value::text(text)
}

fn split(text: &str, separator: &Value, most: Option<i64>) -> Option<Value> {
    let parts: Vec<Value> = match separator.full_text() {
        Some(separator) if separator.is_empty() => {
            text.chars().map(|c| Value::text(c.to_string())).collect()
        }
        Some(separator) => match most.and_then(|most| usize::try_from(most).ok()) {
            Some(most) => text
                .splitn(most + 1, &*separator)
                .map(Value::text)
                .collect(),
            None => text.split(&*separator).map(Value::text).collect(),
        },
        None if matches!(separator.data, Data::Unknown | Data::None)
            && separator.taints.is_empty() =>
        {
            text.split_whitespace().map(Value::text).collect()
        }
        None => return None,
    };
    (parts.len() <= ITEMS_MAX).then(|| Value::list(parts))
}

fn big_endian(number: i64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let skip = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(skip..).unwrap_or_default().to_vec()
}

/// Escapes of a text that is decoded at run time.
pub(super) fn unescaped(text: &str) -> String {
    super::super::lower::unescape(text)
}
