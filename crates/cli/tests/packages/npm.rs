//! Row PK25: side by side with the npm tool `skills`.
//!
//! That tool leaves out a file named `metadata.json`, which is not ours to know; so the skill here has none.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use prowess_testing::npm_skills;

use crate::support::Run;
use crate::workshop::{Workshop, state};

const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "cursor"];

/// Runs the other tool in a project.
fn skills(workshop: &Workshop, project: &str, arguments: &[&str]) -> Run {
    let mut command = npm_skills();
    command
        .args(arguments)
        .current_dir(workshop.path(project))
        .env("HOME", workshop.path("home"))
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .stdin(std::process::Stdio::null());
    let run = Run::of(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{arguments:?} {run:?}");
    run
}

#[test]
fn pk25_the_npm_tool_installs_the_same() {
    let workshop = Workshop::new();
    let script = "repository/skills/pdf/scripts/fill.py";
    fs::set_permissions(workshop.path(script), fs::Permissions::from_mode(0o755)).unwrap();
    workshop.write("repository/skills/pdf/.hidden", "hidden");
    workshop.commit("another");
    workshop.create("theirs");
    let mut add = vec!["add", "../repository", "--skill", "pdf", "-y"];
    add.extend(AGENTS.iter().flat_map(|it| ["-a", it]));
    skills(&workshop, "theirs", &add);
    let agents = AGENTS.join(",");
    workshop.expect(
        0,
        &["add", "../repository", "--skill", "pdf", "--agent", &agents],
    );
    for directory in [".agents", ".claude"] {
        let ours = workshop.path(&format!("project/{directory}"));
        let theirs = workshop.path(&format!("theirs/{directory}"));
        assert_eq!(state(&ours), state(&theirs), "{directory}");
        assert!(!state(&ours).is_empty(), "{directory}");
    }
    for project in ["project", "theirs"] {
        let path = workshop.path(&format!("{project}/.agents/skills/pdf/scripts/fill.py"));
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o111,
            0o111,
            "{project}"
        );
    }
    // Each tool sees what the other installed.
    let rows = |project: &str| {
        let mut list = skills(&workshop, project, &["list", "--json"]).json();
        let path = list[0]["path"].take();
        assert!(
            path.as_str().unwrap().ends_with("/.agents/skills/pdf"),
            "{path}"
        );
        list
    };
    assert_eq!(rows("project"), rows("theirs"));
    assert_eq!(rows("project")[0]["name"], "pdf");
    let listed = |project: &str| {
        let run = Run::of(
            workshop
                .command_in(project, "home", &["list"])
                .output()
                .unwrap(),
        );
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.replace("unmanaged", "installed")
    };
    assert_eq!(listed("theirs"), listed("project"));
    assert!(listed("theirs").contains("pdf"));
    // What it installed can become ours.
    let before = workshop.read("theirs/skills-lock.json");
    workshop.expect_in("theirs", 0, &["import"]);
    let run = workshop.expect_in("theirs", 0, &["verify"]);
    assert_eq!(run.stderr, "verified 1 skill, 3 files\n");
    workshop.expect_in("theirs", 0, &["outdated", "--yes"]);
    assert_eq!(workshop.read("theirs/skills-lock.json"), before);
    assert_eq!(
        workshop.read("theirs/prowess.lock"),
        workshop.read("project/prowess.lock")
    );
    // And it removes what we installed.
    skills(&workshop, "project", &["remove", "pdf", "-y"]);
    let run = workshop.expect(3, &["verify"]);
    assert_eq!(run.stdout, "pdf: not installed\n");
    workshop.expect(0, &["sync"]);
    workshop.expect(0, &["verify"]);
}
