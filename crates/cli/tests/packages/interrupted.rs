//! Rows DU1, DU9 and DU10: what becomes of a command that was killed, when a person went on meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use prowess_testing::git;

use crate::kill::traced;
use crate::support::Run;
use crate::support::terminal::answering_in;
use crate::workshop::{FIRST, Workshop};

const FILE: &str = "project/.agents/skills/pdf/SKILL.md";
/// What a person does, and its name.
type Edit = (&'static str, fn(&Workshop));

/// Commands that only read.
const READERS: [&[&str]; 5] = [
    &["verify"],
    &["outdated"],
    &["list"],
    &["info", "pdf"],
    &["doctor"],
];

/// A workshop with an update of `pdf` and `csv` that is not installed yet.
fn outdated() -> Workshop {
    let workshop = Workshop::new();
    workshop.expect(0, &["add", &workshop.url(), "--all"]);
    let newer = FIRST.replace("second", "newer");
    workshop.write("repository/skills/pdf/SKILL.md", newer);
    let csv = workshop.read("repository/skills/csv/SKILL.md");
    workshop.write("repository/skills/csv/SKILL.md", csv + "Newer.\n");
    workshop.commit("newer");
    workshop
}

/// Runs a command that is killed at this call of `renameat2`; whether it got there.
fn killed(workshop: &Workshop, arguments: &[&str], rename: usize) -> bool {
    let inject = format!("inject=renameat2:signal=SIGKILL:when={rename}");
    let strace = ["-o", "/dev/null", "-e", &inject];
    let output = traced(workshop, arguments, &strace).output().unwrap();
    !output.status.success()
}

fn temporary(state: &BTreeMap<String, String>) -> Vec<&String> {
    let names = state.keys();
    names.filter(|path| path.contains(".prowess-")).collect()
}

fn journal(workshop: &Workshop) -> PathBuf {
    let journals = workshop.path("home/.local/share/prowess/packages/journals");
    let entries = fs::read_dir(journals).unwrap().flatten();
    let mut journals = entries.map(|entry| entry.path());
    let journal = journals.find(|path| path.extension().is_some_and(|end| end == "json"));
    journal.expect("no journal is left")
}

#[test]
fn du1_commands_that_read_finish_nothing() {
    let workshop = outdated();
    assert!(killed(&workshop, &["update"], 1));
    let edited = FIRST.replace("first", "edited after the kill");
    workshop.write(FILE, &edited);
    let before = workshop.project();
    assert!(!temporary(&before).is_empty());
    for arguments in READERS {
        let run = workshop.run(arguments);
        assert_eq!(workshop.project(), before, "{arguments:?}");
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("a command was interrupted"), "{said}");
        assert!(
            said.contains("`prowess sync` finishes or undoes it"),
            "{said}"
        );
    }
    // It is said of what waits, not of a command that is at work.
    let run = workshop.expect(0, &["sync"]);
    let undone = "undid the changes of a command that was interrupted\n.agents/skills/pdf was changed since, and stays\n";
    assert!(run.stderr.contains(undone), "{}", run.stderr);
    assert_eq!(workshop.read(FILE), edited);
    let run = workshop.run(&["verify"]);
    assert!(!run.stderr.contains("interrupted"), "{}", run.stderr);
}

/// The road around row Q51: a killed command is finished by another one, after the user has accepted something for its skill.
#[test]
fn q51_finishing_a_killed_command_ends_an_answer_about_its_skill() {
    let (mut ended, mut kept) = (0, 0);
    for rename in 1..=8 {
        let workshop = outdated();
        if !killed(&workshop, &["update"], rename) {
            break;
        }
        let accept = workshop.command(&["trust", "--work-on", ".agents/skills/pdf"]);
        let shown = answering_in(accept, 100, "[y/N] ", "y\n");
        assert!(shown.contains("accepted until"), "{shown}");
        let before = workshop.read(FILE);
        workshop.run(&["sync"]);
        let listed = workshop.expect(0, &["trust", "--list", "--json"]).json();
        let counts = !listed["work"].as_array().unwrap().is_empty();
        let is_same = workshop.read(FILE) == before;
        assert!(is_same || !counts, "{rename}: {listed}");
        ended += usize::from(!is_same);
        kept += usize::from(is_same);
    }
    assert!(ended > 0 && kept > 0, "{ended} {kept}");
}

