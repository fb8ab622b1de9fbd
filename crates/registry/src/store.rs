//! Every version of a skill that was installed, by digest: the base of merges, and what `sync` restores without a network.
//!
//! ```text
//! {data}/packages/
//!   {digest}.tar.gz      the package of a skill
//!   applied/{place}      the lock file of a place, as it was when it was last changed by this user
//!   journals/{place}     the changes that are being made to a place
//!   keys.toml            the keys that sources signed with
//! ```

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use prowess_policy::ContentDigest;
use tempfile::Builder;

use crate::lock::LockFile;
use crate::package::archive;
use crate::tree::{PackageTree, digest_of};

/// How long a package stays that no lock file names.
const UNUSED: Duration = Duration::from_hours(30 * 24);
/// What is before the root of a place, in the first line of its applied lock file.
const ROOT: &str = "# root: ";
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

    fn applied_path(&self, scope: &str, root: &Path) -> PathBuf {
        let name = prowess_net::short_digest([scope, &root.to_string_lossy()]);
        self.directory.join("applied").join(format!("{name}.lock"))
    }

    /// The lock file of a place as it was when it was last changed; an empty one if it was not. `root` is its real path.
    pub fn applied(&self, scope: &str, root: &Path) -> LockFile {
        let text = fs::read_to_string(self.applied_path(scope, root));
        let lock = text.ok().and_then(|text| LockFile::parse(&text).ok());
        lock.unwrap_or_default()
    }

    /// Notes the lock file of a place, and removes packages that no place has had for 30 days.
    pub fn set_applied(&self, scope: &str, root: &Path, lock: &LockFile) -> io::Result<()> {
        create_private(&self.directory.join("applied"))?;
        // A root that cannot be written as a line is never taken for gone.
        let line = root.to_str().filter(|it| !it.contains(char::is_control));
        let line = line.map(|it| format!("{ROOT}{it}\n")).unwrap_or_default();
        fs::write(
            self.applied_path(scope, root),
            format!("{line}{}", lock.render()),
        )?;
        self.prune(SystemTime::now());
        Ok(())
    }

    /// Removes lock files of places that are gone, and packages that no lock file names, if they are older than 30 days.
    /// What cannot be removed is found the next time.
    fn prune(&self, now: SystemTime) {
        let is_old = |path: &Path| {
            let changed = fs::symlink_metadata(path).and_then(|it| it.modified());
            let age = changed.ok().and_then(|it| now.duration_since(it).ok());
            age.is_some_and(|age| age > UNUSED)
        };
        let mut used: BTreeSet<String> = BTreeSet::new();
        for path in files_in(&self.directory.join("applied")) {
            let Ok(text) = fs::read_to_string(&path) else {
                // It may name anything.
                return;
            };
            let root = text.lines().next().and_then(|it| it.strip_prefix(ROOT));
            if root.is_some_and(|it| !Path::new(it).exists()) && is_old(&path) {
                let _ = fs::remove_file(&path);
                continue;
            }
            // Not parsed: a lock file of a newer version names packages, too.
            let digest = |line: &str| {
                let digest = line.strip_prefix("digest = \"sha256:")?;
                Some(digest.trim_end_matches('"').to_owned())
            };
            used.extend(text.lines().filter_map(digest));
        }
        for path in files_in(&self.directory) {
            let name = path.file_name().map(|it| it.to_string_lossy());
            let name = name.unwrap_or_default();
            let is_unused = match name.strip_suffix(".tar.gz") {
                Some(digest) => !used.contains(digest),
                // The temporary file of a killed process.
                None => name.starts_with(TEMPORARY),
            };
            if is_unused && is_old(&path) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

fn files_in(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_file()));
    files.map(|it| it.path())
}

/// Creates a directory that only the user can read.
pub(crate) fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use prowess_spec::{SkillName, SkillPath};

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
        store.set_applied("project", &root, &lock(used)).unwrap();
        assert_eq!(store.applied("project", &root), lock(used));
        let now = SystemTime::now();
        store.prune(now + 29 * DAY);
        assert!(store.get(unused).is_some() && temporary.exists());
        store.prune(now + 31 * DAY);
        assert!(store.get(used).is_some() && keys.exists());
        assert!(store.get(unused).is_none() && !temporary.exists());
    }

    #[test]
    fn places_that_are_gone_name_no_packages_after_30_days() {
        let place = tempfile::tempdir().unwrap();
        let store = PackageStore::new(place.path().join("packages"));
        let root = place.path().join("project");
        let (digest, tree) = tree("text");
        store.insert(digest, &tree).unwrap();
        store.set_applied("project", &root, &lock(digest)).unwrap();
        let now = SystemTime::now();
        store.prune(now + 29 * DAY);
        assert_eq!(store.applied("project", &root), lock(digest));
        store.prune(now + 31 * DAY);
        assert_eq!(store.applied("project", &root), LockFile::default());
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
        store.prune(now);
        assert!(store.get(digest).is_some());
    }
}
