//! Evals through the loop: with and without a skill, every grader, triggers, and the report.

use std::sync::Arc;

use async_trait::async_trait;
use prowess_agent::eval::{
    Benchmark, Configuration, Contest, Graders, Suite, SuiteError, html, run,
};
use prowess_agent::{
    Agent, Cancel, Delta, Message, Provider, ProviderError, Request, ResponseStream, StopReason,
    ToolCall, Usage,
};
use prowess_core::{MemorySource, Scope, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError};
use prowess_spec::SkillPath;
use serde_json::json;

use crate::support::{id, options};

/// Answers well if it has the instructions, loads the skill if the word is there, and judges by the word.
struct Pupil;

#[async_trait]
impl Provider for Pupil {
    fn name(&self) -> &'static str {
        "pupil"
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        let last = match request.messages.last().map(|last| &**last) {
            Some(Message::User(text)) => text.clone(),
            Some(Message::Tools(_)) => "loaded".to_owned(),
            other => panic!("{other:?}"),
        };
        let text_reply = |text: &str| {
            vec![
                Delta::Text(text.to_owned()),
                Delta::Usage(Usage {
                    input: 100,
                    cached: 0,
                    output: 10,
                }),
                Delta::Stop(StopReason::Complete),
            ]
        };
        let deltas = if request.system.starts_with("You judge") {
            let passes = last.contains("Five, seven, five") || last.contains("\"syllables\"");
            text_reply(if passes {
                "**PASS**\nIt is so."
            } else {
                "FAIL: it is not."
            })
        } else if last.contains("<skill id=\"haiku\">") {
            assert!(
                last.contains("<file name=\"evals/words.txt\">\npond frog\n</file>"),
                "{last}"
            );
            text_reply("```json\n{\"lines\": [{\"syllables\": 5.0}], \"text\": \"old pond\"}\n```")
        } else if last.contains("poem")
            && !request.tools.is_empty()
            && request.system.contains("haiku")
        {
            let call = ToolCall {
                id: "1".to_owned(),
                tool: "load_skill".to_owned(),
                arguments: json!({"id": "haiku"}),
            };
            vec![Delta::Call(call), Delta::Stop(StopReason::Tools)]
        } else {
            text_reply("I do not know <script>alert(1)</script>.")
        };
        Ok(Box::pin(futures_util::stream::iter(
            deltas.into_iter().map(Ok),
        )))
    }
}

/// Accepts what speaks of a pond.
struct Pond;

#[async_trait]
impl ScriptRunner for Pond {
    async fn run(
        &self,
        _: &SkillId,
        path: &SkillPath,
        args: &[String],
    ) -> Result<ScriptOutput, ToolError> {
        assert_eq!(path.as_str(), "evals/check.sh");
        Ok(ScriptOutput {
            exit_code: i32::from(!args[0].contains("pond")),
            stdout: "looked".to_owned(),
            stderr: String::new(),
            truncated: false,
            files: Vec::new(),
            duration_ms: 1,
        })
    }
}

async fn skills(except: &[&str]) -> Skills {
    let mut source = MemorySource::new(Scope::Project);
    let haiku = source
        .add(
            "haiku",
            "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n",
        )
        .unwrap();
    source.add(
        "other",
        "---\nname: other\ndescription: Something else\n---\nNothing.\n",
    );
    let evals = json!({"evals": [{
        "id": 1, "prompt": "Write a haiku about frogs", "expected_output": "Three lines", "files": ["evals/words.txt"],
        "expectations": [
            "It has syllables", {"contains": "OLD POND"}, {"not_contains": "sorry"}, {"regex": "old\\s+pond"},
            {"json_path": "$.lines[0].syllables", "equals": 5}, {"script": "evals/check.sh"},
        ],
    }]});
    let triggers = json!([
        {"query": "a poem please", "should_trigger": true},
        {"query": "no verses <b>today</b>", "should_trigger": false},
        {"query": "short verses", "should_trigger": true},
    ]);
    for (path, text) in [
        ("evals/check.sh", "#!/bin/sh\n".to_owned()),
        ("evals/evals.json", evals.to_string()),
        ("evals/triggers.json", triggers.to_string()),
        ("evals/words.txt", "pond frog".to_owned()),
    ] {
        source.add_file(&haiku, SkillPath::parse(path).unwrap(), text);
    }
    Skills::builder()
        .source("memory", source)
        .except(except.iter().copied())
        .build()
        .await
        .unwrap()
}

async fn agent(except: &[&str]) -> Agent {
    Agent::builder(Arc::new(Pupil))
        .skills(skills(except).await)
        .options(options())
        .build()
        .await
        .unwrap()
}

