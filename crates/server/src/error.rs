//! Why a request is not answered.

use std::fmt;

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prowess_core::SourceError;
use prowess_core::wire::Problem;

use crate::limits::WRITE_RETRY;

/// A stable word for each kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// No skill has this id, or none that may be seen.
    SkillNotFound,
    /// The skill has no such file.
    FileNotFound,
    /// The path is a directory.
    NotAFile,
    /// The path is not one inside a skill.
    InvalidPath,
    /// The path leads out of the skill.
    AccessDenied,
    /// The parameters are invalid.
    InvalidRequest,
    /// The range starts after the end of the file.
    InvalidRange,
    /// No open session has this id.
    SessionNotFound,
    /// No chat has this id.
    ChatNotFound,
    /// A turn of the chat is running.
    TurnRunning,
    /// The chat has no turn.
    NoTurn,
    /// The chat has no such question.
    QuestionNotFound,
    /// The question was answered, or can no longer be.
    QuestionClosed,
    /// The body is not declared as JSON.
    UnsupportedMediaType,
    /// The body is too large.
    TooLarge,
    /// The request comes from a page of another origin.
    ForbiddenOrigin,
    /// No package has this name.
    PackageNotFound,
    /// The package has no such version.
    VersionNotFound,
    /// The version has no signature.
    NotSigned,
    /// The version exists with other bytes.
    VersionExists,
    /// The user must accept what was found first.
    ConsentNeeded,
    /// The command cannot do what was asked.
    CommandFailed,
    /// The package belongs to others.
    NotOwner,
    /// A package needs an owner.
    LastOwner,
    /// The bytes are not a package.
    InvalidPackage,
    /// Unknown URL.
    NotFound,
    /// The resource is read-only.
    MethodNotAllowed,
    /// The token is missing or wrong.
    Unauthorised,
    /// The token does not allow this.
    InsufficientScope,
    /// The request is for another host.
    ForbiddenHost,
    /// A skill with this id exists.
    SkillExists,
    /// The skill cannot be changed here.
    NotWritable,
    /// The skill is not valid.
    InvalidSkill,
    /// It was changed since the client got it.
    PreconditionFailed,
    /// The request does not say which state it changes.
    PreconditionRequired,
    /// The client sent too many requests, or too many wrong tokens.
    RateLimited,
    /// The server only allows reading.
    ReadOnly,
    /// The body of the request did not arrive in time.
    TimedOut,
    /// Other changes of skills take too long.
    Busy,
    /// A source does not answer, or the skill cannot be used.
    Unavailable,
}

