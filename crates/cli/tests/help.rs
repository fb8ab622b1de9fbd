//! Rules that the help of every command follows.
#![cfg(test)]

mod support;

use clap::Command;
use support::TestProject;

const GLOBAL: [&str; 5] = ["directory", "config", "offline", "refresh", "quiet"];

/// Calls `visit` with every command and its name.
fn each(visit: &dyn Fn(&str, &Command)) {
    fn walk(name: &str, command: &Command, visit: &dyn Fn(&str, &Command)) {
        visit(name, command);
        for sub in command.get_subcommands() {
            if sub.get_name() != "help" {
                walk(&format!("{name} {}", sub.get_name()), sub, visit);
            }
        }
    }
    let mut command = prowess_cli::command();
    command.build();
    walk("prowess", &command, visit);
}

fn after_help(command: &Command) -> String {
    let help = command.get_after_long_help();
    help.map(ToString::to_string).unwrap_or_default()
}

#[test]
fn every_command_has_an_example() {
    each(&|name, command| {
        let help = after_help(command);
        let has_example = help.contains("Examples") && help.contains("\n  ");
        assert!(has_example, "`{name} --help` has no example");
    });
}

#[test]
fn every_option_is_described_and_global_options_stand_together() {
    each(&|name, command| {
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let help = argument.get_help().map(ToString::to_string);
            assert!(help.is_some(), "{name}: `{id}` has no description");
            let is_global = argument.get_help_heading() == Some("Global options");
            assert_eq!(is_global, GLOBAL.contains(&id), "{name}: heading of `{id}`");
        }
    });
}

/// Clap wraps each line on its own, so a paragraph is one line, and lines with columns are short.
#[test]
fn help_is_wrapped_once() {
    each(&|name, command| {
        let help = after_help(command);
        let lines: Vec<&str> = help.lines().collect();
        for line in lines.iter().filter(|line| line.starts_with(' ')) {
            let width = line.chars().count();
            assert!(width <= 78, "{name}: {width} columns: {line}");
        }
        for pair in lines.windows(2) {
            let broken = pair
                .iter()
                .all(|line| line.starts_with(char::is_alphabetic));
            assert!(!broken, "{name}: broken paragraph: {pair:?}");
        }
        for width in [60, 80, 120] {
            let shown = command.clone().term_width(width).render_long_help();
            // Clap does not wrap the usage line.
            for line in shown
                .to_string()
                .lines()
                .filter(|line| !line.starts_with("Usage:"))
            {
                let columns = line.trim_end().chars().count();
                assert!(
                    columns <= width,
                    "{name}: {columns} columns of {width}: {line}"
                );
            }
        }
    });
}

/// Commands of other programs lead to those of this one.
#[test]
fn unknown_commands_have_hints() {
    let project = TestProject::new();
    for (name, expected) in [
        ("validate", "prowess check"),
        ("lint", "prowess check"),
        ("uninstall", "prowess remove"),
        ("upgrade", "prowess update"),
    ] {
        let run = project.run(&[name, "x"]);
        assert_eq!(run.code, Some(2), "{}", run.snapshot());
        let hint = run.stderr.lines().last().unwrap();
        assert!(
            hint.starts_with("hint: ") && hint.contains(expected),
            "{hint}"
        );
    }
}
