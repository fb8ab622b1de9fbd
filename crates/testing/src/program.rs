//! Programs: those of this repository, and others.

use std::net::TcpListener;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

/// The URL of a path on this machine.
pub fn file_url(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let parts = path.as_os_str().as_encoded_bytes().iter().map(|byte| {
        if plain(*byte) {
            char::from(*byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    format!("file://{}", parts.collect::<String>())
}

/// The root of the repository.
pub fn repository() -> &'static Path {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.unwrap()
}

/// An example of a package. Cargo builds it with the tests of the package, unless only one test file is built.
pub fn example(package: &str, name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples").join(name);
    if !program.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--package", package]);
        assert!(cargo.args(["--example", name]).status().unwrap().success());
    }
    assert!(program.exists(), "cannot find {}", program.display());
    program
}

/// Runs a command that must succeed, and returns what it prints.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{stdout}\n{stderr}");
    stdout
}

/// Runs git in a directory, without the user's configuration.
#[track_caller]
pub fn git(directory: impl AsRef<Path>, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    run(&mut git).trim().to_owned()
}

/// Runs SQL statements in an SQLite database.
#[track_caller]
pub fn sql(path: impl AsRef<Path>, statements: &str) {
    let program =
        "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: c.executescript(sys.argv[2])";
    let mut python = Command::new("python3");
    run(python
        .args(["-c", program])
        .arg(path.as_ref())
        .arg(statements));
}

/// A process that is killed with the test.
#[derive(Debug)]
pub struct ChildGuard(pub Child);

impl Deref for ChildGuard {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for ChildGuard {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ = self.kill();
        let _ = self.wait();
    }
}

/// A TCP port of this machine that nothing listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The median of several measurements.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// A user with this home directory and the programs of this machine, and no other variable: what the user of the tests has
/// set, such as a key of a model or the directory of an agent, changes nothing.
pub fn at_home(command: &mut Command, home: impl AsRef<Path>) -> &mut Command {
    command.env_clear().env("HOME", home.as_ref());
    for name in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}
