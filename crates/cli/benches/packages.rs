//! Installing skills, beside programs that do the same or a part of it. Run by `cargo xtask bench packages`.
#![cfg(test)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use prowess_testing::{ChildGuard, git, install, median, repository, run};

/// The tool that most people install skills with.
const SKILLS_TOOL: &str = "skills@1.5.18";
/// Rounds of each measurement.
const ROUNDS: usize = 7;
/// Runs a program, and prints the most memory that it had, in KiB.
const PEAK: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

fn main() {
    println!("| work | measured | target | baseline | ratio |\n|---|---|---|---|---|");
    install_directory(100);
    verify(1_000);
    outdated(50);
    add_from_repository(1_000);
}

/// Prints a row of the table.
fn row(work: &str, measured: &str, target: &str, baseline: &str, ratio: Option<f64>) {
    let ratio = ratio.map(|it| format!("{it:.2}")).unwrap_or_default();
    println!("| {work} | {measured} | {target} | {baseline} | {ratio} |");
}

fn milliseconds(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1_000.0)
}

/// A user with a project.
struct User {
    place: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        for name in ["home/.claude", "project/.git"] {
            fs::create_dir_all(place.path().join(name)).unwrap();
        }
        Self { place }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// A program that sees nothing of the real user.
    fn program(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path("home"))
            .env("DISABLE_TELEMETRY", "1")
            .current_dir(self.path("project"));
        command
    }

    fn prowess(&self) -> Command {
        self.program(env!("CARGO_BIN_EXE_prowess"))
    }
}

fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    run(command);
    start.elapsed()
}

/// Skills of three files, made of the texts of the repository's examples, of the size that public ones have.
fn write_skills(root: &Path, count: usize) {
    let examples = repository().join("examples/skills");
    let read = |path: &str| fs::read_to_string(examples.join(path)).unwrap();
    let texts = ["pdf-forms", "log-triage", "release-notes", "sql-review"]
        .map(|name| read(&format!("{name}/SKILL.md")));
    let (reference, script) = (
        read("pdf-forms/references/FIELDS.md"),
        read("pdf-forms/scripts/fields.py"),
    );
    let body = |text: &str| text.splitn(3, "---\n").nth(2).unwrap().to_owned();
    for index in 0..count {
        let name = format!("skill-{index:04}");
        let directory = root.join(&name);
        for inner in ["references", "scripts"] {
            fs::create_dir_all(directory.join(inner)).unwrap();
        }
        let mut text = texts[0].replace("name: pdf-forms", &format!("name: {name}"));
        for step in 0..8 {
            let body = body(&texts[(index + step) % 4]);
            let _ = write!(text, "\n## Case {index}.{step}\n{body}");
        }
        fs::write(directory.join("SKILL.md"), text).unwrap();
        let text = format!("# Fields of form {index}\n\n{}", reference.repeat(8));
        fs::write(directory.join("references/FIELDS.md"), text).unwrap();
        let text = format!("{script}\n# {index}\n");
        fs::write(directory.join("scripts/fields.py"), text).unwrap();
    }
}

/// Adds skills, updates all of them, and installs them again as the lock file says.
fn install_directory(count: usize) {
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..ROUNDS {
        let source = tempfile::tempdir().unwrap();
        write_skills(source.path(), count);
        let user = User::new();
        let copy = "cp -r \"$0\" ../copy && find ../copy -type f -exec sync -d {} +";
        let mut copy_all = user.program("/bin/sh");
        times[0].push(timed(copy_all.args(["-c", copy]).arg(source.path())));
        let mut add = user.prowess();
        add.arg("add").arg(source.path()).args(["--all", "--yes"]);
        times[1].push(timed(&mut add));
        for entry in fs::read_dir(source.path()).unwrap() {
            let path = entry.unwrap().path().join("references/FIELDS.md");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, text + "\nOne more line.\n").unwrap();
        }
        times[2].push(timed(user.prowess().args(["update", "--yes"])));
        fs::remove_dir_all(user.path("project/.agents/skills")).unwrap();
        times[3].push(timed(user.prowess().args(["sync", "--yes"])));
    }
    let [copied, added, updated, synced] = times.map(median);
    for (work, time, target) in [
        ("add DIR --all --yes", added, "1,000 ms"),
        ("update --yes", updated, ""),
        ("sync --yes", synced, ""),
    ] {
        row(
            &format!("`{work}`, {count} skills, audit included"),
            &milliseconds(time),
            target,
            &format!("{}, `cp -r` and `sync`", milliseconds(copied)),
            Some(time.as_secs_f64() / copied.as_secs_f64()),
        );
    }
}