#[test]
fn du1_what_a_person_wrote_after_a_kill_stays() {
    let edits: [Edit; 3] = [
        ("an edit", |workshop| {
            let text = workshop.read(FILE) + "by a person\n";
            workshop.write(FILE, text);
        }),
        ("a new file", |workshop| {
            workshop.write("project/.agents/skills/pdf/mine.md", "by a person\n");
        }),
        ("a lock file that was pulled", |workshop| {
            let text = workshop.read("project/prowess.lock") + "# by a person\n";
            workshop.write("project/prowess.lock", text);
        }),
    ];
    let prepared = outdated();
    let backup = prepared.path("backup");
    prepared.create("backup");
    let copy = |from: &PathBuf, to: &PathBuf| {
        prowess_testing::run(Command::new("cp").arg("-a").arg(from).arg(to));
    };
    for name in ["project", "home"] {
        copy(&prepared.path(name), &backup.join(name));
    }
    for (what, edit) in edits {
        for rename in 1.. {
            for name in ["project", "home"] {
                fs::remove_dir_all(prepared.path(name)).unwrap();
                copy(&backup.join(name), &prepared.path(name));
            }
            if !killed(&prepared, &["update"], rename) {
                assert!(rename > 4, "{what}: only {rename} renames");
                break;
            }
            edit(&prepared);
            let run = prepared.run(&["sync"]);
            let state = prepared.project();
            let holds = |text: &&String| text.contains("by a person");
            assert!(
                state.values().any(|text| holds(&text)),
                "{what} at {rename}: {run:?} {state:#?}"
            );
            assert_eq!(
                temporary(&state),
                Vec::<&String>::new(),
                "{what} at {rename}"
            );
            // It is where it was written, or the user was told where.
            let kept = state.keys().filter(|path| path.contains(".saved-"));
            for path in kept {
                let name = path.split(".saved-").next().unwrap();
                let name = name.rsplit('/').next().unwrap();
                assert!(
                    run.stderr.contains(&format!("{name}.saved-1")),
                    "{what} at {rename}: {run:?}"
                );
            }
        }
    }
}

#[test]
fn du9_a_journal_that_cannot_be_read_is_put_aside_and_named() {
    for content in ["", "{\"id\":\"12\",\"pha"] {
        let workshop = outdated();
        assert!(killed(&workshop, &["update"], 1));
        let before = workshop.project();
        let journal = journal(&workshop);
        fs::write(&journal, content).unwrap();
        let run = workshop.expect(0, &["sync"]);
        let moved = journal.with_extension("unreadable-1");
        assert_eq!(fs::read_to_string(&moved).unwrap(), content);
        let name = moved.file_name().unwrap().to_str().unwrap();
        assert!(run.stderr.contains(name), "{}", run.stderr);
        assert_eq!(run.stderr.matches("journal").count(), 2, "{}", run.stderr);
        assert!(run.stderr.contains("hint: "), "{}", run.stderr);
        // What it wrote may be of use; `doctor` names it.
        assert_eq!(workshop.project(), before);
        let run = workshop.run(&["doctor"]);
        assert!(run.stdout.contains(".prowess-staged-"), "{}", run.stdout);
        // It is said once.
        let run = workshop.expect(0, &["update"]);
        assert!(!run.stderr.contains("journal"), "{}", run.stderr);
        assert!(workshop.read(FILE).contains("newer"));
    }
}

#[test]
fn du9_a_journal_is_on_disk_before_it_has_its_name() {
    let workshop = outdated();
    let log = workshop.path("strace.log");
    let strace = [
        "-y",
        "-o",
        log.to_str().unwrap(),
        "-e",
        "trace=fsync,fdatasync,rename,renameat,renameat2",
    ];
    let output = traced(&workshop, &["update"], &strace).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("journals"))
        .collect();
    let renames = lines.iter().enumerate();
    let renames: Vec<usize> = renames
        .filter(|(_, line)| line.contains("rename"))
        .map(|(index, _)| index)
        .collect();
    assert!(renames.len() >= 3, "{text}");
    for index in renames {
        let before = lines[index - 1];
        assert!(
            before.contains("sync(") && before.contains(".new>"),
            "{text}"
        );
        let after = lines[index + 1];
        assert!(
            after.contains("sync(") && after.contains("journals>"),
            "{text}"
        );
    }
}

