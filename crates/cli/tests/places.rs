//! The sessions of docs/places.md, over real places.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, free_port, repository};
use support::TestProject;

#[test]
fn sessions_of_the_page_match_the_program() {
    let project = TestProject::copy_of("examples/places");
    let directory = project.path("examples/places");
    let _ = fs::remove_dir_all(directory.join("made"));
    let port = free_port().to_string();
    let command = |program: &str, arguments: &str| {
        let mut command = Command::new(program);
        let arguments = arguments.replace("$TEAM_PORT", &port);
        command
            .args(arguments.split(' ').filter(|word| !word.is_empty()))
            .current_dir(&directory)
            .env("HOME", project.path("home"))
            .env("TEAM_PORT", &port)
            .env("PROWESS", env!("CARGO_BIN_EXE_prowess"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME");
        command
    };
    let prowess = env!("CARGO_BIN_EXE_prowess");
    let text = fs::read_to_string(repository().join("docs/places.md")).unwrap();
    let blocks = text.split("```console\n").skip(1);
    let lines: String = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let mut server = None;
    let mut seen = 0;
    for session in lines.split("$ ").skip(1) {
        let (line, expected) = session.split_once('\n').unwrap();
        seen += 1;
        if let Some(arguments) = line.strip_suffix(" &") {
            let arguments = format!("{} --json", arguments.strip_prefix("prowess ").unwrap());
            let mut started = command(prowess, &arguments);
            let mut child = started.stdout(Stdio::piped()).spawn().unwrap();
            // It says where it listens once it does.
            let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
            std::io::BufRead::read_until(&mut out, b'}', &mut Vec::new()).unwrap();
            server = Some(ChildGuard(child));
        } else if line == "kill %1" {
            server = None;
            // What was kept counts for a second.
            let kept = std::time::Instant::now();
            while kept.elapsed() < std::time::Duration::from_millis(1_100) {
                std::thread::yield_now();
            }
        } else {
            let (program, arguments) = line.split_once(' ').unwrap();
            let program = if program == "prowess" {
                prowess
            } else {
                program
            };
            let output = command(program, arguments).output().unwrap();
            let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            // What the machine can do for a sandbox is not for a page to say.
            let printed = printed.split("\nsandbox ").next().unwrap();
            let here = format!("{}/", directory.canonicalize().unwrap().display());
            let printed = printed.replace(&here, "");
            assert_eq!(printed, expected, "$ {line}");
        }
    }
    assert!(server.is_none());
    assert_eq!(seen, 12);
}
