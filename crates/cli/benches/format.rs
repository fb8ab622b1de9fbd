//! The format: how fast files become skills. Run by `cargo xtask bench format`.
#![cfg(test)]

mod corpus;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use prowess_spec::{Context, head, manifest, parse};
use rayon::prelude::*;

/// Files in memory.
const IN_MEMORY: usize = 5_000;
/// Skills on disk.
const ON_DISK: usize = 10_000;
/// Each figure is the best of so many rounds.
const ROUNDS: usize = 15;

fn main() {
    let files = corpus::files(IN_MEMORY);
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    println!(
        "{IN_MEMORY} generated files, {} bytes on average\n",
        bytes / files.len()
    );
    in_memory(&files);
    on_disk();
    hostile();
}

/// The best time of several rounds.
fn best(mut work: impl FnMut()) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn rate(time: Duration) -> f64 {
    f64::from(u32::try_from(IN_MEMORY).unwrap()) / time.as_secs_f64()
}

fn in_memory(files: &[corpus::File]) {
    let yaml = best(|| {
        for file in files {
            let frontmatter = file.text.split("---\n").nth(1).unwrap();
            let events = granit_parser::Parser::new_from_str(frontmatter).count();
            assert!(events > 4);
        }
    });
    let heads = best(|| {
        for file in files {
            let head = head(file.text.as_bytes(), Some(&file.name)).unwrap();
            assert!(!head.description.is_empty());
        }
    });
    let whole = best(|| {
        for file in files {
            let context = Context {
                directory: Some(&file.name),
                exists: Some(&|_| true),
            };
            assert!(parse(file.text.as_bytes(), &context).skill.is_some());
        }
    });
    println!("| from memory, one core | files a second | against the YAML parser | target |");
    println!("|---|---|---|---|");
    let row = |name: &str, time: Duration, target: &str| {
        let ratio = rate(time) / rate(yaml);
        println!("| {name} | {:.0} | {ratio:.1} | {target} |", rate(time));
    };
    row("events of the YAML parser, frontmatter only", yaml, "");
    row("name and description", heads, "300,000");
    row("everything, body included", whole, "30,000");
    println!();
}

fn on_disk() {
    let root = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for file in corpus::files(ON_DISK) {
        let directory = root.path().join(&file.name);
        fs::create_dir(&directory).unwrap();
        let path = directory.join("SKILL.md");
        fs::write(&path, &file.text).unwrap();
        for reference in &file.references {
            let path = directory.join(reference);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text\n").unwrap();
        }
        paths.push(path);
    }
    let reading = best(|| {
        let bytes: usize = paths
            .par_iter()
            .map(|path| fs::read(path).unwrap().len())
            .sum();
        assert!(bytes > 0);
    });
    let checking = best(|| {
        let output = prowess()
            .arg("--quiet")
            .arg("check")
            .arg(root.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    });
    println!("| {ON_DISK} skills on disk, two cores | ms | ratio | target |");
    println!("|---|---|---|---|");
    println!("| reading the files | {:.1} | 1.0 | |", millis(reading));
    let ratio = checking.as_secs_f64() / reading.as_secs_f64();
    println!(
        "| `prowess check`, start included | {:.1} | {ratio:.1} | 4.0 |\n",
        millis(checking)
    );
}

fn hostile() {
    let root = tempfile::tempdir().unwrap();
    println!("| hostile file | parsed three ways, ms | peak of `prowess check`, MiB |");
    println!("|---|---|---|");
    let (mut slowest, mut largest) = (Duration::ZERO, 0.0);
    for (name, bytes) in corpus::hostile() {
        let parsing = best(|| {
            parse(&bytes, &Context::default());
            head(&bytes, None);
            manifest::parse(&bytes, &Context::default(), None);
        });
        let directory = root.path().join(name);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("SKILL.md"), &bytes).unwrap();
        fs::write(directory.join("SKILL.yaml"), &bytes).unwrap();
        let peak = peak_mebibytes(&directory);
        println!("| {name} | {:.1} | {peak:.1} |", millis(parsing));
        slowest = slowest.max(parsing);
        largest = f64::max(largest, peak);
    }
    println!(
        "\nslowest parse {:.1} ms (target: 1,000), largest process {largest:.1} MiB (target: 64)",
        millis(slowest)
    );
}

/// The largest resident size of `prowess check` on `directory`, as the kernel counted it.
fn peak_mebibytes(directory: &Path) -> f64 {
    const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let output = Command::new("python3")
        .args(["-c", MEASURE, env!("CARGO_BIN_EXE_prowess"), "check"])
        .arg(directory)
        .output()
        .unwrap();
    let kibibytes: f64 = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    kibibytes / 1024.0
}

fn prowess() -> Command {
    Command::new(env!("CARGO_BIN_EXE_prowess"))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
