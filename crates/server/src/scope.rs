//! What a client may do.

use std::fmt;
use std::str::FromStr;

/// One thing that a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Read skills and hold sessions.
    Read,
    /// Create, change and delete skills.
    Write,
    /// Hold chats with a model.
    Chat,
    /// Allow code, commands and networks in a chat, which is a shell as the user of the server.
    Approve,
    /// Publish packages.
    Publish,
    /// Withdraw packages.
    Yank,
    /// Everything but [`Scope::Approve`].
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::Write,
        Self::Chat,
        Self::Approve,
        Self::Publish,
        Self::Yank,
        Self::Admin,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Chat => "chat",
            Self::Approve => "approve",
            Self::Publish => "publish",
            Self::Yank => "yank",
            Self::Admin => "admin",
        }
    }

    fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// The scopes of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Adds a scope.
    #[must_use]
    pub fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// Whether a scope is among them; [`Scope::Admin`] includes all but [`Scope::Approve`], which no other includes, and
    /// [`Scope::Write`], [`Scope::Publish`] and [`Scope::Yank`] include [`Scope::Read`].
    pub fn allow(self, scope: Scope) -> bool {
        let mut wanted = scope.bit();
        if scope != Scope::Approve {
            wanted |= Scope::Admin.bit();
        }
        if scope == Scope::Read {
            // A change names the state that it is based on.
            wanted |= Scope::Write.bit() | Scope::Publish.bit() | Scope::Yank.bit();
        }
        self.0 & wanted != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = Scope::ALL
            .into_iter()
            .filter(|scope| self.0 & scope.bit() != 0)
            .map(Scope::as_str)
            .collect();
        f.write_str(&words.join(" "))
    }
}

/// A word that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{}`: expected read, write, chat, approve, publish, yank or admin", .0.escape_debug())]
pub struct UnknownScope(String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    /// Words, separated by blanks or commas.
    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
        words.try_fold(Self::default(), |all, word| Ok(all.with(word.parse()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q36_no_scope_includes_approve() {
        for scope in Scope::ALL {
            let scopes = Scopes::default().with(scope);
            assert_eq!(
                scopes.allow(Scope::Approve),
                scope == Scope::Approve,
                "{scope:?}"
            );
            let is_alone = Scope::ALL
                .into_iter()
                .filter(|it| scopes.allow(*it))
                .count()
                == 1;
            assert!(scope != Scope::Approve || is_alone);
        }
    }

    #[test]
    fn scopes_are_read_and_written() {
        let scopes: Scopes = "write,read".parse().unwrap();
        assert_eq!(scopes.to_string(), "read write");
        assert!(scopes.allow(Scope::Write) && !scopes.allow(Scope::Chat));
        let all: Scopes = "admin".parse().unwrap();
        let others = |scope: &Scope| *scope != Scope::Approve;
        assert!(
            Scope::ALL
                .into_iter()
                .filter(others)
                .all(|scope| all.allow(scope))
        );
        assert!("".parse::<Scopes>().unwrap().is_empty());
        let error = "red".parse::<Scopes>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown scope `red`: expected read, write, chat, approve, publish, yank or admin"
        );
    }
}
