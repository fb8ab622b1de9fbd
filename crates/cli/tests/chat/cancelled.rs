//! What is on the screen after a turn that was cancelled, or that said nothing, and keys that are typed meanwhile.

use prowess_testing::model::{Step, Wire};

use crate::session::Session;
use crate::setup::{model, new_project, run};

/// The last lines of the screen, from the message on.
fn after(session: &mut Session, message: &str) -> String {
    session.until("\r\n\r> ");
    let screen = session.screen();
    let at = screen.rfind(message).unwrap();
    screen.get(at..).unwrap().to_owned()
}

/// No half line, no spinner, a visible cursor after a prompt of its own; and counts that say what they are.
#[test]
fn cl68_cancelled_turn_leaves_a_clean_screen() {
    for (wire, tokens) in [
        (Wire::OpenAi, "about "),
        // It counts its input in the first event.
        (Wire::Anthropic, "100 tokens in, about "),
    ] {
        let project = new_project();
        let model = model(
            wire,
            [Step::Hang("Once upon a time, "), Step::Say("Short.")],
        );
        let mut session = Session::start(&project, Some(&model), &[]);
        session.type_in("a long story\r");
        session.until("Once upon a");
        session.interrupt();
        let shown = after(&mut session, "> a long story");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "Once upon a time,", "{shown}");
        assert!(
            lines[2].starts_with(tokens) && lines[2].contains(" out"),
            "{shown}"
        );
        assert!(lines[2].contains("tokens in, about "), "{shown}");
        assert_eq!(lines[3..], ["stopped", "", "> █"], "{shown}");
        assert_eq!(session.end(), Some(0));
    }
}

/// Nothing came yet: the spinner goes, the message is not part of the chat, and it can be sent again.
#[test]
fn cancelled_before_an_answer_is_clean_as_well() {
    let project = new_project();
    let model = model(Wire::OpenAi, [Step::Hang(""), Step::Say("Short.")]);
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("a long story\r");
    model.wait_for_hang();
    session.interrupt();
    let shown = after(&mut session, "> a long story");
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        lines[1].starts_with("about ") && lines[1].contains(" 0 out"),
        "{shown}"
    );
    assert_eq!(lines[2..], ["stopped", "", "> █"], "{shown}");
    session.type_in(":retry\r");
    session.until("Short.");
    session.until("> ");
    assert_eq!(model.last().messages().len(), 1);
    assert_eq!(session.end(), Some(0));
}

/// Keys of a turn are not in the picture; they are in the next line.
#[test]
fn cl69_keys_of_a_turn_wait_for_the_prompt() {
    let project = new_project();
    let model = model(Wire::OpenAi, [Step::Hang("Once upon a time, ")]);
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("a long story\r");
    session.until("Once upon a");
    session.type_in("next");
    session.interrupt();
    session.until("stopped");
    session.until("> ");
    session.until("next");
    let screen = session.screen();
    assert_eq!(screen.matches("next").count(), 1, "{screen}");
    assert!(screen.ends_with("\n> next█"), "{screen}");
    session.type_in("\u{15}");
    assert_eq!(session.end(), Some(0));
}

/// A line that was typed during a turn is sent after it, as shells do.
#[test]
fn line_typed_during_a_turn_is_sent_after_it() {
    let project = new_project();
    let model = model(
        Wire::OpenAi,
        [Step::Hang("Once upon a time, "), Step::Say("Short.")],
    );
    let mut session = Session::start(&project, Some(&model), &[]);
    session.type_in("a long story\r");
    session.until("Once upon a");
    session.type_in("shorter\r");
    session.interrupt();
    session.until("stopped");
    session.until("Short.");
    session.until("> ");
    assert_eq!(model.last().last_text(), "shorter");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn cl70_empty_answer_is_reported() {
    let project = new_project();
    let model = model(
        Wire::OpenAi,
        [Step::Say(""), Step::Say(" \n"), Step::Say("ok")],
    );
    let text = "the model returned an empty answer";
    let piped = run(&project, Some(&model), &["-p", "hi"]);
    assert_eq!((piped.code, piped.stdout.trim()), (Some(1), ""));
    assert!(piped.stderr.contains(text), "{}", piped.stderr);
    let mut session = Session::start(&project, Some(&model), &["--resume"]);
    session.type_in("hi\r");
    session.until(text);
    session.until("> ");
    session.type_in("again\r");
    session.until("ok");
    session.until("> ");
    assert_eq!(session.end(), Some(0));
}
