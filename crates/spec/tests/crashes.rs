//! Inputs that once broke something, found by `cargo xtask fuzz` and kept under `tests/crashes/`.
#![cfg(test)]

#[path = "../../../fuzz/fuzz_targets/invariants.rs"]
mod invariants;

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use prowess_spec::{Code, Context, Diagnostic, Edit, Span, manifest, parse};

/// Checks every input that is kept for a target; its name is in the message of what fails.
fn replay(target: &str, check: fn(&[u8])) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crashes");
    let entries = match fs::read_dir(directory.join(target)) {
        Ok(entries) => entries,
        // Nothing has broken yet.
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        Err(error) => panic!("{target}: {error}"),
    };
    for entry in entries {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}

#[test]
fn frontmatter() {
    replay("frontmatter", invariants::frontmatter);
}

#[test]
fn skill_md() {
    replay("skill_md", invariants::skill_md);
}

#[test]
fn skill_yaml() {
    replay("skill_yaml", invariants::skill_yaml);
}

#[test]
fn every_crash_input_belongs_to_a_target() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crashes");
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let name = entry.unwrap().file_name();
        let targets = ["frontmatter", "skill_md", "skill_yaml"];
        assert!(targets.iter().any(|target| name == *target), "{name:?}");
    }
}

const FILE: &[u8] = "---\nname: pdf\ndescription: Café\n---\n".as_bytes();

fn found(code: Code, span: Span) -> Diagnostic {
    Diagnostic::new(code, span, "made up")
}

#[test]
#[should_panic(expected = "NameMismatch")]
fn span_after_the_end_is_detected() {
    let span = Span::new(FILE.len(), FILE.len() + 1);
    invariants::spans_lie_within(FILE, &[found(Code::NameMismatch, span)]);
}

#[test]
#[should_panic(expected = "NameMismatch")]
fn span_inside_a_character_is_detected() {
    let inside = FILE.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
    let edit = Edit::new(Span::new(inside, inside + 1), "");
    let found = found(Code::NameMismatch, Span::at(0)).fix(vec![edit]);
    invariants::spans_lie_within(FILE, &[found]);
}

#[test]
#[should_panic(expected = "left")]
fn different_head_is_detected() {
    let head = prowess_spec::head(b"---\nname: pdf\ndescription: Cafe\n---\n", None);
    let skill = parse(FILE, &Context::default()).skill;
    invariants::same_head(head.as_ref(), skill.as_ref());
}

#[test]
#[should_panic(expected = "still there")]
fn missing_fix_is_detected() {
    invariants::is_mended(&[found(Code::UnquotedColon, Span::at(0))]);
}

#[test]
#[should_panic(expected = "left")]
fn different_frontmatter_is_detected() {
    let read = |file| parse(file, &Context::default()).skill.unwrap();
    let (one, other) = (read(FILE), read(b"---\nname: pdf\ndescription: 5\n---\n"));
    invariants::same_frontmatter(&one, Some(&other), "");
}

#[test]
#[should_panic(expected = "left")]
fn manifest_with_an_error_is_detected() {
    let file = b"name: pdf\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\n";
    let mut parsed = manifest::parse(file, &Context::default(), None);
    assert!(parsed.manifest.is_some(), "{:?}", parsed.diagnostics);
    parsed
        .diagnostics
        .push(found(Code::UnknownValue, Span::at(0)));
    invariants::is_whole(&parsed);
}

#[test]
#[should_panic(expected = "left")]
fn difference_with_files_is_detected() {
    let other = found(Code::MissingField, Span::at(0));
    invariants::differ_in_files(&[found(Code::MissingFile, Span::at(0)), other], &[]);
}
