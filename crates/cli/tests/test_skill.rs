//! `prowess test`: the real program on real skills, in real workers and sandboxes.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use support::{Run, TestProject, terminal};

const MANIFEST: &str = "\
name: sums
version: 1.0.0
description: Adds numbers. Use when the user adds numbers.
types: [tool, workflow, transform, security-rule]
permissions: [\"file:read\", \"file:write\", \"hook:tools\"]
triggers:
  keywords: [sum]
  files: [\"*.csv\"]
security_rules:
  rules:
    - {id: unfinished, pattern: FIXME, severity: low, message: is unfinished}
implementation: {backend: starlark, entrypoint: sums.star}
";

const CODE: &str = r#"
def add(input):
    if input["a"] < 0:
        fail("negative numbers are not supported")
    log("adding")
    return json.encode({"result": input["a"] + input["b"], "unit": None})

def save(input):
    write_file("out/sum.txt", read_file("a.txt") + input["text"])
    return "saved"

def guard(data):
    if data["tool"] == "remove":
        return hook_result(cancel = True, reason = "removing is not allowed")
    if data["tool"] == "copy":
        return hook_result({"input": {"safe": True}})

register_tool("add", "Adds.", add, {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
})
register_workflow("save", save)
register_hook("OnBeforeToolCall", guard)
"#;

const SCRIPT: &str = "\
import sys
if len(sys.argv) < 2:
    sys.exit('usage: count.py FILE')
text = open(sys.argv[1]).read()
print(len(text.split()), 'words')
open('count.txt', 'w').write(str(len(text)))
";

const CASES: &str = r#"
[[case]]
name = "adds"
tool = "add"
input = { a = 1, b = 2 }
expect_part = { result = 3 }

[[case]]
name = "negative numbers"
tool = "add"
input = { a = -1, b = 2 }
expect_error = "negative numbers"

[[case]]
name = "saves"
workflow = "save"
input = { text = "3" }
files = { "a.txt" = "1+2=" }
expect = "saved"
expect_files = { "out/sum.txt" = "1+2=3" }

[[case]]
name = "cancels"
hook = "OnBeforeToolCall"
input = { tool = "remove", input = {} }
expect_error = "not allowed"

[[case]]
name = "changes the input"
hook = "OnBeforeToolCall"
input = { tool = "copy", input = { a = 1 } }
expect = { tool = "copy", input = { safe = true } }

[[case]]
name = "counts"
script = "scripts/count.py"
arguments = ["text.txt"]
files = { "text.txt" = "one two three" }
expect_contains = "3 words"
expect_files = { "count.txt" = "13" }

[[case]]
name = "usage"
script = "scripts/count.py"
exit_code = 1
expect_error = "usage:"

[[case]]
name = "keyword"
trigger = true
message = "what is the sum of these?"

[[case]]
name = "file"
trigger = true
files = ["table.csv"]

[[case]]
name = "nothing to add"
trigger = false
message = "what is in summary.md?"
files = ["summary.md"]
mode = "headless"

[[case]]
name = "unfinished"
scan = true
files = { "a.md" = "one\nFIXME: two" }
expect_part = [{ rule = "unfinished", severity = "low", file = "a.md", line = 2 }]
"#;

/// A project with a skill that has code of every kind, and these cases.
fn sums(cases: &str) -> TestProject {
    let project = TestProject::new();
    fs::create_dir(project.path(".git")).unwrap();
    let root = ".agents/skills/sums";
    let text = "---\nname: sums\ndescription: Adds numbers. Use when the user adds numbers.\n---\nAdd them.\n";
    project.write(&format!("{root}/SKILL.md"), text);
    project.write(&format!("{root}/SKILL.yaml"), MANIFEST);
    project.write(&format!("{root}/sums.star"), CODE);
    project.write(&format!("{root}/scripts/count.py"), SCRIPT);
    project.write(&format!("{root}/tests/all.toml"), cases);
    project
}

const PATH: &str = ".agents/skills/sums";

/// Runs the tests of the skill with its code approved.
fn test(project: &TestProject, options: &[&str]) -> Run {
    let fixed = ["test", PATH, "--approve-skills", "sums"];
    project.run(&[&fixed[..], options].concat())
}

/// What was printed, without times.
fn shown(run: &Run) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.trim_end().rsplitn(3, ' ').collect();
        match words.as_slice() {
            ["ms" | "s", _, before] => format!("{} TIME", before.trim_end()),
            _ => line.trim_end().to_owned(),
        }
    };
    let text = run.snapshot();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn cl21_cl110_every_kind_of_case_runs_in_a_project_of_its_own() {
    let project = sums(CASES);
    project.write("a.txt", "not this one");
    let run = test(&project, &[]);
    assert_snapshot!(shown(&run), @r"
    exit 0
    --- stdout
    sums
      ok     adds TIME
      ok     negative numbers TIME
      ok     saves TIME
      ok     cancels TIME
      ok     changes the input TIME
      ok     counts TIME
      ok     usage TIME
      ok     keyword TIME
      ok     file TIME
      ok     nothing to add TIME
      ok     unfinished TIME
    --- stderr
    11 passed in TIME
    ");
    assert!(!project.path("out").exists(), "the project is not touched");
    // The same from inside the skill, and from an archive.
    let digest = project.run(&["info", "sums", "--json"]).json()["digest"].clone();
    let approved = format!("sums@{}", digest.as_str().unwrap());
    let mut inside = project.command_as_typed(&["test", "--approve-skills", &approved]);
    let inside = Run::of(inside.current_dir(project.path(PATH)).output().unwrap());
    assert_eq!(inside.code, Some(0), "{}", inside.snapshot());
    assert!(
        inside.stderr.starts_with("11 passed in "),
        "{}",
        inside.stderr
    );
    let packed = Command::new("tar")
        .args(["-czf", "sums.tar.gz", "-C", PATH, "."])
        .current_dir(project.root())
        .status();
    assert!(packed.unwrap().success());
    let archive = ["test", "sums.tar.gz", "--approve-skills", &approved];
    let archive = project.run(&archive);
    assert_eq!(archive.code, Some(0), "{}", archive.snapshot());
    assert!(
        archive.stderr.starts_with("11 passed in "),
        "{}",
        archive.stderr
    );
}

#[test]
fn cl21_a_failed_case_says_what_was_expected() {
    let project = sums(
        r#"
[[case]]
name = "wrong sum"
tool = "add"
input = { a = 1, b = 2 }
expect_part = { result = 4 }

[[case]]
name = "no error"
tool = "add"
input = { a = 1, b = 2 }
expect_error = "negative"

[[case]]
name = "unknown tool"
tool = "subtract"

[[case]]
name = "wrong file"
workflow = "save"
input = { text = "3" }
files = { "a.txt" = "" }
expect_files = { "out/sum.txt" = "4", "none.txt" = "" }

[[case]]
name = "not triggered"
trigger = true
message = "summary"

[[case]]
name = "wrong exit code"
script = "scripts/count.py"
"#,
    );
    let run = test(&project, &[]);
    assert_snapshot!(shown(&run), @r#"
    exit 3
    --- stdout
    sums
      FAIL   wrong sum TIME
             tests/all.toml:2
             expected at least {"result":4}
             got      {"result":3,"unit":null}
             log: adding
      FAIL   no error TIME
             tests/all.toml:8
             expected an error that contains "negative"
             got      "{\"result\":3,\"unit\":null}"
             log: adding
      FAIL   unknown tool TIME
             tests/all.toml:14
             unknown tool `subtract`; known: add
      FAIL   wrong file TIME
             tests/all.toml:18
             `none.txt` does not exist
      FAIL   not triggered TIME
             tests/all.toml:25
             expected to be activated; no trigger matches
      FAIL   wrong exit code TIME
             tests/all.toml:30
             exit code 1
             usage: count.py FILE
    --- stderr
    0 passed, 6 failed in TIME
    "#);
    let one = test(&project, &["--case", "sum"]);
    assert!(
        one.stderr.starts_with("0 passed, 1 failed in "),
        "{}",
        one.stderr
    );
    // An invalid skill is a failure, and the others are tested.
    project.write(".agents/skills/broken/SKILL.md", "---\nname: broken\n---\n");
    let cases = "[[case]]\nname = \"keyword\"\ntrigger = true\nmessage = \"the sum\"\n";
    project.write(&format!("{PATH}/tests/all.toml"), cases);
    let run = project.run(&["test", ".agents/skills"]);
    assert_eq!(run.code, Some(3), "{}", run.snapshot());
    assert!(
        run.stderr.starts_with("1 passed, 1 invalid skill in "),
        "{}",
        run.stderr
    );
}

/// What cannot be read holds cases that did not run.
#[test]
fn cl112_a_test_file_that_is_none_fails() {
    let project = TestProject::new();
    project.skill("skills/plain");
    fs::create_dir(project.path("skills/plain/tests")).unwrap();
    let pipe = project.path("skills/plain/tests/pipe.toml");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let link = project.path("skills/plain/tests/link.toml");
    std::os::unix::fs::symlink("../../../secret.toml", link).unwrap();
    let run = project.run(&["test", "skills"]);
    assert_eq!(run.code, Some(1), "{}", run.snapshot());
    for name in ["pipe", "link"] {
        let problem = format!("tests/{name}.toml:1:1: it is not a regular file");
        assert!(run.stdout.contains(&problem), "{}", run.snapshot());
    }
}

#[test]
fn cl21_a_skill_without_cases_passes() {
    let project = TestProject::new();
    project.skill("skills/plain");
    assert_snapshot!(shown(&project.run(&["test", "skills"])), @r"
    exit 0
    --- stdout
    plain
      no test cases in tests/*.toml
    --- stderr
    0 passed in TIME
    ");
    assert_snapshot!(shown(&project.run(&["test", "home"])), @r"
    exit 1
    --- stdout
    --- stderr
    error: no skill in home
    hint: pass the directory of a skill, or one that has skills below it
    ");
    fs::create_dir(project.path("empty")).unwrap();
    assert_snapshot!(shown(&project.run(&["test", "empty"])), @r"
    exit 1
    --- stdout
    --- stderr
    error: no skill in empty
    hint: pass the directory of a skill, or one that has skills below it
    ");
}

#[test]
fn cl111_no_code_is_tested_before_it_is_approved() {
    let project = sums(CASES);
    let run = project.run(&["test", PATH]);
    assert_eq!(run.code, Some(1), "{}", run.snapshot());
    assert!(
        run.stderr.contains("add `--approve-skills sums@sha256:"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.matches("hint:").count(), 1, "{}", run.stderr);
    // Triggers run no code.
    assert!(
        run.stderr.contains("3 passed, 8 not approved in "),
        "{}",
        run.stderr
    );
    // In a terminal it asks once, for all cases.
    let asked = terminal::answering(&project, 100, &["test", PATH], "[D]eny: ", "o\n");
    assert!(terminal::plain(&asked).contains("11 passed in "), "{asked}");
    let denied = terminal::answering(&project, 100, &["test", PATH], "[D]eny: ", "d\n");
    assert!(
        terminal::plain(&denied).contains("3 passed, 8 not approved in "),
        "{denied}"
    );
}

#[test]
fn cl112_an_invalid_test_file_is_reported_with_its_place() {
    let good = "[[case]]\nname = \"keyword\"\ntrigger = true\nmessage = \"the sum\"\n";
    let project = sums(good);
    let write = |name: &str, text: &str| project.write(&format!("{PATH}/tests/{name}"), text);
    write(
        "keys.toml",
        "[[case]]\nname = \"a\"\ntoool = \"add\"\n\n[[cases]]\nname = \"b\"\n",
    );
    write("syntax.toml", "[[case]]\nname = \"a\ntool = \"add\"\n");
    write(
        "types.toml",
        "[[case]]\nname = 3\ntool = \"add\"\nscript = \"x\"\n\n[[case]]\nname = \"b\"\ntrigger = \"yes\"\n\n[[case]]\nname = \"c\"\nhook = \"OnNothing\"\n\n[[case]]\nname = \"d\"\ntool = \"add\"\nfiles = { \"../x\" = \"\" }\nmessage = \"m\"\n",
    );
    write("bytes.toml", "\u{0}");
    write(".hidden.toml", "not a test file");
    write("deep/more.toml", "not a test file");
    let run = project.run(&["test", PATH]);
    assert_snapshot!(shown(&run), @r#"
    exit 1
    --- stdout
    sums
      error  tests/bytes.toml:1:2: invalid TOML: key with no value, expected `=`
      error  tests/keys.toml:3:1: unknown key `toool`; did you mean `tool`?
      error  tests/keys.toml:1:1: a case needs one of: tool, workflow, hook, script, trigger, scan, prompt
      error  tests/keys.toml:5:3: unknown key `cases`; did you mean `case`?
      error  tests/syntax.toml:2:10: invalid TOML: invalid basic string, expected `"`
      error  tests/types.toml:2:8: invalid `name`: expected a text
      error  tests/types.toml:4:1: a case has `tool` or `script`, not both
      error  tests/types.toml:8:11: invalid `trigger`: expected true or false
      error  tests/types.toml:12:8: invalid `hook`: expected one of: OnActivate, OnDeactivate, OnConversationStart, OnBeforePromptBuild, OnBeforeToolCall, OnAfterToolResult, OnAfterResponse, OnBeforeWikiSection, OnSecurityScanComplete
      error  tests/types.toml:18:1: `message` has no effect with `tool`
      error  tests/types.toml:17:9: invalid `files`: expected a relative path without `..`, not `../x`
      ok     keyword TIME
    --- stderr
    1 passed, 11 could not run in TIME
    "#);
}

#[test]
fn cl113_json_and_junit_have_every_case() {
    let cases = "[[case]]\nname = \"keyword <1>\"\ntrigger = true\nmessage = \"the sum\"\n\n[[case]]\nname = \"no & \\u001b[31m\"\ntrigger = false\nmessage = \"the sum\"\n";
    let project = sums(cases);
    let run = project.run(&["test", PATH, "--json"]);
    assert_eq!(run.code, Some(3));
    let document = run.json();
    let case = &document["skills"][0]["cases"][1];
    assert_eq!(
        (
            &case["outcome"],
            &case["file"],
            &case["line"],
            &case["action"]
        ),
        (
            &json!("failed"),
            &json!("tests/all.toml"),
            &json!(6),
            &json!("trigger")
        )
    );
    let summary = &document["summary"];
    assert_eq!(
        (&summary["passed"], &summary["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(document["check"]["summary"]["invalid"], 0);

    let run = project.run(&["test", PATH, "--format", "junit"]);
    assert_eq!(run.code, Some(3));
    project.write("report.xml", &run.stdout);
    let script = "import sys, json, xml.etree.ElementTree as tree\n\
        root = tree.parse('report.xml').getroot()\n\
        print(json.dumps([[it.get('name'), it.get('tests'), it.get('failures'), it.get('errors'), \
        [[case.get('name'), [x.tag for x in case]] for case in it]] for it in root]))";
    let parsed = Command::new("python3")
        .args(["-c", script])
        .current_dir(project.root())
        .output()
        .unwrap();
    let parsed: Value = serde_json::from_slice(&parsed.stdout).unwrap();
    assert_eq!(
        parsed,
        json!([
            ["check", "1", "0", "0", [[PATH, []]]],
            [
                "sums",
                "2",
                "1",
                "0",
                [["keyword <1>", []], ["no & \\u{1b}[31m", ["failure"]],]
            ],
        ])
    );
}

#[test]
fn cl114_watch_tests_again_after_a_change() {
    let case = |message: &str| {
        format!("[[case]]\nname = \"keyword\"\ntrigger = true\nmessage = \"{message}\"\n")
    };
    let project = sums(&case("nothing"));
    let mut child = project
        .command(&["test", PATH, "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until_waiting = || {
        let lines = lines.by_ref().map(Result::unwrap);
        lines
            .take_while(|line| !line.starts_with("waiting for changes"))
            .collect::<Vec<_>>()
    };
    let first = until_waiting();
    assert!(first[0].starts_with("0 passed, 1 failed in "), "{first:?}");
    project.write(&format!("{PATH}/tests/all.toml"), case("the sum"));
    let second = until_waiting();
    assert!(second[0].starts_with("1 passed in "), "{second:?}");
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{out}");
    assert_eq!(out.matches("keyword").count(), 2, "{out}");
    let refused = project.run(&["test", "a.tar.gz", "--watch"]);
    assert_eq!(refused.code, Some(1), "{}", refused.snapshot());
}

#[test]
fn cl115_every_created_skill_passes_its_tests() {
    let project = TestProject::new();
    fs::create_dir(project.path(".git")).unwrap();
    let all = "tool,prompt,workflow,security-rule,transform";
    for (name, options, count) in [
        ("plain", &[][..], 0),
        ("only-prompt", &["--type", "prompt"], 1),
        ("only-tool", &["--type", "tool"], 2),
        ("only-workflow", &["--type", "workflow"], 1),
        ("only-rule", &["--type", "security-rule"], 1),
        ("only-transform", &["--type", "transform"], 1),
        ("in-starlark", &["--backend", "starlark", "--type", all], 6),
        ("in-python", &["--language", "python", "--type", all], 6),
        ("in-node", &["--language", "node", "--type", all], 6),
        ("in-shell", &["--language", "shell", "--type", all], 6),
    ] {
        let created = project.run(&[&["create", name], options].concat());
        assert_eq!(created.code, Some(0), "{}", created.stderr);
        let path = format!(".agents/skills/{name}");
        let run = project.run(&["test", &path, "--approve-skills", name]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.snapshot());
        let expected = format!("{count} passed in ");
        assert!(
            run.stderr.starts_with(&expected),
            "{name}: {}",
            run.snapshot()
        );
    }
}

#[test]
fn cl116_a_case_that_hangs_is_ended_by_the_limits() {
    let cases = "[[case]]\nname = \"hangs\"\nscript = \"scripts/hang.sh\"\n\n[[case]]\nname = \"keyword\"\ntrigger = true\nmessage = \"the sum\"\n";
    let project = sums(cases);
    project.write(&format!("{PATH}/scripts/hang.sh"), "sleep 1000\n");
    project.write(
        "home/.config/prowess/prowess.toml",
        "[permissions]\nshell_exec_timeout_seconds = 1\n",
    );
    let run = test(&project, &[]);
    assert_eq!(run.code, Some(3), "{}", run.snapshot());
    assert!(
        run.stdout.contains("timed out after 1 s"),
        "{}",
        run.snapshot()
    );
    assert!(
        run.stderr.starts_with("1 passed, 1 failed in "),
        "{}",
        run.snapshot()
    );
}
