//! Who sent a request.

use prowess_registry::Publisher;

use crate::error::{Code, Failure};
use crate::options::Credential;
use crate::scope::{Scope, Scopes};
use crate::token::TokenId;

/// Who sent a request, and what they may do.
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    /// The token, if the request has a valid one.
    token: Option<TokenId>,
    scopes: Scopes,
}

impl Requester {
    pub(crate) fn new(credential: &Credential) -> Self {
        match credential {
            Credential::Known(id, scopes) => Self {
                token: Some(id.clone()),
                scopes: *scopes,
            },
            Credential::Missing | Credential::Wrong => Self {
                token: None,
                scopes: Scopes::default(),
            },
        }
    }

    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The token, if the request has a valid one.
    pub(crate) fn token(&self) -> Option<&TokenId> {
        self.token.as_ref()
    }

    /// Whom the chats belong to that the request makes; none is the user of the server, whose token is in no store.
    pub(crate) fn chat_owner(&self) -> Option<&str> {
        match &self.token {
            Some(TokenId::Stored(id)) => Some(id),
            Some(TokenId::Own | TokenId::Console) | None => None,
        }
    }

    /// Who publishes, with a valid token.
    pub(crate) fn publisher(&self) -> Option<Publisher> {
        Some(Publisher {
            id: self.token.as_ref()?.owner().to_owned(),
            is_administrator: self.scopes.allow(Scope::Admin),
        })
    }

    /// Refuses what needs a scope that the token does not have.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), Failure> {
        if self.scopes.allow(scope) {
            return Ok(());
        }
        Err(missing_scope(scope))
    }
}

/// The refusal of a token without a scope.
pub(crate) fn missing_scope(scope: Scope) -> Failure {
    let why = match scope {
        Scope::Approve => {
            ": it allows code to run as the user of the server, so no other scope includes it"
        }
        _ => "",
    };
    let message = format!("the token needs the scope `{}`{why}", scope.as_str());
    Failure::new(Code::InsufficientScope, message)
}