fn verify(count: usize) {
    let source = tempfile::tempdir().unwrap();
    write_skills(source.path(), count);
    let user = User::new();
    let mut add = user.prowess();
    run(add.arg("add").arg(source.path()).args(["--all", "--yes"]));
    let (mut verified, mut hashed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let hash = "find .agents/skills -type f -print0 | xargs -0 sha256sum > /dev/null";
        hashed.push(timed(user.program("/bin/sh").args(["-c", hash])));
        verified.push(timed(user.prowess().arg("verify")));
    }
    let (verified, hashed) = (median(verified), median(hashed));
    row(
        &format!("`verify`, {count} skills, {} files", 3 * count),
        &milliseconds(verified),
        "ratio 1.5",
        &format!("{}, `sha256sum`", milliseconds(hashed)),
        Some(verified.as_secs_f64() / hashed.as_secs_f64()),
    );
}

/// A git server on this machine that writes down each request.
struct GitServer {
    log: PathBuf,
    url: String,
    _child: ChildGuard,
}

impl GitServer {
    fn start(root: &Path) -> Self {
        let log = root.join("requests.log");
        let script = repository().join("crates/sources/tests/support/git_server.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(root).arg(&log);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut port).unwrap();
        Self {
            log,
            url: format!("http://127.0.0.1:{}/skills.git", port.trim()),
            _child: ChildGuard(child),
        }
    }

    /// The requests since the last call.
    fn requests(&self) -> usize {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        fs::write(&self.log, "").unwrap();
        text.lines().count()
    }
}

fn outdated(count: usize) {
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("work");
    write_skills(&work, count);
    git(&work, &["init", "-q", "-b", "main"]);
    commit(&work);
    let clone = ["clone", "-q", "--bare", "work", "skills.git"];
    git(place.path(), &clone);
    let filter = ["config", "uploadpack.allowFilter", "true"];
    git(place.path().join("skills.git"), &filter);
    let server = GitServer::start(place.path());
    let user = User::new();
    let mut add = user.prowess();
    let began = Instant::now();
    run(add.args(["add", &server.url, "--all", "--yes"]));
    let requests = server.requests();
    row(
        &format!("`add URL --all`, {count} skills of one git server"),
        &format!("{requests} requests, {}", milliseconds(began.elapsed())),
        "",
        "",
        None,
    );
    for (changed, state) in [(0, "none changed"), (10, "10 changed")] {
        if changed > 0 {
            for index in 0..changed {
                let path = work.join(format!("skill-{index:04}/references/FIELDS.md"));
                fs::write(path, "changed").unwrap();
            }
            commit(&work);
            git(&work, &["push", "-q", "../skills.git", "main"]);
        }
        let (mut asked, mut listed) = (Vec::new(), Vec::new());
        let mut requests = Vec::new();
        for _ in 0..ROUNDS {
            server.requests();
            let start = Instant::now();
            let output = user.prowess().arg("outdated").output().unwrap();
            asked.push(start.elapsed());
            requests.push(server.requests());
            let expected = if changed == 0 { 0 } else { 3 };
            assert_eq!(output.status.code(), Some(expected), "{output:?}");
            let list = ["ls-remote", "-q", &server.url, "HEAD"];
            listed.push(timed(user.program("git").args(list)));
        }
        let (asked, listed) = (median(asked), median(listed));
        let shown = match requests.as_slice() {
            [first, rest @ ..] if rest.iter().any(|it| it != first) => {
                format!("{first} requests, then {}", rest.iter().max().unwrap())
            }
            _ => format!("{} requests", requests[0]),
        };
        row(
            &format!("`outdated`, {count} skills of one git server, {state}"),
            &format!("{shown}, {}", milliseconds(asked)),
            if changed == 0 { "2 requests" } else { "" },
            &format!("{}, `git ls-remote`", milliseconds(listed)),
            Some(asked.as_secs_f64() / listed.as_secs_f64()),
        );
    }
}

fn commit(work: &Path) {
    git(work, &["add", "-A"]);
    let commit = ["-c", "gc.auto=0", "commit", "-q", "-m", "skills"];
    git(work, &commit);
}

fn add_from_repository(count: usize) {
    let tool = install("skills-node", &[SKILLS_TOOL], |directory| {
        let mut npm = Command::new("npm");
        run(npm
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(directory)
            .arg(SKILLS_TOOL));
    });
    let tool = tool.join("node_modules/skills/bin/cli.mjs");
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("work");
    write_skills(&work.join("skills"), count);
    git(&work, &["init", "-q", "-b", "main"]);
    commit(&work);
    let url = format!("file://{}", work.display());
    let add = |user: &User| {
        let mut add = user.prowess();
        add.args(["add", &url, "--skill", "skill-0500", "--yes"]);
        add
    };
    let with_tool = |user: &User| {
        let mut add = user.program("node");
        add.arg(&tool)
            .args(["add", &url, "--skill", "skill-0500", "-y"])
            .args(["-a", "claude-code"]);
        add
    };
    // Now each object is a file of its own, so that the system calls tell which are read.
    let others = bodies_read(&work, &add(&User::new()));
    git(&work, &["gc", "-q"]);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let user = User::new();
        ours.push(timed(&mut add(&user)));
        assert!(user.path("project/.claude/skills/skill-0500").exists());
        let user = User::new();
        theirs.push(timed(&mut with_tool(&user)));
        assert!(user.path("project/.claude/skills/skill-0500").exists());
    }
    let (ours, theirs) = (median(ours), median(theirs));
    row(
        &format!("`add` of one of {count} skills of a local git repository"),
        &milliseconds(ours),
        "ratio 0.25",
        &format!("{}, npm tool {SKILLS_TOOL}", milliseconds(theirs)),
        Some(ours.as_secs_f64() / theirs.as_secs_f64()),
    );
    row(
        "the same: other `SKILL.md` files that are read",
        &others.to_string(),
        "0",
        "",
        None,
    );
    let peak = |command: &Command, user: &User| {
        let mut python = user.program("python3");
        python
            .args(["-c", PEAK])
            .arg(command.get_program())
            .args(command.get_args());
        run(&mut python).trim().parse::<f64>().unwrap() / 1024.0
    };
    let (user, other) = (User::new(), User::new());
    let (ours, theirs) = (peak(&add(&user), &user), peak(&with_tool(&other), &other));
    row(
        "the same: peak memory",
        &format!("{ours:.0} MiB"),
        "64 MiB",
        &format!("{theirs:.0} MiB, npm tool"),
        Some(ours / theirs),
    );
}

