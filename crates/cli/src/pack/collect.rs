//! The files of a skill that belong into a package.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use prowess_archive::limits::{DEPTH, FILE_BYTES};
use prowess_registry::{PackageFile, PackageTree};
use prowess_sources::open_without_waiting;
use prowess_spec::{PathProblem, SkillPath};

use crate::error::{CommandError, Context, Result};

/// The files of a skill.
pub(super) struct SkillFiles {
    pub(super) tree: PackageTree,
    /// Paths that are left out, and why.
    pub(super) left_out: Vec<(String, &'static str)>,
}

/// Collects the files of a skill with this name.
pub(super) fn collect(directory: &Path, name: &str) -> Result<SkillFiles> {
    let mut found = Found::default();
    walk(directory, "", 0, name, &mut found)?;
    found.left_out.sort();
    Ok(SkillFiles {
        tree: PackageTree::new(found.files).context("cannot pack")?,
        left_out: found.left_out,
    })
}

#[derive(Default)]
struct Found {
    files: Vec<(SkillPath, PackageFile)>,
    left_out: Vec<(String, &'static str)>,
}

fn walk(
    directory: &Path,
    inside: &str,
    depth: usize,
    skill: &str,
    found: &mut Found,
) -> Result<()> {
    let cannot = || format!("cannot pack {}", directory.display());
    if depth > DEPTH {
        let message = format!("cannot pack {inside}: nested too deep");
        return Err(CommandError::failure(message));
    }
    for entry in fs::read_dir(directory).with_context(cannot)? {
        let entry = entry.with_context(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = match inside {
            "" => name.clone(),
            inside => format!("{inside}/{name}"),
        };
        let kind = entry.file_type().with_context(cannot)?;
        if let Some(reason) = unwanted(&name, kind.is_dir(), inside.is_empty(), skill) {
            found.left_out.push((path, reason));
        } else if kind.is_dir() {
            walk(&entry.path(), &path, depth + 1, skill, found)?;
        } else if kind.is_file() {
            let (bytes, executable) =
                read(&entry.path()).with_context(|| format!("cannot pack {path}"))?;
            if is_secret_key(&bytes) {
                found.left_out.push((path, "a secret key"));
                continue;
            }
            let path = SkillPath::parse(&path).map_err(|problem| invalid_name(&path, problem))?;
            found.files.push((path, PackageFile { bytes, executable }));
        } else {
            let message = format!("cannot pack {path}: a link or a special file");
            return Err(CommandError::failure(message).hint("replace it by a file, or remove it"));
        }
    }
    Ok(())
}

fn invalid_name(path: &str, problem: PathProblem) -> CommandError {
    let path = path.escape_debug();
    CommandError::failure(format!("cannot pack `{path}`: its name {problem}")).hint("rename it")
}

/// Why a name does not belong into a package.
fn unwanted(name: &str, is_directory: bool, at_root: bool, skill: &str) -> Option<&'static str> {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if name.starts_with('.') {
        return Some("hidden");
    }
    if is_directory {
        return (name == "__pycache__").then_some("a cache");
    }
    let is_package = at_root
        && ends(&[".tar.gz", ".tar.gz.minisig"])
        && name
            .strip_prefix(skill)
            .is_some_and(|it| it.starts_with('-'));
    if is_package {
        Some("a package of this skill")
    } else if ends(&[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"])
        || begins(&["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"])
    {
        Some("may be a key")
    } else if ends(&["~", ".swp", ".swo", ".orig", ".rej", ".bak", ".tmp"])
        || name.starts_with('#') && name.ends_with('#')
        || ["Thumbs.db", "desktop.ini"].contains(&name)
    {
        Some("a leftover of an editor or a system")
    } else if ends(&[".pyc"]) {
        Some("a cache")
    } else {
        None
    }
}

/// Whether a file is a secret key, whatever its name.
fn is_secret_key(bytes: &[u8]) -> bool {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    (line.starts_with("-----BEGIN ") && line.contains("PRIVATE KEY"))
        || (line.starts_with("untrusted comment:") && line.contains("secret key"))
}

fn read(path: &Path) -> io::Result<(Vec<u8>, bool)> {
    let file = open_without_waiting(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((bytes, is_executable(&metadata)))
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
