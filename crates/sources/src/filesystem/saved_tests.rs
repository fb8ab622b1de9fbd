//! Whatever happens between two processes, the second one sees what is there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Scope, Snapshot};
use tempfile::TempDir;

use super::saved::{SavedScan, SavedState};
use super::scan::{Scan, scan};
use super::{FilesystemOptions, FilesystemSource, GRAIN, Strictness};

/// Skills in `skills`, a cache in `cache`.
struct Tree {
    directory: TempDir,
}

impl Tree {
    fn new() -> Self {
        let tree = Self {
            directory: TempDir::new().unwrap(),
        };
        for path in ["a", "b", "docs/pdf", "docs/deep/word", "other/x"] {
            tree.skill(path, "Writes texts");
        }
        fs::create_dir_all(tree.path("empty/below")).unwrap();
        tree.write("docs/COLLECTION.md", "Documents");
        tree.write("invalid/SKILL.md", "no frontmatter");
        tree
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("skills")
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(&self, path: &str, description: &str) {
        let name = path.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n");
        self.write(&format!("{path}/SKILL.md"), &text);
    }

    /// Waits until a change gets another time than the last one.
    fn tick(&self) {
        let probe = self.directory.path().join("probe");
        let time = || {
            fs::write(&probe, "").unwrap();
            let metadata = fs::metadata(&probe).unwrap();
            (metadata.ctime(), metadata.ctime_nsec())
        };
        let before = time();
        while time() == before {}
    }

    fn source(&self, cache: PathBuf, grain: Duration) -> FilesystemSource {
        let options = FilesystemOptions::new(Scope::User);
        let mut source = FilesystemSource::new(self.root(), options).cached_in(Some(cache));
        let inner = Arc::get_mut(&mut source.inner).unwrap();
        inner.smallest = 1;
        inner.grain = grain;
        source
    }

    /// What a new process sees, which then saves it.
    fn cached(&self) -> Arc<Snapshot> {
        self.tick();
        let source = self.source(self.cache(), Duration::ZERO);
        let scan = source.inner.scan();
        self.tick();
        Arc::clone(scan.snapshot())
    }

    /// The same without a cache.
    fn plain(&self) -> Arc<Snapshot> {
        let options = FilesystemOptions::new(Scope::User);
        Arc::clone(scan(&self.root(), &options, None, GRAIN).snapshot())
    }

    fn saved_with(&self, options: &FilesystemOptions) -> Option<Scan> {
        let saved = SavedScan::new(&self.cache(), &self.root(), options)?;
        let restored = saved.load(options)?;
        let skills = restored.skills.read(&restored.scan.stamps)?;
        Some(restored.scan.with_skills(skills))
    }

    fn saved(&self) -> Option<Scan> {
        self.saved_with(&FilesystemOptions::new(Scope::User))
    }

    fn file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.cache()).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(
            files.next().is_none(),
            "one file is left, no temporary ones"
        );
        file
    }
}

#[test]
fn a_tree_that_is_as_it_was_is_not_read_again() {
    let tree = Tree::new();
    let first = tree.cached();
    let saved = Arc::new(tree.saved().unwrap());
    assert_eq!(saved.snapshot.skills, first.skills);
    assert_eq!(saved.snapshot.directories, first.directories);
    assert!(saved.listings.contains_key("docs/deep") && saved.listings.contains_key(""));
    let written = fs::metadata(tree.file()).unwrap().ino();

    let options = FilesystemOptions::new(Scope::User);
    let state = SavedState::of(&saved);
    let again = scan(&tree.root(), &options, Some(saved), Duration::ZERO);
    // Also what is not saved: invalid skills, descriptions of collections.
    assert_eq!(*again.snapshot, *first);
    assert!(state.is_of(&again));
    assert_eq!(*tree.cached(), *first);
    assert_eq!(fs::metadata(tree.file()).unwrap().ino(), written);
}

type Change = fn(&Tree);

