//! The reference validator, behind a pipe.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cases::Case;

/// What `cargo xtask test` sets to a Python that can import the validator.
const VARIABLE: &str = "PROWESS_REFERENCE_PYTHON";

const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/driver.py");

/// What the reference says about a case.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its messages, or `crash: ` and the class of the exception that it died of.
    pub(crate) complaints: Vec<String>,
    /// The name and the description that it read, as far as it got.
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
}

/// One answer for each case, in order.
pub(crate) fn ask(cases: &[Case]) -> Vec<Answer> {
    let python = std::env::var_os(VARIABLE).unwrap_or_else(|| {
        panic!(
            "{VARIABLE} is not set: this test needs the reference validator; run `cargo xtask test`"
        )
    });
    let mut child = Command::new(&python)
        .args(["-I", "-X", "utf8", DRIVER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {}: {error}", python.display()));
    let mut questions = child.stdin.take().unwrap();
    for case in cases {
        let question =
            serde_json::json!({ "directory": case.directory, "content": case.content.as_slice() });
        writeln!(questions, "{question}").unwrap();
    }
    drop(questions);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the driver: {}", output.status);
    let answers: Vec<Answer> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(answer)
        .collect();
    assert_eq!(answers.len(), cases.len(), "one answer for each case");
    answers
}

fn answer(line: &str) -> Answer {
    let value: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let complaints = match (value["errors"].as_array(), text("crash")) {
        (Some(errors), None) => errors
            .iter()
            .map(|error| error.as_str().unwrap().to_owned())
            .collect(),
        (None, Some(exception)) => vec![format!("crash: {exception}")],
        _ => panic!("an answer that is neither a verdict nor a crash: {line}"),
    };
    Answer {
        complaints,
        name: text("name"),
        description: text("description"),
    }
}
