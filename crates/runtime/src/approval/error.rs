//! Why something is not approved.

use prowess_policy::Right;
use prowess_store::StoreError;

use crate::limits::COMMAND_BYTES;

/// Why a command is not approved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandRefusal {
    #[error("the user denied this command")]
    Denied,
    #[error("needs approval: run this command; no approver is available")]
    NoApprover,
    #[error(
        "the command, its input and its variables have more than {COMMAND_BYTES} bytes, too much to be read before it is \
         allowed; write the input to a file, and pass its path"
    )]
    TooLong,
    #[error("cannot store the approval: {0}")]
    Store(String),
}

/// Why rights are not approved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApprovalError {
    #[error("not approved: {}", right_names(.0))]
    Undecided(Vec<Right>),
    #[error("denied: {}", right_names(.0))]
    Denied(Vec<Right>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The names of rights, separated by commas.
pub(crate) fn right_names(rights: &[Right]) -> String {
    let names: Vec<&str> = rights.iter().map(|it| it.as_str()).collect();
    names.join(", ")
}
