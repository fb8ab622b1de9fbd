//! The root of a project, and the files that it has by convention.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::file::{FileRefusal, open_beneath, read_bounded};
use crate::reach::hex;

/// Bytes of a file that a project has by convention.
pub const PROJECT_FILE_BYTES: u64 = 64 * 1024;

/// Bytes of a file whose digest is taken.
const DIGEST_BYTES: u64 = 64 * 1024 * 1024;

/// Markers of a repository root.
const MARKS: [&str; 3] = [".git", ".hg", ".jj"];

/// The directory of the project files: the root of the repository around the working directory, or the working
/// directory itself without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRoot {
    path: PathBuf,
    real: PathBuf,
}

impl ProjectRoot {
    /// The root for a working directory. The home directory is never a repository root, and neither is a directory
    /// above the user's own that belongs to another user.
    pub fn find(start: &Path, home: Option<&Path>) -> Self {
        let below_home = |directory: &&Path| Some(*directory) != home;
        let here = fs::metadata(start).ok();
        let is_root = |directory: &&Path| {
            let marks = MARKS
                .iter()
                .filter_map(|mark| fs::metadata(directory.join(mark)).ok());
            marks
                .into_iter()
                .any(|mark| is_believed(&mark, here.as_ref()))
        };
        let found = start.ancestors().take_while(below_home).find(is_root);
        let path = found.unwrap_or(start).to_owned();
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        Self { path, real }
    }

    /// The root as the working directory names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its real path, which answers are stored for.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// The real path of something inside the project. What does not exist yet counts by its name, if no `..` is in it.
    pub fn inside(&self, path: &Path) -> Option<PathBuf> {
        if let Ok(real) = fs::canonicalize(path) {
            return real.starts_with(&self.real).then_some(real);
        }
        let steps_up = path
            .components()
            .any(|part| part == std::path::Component::ParentDir);
        let is_link = fs::symlink_metadata(path).is_ok();
        let below = path.starts_with(&self.path) || path.starts_with(&self.real);
        // Of what does not exist, the part that does must not be a link that leads out.
        let parent = path.ancestors().find_map(|it| fs::canonicalize(it).ok());
        let parent = parent.is_some_and(|it| it.starts_with(&self.real));
        (below && parent && !steps_up && !is_link).then(|| path.to_owned())
    }

    /// The text of a conventional file; `None` if it does not exist.
    ///
    /// The check and the read use one handle, and neither waits for a pipe.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, FileRefusal> {
        Ok(self.open(path)?.map(|(bytes, _)| bytes))
    }

    /// The same for a configuration file: other users must not be able to write it.
    pub fn read_configuration(&self, path: &Path) -> Result<Option<Vec<u8>>, FileRefusal> {
        let Some((bytes, metadata)) = self.open(path)? else {
            return Ok(None);
        };
        let directory = path.parent().unwrap_or(path);
        let directory = fs::metadata(directory).map_err(FileRefusal::Unreadable)?;
        if is_other_owner(&metadata) {
            return Err(FileRefusal::OtherOwner);
        }
        if is_foreign(&metadata) || others_may_write(&directory) {
            return Err(FileRefusal::OthersMayWrite);
        }
        Ok(Some(bytes))
    }

    /// The digest of a regular file inside the project, as `sha256:` and hexadecimal digits.
    pub fn digest(&self, path: &Path) -> Option<String> {
        let (file, metadata) = self.handle(path).ok()??;
        if metadata.len() > DIGEST_BYTES {
            return None;
        }
        let mut hash = Sha256::new();
        io::copy(&mut file.take(DIGEST_BYTES), &mut HashWriter(&mut hash)).ok()?;
        Some(format!("sha256:{}", hex(&hash.finalize())))
    }

    fn open(&self, path: &Path) -> Result<Option<(Vec<u8>, Metadata)>, FileRefusal> {
        let Some((file, metadata)) = self.handle(path)? else {
            return Ok(None);
        };
        let bytes = read_bounded(file, &metadata, PROJECT_FILE_BYTES)?;
        Ok(Some((bytes, metadata)))
    }

    /// A regular file inside the project, opened without following a link out of it.
    fn handle(&self, path: &Path) -> Result<Option<(fs::File, Metadata)>, FileRefusal> {
        match path.strip_prefix(&self.path) {
            Ok(below) => open_beneath(&self.real, &self.real.join(below)),
            Err(_) => open_beneath(&self.real, path),
        }
    }
}

struct HashWriter<'h>(&'h mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the mark of a repository is the user's, root's, or of whom the working directory is.
#[cfg(unix)]
fn is_believed(mark: &Metadata, here: Option<&Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;
    !is_other_owner(mark) || here.is_some_and(|here| here.uid() == mark.uid())
}

#[cfg(not(unix))]
fn is_believed(_: &Metadata, _: Option<&Metadata>) -> bool {
    true
}

/// Whether someone else than the user and root wrote something, or may.
#[cfg(unix)]
pub fn is_foreign(metadata: &Metadata) -> bool {
    is_other_owner(metadata) || others_may_write(metadata)
}

#[cfg(unix)]
fn is_other_owner(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    metadata.uid() != own && metadata.uid() != 0
}

