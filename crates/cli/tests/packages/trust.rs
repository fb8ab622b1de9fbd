//! A lock file that came with a project is a stranger's.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use prowess_testing::git;

use crate::workshop::{FIRST, Workshop};

#[test]
fn pk7_sources_are_shown_before_the_first_fetch() {
    let workshop = Workshop::new();
    workshop.add();
    let lock = workshop.read("project/prowess.lock");
    workshop.write("clone/prowess.lock", &lock);
    let repository = workshop.path("repository").display().to_string();
    for command in ["sync", "update", "outdated"] {
        let run = workshop.expect_in("clone", 4, &[command]);
        assert!(
            run.stderr.contains(&format!("reads {repository}")),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("nothing was fetched"), "{}", run.stderr);
        assert!(!workshop.exists("clone/.agents/skills/pdf"));
    }
    workshop.expect_in("clone", 0, &["sync", "--yes"]);
    // The answer counts for this source in this project, and for no other.
    workshop.expect_in("clone", 0, &["outdated"]);
    let other = lock.replace("file://", "http://127.0.0.1:1/x");
    workshop.write("clone/prowess.lock", other);
    let run = workshop.expect_in("clone", 4, &["outdated"]);
    assert!(
        run.stderr.contains("connects to http://127.0.0.1:1/x"),
        "{}",
        run.stderr
    );
}

/// The attack: a spelling that one parser takes for a path of the project, and another opens.
#[test]
fn q38_every_spelling_of_a_local_repository_is_asked_about() {
    let workshop = Workshop::new();
    workshop.add();
    let lock = workshop.read("project/prowess.lock");
    let repository = workshop.path("repository").display().to_string();
    for spelling in [
        "file://localhost",
        "FILE://",
        "File://LocalHost",
        "file:///x/%2e%2e",
        "file:///x/..",
        "file:////..",
    ] {
        workshop.write("clone/prowess.lock", lock.replace("file://", spelling));
        for command in ["sync", "update", "outdated"] {
            let run = workshop.expect_in("clone", 4, &[command]);
            let asked = run.stderr.contains(&format!("reads {repository}"));
            assert!(asked, "{spelling}: {}", run.stderr);
            assert!(!workshop.exists("clone/.agents/skills/pdf"), "{spelling}");
        }
    }
}

#[test]
fn pk7_digests_decide() {
    let workshop = Workshop::new();
    workshop.add();
    let lock = workshop.read("project/prowess.lock");
    let commit = prowess_testing::git(workshop.path("repository"), &["rev-parse", "HEAD"]);
    // Someone moved the lock file to another commit without the digests.
    workshop.write(
        "repository/skills/pdf/SKILL.md",
        FIRST.replace("first", "evil"),
    );
    workshop.commit("evil");
    let evil = prowess_testing::git(workshop.path("repository"), &["rev-parse", "HEAD"]);
    workshop.write("clone/prowess.lock", lock.replace(&commit, &evil));
    let run = workshop.expect_in("clone", 1, &["sync", "--frozen", "--yes"]);
    assert!(
        run.stderr.contains("is not what the lock file says"),
        "{}",
        run.stderr
    );
    assert!(!workshop.exists("clone/.agents/skills/pdf"));
}

#[test]
fn pk7_a_pull_that_removes_a_skill_removes_it_here() {
    let workshop = Workshop::new();
    workshop.expect(0, &["add", &workshop.url(), "--all"]);
    workshop.write(
        "project/.agents/skills/own/SKILL.md",
        FIRST.replace("pdf", "own"),
    );
    let lock = workshop.read("project/prowess.lock");
    let (before, _) = lock.split_once("\n[[skill]] # pdf").unwrap();
    workshop.write("project/prowess.lock", before);
    let run = workshop.expect(0, &["sync"]);
    assert_eq!(run.stdout, "- pdf\n");
    assert!(!workshop.exists("project/.agents/skills/pdf"));
    assert!(!workshop.exists("project/.claude/skills/pdf"));
    assert!(workshop.exists("project/.agents/skills/own/SKILL.md"));
}

