//! Values on their way in and out again.
#![cfg(test)]

mod support;

use std::cell::RefCell;

use proptest::prelude::*;
use prowess_testing::properties;
use serde_json::{Map, Number, Value, json};
use support::Worker;

fn echo() -> Worker {
    Worker::with("register_tool('echo', 'd', lambda input: [input])")
}

/// Sends JSON as it is, and returns what comes back as it is.
fn round_trip(worker: &mut Worker, text: &str) -> Result<String, String> {
    worker.send_line(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tool/execute","params":{{"name":"echo","input":{text}}}}}"#
    ));
    let answer = worker.read().unwrap();
    if let Some(error) = answer["error"]["message"].as_str() {
        return Err(error.to_owned());
    }
    let content = answer["result"]["content"].as_str().unwrap();
    if answer["result"]["is_error"] == json!(true) {
        return Err(content.to_owned());
    }
    let inner = content
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    Ok(inner.unwrap().to_owned())
}

#[test]
fn values_round_trip() {
    let same = [
        "null",
        "true",
        "false",
        "\"\"",
        "[]",
        "{}",
        "0.1",
        "-2.5",
        "1e+300",
        "5e-324",
        "1e-7",
        "1.7976931348623157e+308",
        "9007199254740993",
        "\"ä€😀\"",
        "\"\\u0001\\n\\t\\\"\\\\\"",
        "{\"b\":1,\"a\":2,\"c\":{\"z\":[],\"y\":{}}}",
        "[[[[[]]]],{\"\":null}]",
        "{\"$serde_json::private::Number\":\"1\"}",
        "{\"$serde_json::private::RawValue\":\"1\"}",
    ];
    let mut worker = echo();
    for text in same {
        assert_eq!(round_trip(&mut worker, text).as_deref(), Ok(text));
    }
    let other = [
        ("3.0", "3"),
        ("-0.0", "0"),
        ("-0", "0"),
        ("1e2", "100"),
        ("1E+2", "100"),
        ("1.50", "1.5"),
        ("100e-2", "1"),
        ("9007199254740991.0", "9007199254740991"),
        ("9007199254740992.0", "9007199254740992.0"),
        ("1e22", "1e+22"),
        ("\"\\u00e4\\/\"", "\"ä/\""),
        ("\"\\ud83d\\ude00\"", "\"😀\""),
        ("{\"a\":1,\"a\":2}", "{\"a\":2}"),
        (" [ 1 , 2 ] ", "[1,2]"),
        ("{ \"a\" : 3.0 }", "{\"a\":3}"),
    ];
    for (text, expected) in other {
        assert_eq!(
            round_trip(&mut worker, text).as_deref(),
            Ok(expected),
            "{text}"
        );
    }
}

#[test]
fn integers_keep_their_digits() {
    let mut worker = echo();
    let mut power = vec![1_u8];
    for bits in 0..300 {
        let text: String = power
            .iter()
            .rev()
            .map(|digit| char::from(b'0' + digit))
            .collect();
        for sign in ["", "-"] {
            let text = format!("{sign}{text}");
            assert_eq!(
                round_trip(&mut worker, &text).as_deref(),
                Ok(text.as_str()),
                "2^{bits}"
            );
        }
        let mut carry = 0;
        for digit in &mut power {
            let doubled = *digit * 2 + carry;
            (*digit, carry) = (doubled % 10, doubled / 10);
        }
        if carry > 0 {
            power.push(carry);
        }
    }
    let most = "9".repeat(10_000);
    assert_eq!(round_trip(&mut worker, &most), Ok(most));
}

#[test]
fn invalid_values_are_errors() {
    let mut worker = echo();
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(round_trip(&mut worker, &deep(99)), Ok(deep(99)));
    let table = [
        ("1e999".to_owned(), "the number 1e999 is out of range"),
        (
            "9".repeat(10_001),
            "integer too large: 10001 digits, the limit is 10000",
        ),
        (
            deep(101),
            "the value is nested deeper than the limit of 100",
        ),
        (
            deep(100),
            "the value is nested deeper than the limit of 100",
        ),
        (
            deep(100_000),
            "the value is nested deeper than the limit of 100",
        ),
        ("\"\\ud800\"".to_owned(), "invalid JSON: "),
    ];
    for (text, expected) in table {
        let error = round_trip(&mut worker, &text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// What is to come back: whole floating point numbers are integers.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let float = number
                .as_f64()
                .filter(|_| number.to_string().contains(['.', 'e']));
            match float {
                Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 =>
                {
                    #[expect(clippy::cast_possible_truncation, reason = "it is whole")]
                    Value::from(float as i64)
                }
                _ => value.clone(),
            }
        }
        Value::Array(elements) => elements.iter().map(normal).collect(),
        Value::Object(members) => {
            let normal = |(name, value): (&String, &Value)| (name.clone(), normal(value));
            Value::Object(members.iter().map(normal).collect())
        }
        other => other.clone(),
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i16>().prop_map(|whole| Value::from(f64::from(whole))),
        any::<f64>()
            .prop_filter_map("finite", Number::from_f64)
            .prop_map(Value::Number),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::new(echo());
}

proptest! {
    #![proptest_config(properties(512))]

    #[test]
    fn json_round_trips(value in json_value()) {
        let text = WORKER.with_borrow_mut(|worker| round_trip(worker, &value.to_string()));
        let back: Value = serde_json::from_str(&text.unwrap()).unwrap();
        prop_assert_eq!(back, normal(&value));
    }
}
