//! `cargo xtask bench runtime`: what skills with code cost.
#![cfg(test)]

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{Scope, SkillId, Skills};
use prowess_policy::{Contents, Effect, Grant, Grants, Lifetime, Right};
use prowess_runtime::worker::Program;
use prowess_runtime::{
    Approvals, Manifests, Parts, Project, ProjectLimits, Runtime, Situation, Workers,
};
use prowess_scan::{File, Rules};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::manifest::Mode;
use prowess_testing::median;
use serde_json::json;

const SKILLS: usize = 1_000;
const FILES: usize = 100_000;
const ROUNDS: usize = 9;

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn row(what: &str, found: Duration, target: &str, baseline: Option<(&str, Duration)>) {
    let beside = baseline.map_or(String::new(), |(name, time)| {
        let ratio = found.as_secs_f64() / time.as_secs_f64();
        format!("   {ratio:.2} x {name} ({time:.1?})")
    });
    println!(
        "{what:<46} {:>9}   target {target:<8}{beside}",
        format!("{found:.1?}")
    );
}

/// Skills with triggers of every kind.
fn write_skills(root: &Path) {
    for index in 0..SKILLS {
        let directory = root.join(format!("skill-{index:04}"));
        fs::create_dir_all(&directory).unwrap();
        let manifest = format!(
            "name: skill-{index:04}\nversion: 1.0.0\ndescription: Does thing {index}\ntypes: [prompt]\n\
             triggers:\n  files: [\"*.ext{index}\", \"dir{}/**/*.rs\"]\n  keywords: [word{index}]\n  languages: [rust]\n",
            index % 100
        );
        fs::write(directory.join("SKILL.yaml"), manifest).unwrap();
    }
}

fn write_project(root: &Path) {
    for directory in 0..FILES / 100 {
        let path = root.join(format!("dir{}/sub{directory}", directory % 50));
        fs::create_dir_all(&path).unwrap();
        for file in 0..100 {
            fs::write(path.join(format!("file{file}.ext{}", file % 7)), "").unwrap();
        }
    }
}

async fn skills(root: &Path) -> Skills {
    let source = FilesystemSource::new(root, FilesystemOptions::new(Scope::Project));
    let built = Skills::builder().source("bench", source).build().await;
    built.unwrap()
}

/// Walking the project and nothing else.
fn walk(root: &Path) -> usize {
    let count = std::sync::atomic::AtomicUsize::new(0);
    ignore::WalkBuilder::new(root).build_parallel().run(|| {
        Box::new(|_| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            ignore::WalkState::Continue
        })
    });
    count.into_inner()
}

async fn triggers(place: &Path) {
    write_skills(&place.join("skills"));
    write_project(&place.join("project"));
    let project = place.join("project");
    let limits = ProjectLimits::default();
    let (mut cold, mut warm, mut walks) = (vec![], vec![], vec![]);
    let skills = skills(&place.join("skills")).await;
    for _ in 0..ROUNDS {
        walks.push(timed(|| walk(&project)));
        let start = Instant::now();
        let manifests = Manifests::read(&skills).await;
        let (triggers, errors) = manifests.triggers();
        assert!(errors.is_empty() && manifests.problems().is_empty());
        let project = Arc::new(Project::scan(&project, &limits));
        let situation = Situation {
            project: &project,
            message: "please do word7 and word77",
            mode: Mode::Headless,
            explicit: &[],
        };
        let found = triggers.evaluate(&situation).unwrap();
        cold.push(start.elapsed());
        assert!(found.len() > 7, "{}", found.len());
        warm.push(timed(|| triggers.evaluate(&situation).unwrap()));
    }
    let walked = Some(("walking alone", median(walks)));
    row(
        "triggers, 1,000 skills, 100,000 files, cold",
        median(cold),
        "300 ms",
        walked,
    );
    row("the same project again", median(warm), "5 ms", None);
}

/// A pipe there and back, with nothing at the other end but `cat`.
fn echo_pipe() -> Duration {
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let times = (0..2_000).map(|_| {
        timed(|| {
            writeln!(
                input,
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tool/execute\"}}"
            )
            .unwrap();
            lines.next().unwrap().unwrap()
        })
    });
    let found = median(times.collect());
    drop(input);
    child.wait().unwrap();
    found
}

fn code_skills(place: &Path, count: usize) {
    for index in 0..count {
        let directory = place.join(format!("code-skills/s{index:02}"));
        fs::create_dir_all(&directory).unwrap();
        let manifest = format!(
            "name: s{index:02}\nversion: 1.0.0\ndescription: d\ntypes: [tool]\n\
             implementation: {{backend: starlark, entrypoint: s.star}}\n"
        );
        fs::write(directory.join("SKILL.yaml"), manifest).unwrap();
        let hook = if (1..=10).contains(&index) {
            "register_hook('OnBeforeToolCall', lambda data: None)\n"
        } else {
            ""
        };
        let schema = "{'type': 'object', 'required': ['a'], 'properties': {'a': {'type': 'string'}, 'b': {'type': 'integer', 'minimum': 1}, 'c': {'enum': ['x', 'y']}, 'd': {'type': 'array', 'items': {'type': 'string'}}}}";
        let code = format!(
            "register_tool('t{index:02}', 'd', lambda input: 'x')\n\
             register_tool('v{index:02}', 'd', lambda input: 'x', {schema})\n{hook}"
        );
        fs::write(directory.join("s.star"), code).unwrap();
    }
}

