//! The output directory, and results after an interrupt.

use std::fs;
use std::process::Stdio;

use insta::assert_snapshot;
use prowess_testing::model::{ModelRequest, ScriptedModel, Step};
use rustix::process::{Pid, Signal, kill_process};

use crate::failures::refused;
use crate::support::{Run, TestProject, without_seconds};
use crate::{BENCHMARK, REPORT, benchmark, eval, new_project, pupil, run};

const PARTIAL: &str = "prowess-eval/haiku/benchmark.partial.json";
const PARTIAL_REPORT: &str = "prowess-eval/haiku/report.partial.html";

/// Interrupts it where the model does not answer.
fn interrupted(project: &TestProject, model: &ScriptedModel) -> Run {
    let mut command = eval(project, model, &[]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    model.wait_for_hang();
    let id = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process(id, Signal::INT).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// Does not answer when it comes to the second message.
fn hangs_late(asked: &ModelRequest) -> Step {
    if asked.last_text().contains("what is the time") {
        return Step::Hang("");
    }
    pupil(asked)
}

#[test]
fn unwritable_directory_is_rejected_before_any_request() {
    let project = new_project();
    assert_snapshot!(refused(&project, &["--out", "/proc/x"]), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot write to /proc/x: No such file or directory (os error 2)
    hint: choose another directory with --out
    ");
    let model = ScriptedModel::from_fn(pupil);
    let run = run(&project, &model, &["--out", "/proc/x", "--json"]);
    assert_eq!((run.code, model.seen().len()), (Some(1), 0));
    assert_eq!(run.json()["error"]["code"], "failure");
    project.write("file", "mine");
    assert_snapshot!(refused(&project, &["--out", "file/below/it"]), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot write to file/below/it: Not a directory (os error 20)
    hint: choose another directory with --out
    ");
    // Finding out leaves nothing behind.
    assert!(refused(&project, &["--out", "a/b/c", "--eval", "rgen"]).contains("rgen"));
    project.write("b/mine", "stays");
    project.write("b/benchmark.json", "{}");
    assert!(refused(&project, &["--out", "b"]).contains("was not written by"));
    assert!(!project.path("a").exists());
    assert_eq!(fs::read_dir(project.path("b")).unwrap().count(), 2);
}

#[test]
fn results_are_printed_if_they_cannot_be_written() {
    let project = new_project();
    let usual = project.path("prowess-eval");
    let model = ScriptedModel::from_fn(move |asked: &ModelRequest| {
        // A file appears where the results should go.
        fs::write(&usual, "in the way").unwrap();
        pupil(asked)
    });
    let run = run(&project, &model, &["--only", "evals", "--runs", "1"]);
    assert_snapshot!(without_seconds(&run.snapshot()), @r"
    exit 1
    --- stdout
    EVAL            WITH THE SKILL   WITHOUT          DIFFERENCE
    regen           100% ± 0%        0% ± 0%          +100 points
    all: pass rate  100% ± 0%        0% ± 0%          +100 points
    all: tokens     110 ± 0          110 ± 0          +0
    all: time       N.NN s ± N.NN s  N.NN s ± N.NN s  ?N.NN s
    --- stderr
    2 chats: 1 × 2 × 1 eval; one or more requests each, and 2 requests to the judge
    error: cannot create prowess-eval/haiku: Not a directory (os error 20)
    ");
    assert_eq!(project.read("prowess-eval"), "in the way");
}

#[test]
fn interrupt_writes_partial_results() {
    let (project, model) = (new_project(), ScriptedModel::from_fn(hangs_late));
    let run = interrupted(&project, &model);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr
            .contains("stopped early: the results are incomplete"),
        "{}",
        run.stderr
    );
    let written = benchmark(&project);
    assert_eq!(written["partial"], true);
    assert_eq!(written["runs"].as_array().unwrap().len(), 2);
    assert_eq!(written["triggers"].as_array().unwrap().len(), 1);
    assert!(run.stdout.contains("regen"), "{}", run.stdout);
    assert!(
        project
            .read(REPORT)
            .contains("The evaluation was stopped early")
    );
    // What is not everything may go for something that is not everything either.
    fs::write(
        project.path(BENCHMARK),
        project.read(BENCHMARK).replace("rain falls", "old"),
    )
    .unwrap();
    assert_eq!(interrupted(&project, &model).code, Some(1));
    assert!(project.read(BENCHMARK).contains("rain falls"));
    assert!(!project.path(PARTIAL).exists());
}

#[test]
fn interrupt_does_not_overwrite_complete_results() {
    let project = new_project();
    let good = ScriptedModel::from_fn(pupil);
    assert_eq!(run(&project, &good, &["--runs", "1"]).code, Some(0));
    let complete = (project.read(BENCHMARK), project.read(REPORT));
    let run = interrupted(&project, &ScriptedModel::from_fn(hangs_late));
    assert_eq!(run.code, Some(1));
    let told = "wrote prowess-eval/haiku/benchmark.partial.json and prowess-eval/haiku/report.partial.html: \
                prowess-eval/haiku/benchmark.json is complete and was not overwritten\n";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!((project.read(BENCHMARK), project.read(REPORT)), complete);
    let written: serde_json::Value = serde_json::from_str(&project.read(PARTIAL)).unwrap();
    assert_eq!(written["partial"], true);
    assert!(project.read(PARTIAL_REPORT).contains("stopped early"));
    // Those are ours as well, and nobody else's would be touched.
    project.write(PARTIAL, "{\"mine\": true}\n");
    let model = ScriptedModel::from_fn(|_: &ModelRequest| panic!("nobody is to be asked"));
    let refused = crate::run(&project, &model, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(project.read(PARTIAL), "{\"mine\": true}\n");
}

#[test]
fn interrupt_before_the_first_result_writes_nothing() {
    let project = new_project();
    let good = ScriptedModel::from_fn(pupil);
    let hangs = || ScriptedModel::from_fn(|_: &ModelRequest| Step::Hang(""));
    let run = interrupted(&project, &hangs());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(!project.path("prowess-eval").exists());
    assert_eq!(crate::run(&project, &good, &["--runs", "1"]).code, Some(0));
    let complete = (project.read(BENCHMARK), project.read(REPORT));
    let run = interrupted(&project, &hangs());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr
            .ends_with("error: stopped before the first result: nothing written\n"),
        "{}",
        run.stderr
    );
    assert_eq!((project.read(BENCHMARK), project.read(REPORT)), complete);
    assert!(!project.path(PARTIAL).exists());
}
