//! The content of `COLLECTION.md`.

/// The name of the file.
pub(crate) const COLLECTION_FILE: &str = "COLLECTION.md";
/// Bytes of it that are read.
pub(crate) const COLLECTION_BYTES: u64 = 1024;

/// The description: the first line of text.
pub(crate) fn description(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.trim_start_matches(['#', ' ']).to_owned())
}
