//! JSON to values.
//!
//! Objects preserve the order of their keys, integers preserve all digits. A number with a fraction or an exponent that
//! is a whole number becomes an integer if a float represents it exactly.

use std::borrow::Cow;
use std::fmt;

use num_bigint::BigInt;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use starlark::collections::SmallMap;
use starlark::values::dict::Dict;
use starlark::values::{Heap, Value};

use crate::error::WorkerError;
use crate::limits::{INTEGER_DIGITS, JSON_DEPTH};

/// Up to here each whole number is a floating point number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Puts a value on a heap.
pub(super) fn from_json<'v>(json: &RawValue, heap: Heap<'v>) -> Result<Value<'v>, WorkerError> {
    value(json, heap, JSON_DEPTH)
}

fn value<'v>(json: &RawValue, heap: Heap<'v>, depth: usize) -> Result<Value<'v>, WorkerError> {
    let text = json.get();
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let depth = depth.checked_sub(1).ok_or(WorkerError::JsonDepth)?;
            let Members(members) = serde_json::from_str(text)?;
            let mut map = SmallMap::with_capacity(members.len());
            for (key, member) in members {
                let key = heap.alloc_str(&key).get_hashed_value();
                map.insert_hashed(key, value(member, heap, depth)?);
            }
            heap.alloc(Dict::new(map))
        }
        Some(b'[') => {
            let depth = depth.checked_sub(1).ok_or(WorkerError::JsonDepth)?;
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            let each = elements.into_iter().map(|json| value(json, heap, depth));
            heap.alloc(each.collect::<Result<Vec<_>, _>>()?)
        }
        Some(b'"') => {
            let Text(text) = serde_json::from_str(text)?;
            heap.alloc(text.as_ref())
        }
        Some(b't') => Value::new_bool(true),
        Some(b'f') => Value::new_bool(false),
        Some(b'n') | None => Value::new_none(),
        Some(_) => number(text, heap)?,
    })
}

fn number<'v>(text: &str, heap: Heap<'v>) -> Result<Value<'v>, WorkerError> {
    if !text.contains(['.', 'e', 'E']) {
        if let Ok(small) = text.parse::<i64>() {
            return Ok(heap.alloc(small));
        }
        if text.len() > INTEGER_DIGITS {
            return Err(WorkerError::IntegerDigits(text.len()));
        }
        let big: Result<BigInt, _> = text.parse();
        let big = big.map_err(|_| WorkerError::OutOfRange(text.to_owned()))?;
        return Ok(heap.alloc(big));
    }
    let float = text.parse().unwrap_or(f64::INFINITY);
    if !float.is_finite() {
        let shown = text.chars().take(32).collect();
        return Err(WorkerError::OutOfRange(shown));
    }
    Ok(whole(float).map_or_else(|| heap.alloc(float), |whole| heap.alloc(whole)))
}

/// The integer that a floating point number is, if it is one without doubt.
#[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
fn whole(float: f64) -> Option<i64> {
    (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64)
}

/// A text, which is only copied if it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of an object, in their order.
pub(super) struct Members<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}
