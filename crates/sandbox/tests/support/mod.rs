//! What the tests share: a launcher, and a place with something to protect.
#![allow(dead_code, unused_imports, reason = "each test uses a part of it")]

pub(crate) mod arena;
pub(crate) mod attack;
pub(crate) mod report;
pub(crate) mod watched;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitStatus};
use std::thread;
use std::time::Duration;

use prowess_sandbox::{
    Child, Command, Confinement, Excess, Isolation, Launcher, Limits, Mount, Requirement, Sandbox,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Set for a test that runs again as another user, who may not see where it was built.
const LAUNCHER: &str = "PROWESS_TEST_LAUNCHER";
/// How long a child may take, on a machine that does other things as well.
const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) const PYTHON: &str = "/usr/bin/python3";

pub(crate) fn launcher() -> Launcher {
    let built = || env!("CARGO_BIN_EXE_prowess-sandbox-init").to_owned();
    Launcher::new(std::env::var(LAUNCHER).unwrap_or_else(|_| built()))
}

pub(crate) fn sandbox(isolation: Isolation) -> Sandbox {
    Sandbox::new(launcher(), Requirement::Only(isolation))
}

/// The ways that are open to whoever runs the tests.
pub(crate) fn ways() -> Vec<Isolation> {
    if superuser() {
        return vec![Isolation::Namespaces];
    }
    vec![Isolation::Namespaces, Isolation::Bubblewrap]
}

/// Limits that a test reaches soon.
pub(crate) fn limits() -> Limits {
    Limits {
        address_space: 1 << 30,
        cpu_seconds: 60,
        processes: 64,
        file_size: 16 << 20,
        open_files: 256,
        memory: 256 << 20,
        disk: 48 << 20,
        files: 4_000,
    }
}

pub(crate) fn confinement() -> Confinement {
    Confinement {
        limits: limits(),
        scratch: 16 << 20,
        ..Confinement::default()
    }
}

/// What a child did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: String,
    pub(crate) excess: Option<Excess>,
}

impl Done {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

/// Waits for a child, and ends it when it takes too long.
pub(crate) fn finish(mut child: Child) -> Done {
    drop(child.stdin.take());
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let output = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        bytes
    });
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    if !ended_within(&child, PATIENCE) {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    Done {
        status,
        excess: child.excess(),
        output: output.join().unwrap(),
        errors: errors.join().unwrap(),
    }
}

pub(crate) fn ended_within(child: &Child, patience: Duration) -> bool {
    let patience = Timespec::try_from(patience).unwrap();
    let mut ready = [PollFd::new(child, PollFlags::IN)];
    rustix::io::retry_on_intr(|| poll(&mut ready, Some(&patience))).unwrap() > 0
}

pub(crate) fn python(isolation: Isolation, confinement: &Confinement, text: &str) -> Done {
    let command = Command::new(PYTHON).arguments(["-I", "-c", text]);
    finish(sandbox(isolation).spawn(&command, confinement).unwrap())
}

pub(crate) fn shell(isolation: Isolation, confinement: &Confinement, text: &str) -> Done {
    let command = Command::new("/bin/sh").arguments(["-c", text]);
    finish(sandbox(isolation).spawn(&command, confinement).unwrap())
}

pub(crate) use watched::processes_with;

pub(crate) fn superuser() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a test of this file again as a user without privileges, where we are the superuser. Otherwise it ran so already.
pub(crate) fn again_as_nobody(test: &str) {
    if !superuser() {
        return;
    }
    let place = tempfile::tempdir_in("/tmp").unwrap();
    open_to_all(place.path());
    let copy = |from: &Path, name: &str| -> PathBuf {
        let to = place.path().join(name);
        copy_program(from, &to);
        to
    };
    let own = copy(&std::env::current_exe().unwrap(), "test");
    let init = copy(&launcher().program, "launcher");
    let done = Process::new("setpriv")
        .args([
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            "--",
        ])
        .arg(own)
        .args(["--exact", test, "--nocapture"])
        .env(LAUNCHER, init)
        .env("HOME", "/nonexistent")
        .current_dir("/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    print!("{said}");
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{complaint}");
    assert!(said.contains("1 passed"), "{said}");
}

/// A copy that can be run at once. Made by another process: a descriptor of ours for writing would be inherited, for a
/// moment, by whatever other tests start just then, and the system runs no file that is being written.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let done = Process::new("cp").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn mount(outside: &Path, inside: &str) -> Mount {
    Mount::new(outside, inside)
}
