//! What we unpack is what Python and libarchive unpack, or we refuse.
#![cfg(test)]

mod corpus;
mod reference;

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use corpus::{kind, tree};
use prowess_archive::{Limits, unpack};
use prowess_testing::Random;
use reference::differences::{DIFFERENCES, Lines, Reader, Seen};
use reference::{generate, run};

const ARCHIVES: usize = 2_000;

/// Which differences there are between two trees; `None` when there are others than those of the list.
fn explain(seen: &Seen<'_>, mut lines: Lines) -> Option<Vec<&'static str>> {
    let mut used = Vec::new();
    for difference in DIFFERENCES {
        if lines.ours == lines.theirs {
            break;
        }
        let before = lines.clone();
        (difference.level)(seen, &mut lines);
        if lines != before {
            used.push(difference.id);
        }
    }
    (lines.ours == lines.theirs).then_some(used)
}

#[test]
fn unpacks_what_python_and_libarchive_unpack() {
    let place = tempfile::tempdir().unwrap();
    let (ours, archives) = (place.path().join("ours"), place.path().join("archives"));
    fs::create_dir_all(&ours).unwrap();
    fs::create_dir_all(&archives).unwrap();
    let mut random = Random::of_run(20_261_115);
    let mut accepted: Vec<PathBuf> = Vec::new();
    let mut trees = Vec::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..ARCHIVES {
        let made = generate::archive(&mut random);
        let destination = ours.join(accepted.len().to_string());
        match unpack(Cursor::new(&made.bytes), &destination, &Limits::default()) {
            Ok(tree) => {
                trees.push(tree);
                let path = archives.join(format!("{number}.{}", made.ending));
                fs::write(&path, &made.bytes).unwrap();
                accepted.push(path);
            }
            Err(error) => *refused.entry(kind(&error)).or_default() += 1,
        }
    }
    println!(
        "{} of {ARCHIVES} accepted, refused: {refused:?}",
        accepted.len()
    );
    assert!(accepted.len() * 10 >= ARCHIVES * 4, "{}", accepted.len());
    assert!(refused.len() >= 20, "{refused:?}");

    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for reader in [Reader::Python, Reader::Bsdtar] {
        let root = place.path().join(format!("{reader:?}"));
        let jobs = run::jobs(&root, &accepted);
        let answers = match reader {
            Reader::Python => run::python(&jobs),
            Reader::Bsdtar => run::bsdtar(&jobs),
        };
        for (number, (job, said)) in jobs.iter().zip(&answers).enumerate() {
            let seen = Seen {
                reader,
                is_zip: job
                    .archive
                    .extension()
                    .is_some_and(|ending| ending == "zip"),
                tree: &trees[number],
            };
            let lines = Lines {
                ours: tree::lines(&ours.join(number.to_string())),
                theirs: tree::lines(&job.directory),
            };
            let Some(ids) = explain(&seen, lines.clone()).filter(|_| said == "ok") else {
                let (archive, Lines { ours, theirs }) = (job.archive.display(), lines);
                unexplained.push(format!(
                    "{reader:?} on {archive} says {said}\n  ours   {ours:?}\n  theirs {theirs:?}"
                ));
                continue;
            };
            for id in ids {
                *used.entry(id).or_default() += 1;
            }
        }
    }
    println!("differences: {used:?}");
    assert!(
        unexplained.is_empty(),
        "{} unexplained:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
    for difference in DIFFERENCES {
        let times = used.get(difference.id);
        assert!(
            times.is_some(),
            "{} no longer occurs: {}",
            difference.id,
            difference.why
        );
    }
}
