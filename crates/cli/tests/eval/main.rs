//! `prowess eval`, the whole program, against a model behind a real endpoint.
#![cfg(test)]
#![cfg(unix)]

mod failures;
mod grading;
mod output;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::process::Command;

use insta::assert_snapshot;
use prowess_testing::model::{ModelRequest, ScriptedModel, Step, call};
use serde_json::{Value, json};
use support::{Run, TestProject, without_seconds};

const EVALS: &str = r#"{"skill_name": "haiku", "evals": [
    {"id": "regen", "prompt": "Ein Haiku über Regen 🌧", "expected_output": "Three lines", "files": ["evals/words.txt"],
     "expectations": ["It is about rain", {"contains": "RAIN"}, {"regex": "\\d syllables"},
        {"json_path": "$.lines[0]", "equals": 5}, {"script": "evals/check.sh"}]}
]}"#;
const TRIGGERS: &str = r#"[
    {"query": "a poem, please", "should_trigger": true},
    {"query": "what is the time", "should_trigger": false}
]"#;

/// A skill with evals, among others.
pub(crate) fn new_project() -> TestProject {
    let project = TestProject::new();
    let skills = ".agents/skills";
    project
        .skill(&format!("{skills}/other"))
        .write(
            &format!("{skills}/haiku/SKILL.md"),
            "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n",
        )
        .write(&format!("{skills}/haiku/evals/evals.json"), EVALS)
        .write(&format!("{skills}/haiku/evals/triggers.json"), TRIGGERS)
        .write(&format!("{skills}/haiku/evals/words.txt"), "drop, cloud")
        .write(
            &format!("{skills}/haiku/evals/check.sh"),
            "#!/bin/sh\n[ -e left ] && echo used && exit 1\ntouch left\n\
             case \"$1\" in *rain*) echo fine ;; *) echo dry; exit 1 ;; esac\n",
        );
    fs::create_dir(project.path(".git")).unwrap();
    project
}