/// What can happen to a tree, and changes what a scan finds.
const CHANGES: &[(&str, Change)] = &[
    ("edited", |tree| tree.skill("a", "Writes longer texts")),
    ("edited, same size", |tree| tree.skill("a", "Reads. texts")),
    ("edited, same size and time", |tree| {
        let path = tree.path("docs/pdf/SKILL.md");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        tree.skill("docs/pdf", "Reads. texts");
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }),
    ("replaced by renaming", |tree| {
        tree.skill("../new", "Reads. texts");
        fs::rename(tree.path("../new/SKILL.md"), tree.path("b/SKILL.md")).unwrap();
    }),
    ("added", |tree| tree.skill("c", "New")),
    ("added deeper", |tree| tree.skill("docs/deep/new", "New")),
    ("added in an empty directory", |tree| {
        tree.skill("empty/below/new", "New");
    }),
    ("a directory becomes a skill", |tree| {
        tree.skill("docs", "New");
    }),
    ("removed", |tree| {
        fs::remove_dir_all(tree.path("b")).unwrap();
    }),
    ("file removed", |tree| {
        fs::remove_file(tree.path("docs/deep/word/SKILL.md")).unwrap();
    }),
    ("everything removed", |tree| {
        fs::remove_dir_all(tree.root()).unwrap();
    }),
    ("renamed", |tree| {
        fs::rename(tree.path("a"), tree.path("z")).unwrap();
    }),
    ("collection renamed", |tree| {
        fs::rename(tree.path("docs"), tree.path("papers")).unwrap();
    }),
    ("swapped", |tree| {
        fs::rename(tree.path("a"), tree.path("t")).unwrap();
        fs::rename(tree.path("b"), tree.path("a")).unwrap();
        fs::rename(tree.path("t"), tree.path("b")).unwrap();
    }),
    ("root replaced", |tree| {
        fs::rename(tree.root(), tree.path("../old")).unwrap();
        tree.skill("other", "Another one");
    }),
    ("another spelling", |tree| {
        fs::rename(tree.path("a/SKILL.md"), tree.path("a/skill.md")).unwrap();
    }),
    ("file replaced by a link", |tree| {
        tree.write("a/real.md", "---\nname: a\ndescription: Linked\n---\n");
        fs::remove_file(tree.path("a/SKILL.md")).unwrap();
        symlink("real.md", tree.path("a/SKILL.md")).unwrap();
    }),
    ("file replaced by a link to outside", |tree| {
        fs::rename(tree.path("a/SKILL.md"), tree.path("../a.md")).unwrap();
        symlink("../../a.md", tree.path("a/SKILL.md")).unwrap();
    }),
    ("directory replaced by a link", |tree| {
        fs::remove_dir_all(tree.path("a")).unwrap();
        tree.skill("../elsewhere/a", "Writes texts");
        symlink("../elsewhere/a", tree.path("a")).unwrap();
    }),
    ("deeper directory replaced by a link", |tree| {
        fs::rename(tree.path("docs/pdf"), tree.path("../moved")).unwrap();
        symlink("../../moved", tree.path("docs/pdf")).unwrap();
    }),
    ("file replaced by a directory", |tree| {
        fs::remove_file(tree.path("a/SKILL.md")).unwrap();
        fs::create_dir(tree.path("a/SKILL.md")).unwrap();
    }),
    ("directory replaced by a file", |tree| {
        fs::remove_dir_all(tree.path("other")).unwrap();
        tree.write("other", "");
    }),
    ("valid becomes invalid", |tree| {
        tree.write("a/SKILL.md", "no frontmatter");
    }),
    ("invalid becomes valid", |tree| {
        tree.skill("invalid", "Valid");
    }),
    ("collection described", |tree| {
        tree.write("other/COLLECTION.md", "Others");
    }),
    ("description of a collection edited", |tree| {
        tree.write("docs/COLLECTION.md", "Papers");
    }),
    ("description of a collection removed", |tree| {
        fs::remove_file(tree.path("docs/COLLECTION.md")).unwrap();
    }),
    ("hidden directory", |tree| {
        tree.write("docs/.git/config", "");
    }),
    ("directory of an agent", |tree| {
        tree.skill(".claude/skills/hidden", "Hidden");
    }),
];

