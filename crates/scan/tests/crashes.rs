//! Inputs of the fuzz target: its seeds, and those that once broke something, saved under `tests/crashes/`.
#![cfg(test)]

#[path = "../../../fuzz/fuzz_targets/scanned.rs"]
mod scanned;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

fn replay(directory: &Path) -> usize {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        // Nothing has broken yet.
        Err(error) if error.kind() == ErrorKind::NotFound => return 0,
        Err(error) => panic!("{}: {error}", directory.display()),
    };
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            scanned::scan(&fs::read(&path).unwrap());
        })
        .count()
}

#[test]
fn what_broke_once_breaks_no_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    replay(&root.join("tests/crashes/scan"));
    assert!(replay(&root.join("../../fuzz/seeds/scan")) >= 12);
}
