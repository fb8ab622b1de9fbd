//! The names of files that are not finished.

/// How every temporary name of Prowess begins.
pub(crate) const TEMPORARY: &str = ".prowess-";

/// Whether a name is a temporary one of Prowess. What has such a name is part of no skill, no digest and no lock file.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY)
}
