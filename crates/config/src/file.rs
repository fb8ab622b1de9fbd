//! Finding configuration files and getting their text.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_spec::LineIndex;
use prowess_trust::ProjectRoot;

use crate::error::Error;
use crate::ignored::IgnoredFile;
use crate::limits;
use crate::lookup::Lookup;
use crate::origin::Scope;

/// Names of configuration files.
pub const CONFIG_FILE: &str = "prowess.toml";

/// The text of a configuration file.
pub(crate) struct Loaded {
    pub(crate) scope: Scope,
    pub(crate) path: Arc<Path>,
    pub(crate) text: String,
}

/// The files that were found.
pub(crate) struct Discovered {
    /// Those that count, the strongest first.
    pub(crate) files: Vec<Loaded>,
    /// Those of a project that do not.
    pub(crate) ignored: Vec<IgnoredFile>,
    pub(crate) root: ProjectRoot,
}

/// The nearest file of the project that no other user wrote, over the user's own.
pub(crate) fn discover(lookup: &Lookup<'_>) -> Result<Discovered, Error> {
    let user = lookup
        .user_config
        .map(|directory| directory.join("prowess").join(CONFIG_FILE))
        .filter(|path| exists(path));
    let root = ProjectRoot::find(lookup.directory, lookup.home);
    let mut files = Vec::new();
    let mut ignored = Vec::new();
    let mut inside = true;
    for directory in lookup.directory.ancestors() {
        let path = directory.join(CONFIG_FILE);
        // The directory of the user's file contains one file, not two.
        if exists(&path) && !user.as_ref().is_some_and(|user| is_same(&path, user)) {
            let refused = |reason: String| IgnoredFile {
                path: path.clone(),
                reason,
            };
            if !inside {
                ignored.push(refused("above the project root".to_owned()));
                break;
            }
            match root.read_configuration(&path) {
                Ok(Some(bytes)) => {
                    files.push(decode(path, Scope::Project, bytes)?);
                    break;
                }
                Ok(None) => {}
                Err(refusal) => ignored.push(refused(refusal.to_string())),
            }
        }
        inside &= directory != root.path();
    }
    if let Some(path) = user {
        files.push(read(path, Scope::User)?);
    }
    Ok(Discovered {
        files,
        ignored,
        root,
    })
}

/// Whether the name exists, possibly as a broken link. An unreadable directory counts as empty.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || match (fs::canonicalize(one), fs::canonicalize(other)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
}

/// Reads one file.
pub(crate) fn read(path: PathBuf, scope: Scope) -> Result<Loaded, Error> {
    let bytes = read_bytes(&path)?;
    decode(path, scope, bytes)
}

fn decode(path: PathBuf, scope: Scope, bytes: Vec<u8>) -> Result<Loaded, Error> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Loaded {
            scope,
            path: path.into(),
            text,
        }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let position = LineIndex::new(error.as_bytes()).position(at);
            Err(Error::NotUtf8 {
                path,
                line: position.line,
                column: position.column,
            })
        }
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Error::NotAFile {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limits::FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > limits::FILE_BYTES {
        return Err(Error::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}
