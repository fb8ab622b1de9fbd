//! Files of the user that the arguments of a script name, and the files that the script leaves.

use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use prowess_core::ScriptFile;
use prowess_sandbox::is_reserved;

use super::jail::SCRATCH;
use crate::limits::{INPUT_BYTES, INPUT_FILES, TREE_DEPTH};
use crate::project_walk::{HiddenFiles, IgnoredFiles, ProjectWalk};

/// The files that arguments name, as seen from a directory.
///
/// Those below the directory are copied to the working directory of the script, so that it can change them. Others are
/// mounted read-only where the argument says. Nothing else of the directory is visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// Paths below the directory, with the real files.
    copied: Vec<(PathBuf, PathBuf)>,
    /// Real paths, with the paths in the sandbox.
    pub(super) mounted: Vec<(PathBuf, PathBuf)>,
    /// The arguments that name something.
    names: Vec<String>,
    /// Bytes of the copies.
    pub(super) bytes: u64,
}

/// Why the files of arguments cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NamedFilesError {
    /// It is too much to copy.
    #[error(
        "`{name}` has more than {INPUT_FILES} files or {} MiB; name single files",
        INPUT_BYTES / (1024 * 1024)
    )]
    TooLarge {
        /// The argument.
        name: String,
    },
    /// A link in the directory leads out of it, and the user may not know.
    #[error("`{name}` leads to `{}`, outside of this directory; name that path to use it", target.display())]
    LinkOutside {
        /// The argument.
        name: String,
        /// The real path.
        target: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read `{name}`: {source}")]
    Read {
        /// The path.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl NamedFiles {
    /// Finds the files that arguments name: as a whole, or after the `=` of an option.
    pub fn find(directory: &Path, arguments: &[String]) -> Result<Self, NamedFilesError> {
        let mut found = Self::default();
        let root = directory
            .canonicalize()
            .map_err(|source| read_error(&directory.display(), source))?;
        for argument in arguments {
            let name = match argument.split_once('=') {
                Some((option, value)) if option.starts_with('-') => value,
                _ => argument,
            };
            if name.is_empty() || name.starts_with('-') || found.names.iter().any(|it| it == name) {
                continue;
            }
            let Ok(real) = root.join(name).canonicalize() else {
                continue;
            };
            found.names.push(name.to_owned());
            match below(Path::new(name)) {
                Some(_) if !real.starts_with(&root) => {
                    let (name, target) = (name.to_owned(), real);
                    return Err(NamedFilesError::LinkOutside { name, target });
                }
                Some(path) => found.add_copies(name, &path, &real, &root)?,
                // A file of the system is visible where it is, or not at all.
                None if is_reserved(&inside(Path::new(name))) => {}
                None => found.mounted.push((real, inside(Path::new(name)))),
            }
        }
        Ok(found)
    }

    /// The arguments that name files or directories.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn add_copies(
        &mut self,
        name: &str,
        path: &Path,
        real: &Path,
        root: &Path,
    ) -> Result<(), NamedFilesError> {
        let walk = ProjectWalk {
            root,
            hidden: HiddenFiles::Included,
            ignored: IgnoredFiles::Omitted,
            depth: TREE_DEPTH,
            limit: INPUT_FILES,
        };
        let walked = walk.files_below(real, &|_, kind| kind.is_file());
        if let Some(source) = walked.unreadable {
            return Err(read_error(&name, source));
        }
        let too_large = || NamedFilesError::TooLarge {
            name: name.to_owned(),
        };
        if walked.is_incomplete {
            return Err(too_large());
        }
        for file in walked.files {
            let rest = file.strip_prefix(real).unwrap_or(Path::new(""));
            let path = if rest.as_os_str().is_empty() {
                path.to_owned()
            } else {
                path.join(rest)
            };
            self.bytes += file.symlink_metadata().map_or(0, |metadata| metadata.len());
            self.copied.push((path, file));
            if self.copied.len() > INPUT_FILES || self.bytes > INPUT_BYTES {
                return Err(too_large());
            }
        }
        Ok(())
    }

    /// Copies the files below the directory to the scratch directory.
    pub(super) fn copy_to(&self, scratch: &Path) -> Result<(), NamedFilesError> {
        for (path, real) in &self.copied {
            let target = scratch.join(path);
            let parent = target.parent().map_or(Ok(()), std::fs::create_dir_all);
            parent
                .and_then(|()| std::fs::copy(real, &target).map(|_| ()))
                .map_err(|source| read_error(&path.display(), source))?;
        }
        Ok(())
    }

    /// The files in the scratch directory that are new or differ from what was copied.
    pub(super) fn results(&self, scratch: &Path) -> Vec<ScriptFile> {
        let mut results = files_below(scratch);
        results.retain(|file| {
            let original = self
                .copied
                .iter()
                .find(|(path, _)| path == Path::new(&file.path));
            original.is_none_or(|(_, real)| {
                let same = std::fs::read(real)
                    .and_then(|before| Ok(before == std::fs::read(scratch.join(&file.path))?));
                !same.unwrap_or(false)
            })
        });
        results
    }
}