#[test]
fn pk33_a_pull_that_updates_a_skill_updates_it_here() {
    let workshop = Workshop::new();
    workshop.add();
    let first = workshop.read("project/prowess.lock");
    workshop.write("clone/prowess.lock", &first);
    workshop.write("edited/prowess.lock", &first);
    workshop.write("conflict/prowess.lock", &first);
    for clone in ["clone", "edited", "conflict"] {
        workshop.expect_in(clone, 0, &["sync", "--yes"]);
    }
    let file = |clone: &str| format!("{clone}/.agents/skills/pdf/SKILL.md");
    workshop.write(&file("edited"), FIRST.replace("first", "mine"));
    workshop.write(&file("conflict"), FIRST.replace("second", "mine"));
    let newer = FIRST.replace("second", "newer");
    workshop.write("repository/skills/pdf/SKILL.md", &newer);
    workshop.write("repository/skills/pdf/new.md", "new");
    workshop.commit("newer");
    workshop.expect(0, &["update"]);
    let second = workshop.read("project/prowess.lock");
    for clone in ["clone", "edited", "conflict"] {
        workshop.write(&format!("{clone}/prowess.lock"), &second);
    }
    let run = workshop.expect_in("clone", 0, &["sync", "--frozen"]);
    assert_eq!(run.stdout, "+ pdf\n");
    assert_eq!(workshop.read(&file("clone")), newer);
    workshop.expect_in("clone", 0, &["verify"]);
    workshop.expect_in("edited", 0, &["sync"]);
    assert_eq!(
        workshop.read(&file("edited")),
        newer.replace("first", "mine")
    );
    assert_eq!(workshop.read("edited/.agents/skills/pdf/new.md"), "new");
    let run = workshop.expect_in("conflict", 3, &["sync"]);
    assert!(run.stderr.contains("are in conflict"), "{}", run.stderr);
    assert_eq!(
        workshop.read(&file("conflict")),
        FIRST.replace("second", "mine")
    );
    // The lock file of the project is newer than what is installed here: an update starts from the installed version.
    workshop.expect_in("conflict", 0, &["update", "--ours"]);
    assert_eq!(
        workshop.read(&file("conflict")),
        FIRST.replace("second", "mine")
    );
    assert_eq!(workshop.read("conflict/.agents/skills/pdf/new.md"), "new");
    assert_eq!(workshop.read("conflict/prowess.lock"), second);
}

/// A repository with the skill `pdf`, and its URL.
fn local_repository(workshop: &Workshop, at: &str) -> String {
    workshop.write(&format!("{at}/skills/pdf/SKILL.md"), FIRST);
    let path = workshop.path(at);
    git(&path, &["init", "-q", "-b", "main"]);
    git(&path, &["add", "-A"]);
    git(&path, &["commit", "-q", "-m", "first"]);
    workshop.url_of(at)
}

/// Changes the repository in this directory.
type Attack<'a> = &'a dyn Fn(&str);