async fn contest() -> Contest {
    Contest {
        skill: id("haiku"),
        with: agent(&[]).await,
        without: agent(&["haiku"]).await,
        runs: 2,
        graders: Graders {
            judge: Some(Arc::new(Pupil)),
            scripts: Some(Arc::new(Pond)),
        },
        timestamp: "2026-11-15".to_owned(),
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[tokio::test]
async fn with_and_without_a_skill() {
    let contest = contest().await;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let steps = std::sync::Mutex::new(Vec::new());
    let benchmark = run(
        &contest,
        &suite,
        &|progress| steps.lock().unwrap().push(progress),
        &Cancel::new(),
    )
    .await
    .unwrap();
    let steps = steps.into_inner().unwrap();
    assert_eq!(
        (
            steps.len(),
            steps.last().unwrap().done,
            steps.last().unwrap().of
        ),
        (10, 10, 10)
    );
    assert_eq!(benchmark.runs.len(), 4);
    let with = &benchmark.runs[0];
    assert_eq!(with.configuration, Configuration::WithSkill);
    let failed: Vec<&str> = with
        .expectations
        .iter()
        .filter(|it| !it.passed)
        .map(|it| it.text.as_str())
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(with.tokens, 110);
    assert_eq!(benchmark.judge.as_deref(), Some("pupil"));
    assert!(!benchmark.partial && benchmark.notes.is_empty());
    assert!(with.answer.contains("old pond"));
    let without = &benchmark.runs[2];
    assert!(close(without.pass_rate, 1.0 / 6.0), "{without:?}");
    assert!(close(benchmark.run_summary.delta.pass_rate, 5.0 / 6.0));
    let triggers = benchmark.trigger_summary.unwrap();
    assert!(close(triggers.trigger_rate, 0.5) && close(triggers.false_trigger_rate, 0.0));
    assert_eq!(benchmark.triggers[0].triggered, 2);
    let text = serde_json::to_string(&benchmark).unwrap();
    // The last digit of a fraction may differ.
    let read: Benchmark = serde_json::from_str(&text).unwrap();
    assert_eq!((read.runs.len(), &read.triggers), (4, &benchmark.triggers));
    assert_eq!(read.runs[2].expectations, benchmark.runs[2].expectations);
    assert!(close(
        read.runs[2].time_seconds,
        benchmark.runs[2].time_seconds
    ));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["runs"][0]["configuration"], "with_skill");
    assert!(value["run_summary"]["without_skill"]["tokens"]["stddev"].is_number());

    let page = html(&benchmark);
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("<svg")
            && page.contains("prefers-color-scheme:dark")
    );
    for outside in ["http://", "https://", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("no verses &lt;b&gt;today&lt;/b&gt;"));
    assert!(page.contains("100%") && page.contains("17%"));
}

#[tokio::test]
async fn statements_fail_without_a_judge() {
    let mut contest = contest().await;
    contest.graders = Graders::default();
    contest.runs = 1;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let benchmark = run(&contest, &suite, &|_| (), &Cancel::new())
        .await
        .unwrap();
    assert_eq!(benchmark.judge, None);
    let failed: Vec<&str> = benchmark.runs[0]
        .expectations
        .iter()
        .filter(|it| !it.passed)
        .map(|it| it.evidence.as_str())
        .collect();
    assert_eq!(failed, ["no judge is configured", "scripts are disabled"]);
}

#[tokio::test]
async fn eval_cancelled_at_the_start_is_partial() {
    let contest = contest().await;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    let benchmark = run(&contest, &suite, &|_| (), &cancel).await.unwrap();
    assert!(benchmark.runs.is_empty() && benchmark.triggers.is_empty());
    assert!(benchmark.partial);
    assert!(html(&benchmark).contains("Evals of haiku"));
    let nothing = Suite::read(contest.with.skills(), &id("other"))
        .await
        .unwrap_err();
    assert!(matches!(nothing, SuiteError::Nothing(_)), "{nothing}");
}

/// The skill with other evals, and what reading them comes to.
async fn refused(evals: &serde_json::Value, more: &[(&str, &[u8])]) -> String {
    let mut source = MemorySource::new(Scope::Project);
    let haiku = source
        .add("haiku", "---\nname: haiku\ndescription: d\n---\n")
        .unwrap();
    let mut add = |path: &str, bytes: &[u8]| {
        source.add_file(&haiku, SkillPath::parse(path).unwrap(), bytes.to_vec());
    };
    add("evals/evals.json", evals.to_string().as_bytes());
    for (path, bytes) in more {
        add(path, bytes);
    }
    let skills = Skills::builder().source("memory", source);
    let skills = skills.build().await.unwrap();
    let suite = Suite::read(&skills, &id("haiku")).await;
    suite.unwrap_err().to_string()
}

