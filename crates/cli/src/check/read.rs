//! Reads paths that may not be regular files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use prowess_sources::open_in;
use prowess_spec::limits::FILE_BYTES;

/// Opens a file of a skill. A link that leaves the skill is refused: what it leads to would be printed.
pub(crate) fn open(directory: &Path, name: &str) -> io::Result<File> {
    open_in(directory, name).map_err(|error| {
        let is_refused = error.kind() == io::ErrorKind::PermissionDenied;
        if is_refused && directory.join(name).is_symlink() {
            let message = format!("{name} is a symbolic link that leaves the skill");
            return io::Error::new(error.kind(), message);
        }
        error
    })
}

/// The bytes of a regular file, at most one more than a skill may have.
pub(crate) fn regular(mut file: File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    // Room for one byte more than there should be: when it stays free, that was the whole file.
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; size.min(FILE_BYTES) + 1];
    let length = file.read(&mut bytes)?;
    let full = length == bytes.len();
    bytes.truncate(length);
    if full {
        let rest = (FILE_BYTES + 1).saturating_sub(length);
        file.take(rest as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
