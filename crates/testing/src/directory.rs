//! A temporary directory with files and skills.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory that is removed with the test.
pub struct TestDirectory(TempDir);

impl TestDirectory {
    /// An empty directory.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// An empty directory in `parent`.
    pub fn new_in(parent: impl AsRef<Path>) -> Self {
        Self(tempfile::tempdir_in(parent).unwrap())
    }

    /// An empty directory in memory, where the system has a place for that.
    pub fn in_memory() -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self(directory.unwrap())
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// A path in the directory.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file and creates its parent directories.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        write(self.path(path), content);
        self
    }

    /// Reads a text file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Creates a directory and its parents.
    pub fn create(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    /// Creates a symbolic link at `path` and its parent directories.
    #[cfg(unix)]
    pub fn link(&self, target: impl AsRef<Path>, path: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    /// Writes the `SKILL.md` of a skill that is named after the last part of `path`.
    pub fn skill(&self, path: &str, description: &str, body: &str) -> &Self {
        let name = path.rsplit('/').next().unwrap();
        self.write(
            &format!("{path}/SKILL.md"),
            skill_text(name, description, body),
        )
    }

    /// Copies a directory, here to `path`.
    pub fn copy(&self, from: &Path, path: &str) -> &Self {
        copy(from, &self.path(path));
        self
    }
}

impl AsRef<Path> for TestDirectory {
    fn as_ref(&self) -> &Path {
        self.root()
    }
}

/// Writes a file and creates its parent directories.
pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// The text of a `SKILL.md`.
pub fn skill_text(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