/// How many `SKILL.md` files of other skills a command reads from a repository whose objects are files.
fn bodies_read(work: &Path, command: &Command) -> usize {
    let log = work.join(".git/strace.log");
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-e", "trace=open,openat,openat2", "-o"])
        .arg(&log)
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap())
        .env_clear();
    for (name, value) in command.get_envs() {
        strace.env(name, value.unwrap());
    }
    run(&mut strace);
    let trace = fs::read_to_string(log).unwrap();
    let opened: BTreeSet<&str> = trace
        .lines()
        .filter_map(|line| Some(line.split_once(".git/objects/")?.1.split_once('"')?.0))
        .collect();
    let listed = git(work, &["ls-tree", "-r", "HEAD"]);
    let mut own = false;
    let others = listed.lines().filter(|line| {
        let (object, path) = line.split_once('\t').unwrap();
        let id = object.rsplit(' ').next().unwrap();
        let (first, rest) = id.split_at(2);
        let file = format!("{first}/{rest}");
        let is_read = path.ends_with("/SKILL.md") && opened.contains(file.as_str());
        let is_own = path.contains("skill-0500/");
        own |= is_read && is_own;
        is_read && !is_own
    });
    let others = others.count();
    assert!(own, "the trace shows no object that was read");
    others
}
