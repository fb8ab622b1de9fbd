//! The virtual environment that holds the reference validator.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::run::{line, run, succeeds};
use crate::workspace::Workspace;

/// Tells the tests which Python can import the reference validator.
const VARIABLE: &str = "PROWESS_REFERENCE_PYTHON";

const REQUIREMENTS: &str = "xtask/python-requirements.txt";

/// Sets the variable for a command; a test that needs the validator fails where it is not installed.
pub(crate) fn export(workspace: &Workspace, command: &mut Command) {
    command.env(VARIABLE, python(&directory(workspace)));
}

/// Makes the environment, or makes it anew when the requirements or the system's Python have changed.
pub(crate) fn ensure(workspace: &Workspace) -> Result<()> {
    let requirements = workspace.root().join(REQUIREMENTS);
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let directory = directory(workspace);
    let stamp = directory.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && works(&directory) {
        return Ok(());
    }

    match fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", directory.display()));
        }
        _ => {}
    }
    let mut create = workspace.command("python3");
    create.args(["-m", "venv"]).arg(&directory);
    println!("installing the reference validator: {}", line(&create));
    run(&mut create)?;

    let mut install = workspace.command(python(&directory));
    install
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--no-deps", "--only-binary", ":all:", "--require-hashes"])
        .args(["--requirement", REQUIREMENTS]);
    println!("installing the reference validator: {}", line(&install));
    run(&mut install)?;
    // Last, so that an interrupted installation is not taken for a finished one.
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// A stamp alone would not notice that the system's Python has moved on.
fn works(directory: &Path) -> bool {
    succeeds(Command::new(python(directory)).args(["-I", "-c", "import skills_ref.cli"]))
}

fn directory(workspace: &Workspace) -> PathBuf {
    workspace.cache().join("venv")
}

fn python(directory: &Path) -> PathBuf {
    directory.join("bin").join("python")
}