/// Knows what to do if it has the instructions, and finds them for a poem.
pub(crate) fn pupil(asked: &ModelRequest) -> Step {
    if asked.system().starts_with("You judge") {
        let about = asked.last_text().contains("rain falls");
        let verdict = if about {
            "PASS\nIt is."
        } else {
            "FAIL\nIt is not."
        };
        return Step::Say(verdict);
    }
    let has_skill = asked.last_text().contains("<skill id=\"haiku\">");
    if has_skill && asked.last_role() == "user" {
        assert!(
            asked.last_text().contains("drop, cloud"),
            "{}",
            asked.last_text()
        );
        assert!(
            asked.last_text().contains("über Regen 🌧"),
            "{}",
            asked.last_text()
        );
        return Step::Say(r#"{"lines": [5, 7, 5], "text": "rain falls", "of": "5 syllables"}"#);
    }
    if asked.last_role() == "user" && asked.last_text().contains("poem") {
        return call("load_skill", &json!({"id": "haiku"}));
    }
    Step::Say("I do not know.")
}

/// `prowess eval haiku` with a model, and more.
pub(crate) fn eval(project: &TestProject, model: &ScriptedModel, more: &[&str]) -> Command {
    let mut command = project.command(&["eval", "haiku", "--approve-skills", "haiku"]);
    command
        .args(["--provider", "openai", "--model", "scripted-1"])
        .args(["--base-url", &model.url])
        .args(more)
        .env("OPENAI_API_KEY", "sk-test");
    command
}

pub(crate) fn run(project: &TestProject, model: &ScriptedModel, more: &[&str]) -> Run {
    Run::of(eval(project, model, more).output().unwrap())
}

pub(crate) const BENCHMARK: &str = "prowess-eval/haiku/benchmark.json";
pub(crate) const REPORT: &str = "prowess-eval/haiku/report.html";

pub(crate) fn benchmark(project: &TestProject) -> Value {
    serde_json::from_str(&project.read(BENCHMARK)).unwrap()
}

#[test]
fn every_grader_compares_with_and_without() {
    let (project, model) = (new_project(), ScriptedModel::from_fn(pupil));
    let run = run(&project, &model, &["--runs", "2"]);
    assert_snapshot!(without_seconds(&run.snapshot()), @r"
    exit 0
    --- stdout
    EVAL            WITH THE SKILL   WITHOUT          DIFFERENCE
    regen           100% ± 0%        0% ± 0%          +100 points
    all: pass rate  100% ± 0%        0% ± 0%          +100 points
    all: tokens     110 ± 0          110 ± 0          +0
    all: time       N.NN s ± N.NN s  N.NN s ± N.NN s  ?N.NN s

    MESSAGE           SHOULD USE IT  DID
    a poem, please    yes            2 of 2
    what is the time  no             0 of 2
    correct in 100%: used in 100% of the positive cases, in 0% of the negative cases
    --- stderr
    8 chats: 2 × (2 × 1 eval + 2 messages); one or more requests each, and 4 requests to the judge
    wrote prowess-eval/haiku/benchmark.json and prowess-eval/haiku/report.html
    ");
    let written = benchmark(&project);
    assert_eq!(written["partial"], false);
    assert_eq!(written["model"], "openai/scripted-1");
    assert_eq!(written["judge"], "openai/scripted-1");
    let with = &written["runs"][0];
    let graded = with["expectations"].as_array().unwrap();
    assert_eq!(graded.len(), 5);
    assert!(graded.iter().all(|it| it["passed"] == true), "{graded:?}");
    assert_eq!(graded[4]["evidence"], "fine");
    assert_eq!(
        (&with["tokens"], &with["run_number"]),
        (&json!(110), &json!(1))
    );
    let without = &written["runs"][2];
    assert_eq!(without["configuration"], "without_skill");
    let failed = without["expectations"].as_array().unwrap();
    assert!(failed.iter().all(|it| it["passed"] == false), "{failed:?}");
    assert_eq!(failed[4]["evidence"], "dry");
    // Four answers and their judge, four messages; that one loads the skill is enough.
    assert_eq!(model.seen().len(), 4 + 4 + 4);
    let page = project.read(REPORT);
    assert!(page.contains("Evals of haiku"));
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("<svg"));
}

#[test]
fn json_equals_the_written_benchmark() {
    let (project, model) = (new_project(), ScriptedModel::from_fn(pupil));
    let run = run(&project, &model, &["--json", "--runs", "1", "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(run.stdout, project.read(BENCHMARK));
    assert_eq!(run.json()["runs_per_configuration"], 1);
}

#[test]
fn fail_under_exits_with_three() {
    let (project, model) = (
        new_project(),
        ScriptedModel::from_fn(|asked: &ModelRequest| match pupil(asked) {
            Step::Say(text) => Step::Say(text.replace("5 syllables", "five").leak()),
            other => other,
        }),
    );
    let arguments = ["--only", "evals", "--runs", "1", "--quiet", "--fail-under"];
    let under = |percent: &str| run(&project, &model, &[&arguments[..], &[percent]].concat());
    assert_eq!(under("80").code, Some(0));
    let run = under("81");
    assert_eq!(run.code, Some(3));
    assert_eq!(
        run.stderr,
        "error: the pass rate with the skill is 80%, below 81%\n"
    );
    assert!(!run.stdout.contains("MESSAGE"));
}

#[test]
fn baseline_differences_are_printed() {
    let (project, model) = (new_project(), ScriptedModel::from_fn(pupil));
    assert_eq!(run(&project, &model, &["--runs", "1"]).code, Some(0));
    let worse = ScriptedModel::from_fn(|asked: &ModelRequest| match pupil(asked) {
        Step::Say(text) => Step::Say(text.replace("5 syllables", "five").leak()),
        Step::Call(..) => Step::Say("No."),
        other => other,
    });
    project.write("prowess-eval/haiku/mine.txt", "stays");
    let run = run(&project, &worse, &["--runs", "1", "--baseline", BENCHMARK]);
    assert_snapshot!(without_seconds(&run.snapshot()), @r"
    exit 0
    --- stdout
    EVAL            WITH THE SKILL   WITHOUT          DIFFERENCE
    regen           80% ± 0%         0% ± 0%          +80 points
    all: pass rate  80% ± 0%         0% ± 0%          +80 points
    all: tokens     110 ± 0          110 ± 0          +0
    all: time       N.NN s ± N.NN s  N.NN s ± N.NN s  ?N.NN s

    MESSAGE           SHOULD USE IT  DID
    a poem, please    yes            0 of 1
    what is the time  no             0 of 1
    correct in 50%: used in 0% of the positive cases, in 0% of the negative cases

    WITH THE SKILL     BEFORE  NOW     DIFFERENCE
    regen              100%    80%     -20 points
    all: pass rate     100%    80%     -20 points
    all: tokens        110     110     +0
    all: time          N.NN s  N.NN s  ?N.NN s
    triggers: correct  100%    50%     -50 points
    --- stderr
    4 chats: 1 × (2 × 1 eval + 2 messages); one or more requests each, and 2 requests to the judge
    wrote prowess-eval/haiku/benchmark.json and prowess-eval/haiku/report.html
    ");
    assert_eq!(project.read("prowess-eval/haiku/mine.txt"), "stays");
    assert_eq!(
        benchmark(&project)["run_summary"]["with_skill"]["pass_rate"]["mean"],
        0.8
    );
    let files = fs::read_dir(project.path("prowess-eval/haiku")).unwrap();
    assert_eq!(files.count(), 3);
}

#[test]
fn directory_and_single_eval_are_selected() {
    let (project, model) = (new_project(), ScriptedModel::from_fn(pupil));
    fs::rename(project.path(".agents/skills/haiku"), project.path("mine")).unwrap();
    let out = project.path("über/ergebnis");
    let mut command = project.command(&["eval", "./mine", "--approve-skills", "haiku"]);
    command
        .args(["--base-url", &model.url, "--model", "m", "--runs", "1"])
        .args(["--eval", "regen", "--out"])
        .arg(&out);
    let run = Run::of(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("regen           100% ± 0%        0% ± 0%"),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.ends_with("über/ergebnis/report.html\n"),
        "{}",
        run.stderr
    );
    assert!(out.join("benchmark.json").exists());
}

#[test]
fn results_are_written_outside_the_skill() {
    let project = new_project();
    let mut command =
        project.command(&["eval", ".", "--runs", "1", "--only", "triggers", "--quiet"]);
    command.current_dir(project.path(".agents/skills/haiku"));
    let run = Run::of(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        project
            .path(".agents/skills/prowess-eval/haiku/report.html")
            .exists()
    );
    assert!(!project.path(".agents/skills/haiku/prowess-eval").exists());
}

#[test]
fn judge_can_be_another_model() {
    let project = new_project();
    let judge = ScriptedModel::from_fn(|asked: &ModelRequest| {
        assert!(
            asked.system().starts_with("You judge"),
            "{}",
            asked.system()
        );
        Step::Say("FAIL: never good enough")
    });
    let model = ScriptedModel::from_fn(|asked: &ModelRequest| {
        assert!(!asked.system().starts_with("You judge"));
        pupil(asked)
    });
    let run = run(
        &project,
        &model,
        &[
            "--runs",
            "1",
            "--json",
            "--judge-model",
            "strict",
            "--judge-base-url",
            &judge.url,
        ],
    );
    let written = run.json();
    assert_eq!(written["judge"], "local/strict");
    assert_eq!(written["runs"][0]["pass_rate"], 0.8);
    assert_eq!(judge.seen().len(), 2);
}

#[test]
fn demo_model_is_reported() {
    let project = new_project();
    let run = project.run(&[
        "eval",
        "haiku",
        "--approve-skills",
        "haiku",
        "--runs",
        "1",
        "--only",
        "evals",
    ]);
    assert_eq!(run.code, Some(0));
    assert_snapshot!(run.stderr, @r"
    2 chats: 1 × 2 × 1 eval; one or more requests each
    the demo model does not reason: the results say nothing about the skill
    1 expectation is for a judge, and the demo model cannot judge; choose a judge with --judge-provider
    wrote prowess-eval/haiku/benchmark.json and prowess-eval/haiku/report.html
    ");
    assert_eq!(benchmark(&project)["judge"], Value::Null);
}

/// A skill with code, which is there when the words of a message call for it.
fn with_code() -> TestProject {
    let project = TestProject::new();
    project
        .write(
            "skills/counter/SKILL.md",
            "---\nname: counter\ndescription: Counts words\n---\nUse the tool.\n",
        )
        .write(
            "skills/counter/SKILL.yaml",
            "name: counter\nversion: 1.0.0\ndescription: Counts words\ntypes: [tool]\ntriggers:\n  keywords: [count]\n\
             implementation:\n  backend: starlark\n  entrypoint: main.star\n",
        )
        .write(
            "skills/counter/main.star",
            "def count(input):\n    return \"7\"\n\nregister_tool(\"count_words\", \"Counts words.\", count)\n",
        )
        .write(
            "skills/counter/evals/evals.json",
            r#"[{"prompt": "How many words?", "expectations": [{"contains": "there is a tool"}]}]"#,
        )
        .write(
            "skills/counter/evals/triggers.json",
            r#"[{"query": "count this for me", "should_trigger": true}, {"query": "good morning", "should_trigger": false}]"#,
        );
    project
}

#[test]
fn unapproved_code_of_other_skills_is_reported() {
    let project = with_code();
    let model = ScriptedModel::from_fn(|_: &ModelRequest| Step::Say("no"));
    let manifest = project.read("skills/counter/SKILL.yaml");
    project
        .write(
            "skills/counter/SKILL.yaml",
            manifest.replace("keywords: [count]", "files: [evals.json]"),
        )
        .write(
            "skills/plain/SKILL.md",
            "---\nname: plain\ndescription: Plain\n---\nBe plain.\n",
        )
        .write(
            "skills/plain/evals/evals.json",
            r#"[{"prompt": "count to three", "expectations": [{"contains": "three"}]}]"#,
        );
    let mut command = project.command(&["eval", "plain", "--in", "skills", "--runs", "1"]);
    command.args(["--base-url", &model.url, "--model", "m", "--no-tools"]);
    let run = Run::of(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let note = "cannot run the code of `counter`: not-approved: `counter` needs approval: run";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let path = "prowess-eval/plain/benchmark.json";
    let written: Value = serde_json::from_str(&project.read(path)).unwrap();
    assert_eq!(written["notes"], json!([note]));
}

#[test]
fn code_is_active_only_with_the_skill() {
    let project = with_code();
    let arguments = ["eval", "counter", "--in", "skills", "--runs", "2"];
    let refused = project.run(&arguments);
    assert_eq!(refused.code, Some(4));
    assert!(
        refused.stderr.contains("--approve-skills counter"),
        "{}",
        refused.stderr
    );
    let model = ScriptedModel::from_fn(|asked: &ModelRequest| {
        let has_tool = asked.tool_names().iter().any(|tool| tool == "count_words");
        let named = asked.last_text().contains("<skill id=\"counter\">");
        assert_eq!(has_tool, named, "{}", asked.last_text());
        Step::Say(if has_tool { "there is a tool" } else { "no" })
    });
    let approved = ["--approve-skills", "counter", "--quiet", "--json"];
    let mut command = project.command(&[&arguments[..], &approved].concat());
    command.args(["--base-url", &model.url, "--model", "m"]);
    let run = Run::of(command.output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let written = run.json();
    assert_eq!(written["run_summary"]["delta"]["pass_rate"], 1.0);
    assert_eq!(written["triggers"][0]["triggered"], 2);
    assert_eq!(written["triggers"][1]["triggered"], 0);
    // The word alone activates the code; nobody has to be asked about that.
    assert_eq!(model.seen().len(), 4 + 2);
}