/// The attack: a repository of the project whose parts are those of a private one.
#[test]
fn q42_a_local_repository_is_read_where_it_is() {
    let workshop = Workshop::new();
    let private = workshop.path("private");
    workshop.write("private/secret", "SECRET");
    local_repository(&workshop, "private");
    let commit = git(&private, &["rev-parse", "HEAD"]);
    let objects = private.join(".git/objects").display().to_string();
    let attacks: [(&str, Attack<'_>); 12] = [
        ("commondir", &|at| {
            workshop.write(
                &format!("{at}/.git/commondir"),
                private.join(".git").display().to_string(),
            );
        }),
        ("alternates", &|at| {
            workshop.write(&format!("{at}/.git/objects/info/alternates"), &objects);
            workshop.write(&format!("{at}/.git/refs/heads/main"), &commit);
        }),
        ("alternates of alternates", &|at| {
            workshop.write(
                &format!("{at}/.git/objects/info/alternates"),
                "../../own/objects\n",
            );
            // A comment that is longer than what is read of a file says nothing about its end.
            let long = format!("# {}\n{objects}\n", "x".repeat(100_000));
            workshop.write(&format!("{at}/own/objects/info/alternates"), long);
            workshop.write(&format!("{at}/.git/refs/heads/main"), &commit);
        }),
        ("a link to objects", &|at| {
            fs::remove_dir_all(workshop.path(&format!("{at}/.git/objects"))).unwrap();
            symlink(&objects, workshop.path(&format!("{at}/.git/objects"))).unwrap();
            workshop.write(&format!("{at}/.git/refs/heads/main"), &commit);
        }),
        ("a link among references", &|at| {
            let refs = workshop.path(&format!("{at}/.git/refs/heads/deep"));
            symlink(private.join(".git/refs/heads"), refs).unwrap();
        }),
        ("a file in the place of the directory", &|at| {
            fs::remove_dir_all(workshop.path(&format!("{at}/.git"))).unwrap();
            let text = format!("gitdir: {}\n", private.join(".git").display());
            workshop.write(&format!("{at}/.git"), text);
        }),
        ("bytes that are no text", &|at| {
            // Read as text, they name another directory, which is harmless.
            let names = [b"cm\xff".as_slice(), "cm\u{fffd}".as_bytes()];
            let of_git = workshop.path(&format!("{at}/.git"));
            let [link, harmless] = names.map(|name| of_git.join(OsStr::from_bytes(name)));
            symlink(private.join(".git"), link).unwrap();
            fs::create_dir(harmless).unwrap();
            fs::write(of_git.join("commondir"), b"cm\xff\n").unwrap();
        }),
        ("a carriage return", &|at| {
            let objects_of = workshop.path(&format!("{at}/.git/objects"));
            fs::create_dir(objects_of.join("sub")).unwrap();
            symlink(&objects, objects_of.join("sub\r")).unwrap();
            workshop.write(&format!("{at}/.git/objects/info/alternates"), "sub\r\n");
            workshop.write(&format!("{at}/.git/refs/heads/main"), &commit);
        }),
        ("a quoted line", &|at| {
            let line = format!("\"{}\"", objects.replace('/', "\\057"));
            let literal = workshop.path(&format!("{at}/.git/objects/{line}"));
            fs::create_dir(literal).unwrap();
            workshop.write(&format!("{at}/.git/objects/info/alternates"), line);
            workshop.write(&format!("{at}/.git/refs/heads/main"), &commit);
        }),
        ("a link in the place of an object", &|at| {
            let (directory, file) = commit.split_at(2);
            let directory = workshop.path(&format!("{at}/.git/objects/{directory}"));
            fs::create_dir_all(&directory).unwrap();
            symlink(private.join(".git/HEAD"), directory.join(file)).unwrap();
        }),
        ("a link in the place of a log", &|at| {
            let logs = workshop.path(&format!("{at}/.git/logs"));
            fs::remove_dir_all(&logs).unwrap();
            fs::create_dir(&logs).unwrap();
            symlink(private.join("rc"), logs.join("HEAD")).unwrap();
        }),
        ("a pipe", &|at| {
            let head = workshop.path(&format!("{at}/.git/HEAD"));
            fs::remove_file(&head).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, &head, 0o600.into()).unwrap();
        }),
    ];
    for (index, (what, attack)) in attacks.into_iter().enumerate() {
        let at = format!("project/vendor{index}");
        let url = local_repository(&workshop, &at);
        workshop.expect(0, &["add", &url, "--list"]);
        attack(&at);
        for options in [&["--list"][..], &["--all", "--yes"]] {
            let run = workshop.expect(1, &[&["add", &url][..], options].concat());
            let refused = ["leads out of it", "is a pipe or a device"];
            let refused = refused.iter().any(|text| run.stderr.contains(text));
            assert!(refused, "{what}: {run:?}");
        }
        assert!(!workshop.exists("project/.agents/skills/pdf"), "{what}");
    }
    // A worktree that its repository knows is no attack.
    git(
        &private,
        &["worktree", "add", "-q", "../project/tree", "-b", "other"],
    );
    let url = workshop.url_of("project/tree");
    workshop.expect(0, &["add", &url, "--list"]);
}
