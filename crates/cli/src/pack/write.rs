//! Writes a package and its signature: whole, and never over another file unless the user says so.

use std::fs;
use std::io;
use std::path::Path;

use super::keys::{Signed, with_suffix};
use crate::error::{CommandError, Context, Result};
use crate::rewrite;

/// What happened to the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is new, or replaces another file.
    Now,
    /// The same bytes were there.
    Before,
}

/// Whether a different file is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    Keep,
    Replace,
}

/// Writes a package and its signature.
pub(super) fn write(
    path: &Path,
    package: &[u8],
    signed: Option<&Signed>,
    existing: Existing,
) -> Result<Written> {
    let signature_path = with_suffix(path, ".minisig");
    let before = read(path)?;
    let is_same = before.as_deref() == Some(package);
    let has_signature = fs::symlink_metadata(&signature_path).is_ok();
    if existing == Existing::Keep {
        if before.is_some() && !is_same {
            return Err(exists(path, "has other contents"));
        }
        // A signature of other bytes beside new ones would be wrong, and a missing package has none.
        if has_signature && !is_same {
            return Err(exists(&signature_path, "is a signature of another package"));
        }
    }
    if !is_same {
        if has_signature {
            fs::remove_file(&signature_path)
                .with_context(|| format!("cannot remove {}", signature_path.display()))?;
        }
        rewrite::replace(path, package)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(signed) = signed {
        rewrite::replace(&signature_path, signed.signature.as_bytes())
            .with_context(|| format!("cannot write {}", signature_path.display()))?;
    }
    Ok(if is_same {
        Written::Before
    } else {
        Written::Now
    })
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let cannot = || format!("cannot write {}", path.display());
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(cannot),
        Ok(found) if !found.is_file() => Err(CommandError::failure(format!(
            "{}: it exists and is not a file",
            cannot()
        ))),
        Ok(found) => rewrite::read(path, found.len()).with_context(cannot),
    }
}

fn exists(path: &Path, what: &str) -> CommandError {
    let message = format!("cannot write {}: it exists and {what}", path.display());
    CommandError::failure(message).hint("use --force to replace it, or --output for another file")
}
