//! Every version of a skill that was installed, by digest: the base of merges, and what `sync` restores without a network.
//!
//! ```text
//! {data}/packages/
//!   {digest}.tar.gz      the package of a skill
//!   applied/{place}.lock the lock file of a place, as it was when it was last changed by this user
//!   applied/{place}.gone when the root of a place was first found missing, in seconds since 1970
//!   journals/{place}     the changes that are being made to a place
//!   merges/{skill}       a merge with conflicts that waits for the user
//!   keys.toml            the keys that sources signed with
//! ```

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use prowess_policy::ContentDigest;
use prowess_spec::SkillName;
use tempfile::Builder;

use crate::applied_notes::{AppliedNote, used_packages};
use crate::data_files::{create_private, files_in, is_old};
use crate::lock::LockFile;
use crate::package::archive;
use crate::tree::{PackageTree, digest_of};

/// Packages that are read to find out which version of a skill was edited.
const CANDIDATES: usize = 500;
/// The beginning of temporary names.
const TEMPORARY: &str = ".new-";

/// The packages of a user.
#[derive(Clone, Debug)]
pub struct PackageStore {
    directory: PathBuf,
}

impl PackageStore {
    /// The store in a directory, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, digest: ContentDigest) -> PathBuf {
        let name = digest.to_string();
        let name = name.strip_prefix("sha256:").unwrap_or(&name);
        self.directory.join(format!("{name}.tar.gz"))
    }

    /// Adds a skill. What is there already is not written again.
    pub fn insert(&self, digest: ContentDigest, tree: &PackageTree) -> io::Result<()> {
        let path = self.path(digest);
        if let Ok(file) = File::open(&path) {
            // It is in use again. Without this it may be removed, and fetched again when it is needed.
            let _ = file.set_modified(SystemTime::now());
            return Ok(());
        }
        create_private(&self.directory)?;
        let mut file = Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(&self.directory)?;
        file.write_all(&archive(tree, Compression::fast())?)?;
        file.persist(path)?;
        Ok(())
    }

    /// The files of a skill; `None` if they are not there, or are not what the digest says.
    pub fn get(&self, digest: ContentDigest) -> Option<PackageTree> {
        let file = File::open(self.path(digest)).ok()?;
        let tree = PackageTree::read_archive(file).ok();
        let tree = tree.filter(|it| digest_of(&it.digests()) == digest);
        if tree.is_none() {
            // It can be fetched again.
            self.remove(digest);
        }
        tree
    }

    /// Removes a package that is no longer needed.
    pub fn remove(&self, digest: ContentDigest) {
        // The next removal finds it again.
        let _ = fs::remove_file(self.path(digest));
    }

    /// Every stored version of a skill, the newest first. It reads packages one after the other.
    pub fn versions_of(&self, name: &SkillName) -> Vec<PackageTree> {
        let mut packages: Vec<(SystemTime, PathBuf)> = files_in(&self.directory)
            .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
            .filter_map(|path| Some((fs::metadata(&path).and_then(|it| it.modified()).ok()?, path)))
            .collect();
        packages.sort_by(|one, other| other.cmp(one));
        let trees = packages
            .into_iter()
            .take(CANDIDATES)
            .filter_map(|(_, path)| {
                let tree = PackageTree::read_archive(File::open(path).ok()?).ok()?;
                (tree.name().as_ref() == Some(name)).then_some(tree)
            });
        trees.collect()
    }

    /// The note of what was applied to a place. `root` is its real path.
    pub fn applied_note(&self, scope: &str, root: &Path) -> AppliedNote {
        let name = prowess_net::short_digest([scope, &root.to_string_lossy()]);
        AppliedNote::new(&self.directory.join("applied"), &name, root)
    }

    /// The lock file of a place as it was when it was last changed; an empty one if it was not, or if that is not known.
    pub fn applied(&self, scope: &str, root: &Path) -> LockFile {
        let lock = self.applied_note(scope, root).read();
        lock.ok().flatten().unwrap_or_default()
    }

    /// Removes packages that no place has had for 30 days.
    pub fn prune(&self) {
        self.prune_at(SystemTime::now());
    }

    /// Removes notes of places that have been gone for 30 days, and packages that no note names, if they are older than
    /// that. What cannot be removed is found the next time.
    fn prune_at(&self, now: SystemTime) {
        // A note that cannot be read may name anything.
        let Some(used) = used_packages(&self.directory.join("applied"), now) else {
            return;
        };
        for path in files_in(&self.directory) {
            let name = path.file_name().map(|name| name.to_string_lossy());
            let name = name.unwrap_or_default();
            let is_unused = match name.strip_suffix(".tar.gz") {
                Some(digest) => !used.contains(digest),
                // The temporary file of a killed process.
                None => name.starts_with(TEMPORARY),
            };
            if is_unused && is_old(&path, now) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use prowess_spec::SkillPath;

    use super::*;
    use crate::lock::LockedSkill;
    use crate::tree::PackageFile;

    const DAY: Duration = Duration::from_hours(24);

    fn tree(text: &str) -> (ContentDigest, PackageTree) {
        let path = SkillPath::parse("SKILL.md").unwrap();
        let bytes = text.as_bytes().to_vec();
        let executable = false;
        let tree = PackageTree::new([(path, PackageFile { bytes, executable })]).unwrap();
        (digest_of(&tree.digests()), tree)
    }

    fn lock(digest: ContentDigest) -> LockFile {
        let skill = LockedSkill {
            source: "./a".to_owned(),
            resolved: None,
            signed_by: None,
            digest,
            source_digest: None,
            files: [].into(),
        };
        let name = SkillName::parse("a").unwrap();
        LockFile {
            skills: [(name, skill)].into(),
        }
    }

    fn apply(store: &PackageStore, root: &Path, digest: ContentDigest) {
        let note = store.applied_note("project", root);
        create_private(note.path().parent().unwrap()).unwrap();
        fs::write(note.path(), note.text(&lock(digest))).unwrap();
    }

    #[test]
    fn packages_that_no_place_has_are_removed_after_30_days() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path().join("packages"));
        let root = place.path().join("project");
        fs::create_dir(&root).unwrap();
        let (used, used_tree) = tree("used");
        let (unused, unused_tree) = tree("unused");
        store.insert(used, &used_tree).unwrap();
        store.insert(unused, &unused_tree).unwrap();
        let temporary = store.directory().join(format!("{TEMPORARY}1"));
        fs::write(&temporary, "").unwrap();
        let keys = store.directory().join("keys");
        fs::write(&keys, "").unwrap();
        apply(&store, &root, used);
        assert_eq!(store.applied("project", &root), lock(used));
        let now = SystemTime::now();
        store.prune_at(now + 29 * DAY);
        assert!(store.get(unused).is_some() && temporary.exists());
        store.prune_at(now + 31 * DAY);
        assert!(store.get(used).is_some() && keys.exists());
        assert!(store.get(unused).is_none() && !temporary.exists());
    }

    #[test]
    fn du8_places_that_are_gone_name_no_packages_after_30_days() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path().join("packages"));
        let root = place.path().join("project");
        let (digest, tree) = tree("text");
        store.insert(digest, &tree).unwrap();
        apply(&store, &root, digest);
        let is_there =
            || store.applied("project", &root) == lock(digest) && store.get(digest).is_some();
        // The note is older than 30 days when its root is missing for the first time.
        let first = SystemTime::now() + 100 * DAY;
        for days in [0, 1, 29] {
            store.prune_at(first + days * DAY);
            assert!(is_there(), "{days}");
        }
        // It is mounted again, and missing again.
        fs::create_dir(&root).unwrap();
        store.prune_at(first + 35 * DAY);
        fs::remove_dir(&root).unwrap();
        store.prune_at(first + 36 * DAY);
        store.prune_at(first + 65 * DAY);
        assert!(is_there());
        store.prune_at(first + 67 * DAY);
        assert_eq!(store.applied("project", &root), LockFile::default());
        assert!(store.get(digest).is_none());
    }

    #[test]
    fn du8_a_clock_that_jumps_removes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path().join("packages"));
        let root = place.path().join("project");
        let (digest, tree) = tree("text");
        store.insert(digest, &tree).unwrap();
        apply(&store, &root, digest);
        let now = SystemTime::now();
        // Found missing before the clock was set, then at the right time, then in a far future, and back.
        let future = now + 4_000 * DAY;
        for time in [SystemTime::UNIX_EPOCH + DAY, now, future, future, now + DAY] {
            store.prune_at(time);
            assert_eq!(store.applied("project", &root), lock(digest));
            assert!(store.get(digest).is_some());
        }
    }

    #[test]
    fn du8_a_note_that_cannot_be_read_keeps_every_package() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path().join("packages"));
        let root = place.path().join("project");
        fs::create_dir(&root).unwrap();
        let (digest, tree) = tree("text");
        store.insert(digest, &tree).unwrap();
        apply(&store, &root, digest);
        let note = store.applied_note("project", &root);
        let whole = fs::read(note.path()).unwrap();
        let late = SystemTime::now() + 100 * DAY;
        for length in 0..whole.len() {
            fs::write(note.path(), &whole[..length]).unwrap();
            store.prune_at(late);
            assert!(store.get(digest).is_some(), "{length}");
        }
        // It is put aside before another one is written, and still keeps everything.
        note.set_aside().unwrap();
        apply(&store, &root, ContentDigest([1; 32]));
        store.prune_at(SystemTime::now() + 29 * DAY);
        assert!(store.get(digest).is_some());
        store.prune_at(late);
        assert!(store.get(digest).is_none());
    }

    #[test]
    fn a_package_that_is_inserted_again_is_used() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path());
        let (digest, tree) = tree("text");
        let now = SystemTime::now();
        store.insert(digest, &tree).unwrap();
        let file = File::open(store.path(digest)).unwrap();
        file.set_modified(now - 40 * DAY).unwrap();
        store.insert(digest, &tree).unwrap();
        store.prune_at(now);
        assert!(store.get(digest).is_some());
    }
}
