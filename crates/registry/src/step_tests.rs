//! What a killed process can leave of one step, and what becomes of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use prowess_spec::SkillPath;

use crate::fingerprint::Fingerprint;
use crate::step::{Progress, STAGED, Step};
use crate::tree::{PackageFile, PackageTree};

type Files<'f> = &'f [(&'f str, &'f str)];

const OLD: Files<'_> = &[("a", "old a"), ("b", "old b")];
const NEW: Files<'_> = &[("a", "new a"), ("c", "new c")];
const PERSON: &str = "by a person";

fn fingerprint(files: Files<'_>) -> Fingerprint {
    let files = files.iter().map(|(path, text)| {
        let bytes = text.as_bytes().to_vec();
        let executable = false;
        let file = PackageFile { bytes, executable };
        (SkillPath::parse(path).unwrap(), file)
    });
    Fingerprint::of_tree(&PackageTree::new(files).unwrap())
}

/// A step, and a directory with these names.
fn left(names: &[(&str, Files<'_>)]) -> (tempfile::TempDir, Step) {
    let directory = tempfile::tempdir().unwrap();
    for (name, files) in names {
        let below = directory.path().join(name);
        fs::create_dir(&below).unwrap();
        for (file, text) in *files {
            fs::write(below.join(file), text).unwrap();
        }
    }
    let step = Step {
        directory: directory.path().canonicalize().unwrap(),
        name: "skill".to_owned(),
        staged: format!("{STAGED}0-0"),
        old: fingerprint(OLD),
        new: fingerprint(NEW),
    };
    (directory, step)
}

fn state(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        for file in fs::read_dir(entry.path()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let path = format!("{name}/{}", file.file_name().to_str().unwrap());
            found.insert(path, fs::read_to_string(file.path()).unwrap());
        }
    }
    found
}

fn skill(files: Files<'_>) -> BTreeMap<String, String> {
    let files = files.iter();
    let files = files.map(|(path, text)| (format!("skill/{path}"), (*text).to_owned()));
    files.collect()
}

const STAGE: &str = ".prowess-staged-0-0";
const ASIDE: &str = ".prowess-staged-0-0-old";

#[test]
fn du10_what_a_kill_left_is_finished_or_undone() {
    let partly_old: Files<'_> = &[("b", "old b")];
    let partly_new: Files<'_> = &[("c", "new c")];
    for (names, expected) in [
        (&[("skill", OLD), (STAGE, NEW)][..], Progress::Ready),
        (&[("skill", NEW), (STAGE, OLD)], Progress::Done),
        // Where names cannot be exchanged.
        (&[(ASIDE, OLD), (STAGE, NEW)], Progress::Half),
        (&[("skill", NEW), (ASIDE, OLD)], Progress::Done),
        // Where directories cannot be renamed.
        (
            &[("skill", OLD), (ASIDE, partly_old), (STAGE, NEW)],
            Progress::Ready,
        ),
        (
            &[("skill", partly_old), (ASIDE, OLD), (STAGE, NEW)],
            Progress::Half,
        ),
        (
            &[("skill", partly_new), (ASIDE, OLD), (STAGE, NEW)],
            Progress::Half,
        ),
        (
            &[("skill", NEW), (ASIDE, OLD), (STAGE, NEW)],
            Progress::Done,
        ),
    ] {
        let (directory, step) = left(names);
        let open = step.open().unwrap().unwrap();
        let progress = open.progress().unwrap();
        assert_eq!(progress, expected, "{names:?}");
        open.finish(progress).unwrap();
        assert_eq!(open.clean().unwrap(), Vec::<std::path::PathBuf>::new());
        assert_eq!(state(directory.path()), skill(NEW), "{names:?}");
        let (directory, step) = left(names);
        let open = step.open().unwrap().unwrap();
        open.undo().unwrap();
        assert_eq!(open.clean().unwrap(), Vec::<std::path::PathBuf>::new());
        assert_eq!(state(directory.path()), skill(OLD), "{names:?}");
    }
}

#[test]
fn du1_what_a_person_wrote_survives_every_state() {
    let edited: Files<'_> = &[("a", PERSON), ("b", "old b")];
    let partly: Files<'_> = &[("a", PERSON)];
    for (names, is_old_needed) in [
        (&[("skill", edited), (STAGE, NEW)][..], false),
        (&[("skill", NEW), (STAGE, edited)], false),
        (&[("skill", partly), (STAGE, OLD)], false),
        (&[(ASIDE, edited), (STAGE, NEW)], false),
        (&[("skill", edited), (ASIDE, OLD), (STAGE, NEW)], true),
        // A part of the old content was removed already.
        (&[("skill", partly), (ASIDE, OLD), (STAGE, NEW)], true),
    ] {
        for is_undone in [true, false] {
            let (directory, step) = left(names);
            let open = step.open().unwrap().unwrap();
            let progress = open.progress().unwrap();
            let is_finished = !is_undone && open.finish(progress).is_ok();
            if !is_finished {
                open.undo().unwrap();
            }
            open.clean().unwrap();
            let found = state(directory.path());
            let is_visible =
                |(path, text): (&String, &String)| text == PERSON && !path.starts_with(STAGED);
            assert!(found.iter().any(is_visible), "{names:?}: {found:#?}");
            if is_old_needed {
                assert!(
                    found.values().any(|text| text == "old b"),
                    "{names:?}: {found:#?}"
                );
            }
        }
    }
}
