//! `prowess check`, as a person and as a machine runs it.
#![cfg(test)]

mod support;

use std::fs;
use std::process::Stdio;

use insta::assert_snapshot;
use support::TestProject;

#[test]
fn valid_skills_pass() {
    let project = TestProject::new();
    project.skill("skills/pdf").skill("skills/deep/er/csv");
    assert_snapshot!(project.run(&["check"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    checked 2 skills in TIME: all valid
    ");
    assert_snapshot!(project.run(&["check", "--quiet"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    ");
}

#[test]
fn cl5_errors_are_shown_with_their_source_lines() {
    let project = TestProject::new();
    project.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Use when: asked\n---\nDo it.\n",
    );
    assert_snapshot!(project.run(&["check", "pdf"]).snapshot(), @r#"
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
fn quiet_prints_only_errors() {
    let project = TestProject::copy_of("examples");
    let run = project.run(&["check", "--quiet", "examples"]);
    assert_eq!(run.code, Some(3));
    assert!(run.stdout.contains("error[") && !run.stdout.contains("warning["));
    assert_eq!(run.stderr, "");
}

#[test]
fn skill_file_is_checked_by_path() {
    let project = TestProject::new();
    project.skill("pdf");
    for path in ["pdf/SKILL.md", "./pdf", "pdf/../pdf/", "."] {
        assert_eq!(project.run(&["check", path]).code, Some(0), "{path}");
    }
    let inside = project
        .command(&["check", "SKILL.md"])
        .current_dir(project.path("pdf"))
        .output()
        .unwrap();
    assert_eq!(inside.status.code(), Some(0), "{inside:?}");
    assert_eq!(project.run(&["-C", "pdf", "check"]).code, Some(0));
}

#[test]
fn invalid_paths_are_reported_and_the_rest_is_checked() {
    let project = TestProject::new();
    project.skill("pdf").write("notes.txt", "x");
    assert_snapshot!(project.run(&["check", "nope", "notes.txt", "pdf"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot read nope: No such file or directory (os error 2)
    hint: check the spelling of the path
    error: notes.txt is not a skill
    hint: pass a directory, a file named SKILL.md, or an archive (.zip, .tar.gz, .skill)
    checked 1 skill in TIME: all valid
    ");
    assert_snapshot!(project.run(&["-C", "nowhere", "check"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot change to directory nowhere: No such file or directory (os error 2)
    ");
}

#[test]
fn an_empty_directory_has_no_skills() {
    let project = TestProject::new();
    assert_snapshot!(project.run(&["check"]).snapshot(), @r"
    exit 0
    --- stdout
    --- stderr
    no skills found: no SKILL.md below the current directory
    ");
}

#[test]
fn cl10_invalid_arguments_exit_with_two() {
    let project = TestProject::new();
    for arguments in [
        &["chek"][..],
        &["check", "--format", "xml"],
        &["check", "--yes"],
        &["check", "--fix", "--json"],
        &[],
    ] {
        assert_eq!(project.run(arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn cl5_json_is_one_document_whatever_happens() {
    let project = TestProject::copy_of("examples/broken");
    let run = project.run(&["check", "--json"]);
    assert_eq!(run.code, Some(3));
    let document = run.json();
    assert_eq!(document["version"], 1);
    assert_eq!(document["summary"]["skills"], 2);
    assert_eq!(document["summary"]["errors"], 5);
    let first = &document["skills"][0];
    assert_eq!(first["path"], "examples/broken/Deploy_Helper");
    assert_eq!(first["name"], "deploy-helper");
    assert_snapshot!(first["diagnostics"][0].to_string(), @r#"{"code":"name-uppercase","severity":"error","file":"examples/broken/Deploy_Helper/SKILL.md","start":{"line":2,"column":7,"byte":10},"end":{"line":2,"column":20,"byte":23},"message":"`Deploy_Helper` has upper-case letters","help":"for example `deploy-helper`","fixable":false}"#);

    let missing = project.run(&["check", "--json", "nope"]);
    assert_eq!(missing.code, Some(1));
    assert_eq!(missing.json()["problems"][0]["path"], "nope");
    let empty = TestProject::new().run(&["check", "--json"]);
    assert_eq!(
        (empty.code, empty.json()["skills"].as_array().map(Vec::len)),
        (Some(0), Some(0))
    );
}

#[test]
fn cl5_github_annotations_are_escaped() {
    let project = TestProject::new();
    project.write(
        "a, b/SKILL.md",
        "---\nname: a\ndescription: 100%: yes\n---\nDo it.\n",
    );
    assert_snapshot!(project.run(&["check", "--format", "github"]).stdout, @r#"
    ::error file=a%2C b/SKILL.md,line=2,col=7,endLine=2,endColumn=8,title=name-mismatch::the name is `a`, but the directory is `a, b`%0Ahelp: rename the directory to `a`, or change the name
    ::error file=a%2C b/SKILL.md,line=3,col=14,endLine=3,endColumn=23,title=unquoted-colon::a colon in this value starts a second key in YAML%0Ahelp: write `description: "100%25: yes"`
    "#);
}

#[test]
fn cl5_sarif_names_rules_and_places() {
    let project = TestProject::copy_of("examples/broken");
    let run = project.run(&["check", "--format", "sarif"]);
    let document = run.json();
    assert_eq!(document["version"], "2.1.0");
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 8);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &document["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], result["ruleId"]);
        let project = &result["locations"][0]["physicalLocation"];
        assert!(
            project["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
                .ends_with("/SKILL.md")
        );
        assert!(project["region"]["startLine"].as_u64() >= Some(1));
    }
}

#[test]
fn codes_are_explained() {
    let project = TestProject::new();
    assert_snapshot!(project.run(&["check", "--explain", "unquoted-colon"]).snapshot(), @r#"
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
    assert_snapshot!(project.run(&["check", "--explain", "unquoted-colin"]).snapshot(), @r"
    exit 2
    --- stdout
    --- stderr
    error: unknown diagnostic code `unquoted-colin`
    hint: did you mean `unquoted-colon`?
    ");
}

#[test]
fn dependencies_are_resolved_among_checked_skills() {
    let project = TestProject::new();
    let manifest = |name: &str, needs: &str| {
        format!(
            "name: {name}\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\ndependencies: [{needs}]\n"
        )
    };
    project.write("a/SKILL.yaml", manifest("a", "{name: b}"));
    project.write(
        "b/SKILL.yaml",
        manifest("b", "{name: a, version: ^2}, {name: elsewhere}"),
    );
    let run = project.run(&["check"]);
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
fn m15_foreign_manifest_is_a_warning() {
    let project = TestProject::new();
    project.skill("pdf");
    project.write("pdf/SKILL.yaml", "name: PDF reader\nicon: pdf.png\n");
    let run = project.run(&["check"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(
        run.stdout.contains("warning[foreign-manifest]: ignored"),
        "{}",
        run.stdout
    );
    project.write("pdf/SKILL.yaml", "name: PDF reader\ntypes: [tool]\n");
    assert_eq!(project.run(&["check"]).code, Some(3));
}

#[test]
fn a_skill_is_checked_once_and_is_a_leaf() {
    let project = TestProject::new();
    project
        .skill("skills/pdf")
        .skill("skills/pdf/assets/inner")
        .skill(".claude/skills/csv")
        .skill(".cache/x");
    project.skill("node_modules/y").skill("shared/linked");
    let link =
        |target: &str, path: &str| std::os::unix::fs::symlink(target, project.path(path)).unwrap();
    link("../../shared/linked", ".claude/skills/linked");
    link("..", "skills/loop");
    let run = project.run(&["check", "--json", ".", "skills"]);
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
    let project = TestProject::new();
    project.skill("good");
    fs::create_dir_all(project.path("pipe")).unwrap();
    fs::create_dir_all(project.path("dir/SKILL.md")).unwrap();
    let status = std::process::Command::new("mkfifo")
        .arg(project.path("pipe/SKILL.md"))
        .status();
    assert!(status.unwrap().success());
    assert_snapshot!(project.run(&["check"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot read dir/SKILL.md: not a regular file
    error: cannot read pipe/SKILL.md: not a regular file
    checked 1 skill in TIME: all valid
    ");
}

#[test]
fn directory_with_many_files_is_checked() {
    let project = TestProject::new();
    project.skill("many");
    for index in 0..100_000 {
        fs::File::create(project.path(&format!("many/{index}"))).unwrap();
    }
    assert_eq!(project.run(&["check"]).code, Some(0));
    fs::remove_file(project.path("many/SKILL.md")).unwrap();
    assert!(project.run(&["check"]).stderr.contains("no skills found"));
}

#[test]
fn closed_pipe_is_not_an_error() {
    let project = TestProject::copy_of("examples/broken");
    for format in ["human", "json", "sarif", "github"] {
        let mut child = project
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
fn file_content_is_escaped_in_the_terminal() {
    let project = TestProject::new();
    project.write(
        "pdf/SKILL.md",
        "---\nname: \"pdf\\e[31m\"\ndescription: a\u{1b}]0;title\u{7}b\nfoo\u{9b}: 1\n---\n",
    );
    project.write("bad/SKILL.md", "---\nname: x\u{1b}[2J\n");
    for arguments in [
        &["check"][..],
        &["check", "--format", "github"],
        &["check", "--fix"],
    ] {
        let run = project.run(arguments);
        let text = run.stdout + &run.stderr;
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text:?}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let project = TestProject::copy_of("examples/broken");
    assert!(!project.run(&["check"]).stdout.contains('\u{1b}'));
    let forced = project
        .command(&["check"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(String::from_utf8(forced.stdout).unwrap().contains('\u{1b}'));
}
