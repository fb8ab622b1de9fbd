//! A real terminal, for programs that behave differently in one.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use super::TestProject;

/// A terminal of this width: our end, and the program's end.
pub(crate) fn terminal(columns: u16) -> (File, File) {
    prowess_testing::terminal(columns, 24)
}

fn start(project: &TestProject, columns: u16, arguments: &[&str]) -> (File, Child) {
    start_command(project.command(arguments), columns)
}

fn start_command(mut command: Command, columns: u16) -> (File, Child) {
    let (ours, theirs) = terminal(columns);
    let child = command
        .env("TERM", "xterm")
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs))
        .spawn()
        .unwrap();
    (ours, child)
}

/// Runs the program in a terminal, types a line of `answers` each time that it asks one of the questions between `|`,
/// and returns what it showed.
pub(crate) fn answering(
    project: &TestProject,
    columns: u16,
    arguments: &[&str],
    question: &str,
    answers: &str,
) -> String {
    answering_in(project.command(arguments), columns, question, answers)
}

/// The same for any command.
pub(crate) fn answering_in(
    command: Command,
    columns: u16,
    question: &str,
    answers: &str,
) -> String {
    let (mut ours, mut child) = start_command(command, columns);
    let mut answers = answers.split_inclusive('\n');
    let mut asked = 0;
    let mut shown = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = ours.read(&mut bytes) {
        shown.extend(&bytes[..count]);
        let text = String::from_utf8_lossy(&shown);
        let questions = question
            .split('|')
            .map(|question| text.matches(question).count());
        while asked < questions.clone().sum::<usize>() {
            asked += 1;
            let answer = answers.next().expect("a question without an answer");
            ours.write_all(answer.as_bytes()).unwrap();
        }
    }
    child.wait().unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}

/// Runs the program in a terminal, types `input`, and returns what it showed.
pub(crate) fn run(project: &TestProject, columns: u16, arguments: &[&str], input: &str) -> String {
    let (mut ours, mut child) = start(project, columns, arguments);
    ours.write_all(input.as_bytes()).unwrap();
    let mut shown = Vec::new();
    // The terminal ends with an error once the program has closed it.
    let _ = ours.read_to_end(&mut shown);
    child.wait().unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}

/// `text` without colours.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.trim_start_matches([
            '[', '?', ';', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
        ]);
        rest = rest.get(1..).unwrap_or_default();
    }
    plain + rest
}
