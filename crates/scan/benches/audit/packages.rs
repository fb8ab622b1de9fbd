//! Public packages that hold skills. They are installed for a run, at fixed versions, and never committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prowess_scan::self_test::SkillFiles;

/// A skill of a package.
pub(crate) struct PublicSkill {
    /// The package, and the directory in it.
    pub(crate) name: String,
    pub(crate) files: SkillFiles,
}

/// Every skill of the packages; copies of all files are one skill.
pub(crate) fn skills() -> Vec<PublicSkill> {
    let mut skills = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let npm = include_str!("npm.txt")
        .lines()
        .map(|name| (name, npm(name)));
    let pypi = include_str!("pypi.txt")
        .lines()
        .map(|name| (name, pypi(name)));
    for (package, directory) in npm.chain(pypi) {
        let new = skills_in(package, &directory)
            .into_iter()
            .filter(|skill| seen.insert(skill.files.clone()));
        skills.extend(new);
    }
    skills
}

/// The skills of one package.
pub(crate) fn skills_in(package: &str, directory: &Path) -> Vec<PublicSkill> {
    let skill = |folder: PathBuf| {
        let mut files = Vec::new();
        read(&folder, &folder, &mut files);
        files.sort();
        let inside = folder.strip_prefix(directory).unwrap();
        PublicSkill {
            name: format!("{package}/{}", inside.display()),
            files,
        }
    };
    folders(directory).into_iter().map(skill).collect()
}

/// The directory of an npm package, installed if it is not there yet.
pub(crate) fn npm(package: &str) -> PathBuf {
    installed(package, |directory| {
        run(Command::new("npm")
            .args(["pack", package, "--silent", "--pack-destination"])
            .arg(directory));
        let archive = only_file(directory);
        run(Command::new("tar")
            .arg("-C")
            .arg(directory)
            .arg("-xzf")
            .arg(&archive));
        fs::remove_file(archive).unwrap();
    })
}

fn pypi(package: &str) -> PathBuf {
    installed(package, |directory| {
        run(Command::new("pip")
            .args([
                "install",
                "--quiet",
                "--no-deps",
                "--no-compile",
                "--target",
            ])
            .arg(directory)
            .arg(package));
    })
}

fn installed(package: &str, install: impl FnOnce(&Path)) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("audit-packages");
    let directory = root.join(package.replace('/', "__"));
    if !directory.is_dir() {
        eprintln!("installing {package}");
        let partial = root.join("partial");
        let _ = fs::remove_dir_all(&partial);
        fs::create_dir_all(&partial).unwrap();
        install(&partial);
        fs::rename(&partial, &directory).unwrap();
    }
    directory
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}");
}

fn only_file(directory: &Path) -> PathBuf {
    fs::read_dir(directory)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
}

fn folders(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() && name == "skill.md" => found.push(folder.clone()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Every file of a skill, without those of skills below it.
fn read(root: &Path, folder: &Path, files: &mut SkillFiles) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !path.join("SKILL.md").exists() => {
                read(root, &path, files);
            }
            Ok(kind) if kind.is_file() => {
                let name = path.strip_prefix(root).unwrap();
                files.push((
                    name.to_string_lossy().into_owned(),
                    fs::read(&path).unwrap(),
                ));
            }
            _ => {}
        }
    }
}
