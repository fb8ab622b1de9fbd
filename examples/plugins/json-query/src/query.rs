//! Path queries: the useful part of RFC 9535.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

/// A parsed query.
#[derive(Debug, PartialEq)]
pub(crate) struct Query(Vec<Step>);

#[derive(Debug, PartialEq)]
enum Step {
    Member(String),
    Element(i64),
    Slice(Option<i64>, Option<i64>),
    All,
    /// Everything below, itself included.
    Descend,
    Filter(Filter),
}

#[derive(Debug, PartialEq)]
struct Filter {
    path: Vec<String>,
    /// Absent: it only has to be there.
    comparison: Option<(Operator, Value)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An invalid query, with the position of the error.
#[derive(Debug, PartialEq)]
pub(crate) struct QueryError {
    expected: &'static str,
    at: usize,
    query: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, at character {} of `{}`",
            self.expected,
            self.at + 1,
            self.query
        )
    }
}

impl std::error::Error for QueryError {}

impl Query {
    pub(crate) fn parse(text: &str) -> Result<Self, QueryError> {
        let mut parser = Parser {
            text: text.chars().collect(),
            at: 0,
        };
        parser.query().map(Self).map_err(|expected| QueryError {
            expected,
            at: parser.at,
            query: text.to_owned(),
        })
    }

    /// The values that match, in the order of the document.
    pub(crate) fn find<'v>(&self, document: &'v Value) -> Vec<&'v Value> {
        self.0.iter().fold(vec![document], |found, step| {
            found
                .into_iter()
                .flat_map(|value| step.take(value))
                .collect()
        })
    }
}

