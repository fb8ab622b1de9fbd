//! `cargo xtask bench process`: what programs of skills cost, in their jails.
#![cfg(test)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use prowess_core::{Scope, SkillId, Skills};
use prowess_runtime::worker::Program;
use prowess_runtime::{Approvals, Jails, Parts, ProjectFiles, Runtime, Workers};
use prowess_sandbox::{Confinement, Launcher, Requirement, Sandbox};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::manifest::Permission;
use prowess_testing::median;
use serde_json::json;

const PROGRAM: &str = r#"
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"tools": [{"name": "echo", "description": "d"}]}
    elif request["method"] == "tool/execute":
        result = {"content": str(request["params"]["input"]["n"]), "is_error": False}
    else:
        result = None
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
    sys.stdout.flush()
    if request["method"] == "shutdown":
        break
"#;

fn row(what: &str, found: Duration, target: &str, baseline: (&str, Duration)) {
    let (name, time) = baseline;
    let ratio = found.as_secs_f64() / time.as_secs_f64();
    println!(
        "{what:<40} {:>9}   target {target:<7}   {ratio:.2} x {name} ({time:.1?})",
        format!("{found:.1?}")
    );
}

/// The same program and the same lines, without a host in between.
fn bare(program: &std::path::Path) -> Duration {
    let mut child = Command::new("/usr/bin/python3")
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut times = Vec::new();
    for n in 0..2_000 {
        let line = json!({"jsonrpc": "2.0", "id": n, "method": "tool/execute", "params": {"name": "echo", "input": {"n": n}}});
        let start = Instant::now();
        writeln!(input, "{line}").unwrap();
        lines.next().unwrap().unwrap();
        times.push(start.elapsed());
    }
    drop(input);
    child.wait().unwrap();
    median(times)
}

fn launcher() -> Launcher {
    let mut launcher = Launcher::new(env!("CARGO_BIN_EXE_prowess"));
    launcher.arguments = vec!["sandbox-init".into()];
    launcher
}

fn starts() {
    let sandbox = Sandbox::new(launcher(), Requirement::Full);
    let command = prowess_sandbox::Command::new("/bin/true");
    let jailed = || {
        let start = Instant::now();
        sandbox
            .spawn(&command, &Confinement::default())
            .unwrap()
            .wait()
            .unwrap();
        start.elapsed()
    };
    let plain = || {
        let start = Instant::now();
        Command::new("/bin/true").status().unwrap();
        start.elapsed()
    };
    jailed();
    let found = median((0..25).map(|_| jailed()).collect());
    let baseline = median((0..25).map(|_| plain()).collect());
    row(
        "a jail, from start to end",
        found,
        "15 ms",
        ("no jail", baseline),
    );
}

/// A command of a skill in the sandbox that is made for a developer's: the whole machine to read, a project to change.
async fn commands() {
    let place = tempfile::tempdir().unwrap();
    let skill = place.path().join("skills/run");
    fs::create_dir_all(&skill).unwrap();
    fs::create_dir_all(place.path().join("project/src")).unwrap();
    let manifest = "name: run\nversion: 1.0.0\ndescription: d\ntypes: [tool]\npermissions: [\"shell:exec\"]\n\
                    implementation: {backend: starlark, entrypoint: x.star}\n";
    fs::write(skill.join("SKILL.yaml"), manifest).unwrap();
    let code = "register_tool('run', '', lambda input: exec('/bin/true'))\nregister_tool('nothing', '', lambda input: '')";
    fs::write(skill.join("x.star"), code).unwrap();
    let options = FilesystemOptions::new(Scope::Project);
    let source = FilesystemSource::new(place.path().join("skills"), options);
    let skills = Skills::builder().source("bench", source).build().await;
    let mut parts = Parts::new(skills.unwrap());
    parts.workers = Workers {
        starlark: Some(Program {
            program: env!("CARGO_BIN_EXE_prowess").into(),
            arguments: vec!["worker".into(), "starlark".into()],
        }),
        jails: Some(Jails::new(
            launcher(),
            Requirement::Full,
            None,
            std::env::home_dir(),
        )),
        ..Workers::default()
    };
    parts.services.project = ProjectFiles::open(&place.path().join("project")).ok();
    parts.services.allowances.turn.shell_execs = u32::MAX;
    let approvals = Approvals::default();
    approvals.approve_any_content("run", &[Permission::ShellExec]);
    parts.approvals = approvals;
    let runtime = Runtime::new(parts);
    let id: SkillId = "run".parse().unwrap();
    runtime.activate(&id).await.unwrap();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    // In turns, so that whatever else the machine does hits all of them alike.
    for _ in 0..50 {
        for (tool, times) in ["run", "nothing"].into_iter().zip(&mut times) {
            let start = Instant::now();
            let done = runtime.call_tool(tool, json!({})).await.unwrap();
            times.push(start.elapsed());
            assert!(!done.is_error, "{}", done.content);
        }
        let start = Instant::now();
        Command::new("/bin/true").status().unwrap();
        times[2].push(start.elapsed());
    }
    runtime.shut_down().await;
    let [command, call, plain] = times.map(median);
    let sandboxed = command.saturating_sub(call);
    row(
        "a command in the sandbox",
        sandboxed,
        "15 ms over",
        ("bare", plain),
    );
}

async fn calls() {
    let place = tempfile::tempdir().unwrap();
    let skill = place.path().join("echo");
    fs::create_dir_all(&skill).unwrap();
    let manifest = "name: echo\nversion: 1.0.0\ndescription: d\ntypes: [tool]\nimplementation: {backend: process, command: [python3, main.py]}\n";
    fs::write(skill.join("SKILL.yaml"), manifest).unwrap();
    fs::write(skill.join("main.py"), PROGRAM).unwrap();
    let source = FilesystemSource::new(place.path(), FilesystemOptions::new(Scope::Project));
    let skills = Skills::builder()
        .source("bench", source)
        .build()
        .await
        .unwrap();
    let mut parts = Parts::new(skills);
    parts.workers = Workers {
        jails: Some(Jails::new(
            launcher(),
            Requirement::Full,
            None,
            std::env::home_dir(),
        )),
        ..Workers::default()
    };
    parts.approvals = Approvals::default();
    parts.approvals.approve_any_content("echo", &[]);
    let runtime = Runtime::new(parts);
    let id: SkillId = "echo".parse().unwrap();
    runtime.activate(&id).await.unwrap();
    let mut times = Vec::new();
    for n in 0..2_000 {
        let start = Instant::now();
        let result = runtime.call_tool("echo", json!({"n": n})).await.unwrap();
        times.push(start.elapsed());
        assert_eq!(result.content, n.to_string());
    }
    let found = median(times);
    row(
        "a call to a warm process skill",
        found,
        "200 µs",
        ("its program alone", bare(&skill.join("main.py"))),
    );
    let start = Instant::now();
    let calls: Vec<_> = (0..100)
        .map(|n| {
            let runtime = runtime.clone();
            tokio::spawn(
                async move { (n, runtime.call_tool("echo", json!({"n": n})).await.unwrap()) },
            )
        })
        .collect();
    for call in calls {
        let (n, result) = call.await.unwrap();
        assert_eq!(result.content, n.to_string());
    }
    println!(
        "{:<40} {:>9}   all matched",
        "100 calls at once",
        format!("{:.1?}", start.elapsed())
    );
    runtime.shut_down().await;
}

fn main() {
    starts();
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio.block_on(commands());
    tokio.block_on(calls());
}
