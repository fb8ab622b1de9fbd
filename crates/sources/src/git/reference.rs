//! What a user writes for a commit: nothing, a branch, a tag, or all digits of a commit.

use gix::protocol::handshake::Ref;
use gix::{ObjectId, Repository};
use prowess_core::SourceError;

use super::fetch::{EMPTY, check_name, local_head, named, unavailable, unknown};

/// The name of the current branch of a server.
const HEAD: &str = "HEAD";

/// What a user writes for a commit.
pub(super) enum Reference {
    Head,
    /// A branch, or else a tag.
    Name(String),
    Commit(ObjectId),
}

/// A commit of a server, and the object to ask for: of a tag with a message, servers know the tag.
pub(super) struct Target {
    pub(super) wanted: ObjectId,
    pub(super) commit: ObjectId,
}

impl Reference {
    pub(super) fn parse(text: Option<&str>) -> Result<Self, SourceError> {
        let text = match text {
            None | Some(HEAD) => return Ok(Self::Head),
            Some(text) => text,
        };
        if let Ok(id) = ObjectId::from_hex(text.as_bytes()) {
            return Ok(Self::Commit(id));
        }
        check_name("branch or tag", text)?;
        Ok(Self::Name(text.to_owned()))
    }

    /// The name under which its commit is noted.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Head => HEAD.to_owned(),
            Self::Name(name) => name.clone(),
            Self::Commit(id) => id.to_string(),
        }
    }

    /// The references to ask a server for.
    pub(super) fn candidates(&self) -> Vec<String> {
        match self {
            Self::Head => vec![HEAD.to_owned()],
            Self::Name(name) => vec![format!("refs/heads/{name}"), format!("refs/tags/{name}")],
            Self::Commit(_) => Vec::new(),
        }
    }

    /// The commit among the references of a server.
    pub(super) fn find(&self, references: &[Ref]) -> Option<Target> {
        self.candidates().iter().find_map(|name| {
            references.iter().find_map(|reference| {
                let (full, wanted, below_tag) = reference.unpack();
                let wanted = wanted.filter(|_| full == name.as_str())?;
                Some(Target {
                    wanted: wanted.to_owned(),
                    commit: below_tag.unwrap_or(wanted).to_owned(),
                })
            })
        })
    }

    /// The commit in a repository of this machine.
    pub(super) fn local(&self, repository: &Repository) -> Result<ObjectId, SourceError> {
        match self {
            Self::Head => local_head(repository),
            Self::Name(_) => {
                let found = self
                    .candidates()
                    .iter()
                    .find_map(|it| named(repository, it));
                found.ok_or_else(|| self.missing())
            }
            Self::Commit(id) => match repository.find_commit(*id) {
                Ok(_) => Ok(*id),
                Err(_) => Err(self.missing()),
            },
        }
    }

    /// The error for a reference that a repository does not have.
    pub(super) fn missing(&self) -> SourceError {
        match self {
            Self::Head => unavailable(EMPTY.to_owned()),
            Self::Commit(id) => unknown("commit", &id.to_string()),
            Self::Name(name) => {
                let is_short = name.len() >= 4 && name.bytes().all(|it| it.is_ascii_hexdigit());
                let hint = if is_short {
                    "; write all 40 digits of a commit"
                } else {
                    ""
                };
                let name = name.escape_debug();
                unavailable(format!(
                    "the repository has no branch or tag `{name}`{hint}"
                ))
            }
        }
    }
}
