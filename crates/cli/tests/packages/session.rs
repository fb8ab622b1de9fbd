//! The session in the README is what a shell and the program print.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use prowess_testing::{ChildGuard, TestDirectory, at_home, git, repository};

/// How a block of the README begins.
const FENCE: &str = "```sh-session\n";
/// Set it to write the README anew.
const UPDATE: &str = "PROWESS_UPDATE_SESSION";

#[test]
fn readme_session_from_an_empty_project_to_remove() {
    // The commands of the README are text for a shell.
    let place = TestDirectory::new_in("/tmp");
    for agent in [".claude", ".codex", ".cursor", ".gemini"] {
        place.create(&format!("ada/{agent}"));
    }
    place.create("bob/.claude");
    place.copy(&repository().join("examples/skills"), "skills");
    for name in ["one", "two"] {
        if name == "two" {
            let file = "skills/pdf-forms/SKILL.md";
            let text = place.read(file).replacen("# ", "# How to use ", 1);
            place.write(file, text);
        } else {
            git(place.path("skills"), &["init", "-q", "-b", "main"]);
        }
        git(place.path("skills"), &["add", "-A"]);
        let message = if name == "one" {
            "First"
        } else {
            "Say what the page is about"
        };
        git(place.path("skills"), &["commit", "-q", "-m", message]);
        if name == "one" {
            git(
                place.root(),
                &["clone", "-q", "--bare", "skills", "skills.git"],
            );
        }
    }
    check(
        &place,
        Block::Packages,
        &[("/srv/", format!("{}/", place.root().display()))],
    );
}

/// A server in one terminal, a user of it in another.
#[test]
fn readme_session_with_a_registry() {
    // The commands of the README are text for a shell.
    let place = TestDirectory::new_in("/tmp");
    place.create("ada");
    place.copy(&repository().join("examples/skills"), "skills");
    let skill = |version: &str, step: &str| {
        format!(
            "---\nname: csv-clean\ndescription: Cleans up CSV files. Use when a table has broken rows or mixed encodings.\nmetadata:\n  version: \"{version}\"\n---\n\n# Clean CSV files\n\n{step}\n"
        )
    };
    place.write(
        "csv-clean/SKILL.md",
        skill("1.0.0", "1. Detect the encoding."),
    );
    place.write(
        "next/SKILL.md",
        skill("1.1.0", "1. Detect the encoding.\n2. Remove empty rows."),
    );
    let binary = env!("CARGO_BIN_EXE_prowess");
    let operator = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        at_home(&mut command, place.path("operator"))
            .args(arguments)
            .current_dir(place.root());
        command
    };
    let made = operator(&["token", "create", "ada", "--scope", "publish,yank"]).output();
    place.write("token", String::from_utf8(made.unwrap().stdout).unwrap());
    let mut server = operator(&["serve", "--bind", "127.0.0.1:0", "--seed", "skills"]);
    let mut server = ChildGuard(server.stderr(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    let lines: Vec<String> = lines.map_while(Result::ok).take(3).collect();
    let address = lines[1]
        .split("http://")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    let printed = lines.join("\n").replace(address, "127.0.0.1:7777");
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.contains(&printed), "{printed}");
    let replaced = [
        ("/srv/", format!("{}/", place.root().display())),
        ("127.0.0.1:7777", address.to_owned()),
    ];
    check(&place, Block::Registry, &replaced);
}

/// A recorded session of the README.
#[derive(Clone, Copy)]
enum Block {
    Packages,
    Registry,
}

/// Runs the commands of a block and compares what they print. `replaced` are texts of the block and what they are here.
fn check(place: &TestDirectory, block: Block, replaced: &[(&str, String)]) {
    let path = repository().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (start, _) = readme.match_indices(FENCE).nth(block as usize).unwrap();
    let (before, rest) = readme.split_at(start + FENCE.len());
    let (block, after) = rest.split_once("```\n").unwrap();
    let commands: Vec<&str> = block
        .lines()
        .filter_map(|it| it.strip_prefix("$ "))
        .collect();
    assert!(commands.len() > 8);
    let here = |text: &str| {
        let mut text = text.to_owned();
        for (shown, real) in replaced {
            text = text.replace(shown, real);
        }
        text
    };
    let mut script = format!("cd {}\n", place.root().display());
    for (index, command) in commands.iter().enumerate() {
        let _ = write!(script, "printf '@@{index}\\n'\n{}\n", here(command));
    }
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_prowess"));
    let system = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    let output = at_home(&mut command, place.path("ada"))
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .env(
            "PATH",
            format!("{}:{system}", binary.parent().unwrap().display()),
        )
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.com")
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.com")
        .output()
        .unwrap();
    let mut printed = String::from_utf8(output.stdout).unwrap();
    for (shown, real) in replaced {
        printed = printed.replace(real, shown);
    }
    let mut recorded = String::new();
    for (index, command) in commands.iter().enumerate() {
        let (_, rest) = printed.split_once(&format!("@@{index}\n")).unwrap();
        let end = rest
            .find(&format!("@@{}\n", index + 1))
            .unwrap_or(rest.len());
        let _ = write!(recorded, "$ {command}\n{}", rest.get(..end).unwrap());
    }
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, format!("{before}{recorded}```\n{after}")).unwrap();
        return;
    }
    assert_eq!(normal(&recorded), normal(block));
}

/// Without what differs in every run: times and commits.
fn normal(text: &str) -> String {
    let word = |word: &str| {
        let digits = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let is_commit = digits.len() == 10 && digits.chars().all(|c| c.is_ascii_hexdigit());
        let is_time = word.contains('.') && word.parse::<f64>().is_ok();
        match (is_commit, is_time) {
            (true, _) => word.replace(digits, "COMMIT"),
            (_, true) => "TIME".to_owned(),
            _ => word.to_owned(),
        }
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
