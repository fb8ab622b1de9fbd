//! Skills in archives: the rows of the contract as a source sees them.
#![cfg(test)]

#[path = "support/packed.rs"]
mod packed;
mod support;

use std::fs;

use packed::{tar_gz, zip};
use pollster::block_on;
use prowess_core::{Scope, Snapshot, Source, SourceError};
use prowess_sources::{
    ArchiveSource, FilesystemOptions, FilesystemSource, SkillRecord, Strictness, records,
};
use prowess_spec::SkillPath;
use support::{Place, id};

const PDF: &[u8] = b"---\nname: pdf\ndescription: Reads PDF files\n---\nRead them.\n";
const CSV: &[u8] = b"---\nname: csv\ndescription: Reads CSV files\n---\nSum them.\n";

type Files<'f> = &'f [(&'f str, &'f [u8])];

fn source(bytes: Vec<u8>) -> ArchiveSource {
    ArchiveSource::from_bytes(bytes, Scope::Project, Strictness::Tolerant)
}

fn ids(snapshot: &Snapshot) -> Vec<&str> {
    snapshot
        .skills
        .iter()
        .map(|skill| skill.id.as_str())
        .collect()
}

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

#[test]
fn a1_one_at_the_root_one_in_a_folder_many() {
    let root: Files = &[("SKILL.md", PDF), ("references/a.md", b"A")];
    let folder: Files = &[("pdf/SKILL.md", PDF), ("pdf/references/a.md", b"A")];
    let many: Files = &[
        ("COLLECTION.md", b"not of a collection"),
        ("data/COLLECTION.md", b"# Data of all kinds\n"),
        ("data/csv/SKILL.md", CSV),
        ("data/csv/assets/inner/SKILL.md", PDF),
        ("data/csv/.hidden", b"x"),
        ("pdf/SKILL.md", PDF),
        ("pdf/references/a.md", b"A"),
        ("node_modules/x/SKILL.md", PDF),
        (".git/x/SKILL.md", PDF),
        ("broken/SKILL.md", b"no frontmatter"),
    ];
    for pack in [zip, tar_gz] {
        for (files, expected) in [
            (root, &["pdf"][..]),
            (folder, &["pdf"]),
            (many, &["data/csv", "pdf"]),
        ] {
            let source = source(pack(files));
            let snapshot = block_on(source.snapshot()).unwrap();
            assert_eq!(ids(&snapshot), expected);
            let document = block_on(source.load(&id("pdf"))).unwrap();
            assert_eq!(document.body, "Read them.");
            let listed = block_on(source.files(&id("pdf"))).unwrap();
            assert_eq!(listed.len(), 1);
            assert_eq!(
                (listed[0].path.as_str(), listed[0].size),
                ("references/a.md", 1)
            );
            let part = block_on(source.read(&id("pdf"), &path("references/a.md"), 0, 10)).unwrap();
            assert_eq!((part.bytes.as_slice(), part.size), (&b"A"[..], 1));
        }
        let source = source(pack(many));
        let snapshot = block_on(source.snapshot()).unwrap();
        let described: Vec<_> = snapshot.collections.values().collect();
        assert_eq!(described, ["Data of all kinds"]);
        assert_eq!(snapshot.invalid[0].path, "broken/SKILL.md");
        let nested = block_on(source.files(&id("data/csv"))).unwrap();
        assert_eq!(nested[0].path.as_str(), "assets/inner/SKILL.md");
        assert_eq!(nested.len(), 1);
    }
}

