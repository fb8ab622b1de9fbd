//! `prowess config`, and commands over what it says.
#![cfg(test)]

mod support;

use insta::assert_snapshot;
use support::TestProject;

#[test]
fn every_problem_is_shown_with_its_line() {
    let project = TestProject::new();
    project.write(
        "prowess.toml",
        "[skills]\r\nenabled = \"yes\"\r\ninventory_treshold = 3\r\n\r\n[[skills.repositories]]\r\nname = \"x\"\r\ntype = \"htp\"\r\nurl = \"https://u:secret@example.com\"\r\n",
    );
    let list = project.run(&["list"]).snapshot();
    for command in [&["config", "check"][..], &["doctor"], &["show", "a"]] {
        assert_eq!(project.run(command).snapshot(), list);
    }
    assert_snapshot!(list, @r#"
        exit 1
        --- stdout
        --- stderr
        error: `skills.enabled` must be `true` or `false`, found a string
         --> prowess.toml:2:11
          |
        2 | enabled = "yes"
          |           ^^^^^
          |
          = help: write `true` or `false`
        error: `skills.inventory_treshold` is not a known key
         --> prowess.toml:3:1
          |
        3 | inventory_treshold = 3
          | ^^^^^^^^^^^^^^^^^^
          |
          = help: did you mean `inventory_threshold`?
        error: `skills.repositories.x.type` has the invalid value `htp`
         --> prowess.toml:7:8
          |
        7 | type = "htp"
          |        ^^^^^
          |
          = help: did you mean `http`?
        "#);
}

#[test]
fn unusable_repository_is_reported() {
    let project = TestProject::new();
    project.skill("home/.config/prowess/skills/a").write(
        "home/.config/prowess/prowess.toml",
        "[[skills.repositories]]\nname = \"company\"\ntype = \"http\"\nurl = \"https://example.com\"\nauth = { bearer = \"${NOT_SET_ANYWHERE}\" }\n\n[[skills.repositories]]\nname = \"here\"\ntype = \"filesystem\"\npath = \"skills\"\n",
    );
    assert_snapshot!(project.run(&["config", "check"]).snapshot(), @r"
    exit 3
    --- stdout
    error: `skills.repositories.company.auth.bearer` uses the environment variable `NOT_SET_ANYWHERE`, which is not set
     --> home/.config/prowess/prowess.toml:5:19
      |
    5 | auth = { bearer = ********************* }
      |                   ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: set `NOT_SET_ANYWHERE`, or write `$${NOT_SET_ANYWHERE}` for the text itself

    --- stderr
    home/.config/prowess/prowess.toml: 1 problem
    ");
    let list = project.run(&["list", "--offline"]);
    assert!(list.stdout.contains("\na  "), "{}", list.snapshot());
    assert!(list.stderr.contains("warning: company: "));
    let doctor = project.run(&["doctor", "--offline"]);
    assert_eq!(doctor.code, Some(1));
    assert!(
        doctor.stdout.contains("broken    company"),
        "{}",
        doctor.snapshot()
    );
}

#[test]
fn show_prints_values_with_origins() {
    let project = TestProject::new();
    project
        .write("prowess.toml", "[skills]\nstrict = true\n\n[[skills.repositories]]\nname = \"db\"\ntype = \"sql\"\nurl = \"postgres://u:${PW}@h/d\"\nquery = \"SELECT 1\"\n")
        .write("home/.config/prowess/prowess.toml", "[skills]\nstrict = false\nmax_skills = 7\n");
    let show = project
        .command(&["config", "show"])
        .env("PW", "hunter2")
        .output()
        .unwrap();
    let show = support::Run::of(show);
    assert!(!show.stdout.contains("hunter2"));
    let line = |key: &str| {
        let line = show
            .stdout
            .lines()
            .find(|line| line.starts_with(key))
            .unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("skills.strict"), "skills.strict true prowess.toml:2");
    assert_eq!(
        line("skills.max_skills"),
        "skills.max_skills 7 home/.config/prowess/prowess.toml:3"
    );
    assert_eq!(line("skills.scripts"), "skills.scripts \"ask\" default");
    assert_eq!(
        line("skills.repositories.db.url"),
        "skills.repositories.db.url \"postgres://***@h/d\" prowess.toml:7"
    );
    let path = project.run(&["config", "path"]);
    assert_eq!(path.stdout.lines().count(), 2);
    let none = TestProject::new();
    assert_snapshot!(none.run(&["config", "path"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    no prowess.toml in this directory or above nor home/.config/prowess/prowess.toml
    ");
    let schema: serde_json::Value =
        serde_json::from_str(&none.run(&["config", "schema"]).stdout).unwrap();
    assert!(schema["properties"]["skills"].is_object());
}

#[test]
fn config_option_selects_the_file() {
    let project = TestProject::new();
    project.skill("elsewhere/skills/b").write(
        "elsewhere/my.toml",
        "[[skills.repositories]]\nname = \"b\"\ntype = \"filesystem\"\npath = \"skills\"\n",
    );
    let list = project.run(&["list", "--config", "elsewhere/my.toml"]);
    assert!(list.stdout.contains("\nb  "), "{}", list.snapshot());
    let missing = project.run(&["list", "--config", "nope.toml"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("nope.toml"),
        "{}",
        missing.snapshot()
    );
}