#[tokio::test]
async fn invalid_attachments_are_rejected_while_parsing() {
    let with_file = |name: &str| json!([{"prompt": "p", "expectations": ["x"], "files": [name]}]);
    assert_eq!(
        refused(&with_file("evals/wrods.txt"), &[("evals/words.txt", b"x")]).await,
        "evals/evals.json: evals[0].files[0]: `haiku` has no file `evals/wrods.txt`; did you mean evals/words.txt?"
    );
    assert_eq!(
        refused(&with_file("a.bin"), &[("a.bin", b"\xff\xfe")]).await,
        "evals/evals.json: evals[0].files[0]: a.bin is not UTF-8 text"
    );
    let large = vec![b'x'; 128 * 1024 + 1];
    assert_eq!(
        refused(&with_file("a.txt"), &[("a.txt", &large)]).await,
        "evals/evals.json: evals[0].files[0]: a.txt is too large: 131073 bytes, at most 131072 allowed"
    );
    let script = json!([{"prompt": "p", "expectations": ["x", {"script": "evals/no.sh"}]}]);
    assert_eq!(
        refused(&script, &[]).await,
        "evals/evals.json: evals[0].expectations[1]: `haiku` has no file `evals/no.sh`"
    );
    assert_eq!(
        refused(&json!([]), &[("evals/triggers.json", b"[]")]).await,
        "`haiku` has no evals: the lists in its files are empty"
    );
}

/// Answers so often, then is gone.
struct Moody {
    left: std::sync::atomic::AtomicUsize,
}

impl Moody {
    fn new(left: usize) -> Arc<Self> {
        Arc::new(Self { left: left.into() })
    }
}

#[async_trait]
impl Provider for Moody {
    fn name(&self) -> &'static str {
        "moody"
    }

    async fn answer(&self, request: Arc<Request>) -> Result<ResponseStream, ProviderError> {
        use std::sync::atomic::Ordering::Relaxed;
        let take = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Relaxed, Relaxed, take).is_err() {
            return Err(ProviderError::Status {
                provider: "moody".to_owned(),
                status: 400,
                reason: "gone <home>".to_owned(),
                retry_after: None,
            });
        }
        Pupil.answer(request).await
    }
}

async fn moody(left: usize) -> Contest {
    let provider = Moody::new(left);
    let agent = async |except: &[&str]| {
        let provider: Arc<dyn Provider> = Arc::clone(&provider) as _;
        let builder = Agent::builder(provider).skills(skills(except).await);
        builder.options(options()).build().await.unwrap()
    };
    Contest {
        with: agent(&[]).await,
        without: agent(&["haiku"]).await,
        ..contest().await
    }
}

#[tokio::test]
async fn failed_runs_do_not_stop_the_others() {
    let contest = moody(1).await;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let benchmark = run(&contest, &suite, &|_| (), &Cancel::new())
        .await
        .unwrap();
    assert_eq!(benchmark.runs.len(), 4);
    let errors: Vec<bool> = benchmark
        .runs
        .iter()
        .map(|run| run.error.is_some())
        .collect();
    assert_eq!(errors, [false, true, true, true]);
    let failed = &benchmark.runs[1];
    assert!(close(failed.pass_rate, 0.0));
    assert!(failed.expectations.iter().all(|it| !it.passed));
    let all = &benchmark.run_summary;
    assert_eq!((all.with_skill.errors, all.without_skill.errors), (1, 2));
    assert!(close(all.with_skill.tokens.mean, 110.0));
    assert_eq!(benchmark.triggers[1].errors, 2);
    assert!(close(benchmark.trigger_summary.unwrap().accuracy, 0.0));
    let page = html(&benchmark);
    assert!(page.contains("9 runs had no answer and count as failed."));
    assert!(page.contains("gone &lt;home&gt;") && !page.contains("<home>"));
}

#[tokio::test]
async fn failure_of_the_first_request_stops_the_eval() {
    let contest = moody(0).await;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let error = run(&contest, &suite, &|_| (), &Cancel::new()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("gone <home>"), "{error}");
}

#[tokio::test]
async fn cancelled_eval_keeps_complete_runs() {
    let contest = contest().await;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let cancel = Cancel::new();
    let stop = |progress: prowess_agent::eval::Progress| {
        if progress.done == 3 {
            cancel.cancel();
        }
    };
    let benchmark = run(&contest, &suite, &stop, &cancel).await.unwrap();
    assert!(benchmark.partial);
    // Everything once before anything twice: a pair of runs, and the first message.
    assert_eq!((benchmark.runs.len(), benchmark.triggers.len()), (2, 1));
    assert!(html(&benchmark).contains("stopped early"));
}

#[tokio::test]
async fn undecided_judge_is_reported() {
    let mut contest = contest().await;
    contest.graders.judge = Some(Moody::new(0));
    contest.runs = 1;
    let suite = Suite::read(contest.with.skills(), &contest.skill)
        .await
        .unwrap();
    let benchmark = run(&contest, &suite, &|_| (), &Cancel::new())
        .await
        .unwrap();
    assert!(!benchmark.runs[0].expectations[0].passed);
    assert!(benchmark.runs[0].error.is_none());
    let note = &benchmark.notes[0];
    assert!(
        note.starts_with("eval 1: the judge did not answer: "),
        "{note}"
    );
}
