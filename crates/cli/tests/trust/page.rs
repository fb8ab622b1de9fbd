//! The session of docs/trust.md, in a real clone of the hostile project.

use std::fs;
use std::process::Command;

use prowess_testing::repository;

use crate::support::terminal::{answering_in, plain};
use crate::support::{TestProject, without_digests};

/// A directory of the user `ada`, beside a git repository with the hostile project.
fn clone_ready() -> TestProject {
    let project = TestProject::copy_of("crates/cli/tests/hostile-project");
    let ada = project.path("home/ada");
    fs::create_dir_all(&ada).unwrap();
    let upstream = ada.join("upstream");
    fs::rename(project.path("crates/cli/tests/hostile-project"), &upstream).unwrap();
    for arguments in ["init -q", "add -A", "commit -q -m hostile"] {
        let done = Command::new("git")
            .args(["-c", "user.name=m", "-c", "user.email=m@example.net"])
            .args(arguments.split(' '))
            .current_dir(&upstream)
            .status();
        assert!(done.unwrap().success());
    }
    project
}

#[test]
fn commands_of_the_page_work() {
    let project = clone_ready();
    let home = project.path("home/ada");
    let text = fs::read_to_string(repository().join("docs/trust.md")).unwrap();
    let blocks = text.split("```console\n").skip(1);
    let session: String = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let mut directory = home.clone();
    let mut seen = 0;
    for step in session.split("$ ").skip(1) {
        let (line, expected) = step.split_once('\n').unwrap();
        seen += 1;
        if let Some(below) = line.strip_prefix("cd ") {
            directory = directory.join(below);
            continue;
        }
        let (program, arguments) = line.split_once(' ').unwrap();
        let words: Vec<&str> =
            arguments
                .split('"')
                .enumerate()
                .fold(Vec::new(), |mut all, (at, part)| {
                    if at % 2 == 1 {
                        all.push(part);
                    } else {
                        all.extend(part.split_whitespace());
                    }
                    all
                });
        let program = if program == "prowess" {
            env!("CARGO_BIN_EXE_prowess")
        } else {
            program
        };
        let mut command = Command::new(program);
        command
            .args(&words)
            .current_dir(&directory)
            .env("HOME", &home)
            .env("GITHUB_TOKEN", "SECRET")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_DATA_HOME");
        // What is asked is asked in a terminal.
        let printed = if expected.contains("Trust it?") {
            plain(&answering_in(command, 240, "again: ", "n\n")).replace("\r\n", "\n")
        } else {
            let output = command.output().unwrap();
            String::from_utf8([output.stderr, output.stdout].concat()).unwrap()
        };
        let printed = printed.replace(home.to_str().unwrap(), "/home/ada");
        assert_eq!(
            without_digests(&printed),
            without_digests(expected),
            "$ {line}"
        );
        assert!(!home.join(".ssh").exists() && !directory.join("started").exists());
    }
    assert!(seen >= 5, "{seen}");
}