#[test]
fn archive_and_directory_have_the_same_skills() {
    let files: Files = &[
        ("a/COLLECTION.md", b"As"),
        (
            "a/b/c/SKILL.md",
            b"---\nname: c\ndescription: c\nmetadata:\n  k: 1.10\n---\n",
        ),
        (
            "a/lower/skill.md",
            b"---\nname: lower\ndescription: d\n---\n",
        ),
        ("other-name/SKILL.md", PDF),
        ("x/y/.dot/SKILL.md", CSV),
    ];
    let place = Place::new();
    for (name, bytes) in files {
        place.write(name, bytes);
    }
    let options = FilesystemOptions::new(Scope::Project);
    let directory = block_on(FilesystemSource::new(place.path(""), options).snapshot()).unwrap();
    let packed = block_on(source(zip(files)).snapshot()).unwrap();
    assert_eq!(ids(&packed), ids(&directory));
    assert_eq!(packed.collections, directory.collections);
    for (one, other) in packed.skills.iter().zip(&directory.skills) {
        assert_eq!(
            (&one.description, &one.metadata, one.body_bytes),
            (&other.description, &other.metadata, other.body_bytes)
        );
    }
}

#[test]
fn a1_skills_of_a_repository_need_no_setting() {
    let files: Files = &[
        ("README.md", b"Read me"),
        ("skills/data/csv/SKILL.md", CSV),
        ("skills/data/COLLECTION.md", b"Data"),
        ("skills/pdf/SKILL.md", PDF),
    ];
    let snapshot = block_on(source(zip(files)).snapshot()).unwrap();
    assert_eq!(ids(&snapshot), ["data/csv", "pdf"]);
    assert_eq!(snapshot.collections[&"data".parse().unwrap()], "Data");
    assert_eq!(*snapshot.directories[1], *"skills/pdf");
}

#[test]
fn paths_that_lead_elsewhere() {
    let source = source(tar_gz(&[
        ("pdf/SKILL.md", PDF),
        ("pdf/references/a.md", b"A"),
        ("pdf/inside.md", b"-> references/a.md"),
        ("pdf/outside.md", b"-> ../secret.md"),
        ("secret.md", b"secret"),
    ]));
    let pdf = id("pdf");
    let read = |text: &str| block_on(source.read(&pdf, &path(text), 0, 10));
    let names: Vec<String> = block_on(source.files(&pdf))
        .unwrap()
        .into_iter()
        .map(|file| file.path.to_string())
        .collect();
    assert_eq!(names, ["inside.md", "references/a.md"]);
    assert_eq!(read("inside.md").unwrap().bytes, b"A");
    assert!(matches!(
        read("outside.md"),
        Err(SourceError::AccessDenied { .. })
    ));
    assert!(
        matches!(read("references"), Err(SourceError::NotAFile { entries, .. }) if entries == ["a.md"])
    );
    assert!(
        matches!(read("references/b.md"), Err(SourceError::FileNotFound { nearest, .. }) if nearest == ["references/a.md"])
    );
    assert!(matches!(
        block_on(source.load(&id("nope"))),
        Err(SourceError::NotFound(_))
    ));
}

