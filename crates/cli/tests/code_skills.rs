//! Skills with code, through the program: why, trace, run, permissions, audit, and the question in a terminal.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;
use support::terminal::{answering, plain};
use support::{Run, TestProject, without_digests};

/// The example skills, in a project.
fn examples() -> TestProject {
    examples_in(TestProject::new())
}

fn examples_in(project: TestProject) -> TestProject {
    let project = project.with_copy_of("examples/code-skills");
    fs::rename(project.path("examples/code-skills"), project.path("skills")).unwrap();
    fs::create_dir_all(project.path(".agents")).unwrap();
    fs::rename(project.path("skills"), project.path(".agents/skills")).unwrap();
    fs::create_dir(project.path(".git")).unwrap();
    project
}

/// What a terminal shows when somebody answers.
fn typed(project: &TestProject, arguments: &[&str], answers: &str) -> String {
    let shown = answering(project, 100, arguments, "[D]eny: ", answers);
    plain(&shown).replace("\r\n", "\n")
}

/// A kubectl that writes down how it was called, and answers from files.
fn recording_kubectl(project: &TestProject) -> String {
    project.write(
        "bin/kubectl",
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$HOME/calls\"\n\
         case \"$1 $2\" in\n\
         'get pods') cat \"$HOME/pods.json\" ;;\n\
         'get events') echo 'Warning BackOff restarting failed container' ;;\n\
         logs*) echo 'panic: no database' ;;\n\
         'get nodes') echo 'error: connection refused' >&2; exit 1 ;;\n\
         esac\n",
    );
    let program = project.path("bin/kubectl");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    let pods = r#"{"items": [
        {"metadata": {"name": "web-1"}, "status": {"phase": "Running", "containerStatuses": [{"name": "web", "ready": true}]}},
        {"metadata": {"name": "api-1"}, "status": {"phase": "Running", "containerStatuses":
            [{"name": "api", "ready": false, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}}
    ]}"#;
    project.write("home/pods.json", pods);
    format!(
        "{}:{}",
        project.path("bin").display(),
        std::env::var("PATH").unwrap()
    )
}

fn run_with_path(project: &TestProject, path: &str, arguments: &[&str]) -> Run {
    Run::of(
        project
            .command(arguments)
            .env("PATH", path)
            .output()
            .unwrap(),
    )
}

