//! Searching 25,000 skills of a directory, from start to end of a process. The second half of `cargo xtask bench search`.
#![cfg(test)]
#![allow(
    clippy::string_slice,
    clippy::cast_precision_loss,
    dead_code,
    reason = "figures are rounded, and the modules are those of the first half"
)]

#[path = "../../core/benches/search/labelled.rs"]
mod labelled;
#[path = "../../core/benches/search/many.rs"]
mod many;
#[path = "../../core/benches/search/own.rs"]
mod own;
#[path = "../../core/benches/search/packages.rs"]
mod packages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const SKILLS: usize = 25_000;
const ROUNDS: usize = 9;

fn main() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("search-25000");
    let skills = root.join("skills");
    if !skills.is_dir() {
        write(&skills);
    }
    let cache = root.join("cache");
    let run = |query: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        command
            .current_dir(&root)
            .args(["search", "--local", "--in"])
            .arg(&skills)
            .arg(query)
            .env("XDG_CACHE_HOME", &cache)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .stdout(Stdio::null());
        let start = Instant::now();
        assert!(command.status().unwrap().success());
        start.elapsed().as_secs_f64() * 1e3
    };
    println!("| {SKILLS} skills in a directory, start to end | measured | target |\n|---|---|---|");
    let mut first: Vec<f64> = (0..3)
        .map(|_| {
            let _ = fs::remove_dir_all(&cache);
            run("deploy to kubernetes")
        })
        .collect();
    first.sort_by(f64::total_cmp);
    println!("| first search | {:.0} ms | 2,000 ms |", first[1]);
    let queries = [
        "deploy to kubernetes",
        "extract tables from scanned pdf",
        "slow sql query",
    ];
    let mut later: Vec<f64> = (0..ROUNDS).map(|round| run(queries[round % 3])).collect();
    later.sort_by(f64::total_cmp);
    println!(
        "| search with the index on disk, median | {:.0} ms | 60 ms |",
        later[ROUNDS / 2]
    );
    println!(
        "| the same, slowest of {ROUNDS} | {:.0} ms | |",
        later[ROUNDS - 1]
    );
    let files = skill_files(&skills);
    let stats = (0..ROUNDS).map(|_| stat_all(&files));
    println!(
        "| only the state of each `SKILL.md`, two cores | {:.0} ms | |",
        stats.fold(f64::MAX, f64::min)
    );
    println!(
        "| peak memory of the first search | {:.0} MB | 150 MB |",
        peak(&root, &skills, &cache)
    );
}

fn skill_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files
}

/// What no search can do without: whether each file is as it was.
fn stat_all(files: &[PathBuf]) -> f64 {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for half in files.chunks(files.len().div_ceil(2)) {
            scope.spawn(move || {
                for file in half {
                    std::hint::black_box(fs::symlink_metadata(file).unwrap());
                }
            });
        }
    });
    start.elapsed().as_secs_f64() * 1e3
}

/// The peak memory of a first search, as the kernel counts it for a child.
fn peak(root: &Path, skills: &Path, cache: &Path) -> f64 {
    let _ = fs::remove_dir_all(cache);
    let mut child = Command::new(env!("CARGO_BIN_EXE_prowess"))
        .current_dir(root)
        .args(["search", "--local", "--in"])
        .arg(skills)
        .arg("deploy to kubernetes")
        .env("XDG_CACHE_HOME", cache)
        .env("XDG_CONFIG_HOME", root.join("config"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    peak / 1024.0
}

fn write(directory: &Path) {
    let mut real = own::skills();
    real.extend(packages::skills());
    for skill in many::many(&real, SKILLS) {
        let name = skill.id.rsplit('/').next().unwrap();
        let description = serde_json::to_string(&skill.description).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: {description}\n---\n{}\n",
            skill.body
        );
        let folder = directory.join(&skill.id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), text).unwrap();
    }
}
