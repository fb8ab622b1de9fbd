//! Discovery beside a program that only opens the same files. Run by `cargo xtask bench engine`.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pollster::block_on;
use prowess_config::{Lookup, SkillsConfig};
use prowess_core::{Hints, MemorySource, Scope, Skills, Source};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_trust::{Decision, ReachList, TrustRecords};
use rayon::prelude::*;

const DESCRIPTION: &str = "Reviews database migrations for locks, missing indexes and data loss, and explains each finding in plain language. Use when a migration is about to be merged, or a user asks why one was slow.";

fn main() {
    // Memory first, while nothing that was freed can be used again.
    memory(100_000);
    println!(
        "\n| flat skills | baseline, ms | first scan, ms | ratio | target | second scan, ms | ratio | target |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for count in [1_000, 10_000, 100_000] {
        flat(count);
    }
    println!("\n| nested skills | baseline, ms | first scan, ms | ratio | target |");
    println!("|---|---|---|---|---|");
    nested(10_000);
    println!(
        "\n| `prowess list`, start included | baseline, ms | table, ms | ratio | JSON, ms | ratio | target |"
    );
    println!("|---|---|---|---|---|---|---|");
    for count in [10_000, 100_000] {
        list(count);
    }
    println!("\n| work | time | target |");
    println!("|---|---|---|");
    warm();
    start();
    println!("\n| skills of the project | first scan, ms | trust checks, ms | share | target |");
    println!("|---|---|---|---|---|");
    trust(1_000);
}

/// What it costs to ask who may say what: a project's file with ten repositories that wait for an answer, beside the same
/// file named by the user.
fn trust(count: usize) {
    let root = tempfile::tempdir().unwrap();
    for index in 0..count {
        write(&root.path().join(format!("skills/skill-{index:06}")), index);
    }
    fs::create_dir(root.path().join(".git")).unwrap();
    let repository = |index: usize| {
        format!(
            "[[skills.repositories]]\nname = \"r{index}\"\ntype = \"http\"\nurl = \"https://skills.example.net/{index}\"\nauth = {{ bearer = \"${{TOKEN}}\" }}\n"
        )
    };
    let own = "[[skills.repositories]]\nname = \"own\"\ntype = \"filesystem\"\npath = \"skills\"\n";
    let text: Vec<String> = (0..10).map(repository).collect();
    let file = root.path().join("prowess.toml");
    fs::write(&file, text.concat() + own).unwrap();
    let records = TrustRecords::new(root.path().join("records"));
    let trusts =
        |root: &Path, reach: &ReachList| records.decision(root, reach) == Some(Decision::Trusted);
    let lookup = Lookup {
        variables: &|_| Some("t".into()),
        trusts: &trusts,
        ..Lookup::new(root.path())
    };
    let found = best(200, || {
        let config = SkillsConfig::load(&lookup).unwrap();
        assert!(!config.project.unwrap().trusted);
    });
    let named = best(200, || {
        assert!(
            SkillsConfig::load_file(&file, &lookup)
                .unwrap()
                .project
                .is_none()
        );
    });
    let first = best(15, || {
        let source = FilesystemSource::new(root.path().join("skills"), options(count));
        assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), count);
    });
    let checks = found.saturating_sub(named);
    println!(
        "| {count} | {:.2} | {:.3} | {:.1}% | 3% |",
        millis(first),
        millis(checks),
        100.0 * ratio(checks, first)
    );
}

fn memory(count: usize) {
    let root = tempfile::tempdir().unwrap();
    for index in 0..count {
        write(&root.path().join(format!("skill-{index:06}")), index);
    }
    let before = resident();
    let source = FilesystemSource::new(root.path(), options(count));
    let skills = block_on(Skills::builder().source("here", source).build()).unwrap();
    let megabytes = (resident() - before) / 1000.0;
    assert_eq!(skills.catalog().len(), count);
    println!(
        "{count} skills resident: {megabytes:.1} MB (target: 60), {:.2} KB each (target: 0.6)",
        megabytes * 1000.0 / count as f64
    );
}

/// Rendering and references over 10,000 skills that are known already.
fn warm() {
    let root = tempfile::tempdir().unwrap();
    for index in 0..10_000 {
        write(
            &root
                .path()
                .join(format!("c{}/skill-{index:06}", index % 50)),
            index,
        );
    }
    let source = FilesystemSource::new(root.path(), options(10_000));
    let skills = block_on(Skills::builder().source("here", source).build()).unwrap();
    let session = skills.session();
    let rendered = best(15, || {
        assert!(!session.prompt().text.is_empty());
    });
    println!(
        "| catalog of 10,000 skills rendered | {:.2} ms | 15 ms |",
        millis(rendered)
    );
    let hints = Hints {
        message: "why was the migration of our database slow",
        ..Hints::default()
    };
    let thousand = block_on(Skills::builder().source("memory", described(1_000)).build()).unwrap();
    let session = thousand.session();
    let ranked = best(15, || session.rank(&hints));
    println!(
        "| 1,000 skills ranked for a catalog | {:.2} ms | 2 ms |",
        millis(ranked)
    );
    let mut source = MemorySource::new(Scope::Project);
    source.add(
        "pdf",
        "---\nname: pdf\ndescription: d\n---\nRead it page by page.\n",
    );
    let warm = block_on(Skills::builder().source("warm", source).build()).unwrap();
    let turns = best(15, || {
        for _ in 0..1_000 {
            let turn = block_on(warm.session().turn("/pdf page three"));
            assert_eq!(turn.blocks.len(), 1);
        }
    });
    println!(
        "| reference resolved and rendered, warm | {:.1} µs | 50 µs |",
        millis(turns)
    );
}