fn runtime(skills: Skills, names: &[String]) -> Runtime {
    let mut parts = Parts::new(skills);
    parts.workers = Workers {
        starlark: Some(Program {
            program: env!("CARGO_BIN_EXE_prowess").into(),
            arguments: vec!["worker".into(), "starlark".into()],
        }),
        ..Workers::default()
    };
    let run = |name: &String| Grant {
        skill: name.clone(),
        contents: Contents::Any,
        right: Right::Run,
        effect: Effect::Allow,
        lifetime: Lifetime::Session,
    };
    parts.approvals = Approvals::new(names.iter().map(run).collect::<Grants>(), None);
    Runtime::new(parts)
}

async fn calls(runtime: &Runtime, tool: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..2_000 {
        let start = Instant::now();
        let result = runtime.call_tool(tool, json!({})).await.unwrap();
        times.push(start.elapsed());
        assert_eq!(result.content, "x");
    }
    median(times)
}

/// An input that does not fit is refused before the worker sees it: this is the check and its message.
async fn refusals(runtime: &Runtime, tool: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..2_000 {
        let input = json!({"a": "text", "b": 0, "c": "x", "d": ["one", "two"]});
        let start = Instant::now();
        let result = runtime.call_tool(tool, input).await.unwrap();
        times.push(start.elapsed());
        assert!(result.is_error, "{}", result.content);
    }
    median(times)
}

/// What the workers of this process take together, shared pages counted once.
fn memory_of_children() -> f64 {
    let own = std::process::id();
    let mut kilobytes = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.split(' ').nth(1));
        if parent != Some(own.to_string().as_str()) {
            continue;
        }
        let rollup = fs::read_to_string(entry.path().join("smaps_rollup")).unwrap_or_default();
        let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let pss = pss.and_then(|rest| rest.trim().split(' ').next()?.parse::<u64>().ok());
        kilobytes += pss.unwrap_or_default();
    }
    f64::from(u32::try_from(kilobytes).unwrap()) / 1024.0
}

async fn workers(place: &Path) {
    code_skills(place, 20);
    let skills = skills(&place.join("code-skills")).await;
    let names: Vec<String> = (0..20).map(|index| format!("s{index:02}")).collect();
    let ids: Vec<SkillId> = names.iter().map(|name| name.parse().unwrap()).collect();
    let runtime = runtime(skills, &names);
    let mut starts = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        runtime.activate(&ids[0]).await.unwrap();
        starts.push(start.elapsed());
        runtime.deactivate(&ids[0]).await;
    }
    let program = || Command::new("true").status().unwrap();
    let plain = median((0..ROUNDS).map(|_| timed(program)).collect());
    row(
        "activation, worker start included",
        median(starts),
        "10 ms",
        Some(("true", plain)),
    );
    runtime.activate(&ids[0]).await.unwrap();
    let bare = calls(&runtime, "t00").await;
    let pipe = Some(("cat", echo_pipe()));
    row("a Starlark tool that does nothing", bare, "100 µs", pipe);
    let refused = refusals(&runtime, "v00").await;
    row(
        "check of an input that does not fit",
        refused,
        "20 µs",
        None,
    );
    for id in &ids[1..=10] {
        runtime.activate(id).await.unwrap();
    }
    let hooked = calls(&runtime, "t00").await;
    row(
        "what ten handlers before it add",
        hooked.saturating_sub(bare),
        "500 µs",
        None,
    );
    for id in &ids[11..] {
        runtime.activate(id).await.unwrap();
    }
    println!(
        "{:<46} {:>6.0} MB   target 200 MB",
        "20 active Starlark skills",
        memory_of_children()
    );
    runtime.shut_down().await;
}

/// A large skill under every base rule.
fn scanning() {
    let text =
        "Run `make` and look at the report, then open https://example.com/guide for the rest.\n";
    let bytes = text.repeat(12_000).into_bytes();
    let file = File {
        path: "SKILL.md",
        bytes: &bytes,
    };
    let rules = Rules::base(std::sync::Arc::new(prowess_syntax::Grammars));
    let times = (0..ROUNDS)
        .map(|_| timed(|| rules.scan([file], None)))
        .collect();
    let lines = (0..ROUNDS).map(|_| timed(|| bytes.split(|byte| *byte == b'\n').count()));
    let baseline = Some(("counting lines", median(lines.collect())));
    row("audit of 1 MB of text", median(times), "none", baseline);
}

fn main() {
    let place = tempfile::tempdir().unwrap();
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio.block_on(async {
        triggers(place.path()).await;
        workers(place.path()).await;
    });
    scanning();
}