#[test]
fn du10_what_git_cleaned_is_never_called_finished() {
    let workshop = outdated();
    let project = workshop.path("project");
    git(&project, &["add", "-A", "-f"]);
    git(&project, &["commit", "-q", "-m", "skills"]);
    // The first skill was exchanged, the second was not.
    assert!(killed(&workshop, &["update"], 2));
    git(&project, &["clean", "-f", "-d", "-q"]);
    let run = workshop.expect(1, &["sync"]);
    assert!(
        !run.stderr.contains("finished the changes"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("can be neither finished nor undone: .agents/skills/csv as it wanted"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`prowess sync --force`"),
        "{}",
        run.stderr
    );
    let run = workshop.expect(3, &["verify"]);
    assert_eq!(run.stdout, "csv/SKILL.md: changed\n");
    workshop.expect(0, &["update"]);
    workshop.expect(0, &["verify"]);
    assert!(workshop.read(FILE).contains("newer"));
}

#[test]
fn du10_temporary_names_of_another_user_are_left_alone() {
    let workshop = outdated();
    assert!(killed(&workshop, &["update"], 2));
    let ours: Vec<String> = temporary(&workshop.project())
        .into_iter()
        .cloned()
        .collect();
    assert!(!ours.is_empty());
    let other = |arguments: &[&str]| {
        workshop.create("other");
        Run::of(
            workshop
                .command_in("project", "other", arguments)
                .output()
                .unwrap(),
        )
    };
    let run = other(&["update", "--yes"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let state = workshop.project();
    assert!(
        ours.iter().all(|path| state.contains_key(path)),
        "{ours:?} {state:#?}"
    );
    // What the first command wanted is there by now.
    let run = workshop.expect(0, &["sync"]);
    assert!(run.stderr.contains("interrupted"), "{}", run.stderr);
    let state = workshop.project();
    assert_eq!(temporary(&state), Vec::<&String>::new());
    assert!(
        !state.keys().any(|path| path.contains(".saved-")),
        "{state:#?}"
    );
    workshop.expect(0, &["verify"]);
}

#[test]
fn du11_temporary_files_are_part_of_no_skill() {
    let workshop = Workshop::new();
    workshop.write("other/SKILL.md", FIRST.replace("pdf", "other"));
    for name in [
        ".prowess-new-12-0",
        ".prowess-12-0",
        "scripts/.prowess-12-1.tmp",
    ] {
        workshop.write(&format!("other/{name}"), "half");
    }
    workshop.expect(0, &["add", "../other"]);
    let lock = workshop.read("project/prowess.lock");
    assert!(!lock.contains(".prowess-"), "{lock}");
    assert_eq!(temporary(&workshop.project()), Vec::<&String>::new());
    // Another command may be writing there.
    workshop.write("project/.agents/skills/other/.prowess-new-12-0", "half");
    workshop.expect(0, &["verify"]);
    workshop.expect(0, &["update"]);
    assert_eq!(workshop.read("project/prowess.lock"), lock);
}

#[test]
fn du11_the_next_fix_removes_what_a_killed_one_left() {
    let workshop = Workshop::new();
    let fixed = FIRST.replacen("\n---", "\nallowed-tools: Read\n---", 1);
    let broken = fixed.replace("allowed-tools", "allowed_tools");
    workshop.write("project/skills/pdf/SKILL.md", broken);
    let fix = ["check", "--fix", "--yes", "skills"];
    let strace = [
        "-o",
        "/dev/null",
        "-e",
        "inject=fsync:signal=SIGKILL:when=1",
    ];
    traced(&workshop, &fix, &strace).output().unwrap();
    let state = workshop.project();
    assert_eq!(temporary(&state).len(), 1, "{state:#?}");
    workshop.run(&fix);
    let state = workshop.project();
    assert_eq!(temporary(&state), Vec::<&String>::new());
    assert_eq!(workshop.read("project/skills/pdf/SKILL.md"), fixed);
}
