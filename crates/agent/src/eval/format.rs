//! The files that a skill brings along for its evals.

use prowess_core::{SkillId, Skills, SourceError};
use prowess_spec::SkillPath;
use serde_json::Value;

/// Bytes of either file.
const FILE_BYTES: usize = 1024 * 1024;

/// What a skill is measured by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// Prompts, and what their answers must be like.
    pub evals: Vec<Eval>,
    /// Messages, and whether the skill should be used for them.
    pub triggers: Vec<Trigger>,
}

/// A prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Eval {
    /// What it is called.
    pub id: String,
    /// What the user says.
    pub prompt: String,
    /// What a good answer is, in words.
    pub expected_output: Option<String>,
    /// Files of the skill that go along.
    pub files: Vec<String>,
    /// What must hold.
    pub expectations: Vec<Expectation>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// What the user says.
    pub query: String,
    /// Whether the skill should be used.
    pub should_trigger: bool,
}

/// What must hold of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Expectation {
    /// It contains a text.
    Contains(String),
    /// It does not.
    NotContains(String),
    /// A pattern matches.
    Regex(String),
    /// Its JSON has something at a place, perhaps a given value.
    JsonPath {
        /// The place.
        path: String,
        /// The value.
        equals: Option<Value>,
    },
    /// A script of the skill accepts it.
    Script(String),
    /// A model agrees with a sentence about it.
    Judge(String),
}

/// Why evals cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The skill's files cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file is not as it should be.
    #[error("{file}: {reason}")]
    Invalid {
        /// The file.
        file: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// There is neither file.
    #[error("`{0}` has neither {EVALS} nor {TRIGGERS}")]
    Nothing(SkillId),
}

const EVALS: &str = "evals/evals.json";
const TRIGGERS: &str = "evals/triggers.json";

impl Suite {
    /// Reads the files of a skill.
    pub async fn read(skills: &Skills, id: &SkillId) -> Result<Self, SuiteError> {
        let evals = file(skills, id, EVALS).await?;
        let triggers = file(skills, id, TRIGGERS).await?;
        if evals.is_none() && triggers.is_none() {
            return Err(SuiteError::Nothing(id.clone()));
        }
        Self::parse(evals.as_deref(), triggers.as_deref())
    }

    /// The same from texts.
    pub fn parse(evals: Option<&str>, triggers: Option<&str>) -> Result<Self, SuiteError> {
        Ok(Self {
            evals: evals.map_or(Ok(Vec::new()), |text| list(EVALS, text, "evals", eval))?,
            triggers: triggers.map_or(Ok(Vec::new()), |text| {
                list(TRIGGERS, text, "triggers", |_, value| trigger(value))
            })?,
        })
    }
}

