//! The error of a command: its kind decides the exit code, its hints say what to do.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal;

/// The result of a command or of a part of it.
pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The command could not do its work.
    Failure,
    /// What a plan was made from was changed before it was carried out; nothing was done.
    Changed,
    /// Invalid arguments.
    Usage,
    /// Not approved, not trusted, or without a valid key.
    Permission,
    /// Cancelled with Ctrl-C or by a signal.
    Interrupted,
    /// The reader of the output is gone, which is not reported.
    ClosedPipe,
}

impl ErrorKind {
    /// The exit code of a command that fails with this kind.
    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Failure | Self::Changed | Self::Interrupted => Exit::Failure,
            Self::Usage => Exit::Usage,
            Self::Permission => Exit::Permission,
            Self::ClosedPipe => Exit::Success,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Failure | Self::Changed | Self::ClosedPipe => "failure",
            Self::Usage => "usage",
            Self::Permission => "permission",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Why a command failed.
#[derive(Clone, Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
    /// Printed instead of message and hints for a reader, such as the lines of an invalid file.
    pub(crate) drawing: Option<String>,
}

impl CommandError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hints: Vec::new(),
            drawing: None,
        }
    }

    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failure, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub(crate) fn permission(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Permission, message)
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    fn under(mut self, context: impl Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// Prints the error to standard error.
    pub(crate) fn print(&self) {
        if let Some(drawing) = &self.drawing {
            return terminal::note(drawing);
        }
        terminal::print_problem(&self.message, None);
        for hint in &self.hints {
            terminal::hint(hint);
        }
    }

    /// The error as the object that `--json` prints.
    pub(crate) fn to_json(&self) -> Value {
        json!({"code": self.kind.code(), "message": self.message, "hints": self.hints})
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe => ErrorKind::ClosedPipe,
            _ => ErrorKind::Failure,
        };
        Self::new(kind, message_of(&error))
    }
}

impl From<prowess_registry::TransactionError> for CommandError {
    fn from(error: prowess_registry::TransactionError) -> Self {
        use prowess_registry::TransactionError;
        match error {
            TransactionError::Changed(_) => Self::new(ErrorKind::Changed, error.to_string()),
            TransactionError::Incomplete(_) => Self::failure(error.to_string()).hint(
                "`prowess verify` names what differs from prowess.lock; then run the command again",
            ),
            TransactionError::Io(error) => error.into(),
        }
    }
}

impl From<prowess_registry::ReferenceError> for CommandError {
    fn from(error: prowess_registry::ReferenceError) -> Self {
        Self::usage(error.to_string()).hint("`prowess add --help` lists the forms of a source")
    }
}

impl From<prowess_registry::RegistryError> for CommandError {
    fn from(error: prowess_registry::RegistryError) -> Self {
        match error.status() {
            Some(401 | 403) => Self::permission(terminal::one_line(&error.to_string())),
            _ => Self::failure(terminal::one_line(&message_of(&error))),
        }
    }
}

/// The same of errors that can hold what a server says.
macro_rules! failures_of_servers {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::failure(terminal::one_line(&message_of(&error)))
            }
        })+
    };
}

failures_of_servers!(prowess_core::SourceError, prowess_registry::FetchError);

/// Errors without a kind or a hint of their own.
macro_rules! failures {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::failure(message_of(&error))
            }
        })+
    };
}

failures!(
    prowess_core::BuildError,
    prowess_core::InvalidId,
    prowess_core::RenderError,
    prowess_mcp::ServeError,
    prowess_policy::InvalidDigest,
    prowess_registry::LockError,
    prowess_registry::LockFileError,
    prowess_registry::PinError,
    prowess_registry::HostingError,
    prowess_registry::SignatureError,
    prowess_registry::StorageError,
    prowess_registry::TreeError,
    prowess_runtime::ContentError,
    prowess_runtime::UnknownContribution,
    prowess_runtime::UnknownSkill,
    prowess_server::ApiOptionsError,
    prowess_store::StoreError,
    prowess_trust::RecordError,
    rustyline::error::ReadlineError,
    serde_json::Error,
    tokio::task::JoinError,
);

/// An error and its causes in one line.
pub(crate) fn message_of(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        // Some errors state their cause themselves.
        if !message.ends_with(&reason) {
            message.push_str(": ");
            message.push_str(&reason);
        }
        cause = error.source();
    }
    message
}

/// Adds what failed to why it failed.
pub(crate) trait Context<T> {
    fn context(self, context: impl Display) -> Result<T>;

    fn with_context<C: Display>(self, context: impl FnOnce() -> C) -> Result<T>;
}

impl<T, E: Into<CommandError>> Context<T> for Result<T, E> {
    fn context(self, context: impl Display) -> Result<T> {
        self.map_err(|error| error.into().under(context))
    }

    fn with_context<C: Display>(self, context: impl FnOnce() -> C) -> Result<T> {
        self.map_err(|error| error.into().under(context()))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, context: impl Display) -> Result<T> {
        self.ok_or_else(|| CommandError::failure(context.to_string()))
    }

    fn with_context<C: Display>(self, context: impl FnOnce() -> C) -> Result<T> {
        self.ok_or_else(|| CommandError::failure(context().to_string()))
    }
}
