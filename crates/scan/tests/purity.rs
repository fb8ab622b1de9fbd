//! The crate does no input or output, and says so here.
#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests may panic")]

use std::fs;
use std::path::Path;

fn check(folder: &Path, count: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check(&path, count);
            continue;
        }
        *count += 1;
        let source = fs::read_to_string(&path).unwrap();
        for module in ["fs", "env", "net", "process", "thread", "time", "io"] {
            let name = format!("std::{module}");
            let used = source.match_indices(&name).any(|(at, _)| {
                !source[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            });
            assert!(!used, "{} uses {name}", path.display());
        }
    }
}

#[test]
fn the_sources_use_nothing_that_reads_or_writes() {
    let mut count = 0;
    check(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut count,
    );
    assert!(count > 20);
}
