//! From the text of the two files to a [`Suite`].

use std::fmt;

use prowess_spec::{SkillPath, nearest};
use serde_json::Value;

use super::error::SuiteError;
use super::path::JsonPath;
use super::suite::{Attachment, Eval, Expectation, Pattern, Suite, Trigger};

/// Prompts, and what their answers must be like.
pub(super) const EVALS: &str = "evals/evals.json";
/// Messages, and whether the skill should be used for them.
pub(super) const TRIGGERS: &str = "evals/triggers.json";

/// The keys of an expectation; `text` is an alias of `judge`.
const GRADERS: [&str; 7] = [
    "contains",
    "not_contains",
    "regex",
    "json_path",
    "script",
    "judge",
    "text",
];
const EQUALS: &str = "equals";
const EVAL_KEYS: [&str; 7] = [
    "id",
    "prompt",
    "query",
    "expected_output",
    "files",
    "expectations",
    "assertions",
];
const TRIGGER_KEYS: [&str; 3] = ["query", "prompt", "should_trigger"];

impl Suite {
    /// Parses either file or both; files that go along have no text yet.
    pub(super) fn parse(evals: Option<&str>, triggers: Option<&str>) -> Result<Self, SuiteError> {
        let mut suite = Self::default();
        if let Some(text) = evals {
            let file = json(EVALS, text)?;
            let read = |root: &Node<'_>| Ok((name(root)?, evals_of(root)?));
            (suite.skill_name, suite.evals) = in_file(EVALS, read(&Node::root(&file)))?;
        }
        if let Some(text) = triggers {
            let file = json(TRIGGERS, text)?;
            suite.triggers = in_file(TRIGGERS, triggers_of(&Node::root(&file)))?;
        }
        Ok(suite)
    }
}

fn json(file: &'static str, text: &str) -> Result<Value, SuiteError> {
    // Editors on Windows put a mark before everything else.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let words = error.to_string();
        // The position is reported separately.
        let reason = words.rsplit_once(" at line ").map_or(&*words, |it| it.0);
        SuiteError::NotJson {
            file,
            line: error.line(),
            column: error.column(),
            reason: reason.to_owned(),
        }
    })
}

/// A problem and its path.
struct Problem {
    at: String,
    reason: String,
}

type Parsed<T> = Result<T, Problem>;

fn in_file<T>(file: &'static str, parsed: Parsed<T>) -> Result<T, SuiteError> {
    parsed.map_err(|problem| SuiteError::Invalid {
        file,
        at: problem.at,
        reason: problem.reason,
    })
}

/// A value and its path.
struct Node<'v> {
    value: &'v Value,
    at: String,
}

impl<'v> Node<'v> {
    fn root(value: &'v Value) -> Self {
        let at = String::new();
        Self { value, at }
    }

    fn problem(&self, reason: impl fmt::Display) -> Problem {
        let at = if self.at.is_empty() {
            "the whole file"
        } else {
            &self.at
        };
        Problem {
            at: at.to_owned(),
            reason: reason.to_string(),
        }
    }

    fn wrong(&self, expected: &str) -> Problem {
        let kind = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.problem(format!("expected {expected}, found {kind}"))
    }

    /// The value of a key; null counts as missing.
    fn get(&self, name: &str) -> Option<Node<'v>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let dot = if self.at.is_empty() { "" } else { "." };
        let at = format!("{}{dot}{name}", self.at);
        Some(Node { value, at })
    }

    /// The first of several names that the object has.
    fn first(&self, names: &[&str]) -> Option<Node<'v>> {
        names.iter().find_map(|name| self.get(name))
    }

    fn items(&self) -> Parsed<Vec<Node<'v>>> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let node = |(index, value)| Node {
            value,
            at: format!("{}[{index}]", self.at),
        };
        Ok(items.iter().enumerate().map(node).collect())
    }

    fn text(&self) -> Parsed<String> {
        let text = self.value.as_str().ok_or_else(|| self.wrong("text"))?;
        if text.trim().is_empty() {
            return Err(self.problem("is empty"));
        }
        Ok(text.to_owned())
    }

    /// Checks the keys of the object. A key close to one of `known` is a typo; other unknown keys are ignored.
    fn check_slips(&self, known: &[&str]) -> Parsed<()> {
        let object = self.value.as_object();
        let members = object.ok_or_else(|| self.wrong("an object"))?;
        for key in members.keys().filter(|key| !known.contains(&key.as_str())) {
            if let Some(near) = nearest(key, known.iter().copied()).first() {
                let key = key.escape_debug();
                return Err(self.problem(format!("unknown key `{key}`; did you mean `{near}`?")));
            }
        }
        Ok(())
    }

    fn path(&self) -> Parsed<SkillPath> {
        let text = self.text()?;
        SkillPath::parse(&text)
            .map_err(|problem| self.problem(format!("`{}` {problem}", text.escape_debug())))
    }
}

/// The list itself, or the one that an object holds under `name`.
fn list<'v>(root: &Node<'v>, name: &str) -> Parsed<Vec<Node<'v>>> {
    if root.value.is_array() {
        let value = root.value;
        let at = name.to_owned();
        return Node { value, at }.items();
    }
    root.check_slips(&[name, "skill_name"])?;
    let found = root.get(name);
    found
        .ok_or_else(|| root.problem(format!("missing list `{name}`")))?
        .items()
}