#[test]
fn every_change_is_seen() {
    for (name, change) in CHANGES {
        let tree = Tree::new();
        let before = tree.cached();
        assert_eq!(before.skills.len(), 5);
        change(&tree);
        let (seen, expected) = (tree.cached(), tree.plain());
        assert_eq!(seen, expected, "{name}");
        assert_ne!(seen, before, "{name}");
        // What was saved after the change is right, too.
        assert_eq!(tree.cached(), expected, "{name}");
    }
}

#[test]
fn a_directory_that_cannot_be_read_any_more_is_reported() {
    let tree = Tree::new();
    tree.cached();
    fs::set_permissions(tree.path("docs"), Permissions::from_mode(0o000)).unwrap();
    // Root reads it all the same.
    assert_eq!(tree.cached(), tree.plain());
    fs::set_permissions(tree.path("docs"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(tree.cached().skills.len(), 5);
}

#[test]
fn what_a_link_leads_to_is_looked_at_each_time() {
    let tree = Tree::new();
    tree.skill("../elsewhere/one", "One");
    tree.skill("../further/two", "Two");
    symlink("../elsewhere", tree.path("link")).unwrap();
    let names = |snapshot: &Snapshot| snapshot.skills.len();
    assert_eq!(names(&tree.cached()), 6);
    tree.skill("../elsewhere/three", "Three");
    assert_eq!(names(&tree.cached()), 7);
    fs::remove_file(tree.path("link")).unwrap();
    symlink("../further", tree.path("link")).unwrap();
    assert_eq!(tree.cached(), tree.plain());
    // A link of a link: nothing in the root changes.
    fs::rename(tree.path("../further"), tree.path("../real")).unwrap();
    symlink("real", tree.path("../further")).unwrap();
    assert_eq!(tree.cached(), tree.plain());
    fs::remove_file(tree.path("../further")).unwrap();
    symlink("elsewhere", tree.path("../further")).unwrap();
    assert_eq!(tree.cached(), tree.plain());
}

#[test]
fn any_sequence_of_changes_is_seen() {
    let tree = Tree::new();
    let paths = ["a", "b", "docs/a", "docs/b", "docs/deep/a", "docs/deep/b"];
    let mut state = 11_usize;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for round in 0..150 {
        let (path, other) = (paths[random(6)], paths[random(6)]);
        match random(5) {
            0 => drop(fs::remove_dir_all(tree.path(path))),
            1 => drop(fs::rename(tree.path(path), tree.path(other))),
            2 => drop(fs::remove_file(tree.path(path).join("SKILL.md"))),
            _ => tree.skill(path, &format!("Number {}", random(3))),
        }
        assert_eq!(tree.cached(), tree.plain(), "{round}");
    }
}

#[test]
fn what_changed_recently_is_not_saved() {
    let tree = Tree::new();
    let scanned = |grain| tree.source(tree.cache(), grain).inner.scan();
    scanned(GRAIN);
    assert!(!tree.cache().exists());
    tree.tick();
    scanned(Duration::ZERO);
    assert!(tree.saved().is_some());

    // The same within a process: a skill that is read again is the same skill, and no news for those who wait for some.
    let source = tree.source(tree.cache(), GRAIN);
    tree.skill("a", "Edited");
    let first = source.inner.scan();
    let second = source.inner.scan();
    assert!(Arc::ptr_eq(first.snapshot(), second.snapshot()));
    tree.skill("a", "Direct");
    assert_eq!(*source.inner.scan().snapshot, *tree.plain());
}

#[test]
fn damaged_files_are_ignored_and_written_again() {
    let tree = Tree::new();
    let expected = tree.cached();
    let bytes = fs::read(tree.file()).unwrap();
    for length in 0..bytes.len() {
        fs::write(tree.file(), &bytes[..length]).unwrap();
        assert!(tree.saved().is_none(), "{length}");
    }
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 1 << (position % 8);
        fs::write(tree.file(), damaged).unwrap();
        assert!(tree.saved().is_none(), "{position}");
    }
    // The first bytes are those of a descriptor, which is read while the tree is looked at.
    for position in [0, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[position] ^= 1;
        fs::write(tree.file(), damaged).unwrap();
        assert_eq!(tree.cached(), expected);
        assert!(tree.saved().is_some(), "{position}");
    }
}

#[test]
fn files_of_others_are_ignored() {
    let tree = Tree::new();
    tree.cached();
    let file = tree.file();
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert!(tree.saved().is_some());

    fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
    assert!(tree.saved().is_none(), "others could write it");
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    assert!(tree.saved().is_some());

    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&file, Some(1), None).unwrap();
        assert!(tree.saved().is_none(), "of another user");
        std::os::unix::fs::chown(&file, Some(0), None).unwrap();
    }

    fs::rename(&file, tree.path("../planted")).unwrap();
    symlink(tree.path("../planted"), &file).unwrap();
    assert!(tree.saved().is_none(), "a link");
    fs::remove_file(&file).unwrap();
}

