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
