//! Another user of the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Run, TestProject, started};

/// What is open to others below a directory: nothing below one that is closed to them is.
fn open_to_others(path: &Path, found: &mut Vec<String>) {
    let metadata = fs::symlink_metadata(path).unwrap();
    let others = metadata.permissions().mode() & 0o077;
    if others == 0 || metadata.is_symlink() {
        return;
    }
    found.push(path.display().to_string());
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            open_to_others(&entry.unwrap().path(), found);
        }
    }
}

/// With the most generous umask: who could write the index of a user would decide what that user finds, and chats are read.
#[test]
fn nothing_that_is_saved_is_open_to_other_users() {
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    for number in 0..3 {
        project.skill(&format!(".agents/skills/s{number}"));
    }
    for words in [
        &["search", "anything"][..],
        &["chat", "-p", "list my skills"],
        &["token", "create", "ci", "--scope", "read"],
        &["install", "./.agents/skills/s0", "--yes"],
        &["config", "init", "--user"],
    ] {
        let program = project.command(words);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "umask 000 && exec \"$0\" \"$@\""]);
        shell.arg(program.get_program()).args(program.get_args());
        shell.current_dir(project.root()).env_clear();
        let set = program.get_envs();
        shell.envs(set.filter_map(|(name, value)| Some((name, value?))));
        let run = Run::of(shell.output().unwrap());
        assert_eq!(run.code, Some(0), "{words:?}: {}", run.snapshot());
    }
    for place in [".cache/prowess", ".local/share/prowess", ".config/prowess"] {
        let mut found = Vec::new();
        open_to_others(&project.path("home").join(place), &mut found);
        assert_eq!(found, [""; 0], "{place}");
    }
}

/// The status of a request that another user makes; only the superuser can become one.
fn status_as_nobody(url: &str, method: &str) -> String {
    let asked = Command::new("setpriv")
        .args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "curl",
            "-s",
        ])
        .args(["-o", "/dev/null", "-w", "%{http_code}", "-X", method])
        .args(["-H", "Content-Type: application/json", "-d", "{}", url])
        .output()
        .unwrap();
    String::from_utf8(asked.stdout).unwrap()
}

/// A server on loopback lets everyone on the machine read skills, as its documentation says, and nothing else.
#[test]
fn another_user_of_the_machine_reads_skills_and_nothing_else() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can become another user");
        return;
    }
    let project = TestProject::new();
    project.write(".git/HEAD", "");
    let mut command = project.command(&["serve", "--json", "--bind", "127.0.0.1:0"]);
    let (server, ready) = started(&mut command);
    let url = ready["url"].as_str().unwrap().to_owned();
    let (_, secret) = ready["console"].as_str().unwrap().split_once('=').unwrap();
    let id = server.id();
    assert_eq!(status_as_nobody(&format!("{url}/skills"), "GET"), "200");
    for (method, path) in [
        ("POST", "skills"),
        ("PUT", "skills/git/files/a.md"),
        ("GET", "chats"),
        ("POST", "chats"),
        ("GET", "config"),
        ("POST", "trust"),
        ("PUT", "v1/skills/a/1.0.0"),
    ] {
        let status = status_as_nobody(&format!("{url}/{path}"), method);
        assert_eq!(status, "401", "{method} {path}");
    }
    for file in ["cmdline", "environ"] {
        let read = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "cat"])
            .arg(format!("/proc/{id}/{file}"))
            .output()
            .unwrap();
        let read = String::from_utf8_lossy(&read.stdout);
        assert!(!read.contains(secret), "{file}: {read}");
    }
}
