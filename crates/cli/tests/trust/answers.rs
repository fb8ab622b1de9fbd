//! `prowess trust`, and what an answer is good for.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::support::terminal::{answering, plain};
use crate::support::{Run, TestProject};

/// A server that tells what it was asked, with an empty list of skills.
struct Thief {
    url: String,
    seen: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Thief {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = std::sync::Arc::<std::sync::Mutex<Vec<String>>>::default();
        let heard = std::sync::Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).unwrap_or(0);
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                heard.lock().unwrap().push(text);
                let body = "{\"skills\":[]}";
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { url, seen }
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

fn new_project(thief: &Thief, more: &str) -> TestProject {
    let project = TestProject::new();
    project
        .write(".git/HEAD", "")
        .write("prowess.toml", file(thief, more));
    project
}

fn file(thief: &Thief, more: &str) -> String {
    format!(
        "[[skills.repositories]]\nname = \"team\"\ntype = \"http\"\nurl = \"{}/api\"\nauth = {{ bearer = \"${{ELEPHANT_API_KEY}}\" }}\n{more}",
        thief.url
    )
}

fn list(project: &TestProject) -> Run {
    let mut command = project.command(&["list"]);
    Run::of(
        command
            .env("ELEPHANT_API_KEY", "elephant")
            .output()
            .unwrap(),
    )
}

fn digest(project: &TestProject) -> String {
    let json = project.run(&["trust", "--json"]).json();
    json["digest"].as_str().unwrap().to_owned()
}

#[test]
fn q3_without_an_answer_nothing_is_contacted() {
    let thief = Thief::new();
    let project = new_project(&thief, "");
    project.skill(".agents/skills/a");
    let listed = list(&project);
    assert_eq!(listed.code, Some(0));
    assert!(
        listed
            .stderr
            .contains("hint: not trusted yet: team; run `prowess trust`"),
        "{}",
        listed.stderr
    );
    assert!(
        listed.stderr.contains("1 place not trusted"),
        "{}",
        listed.stderr
    );
    let json = project.run(&["list", "--json"]).json();
    assert_eq!(json["sources"][0]["health"], "untrusted");
    let doctor = project.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("untrusted team"),
        "{}",
        doctor.stdout
    );
    assert!(thief.requests().is_empty());
}

#[test]
fn q4_the_answer_is_stored_for_this_project_and_this_list() {
    let thief = Thief::new();
    let project = new_project(&thief, "");
    let shown = plain(&answering(&project, 100, &["trust"], "again: ", "n\n"));
    for line in [
        format!("connect to {}/api", thief.url),
        "send ${ELEPHANT_API_KEY} to 127.0.0.1".to_owned(),
        "Digest: sha256:".to_owned(),
    ] {
        assert!(shown.contains(&line), "{shown}");
    }
    assert!(list(&project).stderr.contains("not trusted yet"));
    assert!(thief.requests().is_empty());

    answering(&project, 100, &["trust"], "again: ", "yes\n");
    let listed = list(&project);
    assert!(!listed.stderr.contains("not trusted"), "{}", listed.stderr);
    let requests = thief.requests();
    assert!(
        requests
            .iter()
            .any(|it| it.contains("Bearer elephant") || it.contains("bearer elephant")),
        "{requests:?}"
    );
    let answers = project.run(&["trust", "--list"]);
    assert!(answers.stdout.contains("trusted"), "{}", answers.stdout);

    // The same file in another place is another project.
    let other = new_project(&thief, "");
    std::fs::create_dir_all(other.path("home")).unwrap();
    let mut command = other.command(&["list"]);
    command.env("HOME", project.path("home"));
    let listed = Run::of(command.output().unwrap());
    assert!(
        listed.stderr.contains("not trusted yet"),
        "{}",
        listed.stderr
    );

    assert_eq!(project.run(&["trust", "--revoke"]).code, Some(0));
    assert!(list(&project).stderr.contains("not trusted yet"));
    assert_eq!(project.run(&["trust", "--revoke"]).code, Some(1));
}

#[test]
fn q4_list_asks_in_a_terminal_and_never_means_never() {
    let thief = Thief::new();
    let project = new_project(&thief, "");
    let shown = plain(&answering(&project, 100, &["list"], "again: ", "v\n"));
    assert!(shown.contains("wants to:"), "{shown}");
    let shown = plain(&answering(&project, 100, &["list"], "again: ", ""));
    assert!(!shown.contains("wants to:"), "{shown}");
    assert!(thief.requests().is_empty());
    // Another list is another question.
    project.write("prowess.toml", file(&thief, "").replace("/api", "/other"));
    let shown = plain(&answering(&project, 100, &["list"], "again: ", "n\n"));
    assert!(shown.contains("+ connect to"), "{shown}");
    assert!(shown.contains("(no longer)"), "{shown}");
}

#[test]
fn q4_machines_answer_with_the_digest() {
    let thief = Thief::new();
    let project = new_project(&thief, "");
    let refused = project.run(&["trust"]);
    assert_eq!(refused.code, Some(4));
    let digest = digest(&project);
    assert!(
        refused.stderr.contains(&format!(
            "hint: run `prowess trust --yes --digest {digest}`"
        )),
        "{}",
        refused.stderr
    );
    let wrong = format!("sha256:{}", "0".repeat(64));
    let refused = project.run(&["trust", "--yes", "--digest", &wrong]);
    assert_eq!(refused.code, Some(4));
    assert_eq!(project.run(&["trust", "--yes"]).code, Some(2));
    let accepted = project.run(&["trust", "--yes", "--digest", &digest]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.stderr);
    assert!(!list(&project).stderr.contains("not trusted"));
}

#[test]
fn q5_another_comment_keeps_the_answer_and_another_host_does_not() {
    let thief = Thief::new();
    let other = Thief::new();
    let project = new_project(&thief, "");
    let accepted = project.run(&["trust", "--yes", "--digest", &digest(&project)]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.stderr);
    project.write("prowess.toml", format!("# a comment\n{}", file(&thief, "")));
    assert!(!list(&project).stderr.contains("not trusted"));
    project.write("prowess.toml", file(&other, ""));
    assert!(list(&project).stderr.contains("not trusted yet"));
    assert!(other.requests().is_empty());
    // Also for another variable to the same host.
    project.write(
        "prowess.toml",
        file(&thief, "").replace("ELEPHANT", "ZEBRA"),
    );
    assert!(list(&project).stderr.contains("not trusted yet"));
}

/// A host that was shown does not pass on what it got.
#[test]
fn q6_a_variable_goes_to_no_other_host_by_a_redirect() {
    let other = Thief::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let target = other.url.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(
                stream,
                "HTTP/1.1 307 Temporary Redirect\r\nlocation: {target}/api/skills\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    let first = Thief {
        url,
        seen: std::sync::Arc::default(),
    };
    let project = new_project(&first, "");
    project.run(&["trust", "--yes", "--digest", &digest(&project)]);
    let listed = list(&project);
    assert!(listed.stderr.contains("redirect"), "{}", listed.stderr);
    assert!(other.requests().is_empty());
}