/// Whether the mode lets others write. The user's own group is not others: many systems give each user one.
#[cfg(unix)]
fn others_may_write(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::getegid().as_raw();
    let by_group = metadata.mode() & 0o020 != 0 && metadata.gid() != own && metadata.gid() != 0;
    by_group || metadata.mode() & 0o002 != 0
}

/// Whether another user could write it; unknown on systems without owners.
#[cfg(not(unix))]
pub fn is_foreign(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_other_owner(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn others_may_write(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn project() -> (tempfile::TempDir, ProjectRoot) {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("p/.git")).unwrap();
        fs::create_dir_all(directory.path().join("p/sub/deep")).unwrap();
        let root = ProjectRoot::find(&directory.path().join("p/sub/deep"), None);
        (directory, root)
    }

    #[test]
    fn the_root_is_the_repository_or_the_working_directory() {
        let (directory, root) = project();
        assert_eq!(root.path(), directory.path().join("p"));
        let outside = directory.path().join("q/r");
        fs::create_dir_all(&outside).unwrap();
        assert_eq!(ProjectRoot::find(&outside, None).path(), outside);
        // A repository around the home directory is not the project of everything in it.
        let home = directory.path().join("p");
        let below = ProjectRoot::find(&home.join("sub"), Some(&home));
        assert_eq!(below.path(), home.join("sub"));
    }

    #[test]
    fn q1_a_repository_of_another_user_above_is_not_the_project() {
        let (directory, _) = project();
        let mark = directory.path().join("p/.git");
        let start = directory.path().join("p/sub");
        if std::os::unix::fs::chown(&mark, Some(65534), None).is_err() {
            return;
        }
        assert_eq!(ProjectRoot::find(&start, None).path(), start);
        // A checkout that belongs to one other user as a whole is one project.
        std::os::unix::fs::chown(&start, Some(65534), None).unwrap();
        let root = ProjectRoot::find(&start, None);
        assert_eq!(root.path(), directory.path().join("p"));
    }

    #[test]
    fn q2_what_is_inside_is_decided_by_the_real_path() {
        let (directory, root) = project();
        let p = root.path().to_owned();
        fs::create_dir_all(directory.path().join("out")).unwrap();
        symlink(directory.path().join("out"), p.join("link")).unwrap();
        symlink("sub", p.join("own")).unwrap();
        symlink("/nowhere/at/all", p.join("dangling")).unwrap();
        for (path, expected) in [
            (p.join("sub"), true),
            (p.join("own"), true),
            (p.join("not-yet/there"), true),
            (p.join("sub/../sub"), true),
            (p.join("../out"), false),
            (p.join("link"), false),
            (p.join("link/not-yet"), false),
            (p.join("dangling"), false),
            (p.join("not-yet/../../out2"), false),
            (directory.path().join("out"), false),
            ("/etc".into(), false),
        ] {
            assert_eq!(root.inside(&path).is_some(), expected, "{}", path.display());
        }
    }

    #[test]
    fn q9_files_by_convention_are_small_regular_files_of_the_project() {
        let (directory, root) = project();
        let file = root.path().join("AGENTS.md");
        let read = || root.read(&file);
        assert!(read().unwrap().is_none());
        fs::write(&file, "hello").unwrap();
        assert_eq!(read().unwrap().unwrap(), b"hello");
        symlink("sub/real.md", root.path().join("CLAUDE.md")).unwrap();
        fs::write(root.path().join("sub/real.md"), "linked").unwrap();
        let linked = root.read(&root.path().join("CLAUDE.md"));
        assert_eq!(linked.unwrap().unwrap(), b"linked");

        let sparse = fs::File::create(&file).unwrap();
        sparse.set_len(1 << 30).unwrap();
        assert!(matches!(read(), Err(FileRefusal::TooLarge { .. })));
        for target in ["/dev/zero", "/etc/passwd", "../out.md", "nowhere.md"] {
            fs::write(directory.path().join("out.md"), "secret").unwrap();
            fs::remove_file(&file).unwrap();
            symlink(target, &file).unwrap();
            assert!(matches!(read(), Err(FileRefusal::Outside)), "{target}");
        }
        fs::remove_file(&file).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &file, 0o600.into()).unwrap();
        assert!(matches!(read(), Err(FileRefusal::NotRegular)));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(matches!(read(), Err(FileRefusal::NotRegular)));
    }

    #[test]
    fn q1_files_that_others_may_write_are_not_obeyed() {
        let (_directory, root) = project();
        let file = root.path().join("prowess.toml");
        fs::write(&file, "").unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(&file, 0o644);
        mode(root.path(), 0o755);
        assert!(root.read_configuration(&file).is_ok());
        mode(&file, 0o646);
        let refused = root.read_configuration(&file);
        assert!(matches!(refused, Err(FileRefusal::OthersMayWrite)));
        mode(&file, 0o644);
        mode(root.path(), 0o1777);
        let refused = root.read_configuration(&file);
        assert!(matches!(refused, Err(FileRefusal::OthersMayWrite)));
        mode(root.path(), 0o755);
        if std::os::unix::fs::chown(&file, Some(65534), None).is_ok() {
            let refused = root.read_configuration(&file);
            assert!(matches!(refused, Err(FileRefusal::OtherOwner)));
        }
    }
}
