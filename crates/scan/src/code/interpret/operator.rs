//! Operators over known values.

use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::CodeLanguage;
use super::super::ir::{Expr, Op};
use super::super::value::{Data, HOLE, ITEMS_MAX, TEXT_MAX, TaintKind, Value};
use super::Interpreter;

impl Interpreter<'_> {
    /// `a op b op c`.
    pub(super) fn chain(&mut self, op: Op, operands: &[Expr], span: Span) -> Value {
        if op == Op::Add {
            return self.sum(operands, span);
        }
        let mut result: Option<Value> = None;
        for operand in operands {
            let value = self.eval(operand);
            result = Some(match (op, result) {
                (_, None) => value,
                // `a or b`, `a && b`: either, and what is certainly false drops out.
                (Op::Either, Some(before)) => match before.truth() {
                    Some(false) => value.with(&before.taints),
                    _ => self.either(&before, &value),
                },
                (op, Some(before)) => self.binary(op, &before, &value, span),
            });
        }
        result.unwrap_or_default()
    }

    /// A long sum without building every text on the way.
    fn sum(&mut self, operands: &[Expr], span: Span) -> Value {
        let mut text = String::new();
        let mut texts = false;
        let mut whole: Option<Value> = None;
        let mut taints = Value::unknown();
        for operand in operands {
            let value = self.eval(operand);
            if texts && !matches!(value.data, Data::List(_) | Data::Map(_)) {
                taints.add_taints(&value.all_taints());
                if text.len() <= TEXT_MAX {
                    text.push_str(&value.shown());
                }
                continue;
            }
            let next = match whole.take() {
                None => value,
                Some(before) => self.binary(Op::Add, &before, &value, span),
            };
            if let Data::Text(known) = &next.data {
                texts = true;
                text = known.to_string();
                taints.add_taints(&next.taints);
            } else {
                whole = Some(next);
            }
        }
        if texts {
            return Value::text(text).with(&taints.taints);
        }
        whole.unwrap_or_default()
    }

    /// `left op right`.
    pub(super) fn binary(&mut self, op: Op, left: &Value, right: &Value, span: Span) -> Value {
        let mut taints = Value::unknown().with(&left.all_taints());
        taints.add_taints(&right.all_taints());
        let taints = taints.taints;
        match op {
            Op::Add => self.add(left, right).with(&taints),
            Op::Either => self.either(left, right),
            Op::Divide => divide(left, right).with(&taints),
            Op::Remainder => self.remainder(left, right, span).with(&taints),
            Op::Multiply => multiply(left, right).with(&taints),
            Op::Equal
            | Op::NotEqual
            | Op::Less
            | Op::LessEqual
            | Op::Greater
            | Op::GreaterEqual
            | Op::Test => {
                // A comparison gives nothing away but what it depends on.
                let evasive: Vec<_> = taints
                    .into_iter()
                    .filter(|taint| taint.kind == TaintKind::Surroundings)
                    .collect();
                compare(op, left, right).with(&evasive)
            }
            Op::Or if matches!((&left.data, &right.data), (Data::Map(_), Data::Map(_))) => {
                left.join(right)
            }
            _ => {
                let number = match (left.as_int(), right.as_int()) {
                    (Some(a), Some(b)) => {
                        arithmetic(op, a, b, self.language != CodeLanguage::Python)
                    }
                    _ => None,
                };
                Value::of(number.map_or(Data::Unknown, Data::Int)).with(&taints)
            }
        }
    }

    fn add(&self, left: &Value, right: &Value) -> Value {
        match (&left.data, &right.data) {
            (Data::Int(a), Data::Int(b)) if self.language != CodeLanguage::Shell => {
                Value::int(a.wrapping_add(*b))
            }
            (Data::Bytes(a), Data::Bytes(b)) => {
                let mut bytes = a.to_vec();
                bytes.extend_from_slice(b);
                Value::of(Data::bytes(&bytes))
            }
            (Data::List(a), Data::List(b)) if a.len() + b.len() <= ITEMS_MAX => {
                let mut items = a.to_vec();
                items.extend(b.iter().cloned());
                Value::list(items)
            }
            (Data::List(a), _) if a.len() < ITEMS_MAX => {
                let mut items = a.to_vec();
                items.push(right.clone());
                Value::list(items)
            }
            (Data::Text(_), _) | (_, Data::Text(_)) => {
                let mut text = left.shown();
                text.push_str(&right.shown());
                Value::text(text)
            }
            (Data::OneOf(_), _) | (_, Data::OneOf(_))
                if left.as_text().is_some() && right.as_text().is_some() =>
            {
                let mut text = left.shown();
                text.push_str(&right.shown());
                Value::text(text)
            }
            _ => Value::unknown(),
        }
    }

    /// `%`: the rest of a division, or Python's formatting.
    fn remainder(&mut self, left: &Value, right: &Value, _span: Span) -> Value {
        match (&left.data, &right.data) {
            (Data::Int(a), Data::Int(b)) if *b != 0 => {
                if self.is_python() {
                    Value::int(a.rem_euclid(*b))
                } else {
                    Value::int(a.wrapping_rem(*b))
                }
            }
            (Data::Text(format), _) => {
                let items: Vec<Value> = match &right.data {
                    Data::List(items) => items.to_vec(),
                    _ => vec![right.clone()],
                };
                Value::text(super::text::percent(format, &items, right))
            }
            _ => Value::unknown(),
        }
    }
}

