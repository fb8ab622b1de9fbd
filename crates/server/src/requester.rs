//! Who sent a request.

use prowess_registry::Publisher;

use crate::options::Credential;
use crate::scope::Scope;

/// Whether a request has a valid token.
#[derive(Clone, Copy)]
pub(crate) struct HasToken(pub(crate) bool);

/// Who sent a request, if it has a valid token.
#[derive(Clone)]
pub(crate) struct Requester(pub(crate) Option<Publisher>);

impl Requester {
    pub(crate) fn new(credential: &Credential) -> Self {
        Self(match credential {
            Credential::Known(_, name, scopes) => Some(Publisher {
                name: name.to_string(),
                is_administrator: scopes.allow(Scope::Admin),
            }),
            Credential::Missing | Credential::Wrong => None,
        })
    }
}