async fn file(
    skills: &Skills,
    id: &SkillId,
    path: &'static str,
) -> Result<Option<String>, SuiteError> {
    let invalid = |reason: &str| SuiteError::Invalid {
        file: path,
        reason: reason.to_owned(),
    };
    let parsed = SkillPath::parse(path).map_err(|problem| invalid(&problem.to_string()))?;
    let part = match skills.sources().read(id, &parsed, 0, FILE_BYTES).await {
        Ok(part) => part,
        Err(SourceError::FileNotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if part.size > FILE_BYTES as u64 {
        return Err(invalid("it is larger than a megabyte"));
    }
    let text = String::from_utf8(part.bytes).map_err(|_| invalid("it is not UTF-8 text"))?;
    Ok(Some(text))
}

/// The items of a list, or of the list that an object holds under `name`.
fn list<T>(
    file: &'static str,
    text: &str,
    name: &str,
    item: impl Fn(usize, &Value) -> Result<T, String>,
) -> Result<Vec<T>, SuiteError> {
    let invalid = |reason: String| SuiteError::Invalid { file, reason };
    let value: Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
    let items = value.as_array().or_else(|| value.get(name)?.as_array());
    let items = items.ok_or_else(|| invalid(format!("there is no list `{name}`")))?;
    let each = items.iter().enumerate().map(|(index, value)| {
        item(index, value).map_err(|reason| invalid(format!("number {}: {reason}", index + 1)))
    });
    each.collect()
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn eval(index: usize, value: &Value) -> Result<Eval, String> {
    let prompt = text(value, "prompt").or_else(|| text(value, "query"));
    let prompt = prompt
        .filter(|prompt| !prompt.trim().is_empty())
        .ok_or("`prompt` is missing")?;
    let id = match value.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => (index + 1).to_string(),
    };
    let items = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let files = items("files");
    let stated = items("expectations").into_iter().chain(items("assertions"));
    let mut expectations = stated
        .map(|it| expectation(&it))
        .collect::<Result<Vec<_>, _>>()?;
    let expected_output = text(value, "expected_output");
    if let (true, Some(expected)) = (expectations.is_empty(), &expected_output) {
        let sentence = format!("The answer is what was expected: {expected}");
        expectations.push(Expectation::Judge(sentence));
    }
    if expectations.is_empty() {
        return Err("nothing is expected".to_owned());
    }
    Ok(Eval {
        id,
        prompt,
        expected_output,
        files: files
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        expectations,
    })
}

fn expectation(value: &Value) -> Result<Expectation, String> {
    if let Value::String(sentence) = value {
        return Ok(Expectation::Judge(sentence.clone()));
    }
    let one = |name: &str| text(value, name);
    let known = one("contains")
        .map(Expectation::Contains)
        .or_else(|| one("not_contains").map(Expectation::NotContains))
        .or_else(|| one("regex").map(Expectation::Regex))
        .or_else(|| one("script").map(Expectation::Script))
        .or_else(|| one("judge").or_else(|| one("text")).map(Expectation::Judge))
        .or_else(|| {
            one("json_path").map(|path| Expectation::JsonPath {
                path,
                equals: value.get("equals").cloned(),
            })
        });
    known.ok_or_else(|| {
        format!(
            "`{value}` is no expectation: contains, not_contains, regex, json_path, script or judge"
        )
    })
}

fn trigger(value: &Value) -> Result<Trigger, String> {
    let query = text(value, "query").or_else(|| text(value, "prompt"));
    let should_trigger = value.get("should_trigger").and_then(Value::as_bool);
    Ok(Trigger {
        query: query.ok_or("`query` is missing")?,
        should_trigger: should_trigger.ok_or("`should_trigger` is missing")?,
    })
}

impl Expectation {
    /// In words, for a report.
    pub fn words(&self) -> String {
        match self {
            Self::Contains(text) => format!("contains `{text}`"),
            Self::NotContains(text) => format!("does not contain `{text}`"),
            Self::Regex(pattern) => format!("matches `{pattern}`"),
            Self::JsonPath { path, equals: None } => format!("has `{path}`"),
            Self::JsonPath {
                path,
                equals: Some(value),
            } => format!("has {value} at `{path}`"),
            Self::Script(path) => format!("is accepted by `{path}`"),
            Self::Judge(sentence) => sentence.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_that_may_be_there() {
        let evals = json!({"skill_name": "s", "evals": [
            {"id": 7, "prompt": "p", "expected_output": "e", "files": ["evals/a.txt"], "expectations": [
                "a sentence", {"contains": "x"}, {"not_contains": "y"}, {"regex": "z+"},
                {"json_path": "$.a", "equals": 1.5}, {"script": "evals/c.sh"}, {"judge": "j"},
            ]},
            {"id": "named", "prompt": "p", "assertions": [{"contains": "x"}]},
            {"prompt": "p", "expected_output": "e"},
        ]});
        let triggers = json!([{"query": "q", "should_trigger": true}, {"prompt": "r", "should_trigger": false}]);
        let suite = Suite::parse(Some(&evals.to_string()), Some(&triggers.to_string())).unwrap();
        assert_eq!(
            suite
                .evals
                .iter()
                .map(|eval| eval.id.as_str())
                .collect::<Vec<_>>(),
            ["7", "named", "3"]
        );
        assert_eq!(suite.evals[0].expectations.len(), 7);
        assert!(
            matches!(&suite.evals[2].expectations[0], Expectation::Judge(text) if text.ends_with(": e"))
        );
        assert_eq!(suite.triggers.len(), 2);
        assert!(!suite.triggers[1].should_trigger);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |evals: &str, expected: &str| {
            let error = Suite::parse(Some(evals), None).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("{", "evals/evals.json: EOF");
        check("{}", "there is no list `evals`");
        check(
            r#"[{"expectations": ["x"]}]"#,
            "number 1: `prompt` is missing",
        );
        check(r#"[{"prompt": "x"}]"#, "nothing is expected");
        check(
            r#"[{"prompt": "x", "expectations": [{"like": "y"}]}]"#,
            "is no expectation",
        );
        let error = Suite::parse(None, Some(r#"[{"query": "x"}]"#)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "evals/triggers.json: number 1: `should_trigger` is missing"
        );
    }
}