fn arithmetic(op: Op, a: i64, b: i64, narrow: bool) -> Option<i64> {
    let shift = u32::try_from(b).ok().filter(|shift| *shift < 63);
    Some(match op {
        Op::Subtract => a.wrapping_sub(b),
        Op::FloorDivide => a.checked_div_euclid(b)?,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        // JavaScript shifts the lowest 32 bits, with their sign.
        Op::ShiftLeft if narrow => {
            let low = u32::try_from(a & 0xffff_ffff).unwrap_or(0);
            i64::from(low.wrapping_shl(shift?).cast_signed())
        }
        Op::ShiftLeft => a.checked_shl(shift?)?,
        Op::ShiftRight => a >> shift?,
        _ => return None,
    })
}

fn multiply(left: &Value, right: &Value) -> Value {
    match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => Value::int(a.wrapping_mul(*b)),
        (Data::Text(text), Data::Int(times)) | (Data::Int(times), Data::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            if text.len().saturating_mul(times) > TEXT_MAX {
                return Value::unknown();
            }
            Value::text(text.repeat(times))
        }
        (Data::List(items), Data::Int(times)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            if items.len().saturating_mul(times) > ITEMS_MAX {
                return Value::unknown();
            }
            let mut all = Vec::new();
            for _ in 0..times {
                all.extend(items.iter().cloned());
            }
            Value::list(all)
        }
        _ => Value::unknown(),
    }
}

/// A division, or two parts of a path.
fn divide(left: &Value, right: &Value) -> Value {
    match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => a.checked_div(*b).map_or_else(Value::unknown, Value::int),
        _ if left.as_text().is_some() || right.as_text().is_some() => {
            Value::text(super::text::join_path(&[left.clone(), right.clone()]))
        }
        _ => Value::unknown(),
    }
}

fn compare(op: Op, left: &Value, right: &Value) -> Value {
    let known = match (&left.data, &right.data) {
        (Data::Int(a), Data::Int(b)) => Some(a.cmp(b)),
        (Data::Text(a), Data::Text(b)) if !a.contains(HOLE) && !b.contains(HOLE) => Some(a.cmp(b)),
        _ => None,
    };
    let Some(order) = known else {
        return Value::unknown();
    };
    Value::bool(match op {
        Op::Equal => order.is_eq(),
        Op::NotEqual => order.is_ne(),
        Op::Less => order.is_lt(),
        Op::LessEqual => order.is_le(),
        Op::Greater => order.is_gt(),
        Op::GreaterEqual => order.is_ge(),
        _ => return Value::unknown(),
    })
}

/// One item of a list, a text, bytes.
pub(super) fn item_at(data: &Data, index: i64) -> Option<Value> {
    let at = |length: usize| {
        let length = i64::try_from(length).ok()?;
        let index = if index < 0 { index + length } else { index };
        usize::try_from(index).ok()
    };
    match data {
        Data::List(items) => items.get(at(items.len())?).cloned(),
        Data::Text(text) => {
            if text.contains(HOLE) {
                return None;
            }
            let c = if text.is_ascii() {
                char::from(*text.as_bytes().get(at(text.len())?)?)
            } else {
                text.chars().nth(at(text.chars().count())?)?
            };
            Some(Value::text(c.to_string()))
        }
        Data::Bytes(bytes) => bytes
            .get(at(bytes.len())?)
            .map(|byte| Value::int(i64::from(*byte))),
        _ => None,
    }
}

/// A slice with a step; nothing when what is cut is not known.
pub(super) fn slice(value: &Value, bounds: [Option<i64>; 3]) -> Value {
    let cut = |length: usize| -> Vec<usize> {
        let length = i64::try_from(length).unwrap_or(0);
        let step = bounds.get(2).copied().flatten().unwrap_or(1);
        if step == 0 {
            return Vec::new();
        }
        let clamp = |bound: i64, low: i64, high: i64| {
            let bound = if bound < 0 { bound + length } else { bound };
            bound.clamp(low, high)
        };
        let start = bounds.first().copied().flatten();
        let end = bounds.get(1).copied().flatten();
        let (mut at, end) = if step > 0 {
            (
                start.map_or(0, |bound| clamp(bound, 0, length)),
                end.map_or(length, |bound| clamp(bound, 0, length)),
            )
        } else {
            (
                start.map_or(length - 1, |bound| clamp(bound, -1, length - 1)),
                end.map_or(-1, |bound| clamp(bound, -1, length - 1)),
            )
        };
        let mut picks = Vec::new();
        while (step > 0 && at < end) || (step < 0 && at > end) {
            picks.extend(usize::try_from(at));
            at += step;
        }
        picks
    };
    match &value.data {
        Data::Text(text) if !text.contains(HOLE) => {
            let chars: Vec<char> = text.chars().collect();
            let part: String = cut(chars.len())
                .into_iter()
                .filter_map(|at| chars.get(at))
                .collect();
            Value::text(part)
        }
        Data::Text(text) => {
            // Only the unknown is cut: what is known in front stays a hint.
            let _ = text;
            Value::unknown()
        }
        Data::Bytes(bytes) => {
            let part: Vec<u8> = cut(bytes.len())
                .into_iter()
                .filter_map(|at| bytes.get(at).copied())
                .collect();
            Value::of(Data::bytes(&part))
        }
        Data::List(items) => {
            let part: Vec<Value> = cut(items.len())
                .into_iter()
                .filter_map(|at| items.get(at).cloned())
                .collect();
            Value::list(part)
        }
        Data::External(external) => Value::of(Data::External(super::super::value::External {
            name: Rc::clone(&external.name),
            origin: external.origin.clone(),
        })),
        _ => Value::unknown(),
    }
}
