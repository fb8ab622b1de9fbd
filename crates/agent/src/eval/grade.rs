//! Whether an answer is what was expected.

use std::sync::Arc;

use prowess_core::{ScriptRunner, SkillId};
use prowess_spec::SkillPath;

use super::benchmark::Graded;
use super::judge::{JUDGE, question};
use super::path::json_in;
use super::suite::{Eval, Expectation};
use crate::ask::{End, ask};
use crate::cancel::Cancel;
use crate::options::Retry;
use crate::provider::{Message, Provider, Request};

/// Bytes of an answer that a script gets.
const SCRIPT_BYTES: usize = 64 * 1024;
/// Tokens of a verdict.
const VERDICT_TOKENS: u32 = 300;
/// Characters of what a script or a pattern found.
const FOUND_CHARS: usize = 200;
/// Characters of a verdict.
const VERDICT_CHARS: usize = 500;

/// The judge and the script runner.
#[derive(Clone, Default)]
pub struct Graders {
    /// The model that judges; without one, expectations for a judge fail.
    pub judge: Option<Arc<dyn Provider>>,
    /// The script runner; without one, expectations for a script fail.
    pub scripts: Option<Arc<dyn ScriptRunner>>,
}

/// The verdict of a grader and its reason.
enum Verdict {
    Holds(String),
    Fails(String),
    /// It could not be found out, which is not the answer's fault.
    Unknown(String),
}

impl Verdict {
    fn of(holds: bool, evidence: impl Into<String>) -> Self {
        if holds {
            Self::Holds(evidence.into())
        } else {
            Self::Fails(evidence.into())
        }
    }
}

/// The result of an expectation, and the error of a grader, if any.
pub(super) struct Looked {
    pub(super) graded: Graded,
    pub(super) trouble: Option<String>,
}

impl Graders {
    /// Whether an expectation holds, and why. An expectation that cannot be evaluated does not hold.
    pub(super) async fn grade(
        &self,
        skill: &SkillId,
        eval: &Eval,
        expectation: &Expectation,
        answer: &str,
        cancel: &Cancel,
    ) -> Looked {
        let verdict = match expectation {
            Expectation::Contains(text) => Verdict::of(contains(answer, text), ""),
            Expectation::NotContains(text) => Verdict::of(!contains(answer, text), ""),
            Expectation::Regex(pattern) => {
                let found = pattern.regex.find(answer);
                let text = found.as_ref().and_then(|it| answer.get(it.range()));
                Verdict::of(
                    found.is_some(),
                    first(text.unwrap_or_default(), FOUND_CHARS),
                )
            }
            Expectation::JsonPath { path, equals } => match json_in(answer) {
                None => Verdict::Fails("the answer contains no JSON".to_owned()),
                Some(value) => match (path.of(&value), equals) {
                    (None, _) => Verdict::Fails("no value".to_owned()),
                    (Some(found), wanted) => {
                        let holds = wanted.as_ref().is_none_or(|wanted| same(found, wanted));
                        Verdict::of(holds, first(&found.to_string(), FOUND_CHARS))
                    }
                },
            },
            Expectation::Script(path) => self.script(skill, path, answer).await,
            Expectation::Judge(sentence) => self.ask_judge(eval, sentence, answer, cancel).await,
        };
        let (passed, evidence, trouble) = match verdict {
            Verdict::Holds(evidence) => (true, evidence, None),
            Verdict::Fails(evidence) => (false, evidence, None),
            Verdict::Unknown(reason) => (false, reason.clone(), Some(reason)),
        };
        let text = expectation.words();
        Looked {
            graded: Graded {
                text,
                passed,
                evidence,
            },
            trouble,
        }
    }

    async fn script(&self, skill: &SkillId, path: &SkillPath, answer: &str) -> Verdict {
        let Some(scripts) = &self.scripts else {
            return Verdict::Fails("scripts are disabled".to_owned());
        };
        let kept = answer.get(..answer.floor_char_boundary(SCRIPT_BYTES));
        // No argument of a program holds a zero.
        let argument = kept.unwrap_or_default().replace('\0', "");
        match scripts.run(skill, path, &[argument]).await {
            Ok(output) => {
                let said = format!("{}{}", output.stdout, output.stderr);
                let mut evidence = first(said.trim(), FOUND_CHARS);
                if answer.len() > SCRIPT_BYTES {
                    evidence.push_str(" (based on the start of the answer only)");
                }
                Verdict::of(output.exit_code == 0, evidence)
            }
            Err(error) => Verdict::Unknown(format!("cannot run `{path}`: {}", error.message)),
        }
    }

    async fn ask_judge(
        &self,
        eval: &Eval,
        sentence: &str,
        answer: &str,
        cancel: &Cancel,
    ) -> Verdict {
        let Some(judge) = &self.judge else {
            return Verdict::Fails("no judge is configured".to_owned());
        };
        let request = Request {
            system: JUDGE.to_owned(),
            messages: vec![Arc::new(Message::User(question(eval, sentence, answer)))],
            max_tokens: Some(VERDICT_TOKENS),
            ..Request::default()
        };
        let asked = ask(&**judge, request, Retry::default(), &|_| (), cancel).await;
        let said = match asked {
            Err(error) => return Verdict::Unknown(format!("the judge did not answer: {error}")),
            Ok(answered) => match answered.end {
                End::Broken(error) => {
                    return Verdict::Unknown(format!(
                        "the answer of the judge is incomplete: {error}"
                    ));
                }
                End::Cancelled | End::Whole(_) => answered.text,
            },
        };
        let word = said.split_whitespace().next().unwrap_or_default();
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        let evidence = first(said.trim(), VERDICT_CHARS);
        if word.eq_ignore_ascii_case("pass") {
            Verdict::Holds(evidence)
        } else if word.eq_ignore_ascii_case("fail") {
            Verdict::Fails(evidence)
        } else {
            Verdict::Unknown(format!(
                "the judge answered neither PASS nor FAIL: {}",
                first(&evidence, FOUND_CHARS)
            ))
        }
    }
}

fn first(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

fn contains(answer: &str, text: &str) -> bool {
    answer.to_lowercase().contains(&text.to_lowercase())
}

/// Whether two values are the same; numbers count by what they are worth, not by how they are written.
fn same(left: &serde_json::Value, right: &serde_json::Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() <= f64::EPSILON * left.abs().max(1.0),
        _ => left == right,
    }
}