impl Step {
    fn take<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Member(name), Value::Object(members)) => members.get(name).into_iter().collect(),
            (Self::Element(at), Value::Array(items)) => {
                let at = position(*at, items.len());
                items
                    .get(at..)
                    .and_then(<[Value]>::first)
                    .into_iter()
                    .collect()
            }
            (Self::Slice(from, to), Value::Array(items)) => {
                let bound = |bound: &Option<i64>, default| {
                    bound.map_or(default, |at| position(at, items.len()).min(items.len()))
                };
                let (from, to) = (bound(from, 0), bound(to, items.len()));
                items.get(from..to).into_iter().flatten().collect()
            }
            (Self::All, _) => children(value),
            (Self::Filter(filter), _) => children(value)
                .into_iter()
                .filter(|child| filter.fits(child))
                .collect(),
            (Self::Descend, _) => {
                let below = children(value)
                    .into_iter()
                    .flat_map(|child| self.take(child));
                std::iter::once(value).chain(below).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// A position from the beginning; what is before it, is far behind the end.
fn position(at: i64, length: usize) -> usize {
    let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
    if at >= 0 {
        distance
    } else {
        length.checked_sub(distance).unwrap_or(usize::MAX)
    }
}

impl Filter {
    fn fits(&self, value: &Value) -> bool {
        let found = self
            .path
            .iter()
            .try_fold(value, |value, name| value.get(name));
        match (found, &self.comparison) {
            (found, None) => found.is_some(),
            (None, Some((operator, _))) => *operator == Operator::NotEqual,
            (Some(found), Some((operator, wanted))) => operator.holds(found, wanted),
        }
    }
}

impl Operator {
    fn holds(self, found: &Value, wanted: &Value) -> bool {
        let order = match (found, wanted) {
            (Value::Number(a), Value::Number(b)) => a
                .as_f64()
                .zip(b.as_f64())
                .and_then(|(a, b)| a.partial_cmp(&b)),
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            _ => (found == wanted).then_some(Ordering::Equal),
        };
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: &str) -> bool {
        let there = wanted
            .chars()
            .enumerate()
            .all(|(by, c)| self.text.get(self.at + by) == Some(&c));
        if there {
            self.at += wanted.chars().count();
        }
        there
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn while_is(&mut self, fits: impl Fn(char) -> bool) -> String {
        let begin = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        self.text
            .get(begin..self.at)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    fn query(&mut self) -> Parsed<Vec<Step>> {
        self.blanks();
        if !self.take("$") {
            return Err("a query begins with `$`");
        }
        let mut steps = Vec::new();
        loop {
            self.blanks();
            if self.peek().is_none() {
                return Ok(steps);
            }
            if self.take("..") {
                steps.push(Step::Descend);
                steps.push(if self.take("[") {
                    self.bracket()?
                } else {
                    self.name()?
                });
            } else if self.take(".") {
                steps.push(self.name()?);
            } else if self.take("[") {
                steps.push(self.bracket()?);
            } else {
                return Err("`.` or `[` is expected");
            }
        }
    }

    fn name(&mut self) -> Parsed<Step> {
        if self.take("*") {
            return Ok(Step::All);
        }
        self.word().map(Step::Member)
    }

    fn word(&mut self) -> Parsed<String> {
        let word = self.while_is(|c| c.is_alphanumeric() || c == '_' || c == '-');
        if word.is_empty() {
            Err("a name is expected")
        } else {
            Ok(word)
        }
    }

    fn bracket(&mut self) -> Parsed<Step> {
        self.blanks();
        let step = match self.peek() {
            Some('*') => {
                self.at += 1;
                Step::All
            }
            Some('?') => {
                self.at += 1;
                Step::Filter(self.filter()?)
            }
            Some('\'' | '"') => Step::Member(self.string()?),
            _ => self.range()?,
        };
        self.blanks();
        if self.take("]") {
            Ok(step)
        } else {
            Err("`]` is expected")
        }
    }

    fn range(&mut self) -> Parsed<Step> {
        let from = self.integer()?;
        self.blanks();
        if self.take(":") {
            self.blanks();
            return Ok(Step::Slice(from, self.integer()?));
        }
        from.map(Step::Element)
            .ok_or("a position, a name in quotes, `*` or `?` is expected")
    }

    fn integer(&mut self) -> Parsed<Option<i64>> {
        let begin = self.at;
        let text = self.while_is(|c| c.is_ascii_digit() || c == '-');
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| {
            self.at = begin;
            "a whole number is expected"
        })
    }

    fn string(&mut self) -> Parsed<String> {
        let quote = self.peek();
        let mut text = String::new();
        loop {
            self.at += 1;
            match self.peek() {
                None => return Err("a quote is not closed"),
                found if found == quote => break,
                Some('\\') => {
                    self.at += 1;
                    text.extend(self.peek());
                }
                Some(c) => text.push(c),
            }
        }
        self.at += 1;
        Ok(text)
    }

    fn filter(&mut self) -> Parsed<Filter> {
        self.blanks();
        let bracketed = self.take("(");
        self.blanks();
        let own = self.take("@");
        let mut path = Vec::new();
        if !own {
            path.push(self.word()?);
        }
        while self.take(".") {
            path.push(self.word()?);
        }
        self.blanks();
        let operators = [
            ("==", Operator::Equal),
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let operator = operators.into_iter().find(|(sign, _)| self.take(sign));
        let comparison = match operator {
            None => None,
            Some((_, operator)) => {
                self.blanks();
                Some((operator, self.literal()?))
            }
        };
        self.blanks();
        if bracketed && !self.take(")") {
            return Err("`)` is expected");
        }
        Ok(Filter { path, comparison })
    }

    fn literal(&mut self) -> Parsed<Value> {
        if matches!(self.peek(), Some('\'' | '"')) {
            return self.string().map(Value::String);
        }
        let begin = self.at;
        let word = self.while_is(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        serde_json::from_str(&word).map_err(|_| {
            self.at = begin;
            "a number, a text in quotes, `true`, `false` or `null` is expected"
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(query: &str, expected: Value) {
        let document = json!({
            "name": "shop",
            "items": [
                {"id": 1, "price": 8.5, "tags": {"main": "new"}},
                {"id": 2, "price": 12, "discount": null},
                {"id": 3, "price": 12.0, "tags": {"main": "old"}},
            ],
            "a b": {"it's": true},
        });
        let found = Query::parse(query)
            .unwrap()
            .find(&document)
            .into_iter()
            .cloned();
        assert_eq!(Value::Array(found.collect()), expected, "{query}");
    }

    #[test]
    fn queries_find_what_they_ask_for() {
        check("$.name", json!(["shop"]));
        check("$['a b'][\"it's\"]", json!([true]));
        check(r"$['a b']['it\'s']", json!([true]));
        check("$.items[0].id", json!([1]));
        check("$.items[-1].id", json!([3]));
        check("$.items[7]", json!([]));
        check("$.items[-7]", json!([]));
        check("$.items[1:].id", json!([2, 3]));
        check("$.items[:-1].id", json!([1, 2]));
        check("$.items[2:1].id", json!([]));
        check("$.items[0:99].id", json!([1, 2, 3]));
        check("$.items[*].price", json!([8.5, 12, 12.0]));
        check("$..main", json!(["new", "old"]));
        check("$..[?id == 2].price", json!([12]));
        check("$.items[?price < 10].id", json!([1]));
        check("$.items[?(@.price >= 12)].id", json!([2, 3]));
        check("$.items[?price == 12].id", json!([2, 3]));
        check("$.items[?tags.main == 'new'].id", json!([1]));
        check("$.items[?tags.main != 'new'].id", json!([2, 3]));
        check("$.items[?discount].id", json!([2]));
        check("$.items[?discount == null].id", json!([2]));
        check("$.items[*].price[?@ > 1]", json!([]));
        check(" $ . name ".replace(" . ", ".").as_str(), json!(["shop"]));
        check("$.name.more", json!([]));
    }

    #[test]
    fn invalid_query_reports_its_position() {
        let table = [
            ("", "a query begins with `$`, at character 1 of ``"),
            ("$x", "`.` or `[` is expected, at character 2 of `$x`"),
            ("$.", "a name is expected, at character 3 of `$.`"),
            (
                "$[",
                "a position, a name in quotes, `*` or `?` is expected, at character 3 of `$[`",
            ),
            ("$[1", "`]` is expected, at character 4 of `$[1`"),
            ("$['a", "a quote is not closed, at character 5 of `$['a`"),
            (
                "$[--1]",
                "a whole number is expected, at character 3 of `$[--1]`",
            ),
            (
                "$[?a == b]",
                "a number, a text in quotes, `true`, `false` or `null` is expected, at character 9 of `$[?a == b]`",
            ),
        ];
        for (query, expected) in table {
            assert_eq!(Query::parse(query).unwrap_err().to_string(), expected);
        }
    }
}
