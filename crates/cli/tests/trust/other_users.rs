//! Another user of the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::{Run, TestProject};

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
    for place in [".cache/prowess", ".local/share/prowess"] {
        let mut found = Vec::new();
        open_to_others(&project.path("home").join(place), &mut found);
        assert_eq!(found, [""; 0], "{place}");
    }
}
