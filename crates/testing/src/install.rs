//! Programs of others that tests need, installed into the user's cache the first time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::run;

/// The MCP client of the Python package index.
const MCP: &[&str] = &["mcp==2.3.0"];

/// A directory of the cache with these packages, installed once, and again when the versions change. Tests that run at the
/// same time wait for each other.
pub fn install(name: &str, packages: &[&str], install: impl FnOnce(&Path)) -> PathBuf {
    let home = std::env::var_os("HOME").expect("a home directory");
    let directory = Path::new(&home).join(".cache/prowess").join(name);
    fs::create_dir_all(&directory).unwrap();
    let lock = File::create(directory.join("prowess-lock")).unwrap();
    lock.lock().unwrap();
    let marker = directory.join("prowess-installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&marker).ok().as_deref() != Some(&wanted) {
        install(&directory);
        fs::write(marker, wanted).unwrap();
    }
    directory
}

/// A Python that has the MCP client.
pub fn mcp_python() -> PathBuf {
    python_with("mcp-venv", MCP)
}

/// A Python that has these packages.
pub fn python_with(name: &str, packages: &[&str]) -> PathBuf {
    let directory = install(name, packages, |directory| {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory));
        let mut pip = Command::new(directory.join("bin/python"));
        run(pip.args(["-m", "pip", "install", "--quiet"]).args(packages));
    });
    directory.join("bin/python")
}

/// The npm tool `skills`, which installs skills as we do. It reports what it does unless `DISABLE_TELEMETRY` is set.
pub fn npm_skills() -> Command {
    let packages = ["skills@1.5.18"];
    let directory = install("npm-skills", &packages, |directory| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]);
        run(npm.arg(directory).args(packages));
    });
    let mut command = Command::new(directory.join("node_modules/.bin/skills"));
    command.env("DISABLE_TELEMETRY", "1");
    command
}

/// The program `minisign`: that of the system, or one that is unpacked from the packages of Debian.
pub fn minisign() -> Command {
    if Command::new("minisign").arg("-v").output().is_ok() {
        return Command::new("minisign");
    }
    let packages = ["minisign", "libsodium23"];
    let directory = install("minisign", &packages, |directory| {
        unpack_debian(directory, &packages);
    });
    let mut libraries = fs::read_dir(directory.join("usr/lib")).unwrap();
    let mut command = Command::new(directory.join("usr/bin/minisign"));
    command.env("LD_LIBRARY_PATH", libraries.next().unwrap().unwrap().path());
    command
}

/// Makes a command see another time than that of the machine, such as `+2h`. Only dates: time that passes is real.
pub fn fake_time(command: &mut Command, offset: &str) {
    let packages = ["libfaketime"];
    let directory = install("faketime", &packages, |directory| {
        unpack_debian(directory, &packages);
    });
    let mut libraries = fs::read_dir(directory.join("usr/lib")).unwrap();
    let libraries = libraries.next().unwrap().unwrap().path();
    // A path with a blank would be two.
    let place = tempfile::tempdir_in("/tmp").unwrap().keep();
    let library = place.join("libfaketime.so.1");
    std::os::unix::fs::symlink(libraries.join("faketime/libfaketime.so.1"), &library).unwrap();
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME", offset)
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
}

/// Unpacks packages of Debian into a directory.
fn unpack_debian(directory: &Path, packages: &[&str]) {
    let mut download = Command::new("apt-get");
    run(download
        .arg("download")
        .args(packages)
        .current_dir(directory));
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "deb") {
            run(Command::new("dpkg").arg("-x").arg(path).arg(directory));
        }
    }
}
