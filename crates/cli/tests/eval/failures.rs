//! What goes wrong, and what is said about it.

use insta::assert_snapshot;
use prowess_testing::model::{ModelRequest, ScriptedModel, Step};

use crate::support::{TestProject, without_digests};
use crate::{BENCHMARK, REPORT, benchmark, new_project, pupil, run};

pub(crate) const EVALS: &str = ".agents/skills/haiku/evals/evals.json";

/// The output of a run that fails before any request.
pub(crate) fn refused(project: &TestProject, more: &[&str]) -> String {
    let model = ScriptedModel::from_fn(|_: &ModelRequest| panic!("nobody is to be asked"));
    let run = run(project, &model, more);
    assert_eq!((model.seen().len(), run.stdout.as_str()), (0, ""));
    assert!(!project.path("prowess-eval/haiku/report.html").exists());
    run.snapshot()
}

#[test]
fn missing_evals_are_reported() {
    let project = new_project();
    std::fs::remove_dir_all(project.path(".agents/skills/haiku/evals")).unwrap();
    assert_snapshot!(refused(&project, &[]), @r"
    exit 1
    --- stdout
    --- stderr
    error: `haiku` has neither evals/evals.json nor evals/triggers.json
    hint: see `prowess eval --help` for the format
    ");
    project.write(EVALS, "[]");
    assert_snapshot!(refused(&project, &[]), @r"
    exit 1
    --- stdout
    --- stderr
    error: `haiku` has no evals: the lists in its files are empty
    hint: see `prowess eval --help` for the format
    ");
}

#[test]
fn malformed_suites_are_rejected() {
    let project = new_project();
    project.write(EVALS, "[\r\n  {\"prompt\": \"x\",}\r\n]");
    assert_snapshot!(refused(&project, &[]), @r"
    exit 1
    --- stdout
    --- stderr
    error: evals/evals.json:2:18: invalid JSON: trailing comma
    ");
    project.write(
        EVALS,
        r#"[{"prompt": "x", "expectations": [{"regex": "("}]}]"#,
    );
    assert_snapshot!(refused(&project, &[]), @r"
    exit 1
    --- stdout
    --- stderr
    error: evals/evals.json: evals[0].expectations[0].regex: invalid regular expression `(`: unclosed group
    ");
    project.write(
        EVALS,
        r#"[{"prompt": "x", "expectations": ["y"], "files": ["evals/world.txt"]}]"#,
    );
    assert_snapshot!(refused(&project, &[]), @r"
    exit 1
    --- stdout
    --- stderr
    error: evals/evals.json: evals[0].files[0]: `haiku` has no file `evals/world.txt`; did you mean evals/words.txt?
    ");
}

#[test]
fn invalid_arguments_are_rejected() {
    let project = new_project();
    assert_snapshot!(refused(&project, &["--eval", "rgen"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: `haiku` has no eval `rgen`
    hint: did you mean regen?
    ");
    assert_snapshot!(refused(&project, &["--only", "triggers", "--fail-under", "50"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: --fail-under requires evals, and none are selected
    hint: omit --fail-under, or add evals/evals.json
    ");
    assert_snapshot!(refused(&project, &["--baseline", "no.json"]), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot read no.json: No such file or directory (os error 2)
    ");
    assert_snapshot!(refused(&project, &["--judge-provider", "anthropic"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: the judge: missing model for provider `anthropic`
    hint: add --judge-model NAME, or `name` under [model] in your prowess.toml
    ");
    assert!(refused(&project, &["--runs", "0"]).contains("0 is not in 1..=1000"));
}

#[test]
fn foreign_files_are_not_overwritten() {
    let project = new_project();
    project.write(BENCHMARK, "{\"mine\": true}\n");
    assert_snapshot!(refused(&project, &[]), @r"
    exit 2
    --- stdout
    --- stderr
    error: prowess-eval/haiku/benchmark.json exists and was not written by `prowess eval`
    hint: choose another directory with --out
    ");
    assert_eq!(project.read(BENCHMARK), "{\"mine\": true}\n");
    project.write("file", "");
    assert_snapshot!(refused(&project, &["--out", "file"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: file is not a directory
    hint: choose another directory with --out
    ");
}

#[test]
fn missing_key_or_approval_exits_with_four() {
    let project = new_project();
    let run = project.run(&[
        "eval",
        "haiku",
        "--provider",
        "anthropic",
        "--model",
        "m",
        "--approve-skills",
        "haiku",
    ]);
    assert_eq!(run.code, Some(4));
    assert!(run.stderr.contains("ANTHROPIC_API_KEY"), "{}", run.stderr);
    assert_snapshot!(without_digests(&project.run(&["eval", "haiku"]).snapshot()), @r"
    exit 4
    --- stdout
    --- stderr
    error: `evals/check.sh` of `haiku` cannot look at answers: not approved: run, file:read
    hint: run it in a terminal to approve it, or add `--approve-skills haiku@sha256:DIGEST` if you trust it
    ");
}

fn unavailable() -> Step {
    let body = r#"{"error": {"message": "it is down"}}"#;
    Step::Status(503, vec![("retry-after", "3600")], body.to_owned())
}

#[test]
fn provider_failure_at_the_start_is_reported() {
    let (project, model) = (
        new_project(),
        ScriptedModel::from_fn(|_: &ModelRequest| unavailable()),
    );
    let run = run(&project, &model, &["--quiet"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.starts_with("error: `openai` answered 503"),
        "{}",
        run.stderr
    );
    assert!(!project.path("prowess-eval").exists());
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn provider_failure_during_a_run_is_reported() {
    let project = new_project();
    let model = ScriptedModel::from_fn(|asked: &ModelRequest| {
        let without = !asked.last_text().contains("<skill id=");
        if without
            && asked.last_text().contains("Regen")
            && !asked.system().starts_with("You judge")
        {
            return unavailable();
        }
        pupil(asked)
    });
    let run = run(&project, &model, &["--runs", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let line = "no answer (counted as failed): 0 with the skill, 2 without; `openai` answered 503";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let written = benchmark(&project);
    let summary = &written["run_summary"];
    assert_eq!(summary["without_skill"]["errors"], 2);
    assert_eq!(summary["without_skill"]["pass_rate"]["mean"], 0.0);
    assert_eq!(summary["with_skill"]["pass_rate"]["mean"], 1.0);
    assert_eq!(written["triggers"][0]["triggered"], 2);
    assert!(
        project
            .read(REPORT)
            .contains("2 runs had no answer and count as failed.")
    );
}

#[test]
fn report_escapes_skill_and_model_output() {
    let project = new_project();
    let hostile = "</pre></title></style><script>alert(1)</script><img src=x onerror=alert(2)>";
    let evals = serde_json::json!([{
        "id": format!("a{hostile}"), "prompt": hostile,
        "expectations": [{"contains": hostile}, {"regex": "<[s]cript>"}],
    }]);
    project.write(EVALS, evals.to_string());
    let triggers = serde_json::json!([{"query": hostile, "should_trigger": false}]);
    project.write(
        ".agents/skills/haiku/evals/triggers.json",
        triggers.to_string(),
    );
    let model = ScriptedModel::from_fn(move |_: &ModelRequest| {
        Step::Say(format!("{hostile}\u{1b}[2J").leak())
    });
    let run = run(&project, &model, &["--runs", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'));
    let page = project.read(REPORT);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    for tag in ["<script", "<img", "\u{1b}", "http://", "https://", "url("] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
}
