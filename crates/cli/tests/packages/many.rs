//! Row PK24: a repository with a thousand skills.

use std::process::Command;

use crate::support::Run;
use crate::workshop::Workshop;

/// Memory of one `add`: 64 MiB for the program, and room for what a debug build needs.
const MEMORY: u64 = 96 * 1024;

#[test]
fn pk24_a_thousand_skills() {
    let workshop = Workshop::new();
    let names: Vec<String> = (0..1_000).map(|it| format!("s{it}")).collect();
    for name in &names {
        workshop.skill(
            &format!("repository/skills/{name}"),
            "Does it. Use it.",
            "Do it.\n",
        );
    }
    workshop.commit("many");
    let url = workshop.url();
    // One of them.
    let program = workshop.command(&["add", &url, "--skill", "s7"]);
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "memory %M"]).arg(program.get_program());
    timed
        .args(program.get_args())
        .current_dir(workshop.path("project"));
    let run = Run::of(timed.env("HOME", workshop.path("home")).output().unwrap());
    assert_eq!(run.code, Some(0), "{run:?}");
    let memory = run.stderr.lines().find_map(|it| it.strip_prefix("memory "));
    let memory: u64 = memory.unwrap().parse().unwrap();
    assert!(memory < MEMORY, "{memory} KiB");
    // All of them: summaries, not a line for each.
    let few = |run: &Run| run.stdout.lines().count() + run.stderr.lines().count() < 12;
    let run = workshop.expect(0, &["add", &url, "--all"]);
    assert!(run.stdout.ends_with("+ 1001 skills\n"), "{}", run.stdout);
    assert!(few(&run), "{run:?}");
    let run = workshop.expect(0, &["verify"]);
    assert_eq!(run.stderr, "verified 1002 skills, 1003 files\n");
    let run = workshop.expect(0, &["list"]);
    assert!(run.stdout.contains("s999"), "{}", run.stdout);
    let run = workshop.expect(0, &["update"]);
    assert!(few(&run), "{run:?}");
    for name in &names {
        workshop.skill(
            &format!("repository/skills/{name}"),
            "Does it. Use it.",
            "Do more.\n",
        );
    }
    workshop.commit("more");
    let run = workshop.expect(3, &["outdated"]);
    assert!(
        run.stderr.contains("2 of 1002 up to date"),
        "{}",
        run.stderr
    );
    let run = workshop.expect(0, &["update"]);
    assert_eq!(run.stdout, "* 1000 skills\n");
    let lock = workshop.read("project/prowess.lock");
    workshop.write("clone/prowess.lock", lock);
    let run = workshop.expect_in("clone", 0, &["sync", "--frozen", "--yes"]);
    assert_eq!(run.stdout, "+ 1002 skills\n");
    let mut remove = vec!["remove", "pdf", "csv"];
    remove.extend(names.iter().map(String::as_str));
    let run = workshop.expect(0, &remove);
    assert_eq!(run.stdout, "- 1002 skills\n");
    let left: Vec<String> = workshop.project().into_keys().collect();
    assert_eq!(left, ["prowess.lock"]);
}