#[test]
fn a8_what_is_no_archive_is_named() {
    let place = Place::new();
    let whole = zip(&[("pdf/SKILL.md", PDF)]);
    place
        .write("empty.zip", b"")
        .write("text.zip", b"not an archive")
        .write("cut.zip", &whole[..whole.len() - 10]);
    fs::create_dir(place.path("directory.zip")).unwrap();
    for (name, expected) in [
        ("empty.zip", "cannot read empty.zip: the archive is empty"),
        ("text.zip", "cannot read text.zip: not a zip or tar archive"),
        ("missing.zip", "file not found: missing.zip"),
        ("directory.zip", "cannot read directory.zip: not a file"),
        ("cut.zip", "cannot read cut.zip: "),
    ] {
        let source = ArchiveSource::new(place.path(name), Scope::Project, Strictness::Tolerant);
        let error = block_on(source.snapshot()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let left: Vec<_> = fs::read_dir(place.path("")).unwrap().collect();
    assert_eq!(left.len(), 4);
}

#[test]
fn replaced_archive_is_read_again() {
    let place = Place::new();
    place.write("skills.zip", zip(&[("pdf/SKILL.md", PDF)]));
    let file = place.path("skills.zip");
    let source = ArchiveSource::new(file, Scope::Project, Strictness::Tolerant);
    let first = block_on(source.snapshot()).unwrap();
    assert!(std::sync::Arc::ptr_eq(
        &first,
        &block_on(source.snapshot()).unwrap()
    ));
    place.write("new.zip", zip(&[("csv/SKILL.md", CSV), ("x.md", b"x")]));
    fs::rename(place.path("new.zip"), place.path("skills.zip")).unwrap();
    assert_eq!(ids(&block_on(source.snapshot()).unwrap()), ["csv"]);
    // A broken one is said, and what was verified before is not served as if it were this one.
    place.write("skills.zip", b"broken");
    assert!(block_on(source.snapshot()).is_err());
}

#[test]
fn strict_omits_skills_with_errors() {
    let files: Files = &[
        ("pdf/SKILL.md", PDF),
        (
            "loose/SKILL.md",
            b"---\nname: loose\ndescription: Use when: a\n---\n",
        ),
    ];
    let strict = ArchiveSource::from_bytes(zip(files), Scope::Project, Strictness::Strict);
    let snapshot = block_on(strict.snapshot()).unwrap();
    assert_eq!(ids(&snapshot), ["pdf"]);
    assert_eq!(snapshot.invalid[0].path, "loose/SKILL.md");
    let at_root = ArchiveSource::from_bytes(
        zip(&[("SKILL.md", PDF)]),
        Scope::Project,
        Strictness::Strict,
    );
    assert_eq!(ids(&block_on(at_root.snapshot()).unwrap()), ["pdf"]);
}

#[test]
fn a10_a_source_unpacks_nothing_to_the_disk() {
    let place = Place::new();
    place.write(
        "skills.zip",
        zip(&[("pdf/SKILL.md", PDF), ("pdf/references/a.md", b"A")]),
    );
    let file = place.path("skills.zip");
    let source = ArchiveSource::new(&file, Scope::Project, Strictness::Tolerant);
    let document = block_on(source.load(&id("pdf"))).unwrap();
    let alone = || fs::read_dir(place.path("")).unwrap().count();
    assert_eq!(alone(), 1);
    // The archive that was verified is read, also after its file is gone.
    fs::remove_file(&file).unwrap();
    let part = block_on(source.read(&id("pdf"), &path("references/a.md"), 0, 10)).unwrap();
    assert_eq!(part.bytes, b"A");
    drop(source);
    assert_eq!(document.body, "Read them.");
    assert_eq!(alone(), 0);
}

#[test]
fn d22_records_with_archives() {
    let record = |id: &str, data: Vec<u8>| SkillRecord {
        id: id.to_owned(),
        data: Some(data),
        metadata: vec![("owner".to_owned(), "ada".to_owned())],
        ..SkillRecord::default()
    };
    let source = records(
        [
            record("pdf", zip(&[("SKILL.md", PDF), ("references/a.md", b"A")])),
            record(
                "data/csv",
                tar_gz(&[("csv/SKILL.md", CSV), ("csv/b.md", b"B")]),
            ),
            record("none", zip(&[("readme.md", b"x")])),
            record("two", zip(&[("a/SKILL.md", PDF), ("b/SKILL.md", CSV)])),
            record("broken", b"PK\x03\x04".to_vec()),
        ],
        Scope::User,
    );
    let snapshot = block_on(source.snapshot()).unwrap();
    assert_eq!(ids(&snapshot), ["data/csv", "pdf"]);
    assert_eq!(
        &*snapshot.skills[0].metadata,
        [("owner".into(), "ada".into())]
    );
    let files = block_on(source.files(&id("data/csv"))).unwrap();
    assert_eq!(files[0].path.as_str(), "b.md");
    assert_eq!(
        block_on(source.load(&id("pdf")))
            .unwrap()
            .skill
            .metadata
            .len(),
        1
    );
    let invalid: Vec<(&str, &str)> = snapshot
        .invalid
        .iter()
        .map(|invalid| (invalid.path.as_str(), invalid.reason()))
        .collect();
    assert_eq!(invalid[0], ("none", "the archive has no SKILL.md"));
    assert_eq!(
        invalid[1],
        ("two", "the archive has more than one SKILL.md")
    );
    assert!(invalid[2].1.starts_with("invalid archive: "), "{invalid:?}");
}