/// The files that a script left in its scratch directory.
#[derive(Debug)]
pub struct ScriptResults {
    /// The new and changed files.
    pub files: Vec<ScriptFile>,
    pub(super) named: NamedFiles,
    pub(super) scratch: tempfile::TempDir,
}

impl ScriptResults {
    /// Whether an argument named this file.
    pub fn is_named(&self, file: &ScriptFile) -> bool {
        let path = Path::new(&file.path);
        self.named.copied.iter().any(|(copied, _)| copied == path)
    }

    /// Reads a result.
    pub fn read(&self, file: &ScriptFile) -> io::Result<Vec<u8>> {
        std::fs::read(self.scratch.path().join(&file.path))
    }

    /// Leaves the scratch directory on the disk and returns its path.
    pub fn preserve(&mut self) -> PathBuf {
        self.scratch.disable_cleanup(true);
        self.scratch.path().to_owned()
    }
}

/// The regular files below a directory, sorted by path; links are not followed.
pub(super) fn files_below(directory: &Path) -> Vec<ScriptFile> {
    let walk = WalkBuilder::new(directory).standard_filters(false).build();
    let files = walk.flatten().filter_map(|entry| {
        entry.file_type().filter(std::fs::FileType::is_file)?;
        let path = entry.path().strip_prefix(directory).ok()?.to_str()?;
        let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
        let path = path.to_owned();
        Some(ScriptFile { path, bytes })
    });
    let mut files: Vec<ScriptFile> = files.take(INPUT_FILES).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The path without `.` steps, if it stays below the directory it starts in.
fn below(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(plain)
}

/// What a path that leaves the directory means to a program in the scratch directory.
fn inside(path: &Path) -> PathBuf {
    let mut inside = PathBuf::from(SCRATCH);
    for part in path.components() {
        match part {
            Component::RootDir | Component::Prefix(_) => inside = PathBuf::from("/"),
            Component::Normal(name) => inside.push(name),
            Component::ParentDir => {
                inside.pop();
            }
            Component::CurDir => {}
        }
    }
    inside
}

fn read_error(name: &impl ToString, source: io::Error) -> NamedFilesError {
    NamedFilesError::Read {
        name: name.to_string(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(directory: &Path, arguments: &[&str]) -> Result<NamedFiles, NamedFilesError> {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        NamedFiles::find(directory, &arguments)
    }

    #[test]
    fn arguments_that_name_files() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap().join("me");
        for file in [
            "me/form.pdf",
            "me/in/a.csv",
            "me/in/.git/x",
            "me/in/b.log",
            "other.txt",
        ] {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        let arguments = [
            "./form.pdf",
            "--data=in",
            "-v",
            "",
            "../other.txt",
            "new.pdf",
            "--out=new.pdf",
        ];
        let found = find(&root, &arguments).unwrap();
        assert_eq!(found.names(), ["./form.pdf", "in", "../other.txt"]);
        let copied: Vec<_> = found
            .copied
            .iter()
            .map(|(path, _)| path.to_str().unwrap())
            .collect();
        assert_eq!(copied, ["form.pdf", "in/a.csv"]);
        let other = root.parent().unwrap().join("other.txt");
        assert_eq!(
            found.mounted,
            [(other.clone(), PathBuf::from("/other.txt"))]
        );
        let absolute = find(&root, &[other.to_str().unwrap()]).unwrap();
        assert_eq!(absolute.mounted, [(other.clone(), other)]);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_refused() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("me")).unwrap();
        std::fs::write(place.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink("../secret", place.path().join("me/form.pdf")).unwrap();
        let error = find(&place.path().join("me"), &["form.pdf"]).unwrap_err();
        assert!(
            matches!(error, NamedFilesError::LinkOutside { .. }),
            "{error}"
        );
        // Links within a named directory are not followed.
        let found = find(&place.path().join("me"), &["."]).unwrap();
        assert!(found.copied.is_empty());
    }
}