impl Code {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SkillNotFound => "skill-not-found",
            Self::FileNotFound => "file-not-found",
            Self::NotAFile => "not-a-file",
            Self::InvalidPath => "invalid-path",
            Self::AccessDenied => "access-denied",
            Self::InvalidRequest => "invalid-request",
            Self::InvalidRange => "invalid-range",
            Self::SessionNotFound => "session-not-found",
            Self::ChatNotFound => "chat-not-found",
            Self::TurnRunning => "turn-running",
            Self::NoTurn => "no-turn",
            Self::QuestionNotFound => "question-not-found",
            Self::QuestionClosed => "question-closed",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::TooLarge => "too-large",
            Self::ForbiddenOrigin => "forbidden-origin",
            Self::PackageNotFound => "package-not-found",
            Self::VersionNotFound => "version-not-found",
            Self::NotSigned => "not-signed",
            Self::VersionExists => "version-exists",
            Self::ConsentNeeded => "consent-needed",
            Self::CommandFailed => "command-failed",
            Self::NotOwner => "not-owner",
            Self::LastOwner => "last-owner",
            Self::InvalidPackage => "invalid-package",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::Unauthorised => "unauthorised",
            Self::InsufficientScope => "insufficient-scope",
            Self::ForbiddenHost => "forbidden-host",
            Self::SkillExists => "skill-exists",
            Self::NotWritable => "not-writable",
            Self::InvalidSkill => "invalid-skill",
            Self::PreconditionFailed => "precondition-failed",
            Self::PreconditionRequired => "precondition-required",
            Self::RateLimited => "rate-limited",
            Self::ReadOnly => "read-only",
            Self::TimedOut => "timed-out",
            // To a client both are the same: it may try again.
            Self::Busy | Self::Unavailable => "unavailable",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::SkillNotFound
            | Self::FileNotFound
            | Self::NotAFile
            | Self::SessionNotFound
            | Self::ChatNotFound
            | Self::QuestionNotFound
            | Self::PackageNotFound
            | Self::VersionNotFound
            | Self::NotSigned
            | Self::NotFound => StatusCode::NOT_FOUND,
            Self::TurnRunning
            | Self::NoTurn
            | Self::QuestionClosed
            | Self::SkillExists
            | Self::VersionExists
            | Self::ConsentNeeded
            | Self::LastOwner => StatusCode::CONFLICT,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::InvalidPath | Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::AccessDenied
            | Self::ForbiddenOrigin
            | Self::InsufficientScope
            | Self::NotOwner
            | Self::NotWritable
            | Self::ReadOnly => StatusCode::FORBIDDEN,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::InvalidRange => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Unauthorised => StatusCode::UNAUTHORIZED,
            Self::ForbiddenHost => StatusCode::MISDIRECTED_REQUEST,
            Self::InvalidSkill | Self::InvalidPackage | Self::CommandFailed => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::PreconditionRequired => StatusCode::PRECONDITION_REQUIRED,
            Self::Busy | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a request is not answered, for programs and for people.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    message: String,
    diagnostics: Vec<serde_json::Value>,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// The sentence for people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Adds the problems of a skill that was sent.
    pub(crate) fn diagnostics(mut self, diagnostics: Vec<serde_json::Value>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// Adds what to do.
    pub(crate) fn hint(mut self, hint: &str) -> Self {
        self.message.push_str("; ");
        self.message.push_str(hint);
        self
    }

    /// Adds suggestions.
    pub(crate) fn suggesting<S: AsRef<str>>(mut self, near: &[S]) -> Self {
        let quoted: Vec<String> = near
            .iter()
            .map(|text| format!("`{}`", text.as_ref()))
            .collect();
        if !quoted.is_empty() {
            self.message.push_str("; did you mean ");
            self.message.push_str(&quoted.join(", "));
            self.message.push('?');
        }
        self
    }
}

pub(crate) async fn method_not_allowed(method: Method) -> Failure {
    let message = format!("`{method}` is not allowed here");
    Failure::new(Code::MethodNotAllowed, message)
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let message = error.to_string();
        match error {
            // Missing capabilities of this host are not disclosed.
            SourceError::NotFound(id) | SourceError::MissingCapabilities { id, .. } => {
                Self::new(Code::SkillNotFound, SourceError::NotFound(id).to_string())
            }
            SourceError::FileNotFound { nearest, .. } => {
                Self::new(Code::FileNotFound, message).suggesting(&nearest)
            }
            SourceError::NotAFile { .. } => Self::new(Code::NotAFile, message),
            SourceError::AccessDenied { .. } => Self::new(Code::AccessDenied, message),
            SourceError::Invalid { .. }
            | SourceError::Unavailable(_)
            | SourceError::Untrusted(_) => Self::new(Code::Unavailable, message),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let mut problem = Problem::new(self.code.as_str(), status.as_u16(), self.message);
        problem.diagnostics = self.diagnostics;
        let json = HeaderValue::from_static(Problem::MEDIA_TYPE);
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let mut response = (status, body).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        if self.code == Code::Unauthorised {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        if self.code == Code::Busy {
            let seconds = HeaderValue::from(WRITE_RETRY);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        // For the observer, which sees the answer alone.
        response.extensions_mut().insert(self.code);
        response
    }
}