fn name(root: &Node<'_>) -> Parsed<Option<String>> {
    root.get("skill_name").map(|it| it.text()).transpose()
}

fn evals_of(root: &Node<'_>) -> Parsed<Vec<Eval>> {
    let mut evals: Vec<Eval> = Vec::new();
    for (index, node) in list(root, "evals")?.iter().enumerate() {
        let eval = eval(index, node)?;
        if let Some(same) = evals.iter().position(|it| it.id == eval.id) {
            let id = eval.id.escape_debug();
            return Err(node.problem(format!("duplicate id `{id}`: also used by evals[{same}]")));
        }
        evals.push(eval);
    }
    Ok(evals)
}

fn eval(index: usize, node: &Node<'_>) -> Parsed<Eval> {
    node.check_slips(&EVAL_KEYS)?;
    let prompt = node.first(&["prompt", "query"]);
    let prompt = prompt.ok_or_else(|| node.problem("`prompt` is missing"))?;
    let id = match node.get("id") {
        None => (index + 1).to_string(),
        Some(id) if id.value.is_number() => id.value.to_string(),
        Some(id) if id.value.is_string() => id.text()?,
        Some(id) => return Err(id.wrong("a number or text")),
    };
    let mut files = Vec::new();
    for file in node.get("files").map_or(Ok(Vec::new()), |it| it.items())? {
        let path = file.path()?;
        let text = String::new();
        files.push(Attachment { path, text });
    }
    let mut expectations = Vec::new();
    for name in ["expectations", "assertions"] {
        for it in node.get(name).map_or(Ok(Vec::new()), |it| it.items())? {
            expectations.push(expectation(&it)?);
        }
    }
    let expected_output = node
        .get("expected_output")
        .map(|it| it.text())
        .transpose()?;
    if let (true, Some(expected)) = (expectations.is_empty(), &expected_output) {
        let sentence = format!("The answer matches this expected output: {expected}");
        expectations.push(Expectation::Judge(sentence));
    }
    if expectations.is_empty() {
        return Err(node.problem("no expectations; add `expectations` or `expected_output`"));
    }
    Ok(Eval {
        id,
        prompt: prompt.text()?,
        expected_output,
        files,
        expectations,
    })
}

fn expectation(node: &Node<'_>) -> Parsed<Expectation> {
    if node.value.is_string() {
        return Ok(Expectation::Judge(node.text()?));
    }
    let members = node.value.as_object();
    let members = members.ok_or_else(|| node.wrong("a sentence or an object with a grader"))?;
    let known = || GRADERS.into_iter().chain([EQUALS]);
    for key in members.keys() {
        if !known().any(|it| it == key) {
            let graders = GRADERS.join(", ");
            let meant = match nearest(key, known()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of: {graders}"),
            };
            let key = key.escape_debug();
            return Err(node.problem(format!("unknown grader `{key}`; {meant}")));
        }
    }
    let mut named = GRADERS.into_iter().filter(|name| node.get(name).is_some());
    let grader = match (named.next(), named.next()) {
        (Some(grader), None) => grader,
        (Some(one), Some(other)) => {
            return Err(node.problem(format!(
                "two graders, `{one}` and `{other}`; write two expectations"
            )));
        }
        (None, _) => return Err(node.problem("missing grader")),
    };
    let equals = members.get(EQUALS).cloned();
    if equals.is_some() && grader != "json_path" {
        return Err(node.problem(format!("`equals` requires `json_path`, found `{grader}`")));
    }
    let Some(told) = node.get(grader) else {
        return Err(node.problem("missing grader"));
    };
    let text = told.text()?;
    let shown = text.escape_debug();
    Ok(match grader {
        "contains" => Expectation::Contains(text),
        "not_contains" => Expectation::NotContains(text),
        "regex" => Expectation::Regex(Pattern::parse(&text).map_err(|reason| {
            told.problem(format!("invalid regular expression `{shown}`: {reason}"))
        })?),
        "json_path" => Expectation::JsonPath {
            path: JsonPath::parse(&text)
                .map_err(|reason| told.problem(format!("invalid path `{shown}`: {reason}")))?,
            equals,
        },
        "script" => Expectation::Script(told.path()?),
        _ => Expectation::Judge(text),
    })
}

fn triggers_of(root: &Node<'_>) -> Parsed<Vec<Trigger>> {
    let mut triggers: Vec<Trigger> = Vec::new();
    for node in list(root, "triggers")? {
        node.check_slips(&TRIGGER_KEYS)?;
        let query = node.first(&["query", "prompt"]);
        let query = query.ok_or_else(|| node.problem("`query` is missing"))?;
        let query = query.text()?;
        if let Some(same) = triggers.iter().position(|it| it.query == query) {
            return Err(node.problem(format!("duplicate `query`: also in triggers[{same}]")));
        }
        let should = node.get("should_trigger");
        let should = should.ok_or_else(|| node.problem("`should_trigger` is missing"))?;
        let should_trigger = should.value.as_bool();
        triggers.push(Trigger {
            query,
            should_trigger: should_trigger.ok_or_else(|| should.wrong("true or false"))?,
        });
    }
    Ok(triggers)
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
