//! `prowess check`, as a person and as a machine runs it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

mod support;

use std::fs;
use std::process::Stdio;

use insta::assert_snapshot;
use support::Place;

#[test]
fn valid_skills_pass() {
    let place = Place::new();
    place.skill("skills/pdf").skill("skills/deep/er/csv");
    assert_snapshot!(place.run(&["check"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    checked 2 skills in TIME: all valid
    ");
    assert_snapshot!(place.run(&["check", "--quiet"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    ");
}

#[test]
fn cl5_errors_are_drawn_where_they_are() {
    let place = Place::new();
    place.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Use when: asked\n---\n",
    );
    assert_snapshot!(place.run(&["check", "pdf"]).snapshot(), @r#"
    exit 3
    --- stdout
    error[unquoted-colon]: a colon in this value starts a second key in YAML
     --> pdf/SKILL.md:3:14
      |
    3 | description: Use when: asked
      |              ^^^^^^^^^^^^^^^
      |
      = help: write `description: "Use when: asked"`

    --- stderr
    checked 1 skill in TIME: 1 invalid (1 error)
    1 fixable with `prowess check --fix`
    "#);
}

#[test]
fn quiet_leaves_only_errors() {
    let place = Place::copy_of("examples");
    let run = place.run(&["check", "--quiet", "examples"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stdout.contains("error[") && !run.stdout.contains("warning["));
    assert_eq!(run.stderr, "");
}

#[test]
fn a_file_may_be_named() {
    let place = Place::new();
    place.skill("pdf");
    for path in ["pdf/SKILL.md", "./pdf", "pdf/../pdf/", "."] {
        assert_eq!(place.run(&["check", path]).code, Some(0), "{path}");
    }
    let inside = place
        .command(&["check", "SKILL.md"])
        .current_dir(place.path("pdf"))
        .output()
        .unwrap();
    assert_eq!(inside.status.code(), Some(0), "{inside:?}");
    assert_eq!(place.run(&["-C", "pdf", "check"]).code, Some(0));
}

#[test]
fn wrong_paths_are_said_and_the_rest_is_checked() {
    let place = Place::new();
    place.skill("pdf").write("notes.txt", "x");
    assert_snapshot!(place.run(&["check", "nope", "notes.txt", "pdf"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot read nope: No such file or directory (os error 2)
    hint: check the spelling of the path
    error: notes.txt is not a skill
    hint: pass a directory, or a file named SKILL.md
    checked 1 skill in TIME: all valid
    ");
    assert_snapshot!(place.run(&["-C", "nowhere", "check"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot change to directory nowhere: No such file or directory (os error 2)
    ");
}

#[test]
fn an_empty_directory_has_no_skills() {
    let place = Place::new();
    assert_snapshot!(place.run(&["check"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    no skills found: no SKILL.md below the current directory
    ");
}

#[test]
fn cl10_wrong_arguments_exit_with_two() {
    let place = Place::new();
    for arguments in [
        &["chek"][..],
        &["check", "--format", "xml"],
        &["check", "--yes"],
        &["check", "--fix", "--json"],
        &[],
    ] {
        assert_eq!(place.run(arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn cl5_json_is_one_document_whatever_happens() {
    let place = Place::copy_of("examples/broken");
    let run = place.run(&["check", "--json"]);
    assert_eq!(run.code, Some(3));
    let document = run.json();
    assert_eq!(document["version"], 1);
    assert_eq!(document["summary"]["skills"], 2);
    assert_eq!(document["summary"]["errors"], 5);
    let first = &document["skills"][0];
    assert_eq!(first["path"], "examples/broken/Deploy_Helper");
    assert_eq!(first["name"], "deploy-helper");
    assert_snapshot!(first["diagnostics"][0].to_string(), @r#"{"code":"name-uppercase","severity":"error","file":"examples/broken/Deploy_Helper/SKILL.md","start":{"line":2,"column":7,"byte":10},"end":{"line":2,"column":20,"byte":23},"message":"`Deploy_Helper` has upper-case letters","help":"for example `deploy-helper`","fixable":false}"#);

    let missing = place.run(&["check", "--json", "nope"]);
    assert_eq!(missing.code, Some(1));
    assert_eq!(missing.json()["problems"][0]["path"], "nope");
    let empty = Place::new().run(&["check", "--json"]);
    assert_eq!(
        (empty.code, empty.json()["skills"].as_array().map(Vec::len)),
        (Some(0), Some(0))
    );
}

#[test]
fn cl5_github_annotations_are_escaped() {
    let place = Place::new();
    place.write(
        "a, b/SKILL.md",
        "---\nname: a\ndescription: 100%: yes\n---\n",
    );
    assert_snapshot!(place.run(&["check", "--format", "github"]).stdout, @r#"
    ::error file=a%2C b/SKILL.md,line=2,col=7,endLine=2,endColumn=8,title=name-mismatch::the name is `a`, but the directory is `a, b`%0Ahelp: rename the directory to `a`, or change the name
    ::error file=a%2C b/SKILL.md,line=3,col=14,endLine=3,endColumn=23,title=unquoted-colon::a colon in this value starts a second key in YAML%0Ahelp: write `description: "100%25: yes"`
    "#);
}

#[test]
fn cl5_sarif_names_rules_and_places() {
    let place = Place::copy_of("examples/broken");
    let run = place.run(&["check", "--format", "sarif"]);
    let document = run.json();
    assert_eq!(document["version"], "2.1.0");
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 7);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &document["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert!(
            place["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
                .ends_with("/SKILL.md")
        );
        assert!(place["region"]["startLine"].as_u64() >= Some(1));
    }
}

#[test]
fn codes_are_explained() {
    let place = Place::new();
    assert_snapshot!(place.run(&["check", "--explain", "unquoted-colon"]).snapshot(), @r#"
    exit 0
    --- stdout
    unquoted-colon: unquoted colon in a value

    `: ` starts a new key in YAML. Quote a value that contains it. `--fix` adds the quotes.

       check: error
        load: warning

    Wrong:

        pdf/SKILL.md
        | ---
        | name: pdf
        | description: Use when: a PDF is given
        | ---
        |
        | # PDF

    Right:

        pdf/SKILL.md
        | ---
        | name: pdf
        | description: "Use when: a PDF is given"
        | ---
        |
        | # PDF
    --- stderr
    "#);
    assert_snapshot!(place.run(&["check", "--explain", "unquoted-colin"]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: unknown diagnostic code `unquoted-colin`
    hint: did you mean `unquoted-colon`?
    ");
}

#[test]
fn dependencies_among_the_checked_skills() {
    let place = Place::new();
    let manifest = |name: &str, needs: &str| {
        format!(
            "name: {name}\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\ndependencies: [{needs}]\n"
        )
    };
    place.write("a/SKILL.yaml", manifest("a", "{name: b}"));
    place.write(
        "b/SKILL.yaml",
        manifest("b", "{name: a, version: ^2}, {name: elsewhere}"),
    );
    let run = place.run(&["check"]);
    assert_eq!(run.code, Some(3));
    for expected in [
        "error[dependency-cycle]: cyclic dependency: a -> b -> a",
        "error[missing-dependency]: `a` must have version ^2, found 1.0.0",
        "warning[missing-dependency]: missing dependency `elsewhere`",
    ] {
        assert!(run.stdout.contains(expected), "{expected}\n{}", run.stdout);
    }
}

#[test]
fn a_skill_is_checked_once_and_is_a_leaf() {
    let place = Place::new();
    place
        .skill("skills/pdf")
        .skill("skills/pdf/assets/inner")
        .skill(".claude/skills/csv")
        .skill(".cache/x");
    place.skill("node_modules/y").skill("shared/linked");
    let link =
        |target: &str, path: &str| std::os::unix::fs::symlink(target, place.path(path)).unwrap();
    link("../../shared/linked", ".claude/skills/linked");
    link("..", "skills/loop");
    let run = place.run(&["check", "--json", ".", "skills"]);
    let paths: Vec<_> = run.json()["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["path"].clone())
        .collect();
    assert_eq!(paths, [".claude/skills/csv", "shared/linked", "skills/pdf"]);
}

#[test]
fn things_that_are_not_files_never_block() {
    let place = Place::new();
    place.skill("good");
    fs::create_dir_all(place.path("pipe")).unwrap();
    fs::create_dir_all(place.path("dir/SKILL.md")).unwrap();
    let status = std::process::Command::new("mkfifo")
        .arg(place.path("pipe/SKILL.md"))
        .status();
    assert!(status.unwrap().success());
    assert_snapshot!(place.run(&["check"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot read dir/SKILL.md: not a regular file
    error: cannot read pipe/SKILL.md: not a regular file
    checked 1 skill in TIME: all valid
    ");
}

#[test]
fn a_directory_with_very_many_files() {
    let place = Place::new();
    place.skill("many");
    for index in 0..100_000 {
        fs::File::create(place.path(&format!("many/{index}"))).unwrap();
    }
    assert_eq!(place.run(&["check"]).code, Some(0));
    fs::remove_file(place.path("many/SKILL.md")).unwrap();
    assert!(place.run(&["check"]).stderr.contains("no skills found"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::copy_of("examples/broken");
    for format in ["human", "json", "sarif", "github"] {
        let mut child = place
            .command(&["check", "--format", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

#[test]
fn what_a_file_holds_never_reaches_the_terminal_raw() {
    let place = Place::new();
    place.write(
        "pdf/SKILL.md",
        "---\nname: \"pdf\\e[31m\"\ndescription: a\u{1b}]0;title\u{7}b\nfoo\u{9b}: 1\n---\n",
    );
    place.write("bad/SKILL.md", "---\nname: x\u{1b}[2J\n");
    for arguments in [
        &["check"][..],
        &["check", "--format", "github"],
        &["check", "--fix"],
    ] {
        let run = place.run(arguments);
        let text = run.stdout + &run.stderr;
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text:?}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let place = Place::copy_of("examples/broken");
    assert!(!place.run(&["check"]).stdout.contains('\u{1b}'));
    let forced = place
        .command(&["check"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(String::from_utf8(forced.stdout).unwrap().contains('\u{1b}'));
}
