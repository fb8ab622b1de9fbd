//! What was paid for is not lost: where results go, and what they may take the place of.

use std::fs;
use std::process::Stdio;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};

use crate::failures::refused;
use crate::model::{Asked, Model, Reply};
use crate::support::{Place, Run, without_seconds};
use crate::{BENCHMARK, REPORT, benchmark, eval, place, pupil, run};

const PARTIAL: &str = "prowess-eval/haiku/benchmark.partial.json";
const PARTIAL_REPORT: &str = "prowess-eval/haiku/report.partial.html";

/// Interrupts it where the model does not answer.
fn interrupted(place: &Place, model: &Model) -> Run {
    let mut command = eval(place, model, &[]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    model.hangs();
    let id = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process(id, Signal::INT).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// Does not answer when it comes to the second message.
fn hangs_late(asked: &Asked) -> Reply {
    if asked.last.contains("what is the time") {
        return Reply::Hang;
    }
    pupil(asked)
}

#[test]
fn a_directory_that_cannot_be_is_refused_before_anything_is_spent() {
    let place = place();
    assert_snapshot!(refused(&place, &["--out", "/proc/x"]), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot write to /proc/x: No such file or directory (os error 2)
    hint: choose another directory with --out
    ");
    let model = Model::new(pupil);
    let run = run(&place, &model, &["--out", "/proc/x", "--json"]);
    assert_eq!((run.code, model.asked()), (Some(1), 0));
    assert_eq!(run.json()["error"]["code"], "failure");
    place.write("file", "mine");
    assert_snapshot!(refused(&place, &["--out", "file/below/it"]), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot write to file/below/it: Not a directory (os error 20)
    hint: choose another directory with --out
    ");
    // Finding out leaves nothing behind.
    assert!(refused(&place, &["--out", "a/b/c", "--eval", "rgen"]).contains("rgen"));
    place.write("b/mine", "stays");
    place.write("b/benchmark.json", "{}");
    assert!(refused(&place, &["--out", "b"]).contains("was not written by"));
    assert!(!place.path("a").exists());
    assert_eq!(fs::read_dir(place.path("b")).unwrap().count(), 2);
}

#[test]
fn figures_are_printed_even_if_they_cannot_be_written() {
    let place = place();
    let usual = place.path("prowess-eval");
    let model = Model::new(move |asked: &Asked| {
        // In the middle, somebody puts a file where the results should go.
        fs::write(&usual, "in the way").unwrap();
        pupil(asked)
    });
    let run = run(&place, &model, &["--only", "evals", "--runs", "1"]);
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
    assert_eq!(place.read("prowess-eval"), "in the way");
}

#[test]
fn interrupted_it_writes_what_it_has() {
    let (place, model) = (place(), Model::new(hangs_late));
    let run = interrupted(&place, &model);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr
            .contains("stopped early: the results are incomplete"),
        "{}",
        run.stderr
    );
    let written = benchmark(&place);
    assert_eq!(written["partial"], true);
    assert_eq!(written["runs"].as_array().unwrap().len(), 2);
    assert_eq!(written["triggers"].as_array().unwrap().len(), 1);
    assert!(run.stdout.contains("regen"), "{}", run.stdout);
    assert!(
        place
            .read(REPORT)
            .contains("The evaluation was stopped early")
    );
    // What is not everything may go for something that is not everything either.
    fs::write(
        place.path(BENCHMARK),
        place.read(BENCHMARK).replace("rain falls", "old"),
    )
    .unwrap();
    assert_eq!(interrupted(&place, &model).code, Some(1));
    assert!(place.read(BENCHMARK).contains("rain falls"));
    assert!(!place.path(PARTIAL).exists());
}

#[test]
fn interrupted_it_takes_the_place_of_nothing_that_is_complete() {
    let place = place();
    let good = Model::new(pupil);
    assert_eq!(run(&place, &good, &["--runs", "1"]).code, Some(0));
    let complete = (place.read(BENCHMARK), place.read(REPORT));
    let run = interrupted(&place, &Model::new(hangs_late));
    assert_eq!(run.code, Some(1));
    let told = "wrote prowess-eval/haiku/benchmark.partial.json and prowess-eval/haiku/report.partial.html: \
                prowess-eval/haiku/benchmark.json is complete and was not overwritten\n";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert_eq!((place.read(BENCHMARK), place.read(REPORT)), complete);
    let written: serde_json::Value = serde_json::from_str(&place.read(PARTIAL)).unwrap();
    assert_eq!(written["partial"], true);
    assert!(place.read(PARTIAL_REPORT).contains("stopped early"));
    // Those are ours as well, and nobody else's would be touched.
    place.write(PARTIAL, "{\"mine\": true}\n");
    let model = Model::new(|_: &Asked| panic!("nobody is to be asked"));
    let refused = crate::run(&place, &model, &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(place.read(PARTIAL), "{\"mine\": true}\n");
}

#[test]
fn interrupted_before_anything_was_measured_it_writes_nothing() {
    let place = place();
    let good = Model::new(pupil);
    let hangs = || Model::new(|_: &Asked| Reply::Hang);
    let run = interrupted(&place, &hangs());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(!place.path("prowess-eval").exists());
    assert_eq!(crate::run(&place, &good, &["--runs", "1"]).code, Some(0));
    let complete = (place.read(BENCHMARK), place.read(REPORT));
    let run = interrupted(&place, &hangs());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr
            .ends_with("error: stopped before the first result: nothing written\n"),
        "{}",
        run.stderr
    );
    assert_eq!((place.read(BENCHMARK), place.read(REPORT)), complete);
    assert!(!place.path(PARTIAL).exists());
}
