//! The invariants of ARCHITECTURE.md that a compiler does not hold.
#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The floors of the house, lowest first. A crate may use only crates on lower floors.
const FLOORS: &[&[&str]] = &[
    &["prowess-testing"],
    &["prowess-agents"],
    &[
        "prowess-spec",
        "prowess-sdk",
        "prowess-net",
        "prowess-sandbox",
        "prowess-syntax",
        "prowess-trust",
    ],
    &["prowess-policy", "prowess-worker"],
    &["prowess-core", "prowess-archive", "prowess-config"],
    &[
        "prowess-sources",
        "prowess-store",
        "prowess-embeddings",
        "prowess-scan",
    ],
    &["prowess-registry", "prowess-runtime"],
    &["prowess-agent"],
    &["prowess-mcp", "prowess-server"],
    &["prowess"],
    &[
        "prowess-cli",
        "prowess-example-genai",
        "prowess-example-rig",
    ],
    &["xtask"],
];

/// Crates that do no input or output at all.
const PURE: &[&str] = &["agents", "spec", "policy", "scan", "sdk"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|crates| crates.contains(&name))
}

#[test]
fn crates_use_only_lower_floors() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() >= 3);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let own = floor(name).unwrap_or_else(|| panic!("{name} has no floor"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if !dependency["path"].is_null() {
                assert!(
                    floor(used) < Some(own),
                    "{name} uses {used}, which is not below it"
                );
            }
        }
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn pure_crates_do_no_input_or_output() {
    for name in PURE {
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        assert!(!files.is_empty());
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            for module in ["fs", "env", "net", "process", "thread", "time", "io"] {
                let used = text.contains(&format!("std::{module}"));
                assert!(!used, "{} uses std::{module}", path.display());
            }
        }
    }
}

#[test]
fn default_facade_is_lean() {
    let tree =
        "tree --package prowess --edges normal,build --prefix none --format {p} --locked --offline";
    let output = Command::new(env!("CARGO"))
        .args(tree.split(' '))
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // A package that was printed before has a mark after its name and version.
    let package = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let packages: BTreeSet<String> = text.lines().map(package).collect();
    assert!(packages.len() > 20, "{text}");
    assert!(packages.len() <= 60, "{}: {packages:#?}", packages.len());
}
