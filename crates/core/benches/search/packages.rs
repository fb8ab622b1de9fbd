//! Public npm packages that hold skills. They are installed for a run, at fixed versions, and never committed.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use prowess_spec::{Context, SkillName, parse};

use super::labelled::Skill;

/// Every skill of the packages, without exact copies.
pub(crate) fn skills() -> Vec<Skill> {
    let mut texts = HashSet::new();
    let mut ids = HashSet::new();
    let mut skills = Vec::new();
    for package in include_str!("packages.txt").lines() {
        let directory = unpacked(package);
        let collection = package.trim_start_matches('@').replace('/', "-");
        let collection = collection.split('@').next().unwrap();
        for file in skill_files(&directory) {
            let text = fs::read(&file).unwrap();
            if !texts.insert(text.clone()) {
                continue;
            }
            let folder = file.parent().unwrap().file_name().unwrap();
            if let Some(skill) = skill(collection, folder.to_str().unwrap(), &text, &mut ids) {
                skills.push(skill);
            }
        }
    }
    skills
}

fn skill(collection: &str, folder: &str, text: &[u8], ids: &mut HashSet<String>) -> Option<Skill> {
    let parsed = parse(text, &Context::default());
    let description = parsed.skill?.description;
    let name = SkillName::slug(folder)?;
    let mut id = format!("{collection}/{}", name.as_str());
    // Translations and variants of one skill have one name.
    let mut number = 2;
    while !ids.insert(id.clone()) {
        id = format!("{collection}/variant-{number}/{}", name.as_str());
        number += 1;
    }
    Some(Skill {
        id,
        description,
        keywords: Vec::new(),
        body: parsed.body.to_owned(),
    })
}

/// The directory of a package, installed if it is not there yet.
fn unpacked(package: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("search-packages")
        .join(package.replace('/', "__"));
    if directory.is_dir() {
        return directory;
    }
    eprintln!("installing {package}");
    let archive = tempdir(&directory);
    run(Command::new("npm")
        .args(["pack", package, "--silent", "--pack-destination"])
        .arg(&archive)
        .stdout(std::process::Stdio::null()));
    let packed = fs::read_dir(&archive)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    run(Command::new("tar")
        .arg("-C")
        .arg(&archive)
        .arg("-xzf")
        .arg(&packed)
        .args(["--wildcards", "*/SKILL.md"]));
    fs::remove_file(packed).unwrap();
    fs::rename(archive, &directory).unwrap();
    directory
}

fn tempdir(directory: &Path) -> PathBuf {
    let temporary = directory.with_extension("part");
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir_all(&temporary).unwrap();
    temporary
}

fn run(command: &mut Command) {
    let status = command.status().expect("npm and tar are installed");
    assert!(status.success(), "{command:?}");
}

/// In order of their paths.
fn skill_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}
