//! Rows DU4 and DU5: merges that wait for the user.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::kill::{NEED_ROOM, bounded, changes, traced};
use crate::workshop::{FIRST, Workshop};

const FILE: &str = "project/.agents/skills/pdf/SKILL.md";
const COPY: &str = "project/.agents/merge/pdf/SKILL.md";

/// A conflict in `pdf` with the second version waits, and the repository has a third one.
fn waiting() -> Workshop {
    let workshop = Workshop::new();
    workshop.add();
    workshop.write(FILE, FIRST.replace("first", "edited here"));
    let second = FIRST.replace("first", "version two");
    workshop.write("repository/skills/pdf/SKILL.md", &second);
    workshop.commit("two");
    workshop.expect(3, &["update"]);
    workshop
}

fn third(workshop: &Workshop) {
    let third = FIRST
        .replace("first", "version two")
        .replace("second", "version three");
    workshop.write("repository/skills/pdf/SKILL.md", third);
    workshop.commit("three");
}

/// The merged text with the lines of both sides.
fn resolved(text: &str) -> String {
    let is_marker = |line: &&str| {
        ["<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|marker| line.starts_with(marker))
    };
    let lines = text.split_inclusive('\n').filter(|line| !is_marker(line));
    lines.collect()
}

fn copy(from: &Path, to: &Path) {
    prowess_testing::run(Command::new("cp").arg("-a").arg(from).arg(to));
}

/// Updates the third version under each of these disturbances, and continues the merge; how often the second and the third
/// version were the ones that were merged.
fn continued(prepared: &Workshop, disturbances: &[String]) -> [usize; 2] {
    prepared.create("backup");
    for name in ["project", "home"] {
        copy(&prepared.path(name), &prepared.path("backup").join(name));
    }
    let mut merged = [0, 0];
    for inject in disturbances {
        for name in ["project", "home"] {
            fs::remove_dir_all(prepared.path(name)).unwrap();
            copy(&prepared.path("backup").join(name), &prepared.path(name));
        }
        let strace = ["-o", "/dev/null", "-e", inject];
        bounded(&traced(prepared, &["update"], &strace))
            .output()
            .unwrap();
        let text = resolved(&prepared.read(COPY));
        prepared.write(COPY, &text);
        let run = prepared.expect(0, &["update", "pdf", "--continue"]);
        let has_third = prepared.read(FILE).contains("version three");
        // The lock file says which version it is.
        let outdated = prepared.run(&["outdated"]);
        let expected = if has_third { Some(0) } else { Some(3) };
        assert_eq!(outdated.code, expected, "{inject}: {run:?} {outdated:?}");
        merged[usize::from(has_third)] += 1;
    }
    merged
}

#[test]
fn du4_a_merge_is_continued_with_the_version_it_was_made_of() {
    let another = waiting();
    third(&another);
    let moments = changes(&another, &["update"], Some(3));
    let kills: Vec<String> = moments
        .iter()
        .map(|(call, count)| format!("inject={call}:signal=SIGKILL:when={count}"))
        .collect();
    let prepared = waiting();
    third(&prepared);
    let merged = continued(&prepared, &kills);
    assert!(merged[0] > 3 && merged[1] > 3, "{merged:?} {kills:?}");
}

#[test]
fn du4_a_merge_is_continued_after_a_full_disk() {
    let prepared = waiting();
    third(&prepared);
    let disks: Vec<String> = (1..=40)
        .map(|first| format!("inject={NEED_ROOM}:error=ENOSPC:when={first}+"))
        .collect();
    let merged = continued(&prepared, &disks);
    assert!(merged[0] > 3, "{merged:?}");
}

#[test]
fn du4_a_merge_of_another_version_of_the_lock_file_is_refused() {
    let workshop = waiting();
    workshop.write(COPY, resolved(&workshop.read(COPY)));
    third(&workshop);
    let lock = workshop.read("project/prowess.lock");
    workshop.write("clone/prowess.lock", lock);
    workshop.expect_in("clone", 0, &["sync", "--yes"]);
    workshop.expect_in("clone", 0, &["update"]);
    let lock = workshop.read("clone/prowess.lock");
    workshop.write("project/prowess.lock", &lock);
    let before = workshop.project();
    let run = workshop.expect(1, &["update", "pdf", "--continue"]);
    assert!(
        run.stderr
            .contains("prowess.lock has another version of `pdf` than when it was merged"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("hint: move .agents/merge/pdf away"),
        "{}",
        run.stderr
    );
    assert_eq!(workshop.project(), before);
}

#[test]
fn du5_a_copy_that_cannot_be_read_is_never_replaced() {
    let workshop = waiting();
    // Two names that are one file elsewhere: it is no skill.
    workshop.write("project/.agents/merge/pdf/Notes.md", "hours of work\n");
    workshop.write("project/.agents/merge/pdf/notes.md", "hours of work\n");
    let before = workshop.project();
    let run = workshop.expect(1, &["update", "pdf", "--continue"]);
    assert!(
        run.stderr.contains("cannot read .agents/merge/pdf: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("stay as they are"), "{}", run.stderr);
    assert_eq!(workshop.project(), before);
    third(&workshop);
    let run = workshop.expect(3, &["update"]);
    assert!(
        run.stderr.contains("it was moved to .agents/merge/pdf.1"),
        "{}",
        run.stderr
    );
    assert_eq!(
        workshop.read("project/.agents/merge/pdf.1/Notes.md"),
        "hours of work\n"
    );
    assert!(workshop.read(COPY).contains("<<<<<<<"));
    assert!(!workshop.exists("project/.agents/merge/pdf/Notes.md"));
}

#[test]
fn du5_a_copy_without_a_record_is_never_replaced() {
    let workshop = waiting();
    workshop.write(COPY, "hours of work\n");
    let merges = workshop.path("home/.local/share/prowess/packages/merges");
    let record = fs::read_dir(&merges).unwrap().next().unwrap().unwrap();
    fs::write(record.path(), "{").unwrap();
    let run = workshop.expect(1, &["update", "pdf", "--continue"]);
    assert!(run.stderr.contains("cannot read "), "{}", run.stderr);
    let run = workshop.expect(3, &["update"]);
    assert!(
        run.stderr.contains("it was moved to .agents/merge/pdf.1"),
        "{}",
        run.stderr
    );
    assert_eq!(
        workshop.read("project/.agents/merge/pdf.1/SKILL.md"),
        "hours of work\n"
    );
}

#[test]
fn du5_a_binary_conflict_has_to_be_resolved() {
    let workshop = Workshop::new();
    workshop.write("repository/skills/pdf/logo.bin", [0, 255, 1]);
    workshop.commit("logo");
    workshop.expect(0, &["add", &workshop.url(), "--skill", "pdf", "--yes"]);
    workshop.write("project/.agents/skills/pdf/logo.bin", [0, 255, 2]);
    workshop.write("repository/skills/pdf/logo.bin", [0, 255, 3]);
    workshop.commit("another logo");
    workshop.expect(3, &["update"]);
    let before = workshop.project();
    let run = workshop.expect(1, &["update", "pdf", "--continue"]);
    assert!(
        run.stderr.contains("both versions changed logo.bin"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`--ours` or `--theirs`"),
        "{}",
        run.stderr
    );
    assert_eq!(workshop.project(), before);
    workshop.write("project/.agents/merge/pdf/logo.bin", [0, 255, 4]);
    workshop.expect(0, &["update", "pdf", "--continue"]);
    let logo = fs::read(workshop.path("project/.agents/skills/pdf/logo.bin"));
    assert_eq!(logo.unwrap(), [0, 255, 4]);
}

#[test]
fn du5_markers_at_the_end_of_a_line_are_refused() {
    let workshop = waiting();
    let text = workshop.read(COPY);
    // An editor joined the lines.
    let glued = text
        .replace("<<<<<<< ours\n", "")
        .replace("\n=======\n", "=======\n")
        .replace("\n>>>>>>> theirs", ">>>>>>> theirs");
    assert_ne!(glued, text);
    workshop.write(COPY, glued);
    let run = workshop.expect(1, &["update", "pdf", "--continue"]);
    assert!(
        run.stderr.contains("conflict markers are left in SKILL.md"),
        "{}",
        run.stderr
    );
    // Markers in a file without a conflict are the skill's own.
    workshop.write(COPY, resolved(&text));
    workshop.write("project/.agents/merge/pdf/guide.md", "<<<<<<< ours\n");
    workshop.expect(0, &["update", "pdf", "--continue"]);
}