#[test]
fn cl7_why_explains_activation() {
    let project = examples();
    assert_snapshot!(project.run(&["why", "kubernetes"]).snapshot(), @r"
    exit 0
    --- stdout
    kubernetes is not activated automatically here.
      files      k8s/**/*.yaml, kubernetes/**/*.yaml, kustomization.yaml, Chart.yaml (no matching file)
      keywords   kubernetes, kubectl, k8s, pod, pods, helm (not in the message)
    To activate it, use --skills kubernetes
    needs approval: run, shell:exec
    --- stderr
    ");
    project.write("k8s/web/deploy.yaml", "kind: Deployment\n");
    assert_snapshot!(
        project.run(&["why", "kubernetes", "--message", "the", "pods", "died"]).snapshot(), @r#"
    exit 0
    --- stdout
    kubernetes is activated here, with a score of 180:
      k8s/web/deploy.yaml matches k8s/**/*.yaml
      the message contains "pods"
    needs approval: run, shell:exec
    --- stderr
    "#);
    assert_snapshot!(project.run(&["why", "kubernets"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: unknown skill `kubernets`
    hint: did you mean kubernetes?
    ");
}

#[test]
fn trace_lists_activated_skills() {
    let project = examples();
    project.write("AGENTS.md", "---\nskills: [rfc-writer]\n---\n# Agents\n");
    let run = project.run(&["trace", "is", "this", "aggregate", "well", "drawn?"]);
    assert_snapshot!(run.snapshot(), @r#"
    exit 0
    --- stdout
    rfc-writer  inactive (score 1000)
      because named explicitly
      not-approved: `rfc-writer` needs approval: run, file:read, file:write
    ddd-expert  active (score 80)
      because the message contains "aggregate"
    prompt: about 532 tokens of catalog, 285 of 8000 tokens of fragments
      ddd-expert: 285 tokens
    --- stderr
    "#);
    let run = project.run(&[
        "trace",
        "--json",
        "--skills",
        "kubernetes",
        "--approve-skills",
        "kubernetes,rfc-writer",
    ]);
    let trace: Value = serde_json::from_str(&run.stdout).unwrap();
    let of = |index: usize| &trace["skills"][index];
    assert_eq!(
        (&of(0)["id"], &of(0)["state"]),
        (&"kubernetes".into(), &"active".into())
    );
    assert_eq!(of(0)["tools"].as_array().unwrap().len(), 4);
    assert_eq!(of(1)["workflows"], serde_json::json!(["draft", "review"]));
}

#[test]
fn unknown_named_skills_are_rejected() {
    let project = examples();
    let run = project.run(&["trace", "--skills", "kubernets"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("kubernetes"), "{}", run.stderr);
    project.write("AGENTS.md", "---\nskills:\n  - rfc-writter\n---\n");
    let run = project.run(&["trace"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("AGENTS.md") && run.stderr.contains("rfc-writer"),
        "{}",
        run.stderr
    );
}

#[test]
fn directory_overrides_other_sources() {
    let project = TestProject::new();
    project.write("mine/lint/SKILL.yaml", "name: lint\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\nprompt: {system_prompt_file: p.md}\n");
    project.write("mine/lint/p.md", "Be tidy.");
    project.skill(".agents/skills/lint");
    let run = project.run(&["trace", "--json", "--skills", "./mine"]);
    let trace: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(trace["skills"][0]["id"], "lint");
    assert_eq!(trace["prompt"]["fragments"][0]["text"], "Be tidy.");
}

#[test]
fn kubernetes_skill_lists_cluster_resources() {
    let project = examples();
    let path = recording_kubectl(&project);
    let approved = ["--approve-skills", "kubernetes"];
    let run = |words: &[&str]| run_with_path(&project, &path, &[words, &approved].concat());
    assert_snapshot!(run(&["run", "kubernetes/diagnose", "--arg", "namespace=web"]).snapshot(), @r"
    exit 0
    --- stdout
    1 of 2 pods are not well.

    ## api-1 (api: CrashLoopBackOff)
    The last lines before it ended:
    panic: no database
    Events:
    Warning BackOff restarting failed container
    --- stderr
    ");
    assert_snapshot!(project.read("home/calls"), @r"
    get pods --namespace web --output json
    logs api-1 --namespace web --tail 20 --previous
    get events --namespace web --field-selector involvedObject.name=api-1 --output custom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message
    ");
    let failed = run(&["run", "kubernetes/kubectl_get", "--arg", "resource=nodes"]);
    assert!(
        failed.stderr.contains("connection refused"),
        "{}",
        failed.snapshot()
    );
    assert_eq!(failed.code, Some(1));
    for bad in [
        "name=--kubeconfig=/tmp/x",
        "namespace=-A",
        "resource=pods -A",
    ] {
        let words = [
            "run",
            "kubernetes/kubectl_get",
            "--arg",
            "resource=pods",
            "--arg",
            bad,
        ];
        let refused = run(&words);
        assert!(
            refused.stderr.contains("is no name"),
            "{}",
            refused.snapshot()
        );
    }
}

#[test]
fn rfc_skill_drafts_and_reviews() {
    let project = examples();
    let approved = ["--approve-skills", "rfc-writer"];
    let run = |words: &[&str]| project.run(&[words, &approved].concat());
    let drafted = run(&[
        "run",
        "rfc-writer/draft",
        "--arg",
        "title=Faster scans, please!",
    ]);
    assert_eq!(
        drafted.stdout,
        "rfcs/0001-faster-scans-please.md\n",
        "{}",
        drafted.snapshot()
    );
    let second = run(&[
        "run",
        "rfc-writer/draft",
        "--arg",
        "title=Ünïcode",
        "--arg",
        "summary=Short.",
    ]);
    assert!(
        second.stdout.starts_with("rfcs/0002-"),
        "{}",
        second.snapshot()
    );
    assert!(
        project
            .read("rfcs/0001-faster-scans-please.md")
            .contains("## Motivation")
    );
    let review = run(&[
        "run",
        "rfc-writer/review",
        "--arg",
        "path=rfcs/0001-faster-scans-please.md",
    ]);
    assert!(
        review
            .stdout
            .starts_with("still empty: Summary, Motivation"),
        "{}",
        review.snapshot()
    );
    project.write("rfcs/0003-x.md", "# RFC\r\n\r\n## Summary\r\n\r\nText.\r\n");
    let review = run(&["run", "rfc-writer/review", "--arg", "path=rfcs/0003-x.md"]);
    assert!(
        review.stdout.starts_with("missing: Motivation"),
        "{}",
        review.snapshot()
    );
    let outside = run(&[
        "run",
        "rfc-writer/draft",
        "--arg",
        "title=x",
        "--arg",
        "directory=../out",
    ]);
    assert_eq!(outside.code, Some(1), "{}", outside.snapshot());
    assert!(!project.root().parent().unwrap().join("out").exists());
}

#[test]
fn ddd_skill_contributes_to_the_prompt() {
    let project = examples();
    let run = project.run(&["trace", "--json", "what is the bounded context here?"]);
    let trace: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(trace["skills"][0]["id"], "ddd-expert");
    let text = trace["prompt"]["fragments"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("bounded context") && text.contains("Anaemic"),
        "{text}"
    );
    assert!(trace["prompt"]["report"]["tokens"].as_u64().unwrap() <= 600);
}

#[test]
fn built_in_skills_are_available() {
    let project = TestProject::new();
    project.write("src/lib.rs", "fn one() {}\nfn two() {}\n");
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
        assert!(
            command
                .args(words)
                .current_dir(project.root())
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    git(&["init", "--quiet"]);
    git(&["add", "src"]);
    git(&["commit", "--quiet", "-m", "first"]);
    let approved = ["--approve-skills", "core-tools,git"];
    let run = |words: &[&str]| project.run(&[words, &approved].concat());
    let tool = |name: &str, input: &str| run(&["run", name, "--input", input]);
    assert_eq!(
        tool("core-tools/find_files", r#"{"pattern": "*.rs"}"#).stdout,
        "src/lib.rs\n"
    );
    assert_eq!(
        tool("core-tools/search_text", r#"{"text": "two"}"#).stdout,
        "src/lib.rs:2: fn two() {}\n"
    );
    let edited = tool(
        "core-tools/edit_file",
        r#"{"path": "src/lib.rs", "old": "two", "new": "three"}"#,
    );
    assert_eq!(
        edited.stdout,
        "changed src/lib.rs\n",
        "{}",
        edited.snapshot()
    );
    let twice = tool(
        "core-tools/edit_file",
        r#"{"path": "src/lib.rs", "old": "fn", "new": "x"}"#,
    );
    assert!(twice.stderr.contains("2 times"), "{}", twice.snapshot());
    let read = tool(
        "core-tools/read_file",
        r#"{"path": "src/lib.rs", "first_line": 2, "lines": 1}"#,
    );
    assert_eq!(
        read.stdout,
        "2\tfn three() {}\n[1 more lines; go on with first_line 3]\n"
    );
    assert!(
        tool("core-tools/list_directory", "{}")
            .stdout
            .contains("src/\n")
    );
    let done = tool(
        "core-tools/run_command",
        r#"{"command": ["sh", "-c", "cat; exit 3"], "stdin": "in"}"#,
    );
    assert_eq!(done.stdout, "exit code 3\nin\n", "{}", done.snapshot());
    assert!(
        tool("git/git_status", "{}")
            .stdout
            .starts_with("M\tsrc/lib.rs\n")
    );
    assert!(tool("git/git_diff", "{}").stdout.contains("+fn three() {}"));
    assert!(tool("git/git_log", "{}").stdout.contains("first"));
    let unknown = run(&["run", "core-tools/reed_file"]);
    assert!(
        unknown.stderr.contains("read_file"),
        "{}",
        unknown.snapshot()
    );
}

/// What could not be read is said before the user decides, not passed over as "nothing found".
#[test]
fn unread_code_is_reported_before_approval() {
    let project = examples();
    let tool = ".agents/skills/rfc-writer/tool.bin";
    project.write(tool, b"\x7fELF\x02\x01\x01\0\0\0\0");
    let draft = ["run", "rfc-writer/draft", "--arg", "title=One"];
    let shown = typed(&project, &draft, "s\nd\n");
    let said = "audit: unverified: not read: tool.bin";
    assert!(shown.contains(said), "{shown}");
    assert!(!shown.contains("nothing found"), "{shown}");
}

/// Refused without anybody to ask, allowed at a terminal, then remembered; and all of it again after one byte changed.
#[test]
fn cl6_approved_once_and_for_exactly_these_bytes() {
    let project = examples_in(TestProject::short());
    let draft = ["run", "rfc-writer/draft", "--arg", "title=One"];
    assert_snapshot!(without_digests(&project.run(&draft).snapshot()), @r"
    exit 4
    --- stdout
    --- stderr
    error: not-approved: `rfc-writer` needs approval: run, file:read, file:write
    hint: run it in a terminal to approve it, or add `--approve-skills rfc-writer@sha256:DIGEST` if you trust it
    ");
    assert!(!project.path("rfcs").exists());

    let shown = typed(&project, &draft, "s\na\n");
    for part in [
        "The skill `rfc-writer` 1.0.0 wants to:",
        "file:write    write project files",
        "audit: nothing found",
        "register_workflow(\"draft\", draft)",
        "rfcs/0001-one.md",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(project.run(&draft).stdout, "rfcs/0002-one.md\n");
    let root = project.root().canonicalize().unwrap();
    let listed = without_digests(&project.run(&["permissions"]).snapshot());
    let wide = " ".repeat(root.to_str().unwrap().chars().count() - "PROJECT".len());
    let listed = listed.replace(&format!("PROJECT{wide}"), "PROJECT");
    let listed = listed.replace(root.to_str().unwrap(), "HERE   ");
    let info = project.run(&["info", "rfc-writer", "--json"]).json();
    let given = info["approvals"][0]["given"].as_str().unwrap();
    let day = given.split('T').next().unwrap();
    let listed = listed.replace(day, "YYYY-MM-DD");
    assert_snapshot!(listed, @r"
    exit 0
    --- stdout
    SKILL       PERMISSION  EFFECT  PROJECT  GIVEN       CONTENT
    rfc-writer  file:read   allow   HERE     YYYY-MM-DD  sha256:DIGEST, unchanged
    rfc-writer  file:write  allow   HERE     YYYY-MM-DD  sha256:DIGEST, unchanged
    rfc-writer  run         allow   HERE     YYYY-MM-DD  sha256:DIGEST, unchanged
    --- stderr
    ");

    let code = project.read(".agents/skills/rfc-writer/rfc.star");
    project.write(".agents/skills/rfc-writer/rfc.star", code + "\n");
    let refused = project.run(&draft);
    assert_eq!(refused.code, Some(4), "{}", refused.snapshot());
    let shown = typed(&project, &draft, "o\n");
    assert!(
        shown.contains("changed since its last approval") && shown.contains("rfcs/0003-one.md"),
        "{shown}"
    );
    // Once was once.
    assert_eq!(project.run(&draft).code, Some(4));
    let shown = typed(&project, &draft, "d\n");
    assert!(shown.contains("denied"), "{shown}");

    let revoked = project.run(&["permissions", "rfc-writer", "--revoke"]);
    assert!(
        revoked.stderr.contains("revoked 3 approvals"),
        "{}",
        revoked.snapshot()
    );
    assert_eq!(project.run(&["permissions"]).stdout, "");
}

#[test]
fn configuration_approves_skills() {
    let project = examples();
    let approves = "[permissions.approved]\nrfc-writer = [\"file:read\", \"file:write\"]\n";
    let draft = ["run", "rfc-writer/draft", "--arg", "title=One"];
    project.write("prowess.toml", approves);
    let run = project.run(&draft);
    assert_eq!(run.code, Some(4), "{}", run.snapshot());
    let ignored = "`permissions.approved.rfc-writer` ignored: a project file cannot approve";
    assert!(run.stderr.contains(ignored), "{}", run.snapshot());
    fs::remove_file(project.path("prowess.toml")).unwrap();
    // The user's own file covers the user's own skill of that name, not the project's.
    project.write("home/.config/prowess/prowess.toml", approves);
    assert_eq!(project.run(&draft).code, Some(4));
    let own = project.path("home/.agents/skills");
    fs::create_dir_all(&own).unwrap();
    let theirs = project.path(".agents/skills/rfc-writer");
    fs::rename(theirs, own.join("rfc-writer")).unwrap();
    let run = project.run(&draft);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
}

#[test]
fn read_only_home_falls_back_to_memory() {
    let project = examples();
    // Root writes everywhere, so what should be a directory is a file.
    project.write("home/.local", "in the way");
    let run = project.run(&[
        "run",
        "rfc-writer/draft",
        "--arg",
        "title=One",
        "--approve-skills",
        "rfc-writer",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    assert!(
        run.stderr.contains("nothing is saved after this run"),
        "{}",
        run.snapshot()
    );
}

#[test]
fn security_rules_of_skills_audit_other_skills() {
    let project = TestProject::new();
    let manifest = "name: house\nversion: 1.0.0\ndescription: d\ntypes: [security-rule]\n\
        implementation: {backend: starlark, entrypoint: s.star}\n\
        security_rules:\n  rules:\n    - {id: no-telnet, pattern: telnet, severity: high, message: use ssh}\n  scanners: [todo]\n";
    project.write(".agents/skills/house/SKILL.yaml", manifest);
    project.write(
        ".agents/skills/house/s.star",
        "def scan(files):\n    return [{'rule': 'todo', 'severity': 'medium', 'file': f['path'], 'line': n + 1, 'message': 'not done'}\n        for f in files for n, line in enumerate(f['text'].split('\\n')) if 'TODO' in line]\nregister_scanner('todo', scan)\n",
    );
    project.write(
        "other/x/SKILL.md",
        "---\nname: x\ndescription: d\n---\nCall telnet.\nTODO later\n",
    );
    let run = project.run(&["audit", "other"]);
    assert!(
        run.stderr.contains("rules of house not used: not-approved"),
        "{}",
        run.snapshot()
    );
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    let run = project.run(&["audit", "other", "--approve-skills", "house"]);
    assert_snapshot!(run.snapshot(), @r#"
    exit 3
    --- stdout
    error[no-telnet]: use ssh (high)
     --> other/x/SKILL.md:5:6
      |
    5 | Call telnet.
      |      ^^^^^^
      |
      = help:

    warning[todo]: not done (medium)
     --> other/x/SKILL.md:6:1
      |
    6 | TODO later
      | ^^^^^^^^^^
      |
      = help: see the skill that reports this

    --- stderr
    audited 1 skill: dangerous; 2 findings (1 high, 1 medium)
    hint: to accept it, add "RULE@sha256:47b101a0e6918d563842fd448b72b0be8599fd3e38a0349b6eaf7c794e1822e2" to [audit] allow in your own prowess.toml
    "#);
}

/// A skill with scripts and nothing else.
fn scripted() -> TestProject {
    let project = TestProject::new();
    project.skill(".agents/skills/tidy");
    project.write(
        ".agents/skills/tidy/scripts/count.py",
        "import os, sys\nprint(len(sys.argv) - 1, sys.argv[1:], os.listdir('.'), sorted(os.listdir('/skill')))\nopen('out.txt', 'w').write('left')\n",
    );
    project.write(
        ".agents/skills/tidy/scripts/fail.sh",
        "echo no >&2\nprintf '\\033]0;owned\\007'\nexit 3\n",
    );
    project.write(".agents/skills/tidy/scripts/notes.txt", "text");
    project.write(
        ".agents/skills/tidy/scripts/other",
        "#!/usr/bin/env prowess-no-such-interpreter\n",
    );
    project
}

#[test]
fn tl10_scripts_run_in_the_sandbox_once_they_are_approved() {
    let project = scripted();
    let count = ["run", "tidy/scripts/count.py"];
    assert_snapshot!(without_digests(&project.run(&count).snapshot()), @r"
    exit 4
    --- stdout
    --- stderr
    error: not approved: run, file:read; approve it in a terminal with `prowess run tidy/scripts/count.py`
    hint: run it in a terminal to approve it, or add `--approve-skills tidy@sha256:DIGEST` if you trust it
    ");
    let approved = ["--approve-skills", "tidy", "--", "a b", "$(id)", "--flag"];
    let run = project.run(&[&count[..], &approved].concat());
    assert_eq!(
        run.stdout,
        "3 ['a b', '$(id)', '--flag'] [] ['SKILL.md', 'scripts']\n",
        "{}",
        run.snapshot()
    );
    // What it left is reported.
    assert!(
        run.stderr.contains("not written: out.txt; use --write"),
        "{}",
        run.snapshot()
    );
    let failed = project.run(&["run", "tidy/scripts/fail.sh", "--approve-skills", "tidy"]);
    assert_eq!(failed.code, Some(3));
    // What a terminal would obey is shown instead.
    assert!(
        failed.stdout.contains("\\u{1b}]0;owned"),
        "{}",
        failed.snapshot()
    );
    for (script, reason) in [
        ("notes.txt", "is no program"),
        ("nothing.py", "`scripts/nothing.py` is not in the skill"),
        ("other", "`prowess-no-such-interpreter` is not installed"),
    ] {
        let run = project.run(&[
            "run",
            &format!("tidy/scripts/{script}"),
            "--approve-skills",
            "tidy",
        ]);
        assert!(run.stderr.contains(reason), "{}", run.snapshot());
        assert_eq!(run.code, Some(1));
    }
    project.write(
        "prowess.toml",
        "[skills]\nscripts = \"sandboxed\"\nsandbox = \"none\"\n",
    );
    // Neither is for the project to say.
    assert_eq!(project.run(&count).code, Some(4));
    project.write("prowess.toml", "[skills]\nscripts = \"off\"\n");
    let off = project.run(&[&count[..], &["--approve-skills", "tidy"]].concat());
    assert!(off.stderr.contains("scripts are off"), "{}", off.snapshot());
    assert_eq!(off.code, Some(4));
}

#[test]
fn mcp_client_runs_a_script_approved_later() {
    use std::io::{BufRead, BufReader, Write};
    let project = scripted();
    let mut child = project
        .command(&["mcp"])
        .env("TMPDIR", project.create("tmp").path("tmp"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut id = 0;
    let mut ask = |method: &str, params: Value| -> Value {
        id += 1;
        let message =
            serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{message}").unwrap();
        loop {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == id {
                return line["result"].clone();
            }
        }
    };
    ask(
        "initialize",
        serde_json::json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    let call = serde_json::json!({"name": "run_skill_script", "arguments": {"id": "tidy", "path": "scripts/count.py", "args": ["x"]}});
    let refused = ask("tools/call", call.clone());
    assert_eq!(refused["isError"], true, "{refused}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("prowess run tidy/scripts/count.py"), "{text}");
    let shown = typed(&project, &["run", "tidy/scripts/fail.sh"], "a\n");
    assert!(shown.contains("run its code"), "{shown}");
    let ran = ask("tools/call", call);
    assert_eq!(ran["structuredContent"]["exit_code"], 0, "{ran}");
    assert!(
        ran["structuredContent"]["stdout"]
            .as_str()
            .unwrap()
            .starts_with("1 ['x']"),
        "{ran}"
    );
    assert_eq!(
        ran["structuredContent"]["files"],
        serde_json::json!([{"path": "out.txt", "bytes": 4}])
    );
    drop(input);
    child.wait().unwrap();
    // What scripts left is removed.
    assert_eq!(std::fs::read_dir(project.path("tmp")).unwrap().count(), 0);
}

#[test]
fn doctor_reports_the_sandbox() {
    let project = TestProject::new();
    let report: Value = serde_json::from_str(&project.run(&["doctor", "--json"]).stdout).unwrap();
    assert_eq!(report["sandbox"]["isolation"], "namespaces");
    assert_eq!(report["sandbox"]["seccomp"]["state"], "works");
    assert!(
        project
            .run(&["doctor"])
            .stdout
            .contains("sandbox   namespaces")
    );
}

#[test]
fn interrupt_ends_programs_of_skills() {
    let project = TestProject::new();
    project.write(
        ".agents/skills/slow/SKILL.yaml",
        "name: slow\nversion: 1.0.0\ndescription: d\ntypes: [workflow]\npermissions: [\"shell:exec\"]\nimplementation: {backend: starlark, entrypoint: s.star}\n",
    );
    project.write(
        ".agents/skills/slow/s.star",
        "register_workflow('w', lambda input: exec('sh', '-c', 'echo $$ > started; sleep 62.28125'))\n",
    );
    let mut child = project
        .command(&["run", "slow/w", "--approve-skills", "slow"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    let started = project.path("started");
    while fs::read_to_string(&started)
        .unwrap_or_default()
        .trim()
        .is_empty()
    {
        assert!(began.elapsed().as_secs() < 20, "it does not start");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // Its number inside of the sandbox means nothing here.
    let left = || {
        let mut entries = fs::read_dir("/proc").unwrap().flatten();
        entries.any(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.starts_with(b"sleep\x0062.28125")
        })
    };
    while left() {
        assert!(began.elapsed().as_secs() < 20, "its program is left");
        std::thread::yield_now();
    }
}