#[test]
fn each_version_root_and_setting_has_its_own_file() {
    let tree = Tree::new();
    tree.cached();
    let options = FilesystemOptions::new(Scope::User);
    let strict = FilesystemOptions {
        strictness: Strictness::Strict,
        ..options.clone()
    };
    let project = FilesystemOptions::new(Scope::Project);
    assert!(tree.saved_with(&options).is_some());
    for other in [&strict, &project] {
        assert!(tree.saved_with(other).is_none());
    }
    let saved = SavedScan::new(&tree.cache(), &tree.root(), &options).unwrap();
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    assert!(saved.key().starts_with(version));
    // Under the name of another root, the file is still not that root's.
    let other = tree.path("docs");
    let saved = SavedScan::new(&tree.cache(), &other, &options).unwrap();
    fs::copy(tree.file(), saved.path()).unwrap();
    assert!(saved.load(&options).is_none());
}

#[test]
fn nothing_is_saved_in_the_tree_or_read_from_it() {
    let tree = Tree::new();
    tree.cached();
    // A project that has learned the name of the file.
    let name = tree.file();
    let name = name.file_name().unwrap();
    tree.skill("a", "Before");
    tree.cached();
    for place in ["", ".cache/prowess", "a"] {
        fs::create_dir_all(tree.path(place)).unwrap();
        fs::copy(tree.file(), tree.path(place).join(name)).unwrap();
    }
    tree.skill("a", "After");
    fs::remove_dir_all(tree.cache()).unwrap();
    assert_eq!(tree.cached(), tree.plain());
    let found = |path: &Path| fs::read_dir(path).unwrap().count();
    assert_eq!(found(&tree.path("b")), 1);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_error() {
    let tree = Tree::new();
    let blocked = tree.directory.path().join("file");
    fs::write(&blocked, "").unwrap();
    let expected = tree.plain();
    for cache in [
        blocked.clone(),
        blocked.join("below"),
        PathBuf::from("/proc"),
    ] {
        let scan = tree.source(cache, Duration::ZERO).inner.scan();
        assert_eq!(*scan.snapshot, *expected);
    }
}

#[test]
fn processes_that_save_at_the_same_time_leave_a_whole_file() {
    let tree = Tree::new();
    for round in 0..5 {
        tree.skill("a", &format!("Round {round}"));
        tree.tick();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let scan = tree.source(tree.cache(), Duration::ZERO).inner.scan();
                    assert_eq!(*scan.snapshot, *tree.plain());
                });
            }
        });
        tree.tick();
        assert_eq!(tree.saved().unwrap().snapshot.skills, tree.plain().skills);
        assert!(tree.file().is_file());
    }
}

#[test]
fn few_skills_are_not_saved() {
    let tree = Tree::new();
    tree.tick();
    let options = FilesystemOptions::new(Scope::User);
    let mut source = FilesystemSource::new(tree.root(), options).cached_in(Some(tree.cache()));
    Arc::get_mut(&mut source.inner).unwrap().grain = Duration::ZERO;
    source.inner.scan();
    assert!(!tree.cache().exists());
}
