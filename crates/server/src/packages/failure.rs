//! Errors of a registry as responses.

use prowess_registry::{HostingError, InvalidFile};
use serde_json::Value;

use crate::check::values;
use crate::error::{Code, Failure};

impl From<HostingError> for Failure {
    fn from(error: HostingError) -> Self {
        let message = error.to_string();
        match error {
            HostingError::UnknownPackage(_) => Self::new(Code::PackageNotFound, message),
            HostingError::UnknownVersion { .. } => Self::new(Code::VersionNotFound, message),
            HostingError::NotSigned { .. } => Self::new(Code::NotSigned, message),
            HostingError::VersionExists { .. } => Self::new(Code::VersionExists, message),
            HostingError::NotOwner { .. } => Self::new(Code::NotOwner, message),
            HostingError::LastOwner(_) => Self::new(Code::LastOwner, message),
            HostingError::InvalidOwner(_) => Self::new(Code::InvalidRequest, message),
            HostingError::NotAPackage(_)
            | HostingError::Tree(_)
            | HostingError::Version(_)
            | HostingError::Plugin(_)
            | HostingError::Signature(_) => Self::new(Code::InvalidPackage, message),
            HostingError::InvalidSkill { files, .. } => {
                let diagnostics = files.iter().flat_map(diagnostics).collect();
                Self::new(Code::InvalidSkill, message).diagnostics(diagnostics)
            }
            // The reason may name paths and hosts: it is for the log.
            HostingError::Storage(_) | HostingError::Store(_) | HostingError::Damaged { .. } => {
                tracing::error!("{message}");
                let shown = match error {
                    HostingError::Storage(_) => "the storage of packages is unavailable",
                    HostingError::Store(_) => "the database is unavailable",
                    _ => "the stored package cannot be read",
                };
                Self::new(Code::Unavailable, format!("{shown}; try again later"))
            }
        }
    }
}

fn diagnostics(file: &InvalidFile) -> Vec<Value> {
    let mut found = values(&file.bytes, &file.diagnostics);
    for value in &mut found {
        if let Value::Object(members) = value {
            members.insert("file".to_owned(), file.path.into());
        }
    }
    found
}
