//! Why changes of several directories were not made.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

/// Why changes were not made.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    /// This holds something else than what was to be replaced. Nothing was changed.
    #[error("{} was changed meanwhile", .0.display())]
    Changed(PathBuf),
    /// Some changes were made and could not be undone.
    #[error("the changes were interrupted by others: {} may be of another version than the rest", listed(.0))]
    Incomplete(Vec<PathBuf>),
    /// Nothing was changed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for TransactionError {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| path.display().to_string());
    paths.collect::<Vec<_>>().join(", ")
}