fn described(count: usize) -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    for index in 0..count {
        let text = format!("---\nname: skill-{index:06}\ndescription: {DESCRIPTION}\n---\nBody.\n");
        source.add(format!("skill-{index:06}").as_str(), &text);
    }
    source
}

/// The whole program, beside reading the same files.
fn list(count: usize) {
    let root = tempfile::tempdir().unwrap();
    for index in 0..count {
        write(&root.path().join(format!("skill-{index:06}")), index);
    }
    let rounds = if count > 50_000 { 5 } else { 15 };
    let baseline = best(rounds, || read_all(root.path()));
    let run = |more: &[&str]| {
        best(rounds, || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
            command.arg("list").arg("--in").arg(root.path()).args(more);
            let output = command.output().unwrap();
            assert!(output.status.success());
            assert!(output.stdout.len() > 50 * count);
        })
    };
    let (table, json) = (run(&[]), run(&["--json"]));
    println!(
        "| {count} skills | {:.1} | {:.1} | {:.2} | {:.1} | {:.2} | 2.0 |",
        millis(baseline),
        millis(table),
        ratio(table, baseline),
        millis(json),
        ratio(json, baseline),
    );
}

/// Reads the first bytes of every skill below a directory, on all cores.
fn read_all(root: &Path) {
    let children: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let read: usize = children
        .par_iter()
        .map(|child| first_bytes(&child.join("SKILL.md")))
        .sum();
    assert!(read > 0);
}

/// The whole program, from its start to its last line.
fn start() {
    let root = tempfile::tempdir().unwrap();
    for index in 0..100 {
        write(&root.path().join(format!("skill-{index:06}")), index);
    }
    let list = best(30, || {
        let output = Command::new(env!("CARGO_BIN_EXE_prowess"))
            .arg("list")
            .arg("--in")
            .arg(root.path())
            .output()
            .unwrap();
        assert!(output.status.success());
    });
    println!(
        "| `prowess list` of 100 skills, start included | {:.1} ms | 10 ms |",
        millis(list)
    );
}

fn options(count: usize) -> FilesystemOptions {
    FilesystemOptions {
        max_entries: 4 * count,
        ..FilesystemOptions::new(Scope::Project)
    }
}

fn flat(count: usize) {
    let root = tempfile::tempdir().unwrap();
    for index in 0..count {
        write(&root.path().join(format!("skill-{index:06}")), index);
    }
    let rounds = if count > 50_000 { 5 } else { 15 };
    let baseline = best(rounds, || read_all(root.path()));
    let first = best(rounds, || {
        let source = FilesystemSource::new(root.path(), options(count));
        assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), count);
    });
    // Files that were written less than two seconds ago are read again.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    let source = FilesystemSource::new(root.path(), options(count));
    block_on(source.snapshot()).unwrap();
    let second = best(rounds, || {
        assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), count);
    });
    println!(
        "| {count} | {:.1} | {:.1} | {:.2} | 1.5 | {:.1} | {:.2} | 0.7 |",
        millis(baseline),
        millis(first),
        ratio(first, baseline),
        millis(second),
        ratio(second, baseline),
    );
}

fn nested(count: usize) {
    let root = tempfile::tempdir().unwrap();
    for index in 0..count {
        let directory = format!("c{}/d{}/skill-{index:06}", index % 20, index % 100);
        write(&root.path().join(directory), index);
    }
    let baseline = best(15, || {
        assert_eq!(walk(root.path()), count);
    });
    let first = best(15, || {
        let source = FilesystemSource::new(root.path(), options(count));
        assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), count);
    });
    println!(
        "| {count} | {:.1} | {:.1} | {:.2} | 1.3 |",
        millis(baseline),
        millis(first),
        ratio(first, baseline)
    );
}

/// A recursive walk on all cores that stops at `SKILL.md` and reads its first bytes.
fn walk(directory: &Path) -> usize {
    let entries: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    if entries.iter().any(|entry| entry.file_name() == "SKILL.md") {
        first_bytes(&directory.join("SKILL.md"));
        return 1;
    }
    let is_directory = |entry: &&fs::DirEntry| entry.file_type().unwrap().is_dir();
    entries
        .par_iter()
        .filter(is_directory)
        .map(|entry| walk(&entry.path()))
        .sum()
}

fn first_bytes(path: &Path) -> usize {
    let mut buffer = [0; 4096];
    File::open(path).unwrap().read(&mut buffer).unwrap()
}

fn write(directory: &Path, index: usize) {
    fs::create_dir_all(directory).unwrap();
    let name = directory.file_name().unwrap().to_string_lossy();
    let metadata = if index.is_multiple_of(2) {
        "metadata:\n  author: Example Org\n  version: \"1.0\"\n"
    } else {
        ""
    };
    let text = format!(
        "---\nname: {name}\ndescription: {DESCRIPTION}\nlicense: MIT\nallowed-tools: Bash(git:*) Read\n{metadata}---\n\n# Skill {index}\n\n{}",
        "Some instructions that nobody reads during discovery.\n".repeat(40)
    );
    fs::write(directory.join("SKILL.md"), text).unwrap();
}

fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..rounds).map(timed).min().unwrap_or_default()
}

/// Resident memory in kilobytes, as the kernel counts it.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("RssAnon:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}
