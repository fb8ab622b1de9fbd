//! The console's address and its token.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Instant;

use prowess_testing::ChildGuard;
use rustix::process::Signal;

use crate::server::{DEADLINE, Server, body, status};
use crate::support::TestProject;
use crate::support::terminal::terminal;

const SERVE: [&str; 4] = ["serve", "--json", "--bind", "127.0.0.1:0"];

fn token(server: &Server) -> Option<String> {
    let console = server.ready["console"].as_str().unwrap();
    assert!(console.starts_with(&format!("http://127.0.0.1:{}/", server.port)));
    console.split_once("#token=").map(|it| it.1.to_owned())
}

#[test]
fn op14_console_token_is_for_this_run_only() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = Server::start(&mut project.command(&[&SERVE[..], &["--log=json"]].concat()));
    let secret = token(&server).unwrap();
    assert!(
        secret.starts_with("prowess_") && secret.len() > 60,
        "{secret}"
    );
    let change = |secret: &str| {
        let head = format!("BREW /api/skills HTTP/1.1\r\nAuthorization: Bearer {secret}");
        server.status(&head)
    };
    assert_eq!((change(&secret), change("prowess_other")), (405, 401));
    let tokens = project.run(&["token", "list", "--json"]);
    assert!(!tokens.stdout.contains("console"), "{}", tokens.stdout);
    let lines = server.stop();
    assert!(!lines.join("\n").contains(&secret), "{lines:?}");
    let again = Server::start(&mut project.command(&SERVE));
    assert_ne!(token(&again).unwrap(), secret);
    let head = format!("BREW /api/skills HTTP/1.1\r\nAuthorization: Bearer {secret}");
    assert_eq!(again.status(&head), 401);
}

#[test]
fn op13_read_only_has_no_token() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = Server::start(&mut project.command(&[&SERVE[..], &["--read-only"]].concat()));
    assert_eq!(token(&server), None);
    let refused = server.ask("PUT /api/skills/a HTTP/1.1", "{}");
    assert_eq!(status(&refused), 403);
    assert!(body(&refused).contains("read-only"), "{refused}");
    assert_eq!(server.status("GET /api/skills/a HTTP/1.1"), 200);
    let head = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream";
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    assert_eq!(status(&server.ask(head, initialize)), 200);
}

/// What the server prints to a terminal, or to a pipe, until it waits for requests and was stopped.
fn announced(project: &TestProject, more: &[&str], in_terminal: bool) -> String {
    let arguments = [&["serve", "--bind", "127.0.0.1:0"], more].concat();
    let (mut ours, theirs) = terminal(200);
    let mut command = project.command(&arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    if in_terminal {
        command.stderr(Stdio::from(theirs));
    } else {
        drop(theirs);
        command.stderr(Stdio::piped());
    }
    let mut child = ChildGuard(command.spawn().unwrap());
    // Only the server holds the other end now.
    drop(command);
    let mut pipe = child.stderr.take();
    let mut shown = Vec::new();
    let mut bytes = [0; 4096];
    let mut stopped = false;
    loop {
        let count = match &mut pipe {
            Some(pipe) => pipe.read(&mut bytes),
            None => ours.read(&mut bytes),
        };
        let Ok(count @ 1..) = count else { break };
        shown.extend_from_slice(&bytes[..count]);
        let text = String::from_utf8_lossy(&shown);
        let is_ready =
            text.contains("Ctrl-C to stop") && (!in_terminal || text.contains("console:"));
        if is_ready && !stopped {
            stopped = true;
            let id = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(id, Signal::TERM).unwrap();
        }
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8(shown).unwrap()
}

#[test]
fn op14_console_is_shown_in_a_terminal_only() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let shown = announced(&project, &[], true);
    assert!(shown.contains("console: http://127.0.0.1:") && shown.contains("/#token=prowess_"));
    assert!(!shown.contains("(read-only)"), "{shown}");
    let shown = announced(&project, &["--read-only"], true);
    assert!(
        shown.contains("(read-only)") && !shown.contains("token"),
        "{shown}"
    );
    let piped = announced(&project, &[], false);
    assert!(
        !piped.contains("token") && !piped.contains("console"),
        "{piped}"
    );
}

/// A directory with a browser that writes down what it was given.
fn browser(project: &TestProject) -> PathBuf {
    let script = "#!/bin/sh\nprintf '%s' \"$*\" > \"$OUT/arguments.new\"\ncp -p \"$1\" \"$OUT/page\"\nmv \"$OUT/arguments.new\" \"$OUT/arguments\"\n";
    project.write("bin/xdg-open", script).create("out");
    let path = project.path("bin/xdg-open");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    project.path("bin")
}

fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(began.elapsed() < DEADLINE, "{} is missing", path.display());
        thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn op15_open_shows_the_token_to_the_browser_and_to_no_other_user() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let bin = browser(&project);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = project.command(&[&SERVE[..], &["--open"]].concat());
    command.env("PATH", path).env("OUT", project.path("out"));
    let server = Server::start(&mut command);
    let secret = token(&server).unwrap();
    wait_for(&project.path("out/arguments"));
    let arguments = project.read("out/arguments");
    assert!(
        !arguments.contains(&secret) && arguments.contains(".html"),
        "{arguments}"
    );
    let console = server.ready["console"].as_str().unwrap().to_owned();
    assert!(
        project
            .read("out/page")
            .contains(&format!("url={console}\""))
    );
    let mode = fs::metadata(&arguments).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    server.stop();
    assert!(!Path::new(&arguments).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn op15_no_browser_is_a_note() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    project.create("empty");
    let mut command = project.command(&[&SERVE[..], &["--open"]].concat());
    command.env("PATH", project.path("empty"));
    let server = Server::start(&mut command);
    let line = server.wait_for("browser");
    assert!(
        line.starts_with("note: cannot open the browser: xdg-open: "),
        "{line}"
    );
    assert_eq!(server.status("GET /readyz HTTP/1.1"), 200);
}
