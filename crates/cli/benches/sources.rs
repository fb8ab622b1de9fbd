//! `cargo xtask bench sources`: archives, and places far away.
#![cfg(test)]
#![allow(clippy::cast_precision_loss, reason = "figures are rounded")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pollster::block_on;
use prowess_archive::Limits;
use prowess_config::{Git, GitLocation, Http, Url};
use prowess_core::{Scope, Skills, Source};
use prowess_sources::{
    ArchiveSource, FilesystemOptions, FilesystemSource, GitSource, HttpSource, RemoteOptions,
    Strictness,
};

const SKILLS: usize = 1_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, mode, path, ..] = arguments.as_slice()
        && mode == "--walk"
    {
        let outcome =
            prowess_archive::walk(File::open(path).unwrap(), &Limits::default(), |_, _| Ok(()));
        println!("{} {}", peak_kib(), outcome.is_ok());
        return;
    }
    let place = tempfile::tempdir().unwrap();
    write_skills(&place.path().join("skills"));
    archives(place.path());
    far_away(place.path());
    memory(place.path());
}

fn write_skills(root: &Path) {
    for index in 0..SKILLS {
        let directory = root.join(format!("collection-{}/skill-{index:04}", index % 10));
        fs::create_dir_all(directory.join("references")).unwrap();
        let body = format!("Step {index}: do what is asked, then say so.\n").repeat(60);
        let text = format!(
            "---\nname: skill-{index:04}\ndescription: Does thing number {index} when somebody asks for it\n---\n{body}"
        );
        fs::write(directory.join("SKILL.md"), text).unwrap();
        fs::write(directory.join("references/guide.md"), &body).unwrap();
    }
}

/// The least of some rounds, in milliseconds.
fn best(mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1_000.0
    };
    (0..7).map(|_| round(&mut work)).fold(f64::MAX, f64::min)
}

fn archives(place: &Path) {
    run(Command::new("python3")
        .args(["-c", "import shutil,sys; [shutil.make_archive(sys.argv[1], f, sys.argv[2]) for f in ('zip','gztar')]"])
        .arg(place.join("packed"))
        .arg(place.join("skills")));
    let directory = best(|| {
        let options = FilesystemOptions::new(Scope::Project);
        let source = FilesystemSource::new(place.join("skills"), options);
        assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), SKILLS);
    });
    println!(
        "| {SKILLS} skills listed | ms | beside a directory | target, ms |\n|---|---|---|---|"
    );
    println!("| directory | {directory:.1} | 1.0 | |");
    for name in ["packed.zip", "packed.tar.gz"] {
        let time = best(|| {
            let source = ArchiveSource::new(place.join(name), Scope::Project, Strictness::Tolerant);
            assert_eq!(block_on(source.snapshot()).unwrap().skills.len(), SKILLS);
        });
        println!("| {name} | {time:.1} | {:.1} | 50 |", time / directory);
    }
    println!();
}

fn far_away(place: &Path) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let skills = Skills::builder().source(
        "here",
        FilesystemSource::new(place.join("skills"), FilesystemOptions::new(Scope::Project)),
    );
    let skills = block_on(skills.build()).unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    let options = prowess_server::ApiOptions::default().observer(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let url = format!("http://{}/api", listener.local_addr().unwrap());
    runtime.spawn(prowess_server::serve(
        listener,
        prowess_server::router(skills, options),
        std::future::pending(),
    ));
    let mut http = Http::new(Url::parse(&url).unwrap());
    http.refresh = Duration::from_hours(1);
    let http = HttpSource::new(http, RemoteOptions::default());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| assert_eq!(block_on(http.snapshot()).unwrap().skills.len(), SKILLS));
        }
    });
    let cold = start.elapsed().as_secs_f64() * 1_000.0;
    let asked = requests.load(Ordering::Relaxed);
    println!("50 cold lists at once: {asked} request (target: 1), {cold:.1} ms\n");

    let author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    run(Command::new("git")
        .args(["init", "-q"])
        .arg(place.join("skills")));
    run(Command::new("git")
        .arg("-C")
        .arg(place.join("skills"))
        .args(["add", "-A"]));
    run(Command::new("git")
        .arg("-C")
        .arg(place.join("skills"))
        .args(author)
        .args(["commit", "-qm", "x"]));
    let mut git = Git::new(GitLocation::Local(place.join("skills")));
    git.refresh = Duration::from_hours(1);
    let remote = RemoteOptions {
        cache: Some(place.join("cache")),
        ..RemoteOptions::default()
    };
    let git = GitSource::new(git, Strictness::Tolerant, remote);
    let start = Instant::now();
    assert_eq!(block_on(git.snapshot()).unwrap().skills.len(), SKILLS);
    println!(
        "first answer of a local git repository: {:.0} ms\n",
        start.elapsed().as_secs_f64() * 1_000.0
    );
    println!("| warm source | µs for an answer | target, µs |\n|---|---|---|");
    for (name, source) in [("http", &http as &dyn Source), ("git", &git)] {
        let rounds = 10_000;
        let time = best(|| {
            for _ in 0..rounds {
                block_on(source.snapshot()).unwrap();
            }
        });
        println!("| {name} | {:.2} | 5 |", time * 1_000.0 / f64::from(rounds));
    }
    println!();
}

fn memory(place: &Path) {
    // A file that claims ten gigabytes and has one, of zeros; and a hundred thousand empty files.
    let mut zeros = flate2::write::GzEncoder::new(
        File::create(place.join("zeros.tar.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    let mut header = tar::Header::new_ustar();
    header.set_path("zeros").unwrap();
    header.set_size(10 << 30);
    header.set_mode(0o644);
    header.set_cksum();
    zeros.write_all(header.as_bytes()).unwrap();
    let block = vec![0; 1 << 20];
    for _ in 0..1_024 {
        zeros.write_all(&block).unwrap();
    }
    zeros.finish().unwrap();
    let mut many = tar::Builder::new(File::create(place.join("many.tar")).unwrap());
    for index in 0..100_000 {
        let mut header = tar::Header::new_ustar();
        header.set_size(0);
        many.append_data(&mut header, format!("d/{index}"), std::io::empty())
            .unwrap();
    }
    many.finish().unwrap();
    println!(
        "| archive | taken | peak memory of the process, MiB | target, MiB |\n|---|---|---|---|"
    );
    for name in ["packed.zip", "packed.tar.gz", "zeros.tar.gz", "many.tar"] {
        let mut child: Child = Command::new(std::env::current_exe().unwrap())
            .arg("--walk")
            .arg(place.join(name))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut text = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        child.wait().unwrap();
        let (kib, taken) = text.trim().split_once(' ').unwrap();
        let taken = if taken == "true" { "yes" } else { "refused" };
        let mib: f64 = kib.parse::<f64>().unwrap() / 1024.0;
        println!("| {name} | {taken} | {mib:.1} | 64 |");
    }
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
