//! Disks that are full, directories that are read-only, other users.

use std::process::Command;

use prowess_testing::{at_home, git, run};

use crate::support::Run;
use crate::workshop::{FIRST, Workshop, noise, state};

/// Runs a script with mounts of its own, in the project. `$PROWESS` is the program.
pub(crate) fn with_mounts(workshop: &Workshop, script: &str) -> Run {
    let program = workshop.command(&[]);
    let mut command = Command::new("unshare");
    at_home(&mut command, workshop.path("home"))
        .args(["--map-root-user", "--mount", "sh", "-euc", script])
        .current_dir(workshop.root())
        .env("PROWESS", program.get_program())
        .env("SOURCE", workshop.url());
    Run::of(command.output().unwrap())
}

/// A skill of 1 MB that does not compress.
fn large(workshop: &Workshop) {
    workshop.write(
        "repository/skills/large/SKILL.md",
        FIRST.replace("pdf", "large"),
    );
    workshop.write("repository/skills/large/noise.txt", noise(100_000));
    workshop.commit("large");
}

#[test]
fn pk21_a_full_disk_changes_nothing() {
    let workshop = Workshop::with_plain_path();
    large(&workshop);
    // The project is on a small disk, then the user's data.
    for disk in ["project", "home/.local"] {
        let script = format!(
            "mkdir -p {disk}; mount -t tmpfs -o size=512k tmpfs {disk}
            cd project; \"$PROWESS\" add $SOURCE --skill pdf
            before=$(find . $HOME/.local | sort; cat prowess.lock)
            code=0; \"$PROWESS\" add $SOURCE --skill large || code=$?
            test $code = 1
            after=$(find . $HOME/.local | sort; cat prowess.lock)
            test \"$before\" = \"$after\" || {{ echo \"$before\"; echo \"$after\"; exit 9; }}
            \"$PROWESS\" verify
            mount -o remount,size=20m {root}/{disk}
            \"$PROWESS\" add $SOURCE --skill large; \"$PROWESS\" verify",
            root = workshop.root().display(),
        );
        let run = with_mounts(&workshop, &script);
        assert_eq!(run.code, Some(0), "{disk}: {run:?}");
        assert!(
            run.stderr.contains("error: cannot write") && run.stderr.contains("No space left"),
            "{disk}: {}",
            run.stderr
        );
        assert!(
            run.stderr.ends_with("verified 2 skills, 4 files\n"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn pk21_removing_works_on_a_full_disk() {
    let workshop = Workshop::with_plain_path();
    let run = with_mounts(
        &workshop,
        "mkdir home/.local; for disk in project home/.local; do mount -t tmpfs -o size=1m tmpfs $disk; done
        cd project; \"$PROWESS\" add $SOURCE --all
        # No block is left.
        for disk in . $HOME/.local; do dd if=/dev/zero of=$disk/full bs=4096 2>/dev/null || true; done
        code=0; \"$PROWESS\" remove pdf || code=$?
        if test $code != 0; then test -e .agents/skills/pdf/SKILL.md; \"$PROWESS\" verify; fi
        rm full $HOME/.local/full
        \"$PROWESS\" verify; test $code = 0 || \"$PROWESS\" remove pdf
        test ! -e .agents/skills/pdf; ls -A .agents/skills $HOME/.local/share/prowess/packages/journals",
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.stdout.contains(".prowess-staged"), "{}", run.stdout);
    assert!(
        !run.stdout.contains(".json") && !run.stdout.contains(".new"),
        "{}",
        run.stdout
    );
}

#[test]
fn pk22_a_read_only_project_is_not_changed() {
    let workshop = Workshop::with_plain_path();
    let mount = "mount --bind project project; mount -o remount,ro,bind project; cd project";
    let add = "\"$PROWESS\" add $SOURCE --skill pdf";
    let run = with_mounts(&workshop, &format!("{mount}; {add}"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr
            .contains("cannot change .agents/skills: Read-only file system"),
        "{}",
        run.stderr
    );
    assert!(workshop.project().is_empty());
    // What only reads works.
    let agents = ["--agent", "claude-code,windsurf"];
    let url = workshop.url();
    let words = [&["add", &url, "--skill", "pdf"][..], &agents].concat();
    workshop.expect(0, &words);
    let reading = "\"$PROWESS\" verify; \"$PROWESS\" outdated; \"$PROWESS\" sync --frozen";
    let run = with_mounts(&workshop, &format!("{mount}; {reading}"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = with_mounts(&workshop, &format!("{mount}; \"$PROWESS\" remove pdf"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("Read-only file system"),
        "{}",
        run.stderr
    );
    // Nothing of it is done later.
    let run = workshop.expect(0, &["verify"]);
    assert_eq!(run.stderr, "verified 1 skill, 2 files\n");
    // A directory of an agent that is read-only stops all of it.
    let script = "mount --bind project/.windsurf project/.windsurf; mount -o remount,ro,bind project/.windsurf; cd project; \"$PROWESS\" remove pdf";
    let run = with_mounts(&workshop, script);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains(".windsurf/skills/pdf: Read-only"),
        "{}",
        run.stderr
    );
    let before = workshop.project();
    assert!(before.contains_key(".claude/skills/pdf"), "{before:?}");
    let run = workshop.expect(0, &["verify"]);
    assert_eq!(run.stderr, "verified 1 skill, 2 files\n");
    workshop.write("repository/skills/pdf/new.md", "new");
    workshop.commit("new");
    let run = with_mounts(
        &workshop,
        &script.replace("remove pdf", "add $SOURCE --skill csv"),
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(workshop.project(), before);
    // The directory of the user can be read-only as well.
    let script = "mount --bind home home; mount -o remount,ro,bind home; cd project; \"$PROWESS\" verify; \"$PROWESS\" remove pdf";
    let run = with_mounts(&workshop, script);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("verified 1 skill, 2 files"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("Read-only file system"),
        "{}",
        run.stderr
    );
    workshop.expect(0, &["verify"]);
}

#[test]
fn pk23_another_user_gets_the_same_in_a_clone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tested: only root can start a program as another user");
        return;
    }
    let workshop = Workshop::new();
    // A source inside of the project, and a repository.
    workshop.write("project/skills/own/SKILL.md", FIRST.replace("pdf", "own"));
    workshop.add();
    workshop.expect(0, &["add", "./skills/own"]);
    let lock = workshop.read("project/prowess.lock");
    assert!(lock.contains("source = \"./skills/own\""), "{lock}");
    git(workshop.path("project"), &["add", "skills", "prowess.lock"]);
    git(workshop.path("project"), &["commit", "-q", "-m", "skills"]);
    workshop.create("elsewhere/home");
    let program = env!("CARGO_BIN_EXE_prowess");
    run(Command::new("sh")
        .args([
            "-euc",
            "chmod 755 .; cp \"$0\" program; chmod 755 program
            git clone -q project elsewhere/clone; chown -R 65534:65534 elsewhere",
            program,
        ])
        .current_dir(workshop.root()));
    let other = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(workshop.path("program"))
            .args(arguments)
            .current_dir(workshop.path("elsewhere/clone"))
            .env_clear()
            .env("HOME", workshop.path("elsewhere/home"));
        Run::of(command.output().unwrap())
    };
    let synced = other(&["sync", "--frozen", "--yes"]);
    assert_eq!(synced.code, Some(0), "{synced:?}");
    assert!(synced.stderr.contains("reads "), "{}", synced.stderr);
    assert!(!synced.stderr.contains("skills/own"), "{}", synced.stderr);
    assert_eq!(
        state(&workshop.path("elsewhere/clone/.agents")),
        state(&workshop.path("project/.agents"))
    );
    for arguments in [&["verify"][..], &["outdated"], &["update"]] {
        let run = other(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?} {run:?}");
    }
    assert_eq!(workshop.read("elsewhere/clone/prowess.lock"), lock);
    // A change of the source inside of the project is a new version of it.
    workshop.write(
        "elsewhere/clone/skills/own/SKILL.md",
        FIRST.replace("pdf", "own") + "More.\n",
    );
    let run = other(&["outdated"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let run = other(&["update", "own"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    // What belongs to the first user stays so.
    let run = other(&["add", "/etc"]);
    assert_ne!(run.code, Some(0), "{run:?}");
    workshop.expect(0, &["verify"]);
}
