//! The arguments of a tool call.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::dialect::{Operation, ToolSpec};
use crate::id::SkillId;
use crate::tools::{ErrorCode, MOST_QUERIES, ToolError};

/// The arguments of a call, checked against what the tool knows.
pub(super) struct Arguments<'a> {
    values: Option<&'a Map<String, Value>>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(
        tool: &ToolSpec,
        arguments: &'a Value,
        searches: bool,
    ) -> Result<Self, ToolError> {
        let values = match arguments {
            Value::Null => None,
            Value::Object(values) => Some(values),
            _ => return Err(Self::wrong("invalid arguments: expected an object")),
        };
        let known: &[&str] = match tool.operation {
            Operation::Browse | Operation::List => &["queries", "query", "cursor"],
            Operation::Load if searches => &["arguments", "queries", "query", "cursor"],
            Operation::Load => &["arguments"],
            Operation::Read => &["offset", "limit"],
            Operation::Run => &["args"],
        };
        let reads = tool.operation == Operation::Load && tool.path.is_some();
        let is_known = |key: &str| {
            key == tool.id
                || tool.path == Some(key)
                || known.contains(&key)
                || reads && matches!(key, "offset" | "limit")
        };
        match values
            .into_iter()
            .flat_map(Map::keys)
            .find(|key| !is_known(key))
        {
            Some(key) => Err(Self::wrong(format!(
                "unknown argument `{}` of {}",
                key.escape_debug(),
                tool.name
            ))),
            None => Ok(Self { values }),
        }
    }

    pub(super) fn wrong(message: impl Into<String>) -> ToolError {
        ToolError::new(ErrorCode::InvalidArguments, message)
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.values?.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, ToolError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Self::wrong(format!("invalid `{key}`: expected text"))),
        }
    }

    pub(super) fn required(&self, key: &str) -> Result<&'a str, ToolError> {
        let text = self
            .text(key)?
            .map(str::trim)
            .filter(|text| !text.is_empty());
        text.ok_or_else(|| Self::wrong(format!("`{key}` is missing or empty")))
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, ToolError> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(Self::wrong(format!(
                    "invalid `{key}`: expected a whole number"
                ))),
            },
        }
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, ToolError> {
        let wrong = || Self::wrong(format!("invalid `{key}`: expected a list of strings"));
        match self.get(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let text = |item: &Value| item.as_str().map(str::to_owned).ok_or_else(wrong);
                items.iter().map(text).collect()
            }
            Some(_) => Err(wrong()),
        }
    }

    pub(super) fn cursor(&self) -> Result<usize, ToolError> {
        match self.text("cursor")? {
            None => Ok(0),
            Some(text) => text
                .parse()
                .map_err(|_| Self::wrong("invalid `cursor`: use the `next` of an earlier answer")),
        }
    }

    /// The skill that the call is about; a leading `/`, as people type it, is forgiven.
    pub(super) fn id(&self, tool: &ToolSpec) -> Result<SkillId, ToolError> {
        let text = self.required(tool.id)?;
        let text = text.strip_prefix('/').unwrap_or(text);
        text.parse().map_err(|_| {
            let shown: String = text.chars().take(80).collect();
            ToolError::new(
                ErrorCode::SkillNotFound,
                format!("unknown skill `{}`", shown.escape_debug()),
            )
        })
    }

    /// Whether the call is a search.
    pub(super) fn searches(&self) -> bool {
        self.get("query").is_some() || self.get("queries").is_some()
    }

    /// What to search for: `query` and `queries` without blank ones.
    pub(super) fn queries(&self) -> Result<Vec<String>, ToolError> {
        let mut queries = match self.get("queries") {
            // Some models write one text where a list is asked for.
            Some(Value::String(query)) => vec![query.clone()],
            _ => self.texts("queries")?,
        };
        if let Some(query) = self.text("query")? {
            queries.insert(0, query.to_owned());
        }
        let mut seen = HashSet::new();
        queries.retain_mut(|query| {
            *query = query.trim().to_owned();
            !query.is_empty() && seen.insert(query.clone())
        });
        if queries.len() > MOST_QUERIES {
            let given = queries.len();
            return Err(Self::wrong(format!(
                "invalid `queries`: expected at most {MOST_QUERIES}, got {given}"
            )));
        }
        Ok(queries)
    }
}
