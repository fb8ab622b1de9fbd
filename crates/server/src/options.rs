//! Access control.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::{HeaderMap, Method, header::AUTHORIZATION};
use prowess_store::Store;
use prowess_trust::{WorkRecords, Writing};
use tokio::time::Instant;

use crate::host::Hosts;
use crate::limits::CONSOLE_APPROVES;
use crate::observe::{Exchange, Observer};
use crate::proxy::{self, ProxyNetwork};
use crate::rate::RateLimits;
use crate::readiness::Readiness;
use crate::scope::{Scope, Scopes};
use crate::shutdown::Shutdown;
use crate::token::{Token, TokenId, bearer, hash};
use crate::token_table::TokenTable;

/// Access control and observation. By default: all clients on this machine, and no observer.
///
/// ```
/// use prowess_server::ApiOptions;
///
/// let anywhere = "0.0.0.0:8080".parse().unwrap();
/// assert!(ApiOptions::default().check(anywhere).is_err());
/// // With a host name, too, reading needs a token.
/// let options = ApiOptions::default().host("skills.example.com").unwrap();
/// assert!(options.token("s3cr3t").unwrap().check(anywhere).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ApiOptions {
    pub(crate) hosts: Hosts,
    pub(crate) observer: Observer,
    pub(crate) new_skills: Option<PathBuf>,
    pub(crate) rate: RateLimits,
    pub(crate) read_only: bool,
    pub(crate) shutdown: Shutdown,
    work: Option<WorkRecords>,
    pub(crate) readiness: Readiness,
    token: Option<Token>,
    console: Option<ConsoleToken>,
    tokens: TokenTable,
    needs_token: bool,
    is_public: bool,
    proxies: Vec<ProxyNetwork>,
}

/// The token of the console.
#[derive(Clone, Debug)]
struct ConsoleToken {
    token: Token,
    /// Until when it allows code to run.
    approves_until: Instant,
}

/// What a request has shown of its client.
pub(crate) enum Credential {
    /// No token.
    Missing,
    /// A token that is unknown or expired.
    Wrong,
    /// A valid token.
    Known(TokenId, Scopes),
}

/// Why a server must not be started like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiOptionsError {
    /// Others can reach the address, and nothing keeps them out.
    #[error("cannot listen on {0} without a token: other machines can connect")]
    NeedsToken(SocketAddr),
    /// The token is empty, or cannot be sent in a header.
    #[error("invalid token: expected visible ASCII characters")]
    InvalidToken,
    /// The name is not the name of a host.
    #[error("invalid host `{}`: expected a host name or address without a port", .0.escape_debug())]
    InvalidHost(String),
}

impl ApiOptions {
    /// Answers to this name or address too, besides those of the machine itself. A name that is not of this machine is one
    /// that others use, behind whatever proxy: then no request is answered without a token.
    pub fn host(mut self, name: &str) -> Result<Self, ApiOptionsError> {
        if self.hosts.add(name) {
            let address = name.parse().ok();
            let is_local = address.is_some_and(|it: IpAddr| it.to_canonical().is_loopback());
            self.needs_token |= !is_local;
            Ok(self)
        } else {
            Err(ApiOptionsError::InvalidHost(name.to_owned()))
        }
    }

    /// Answers only to clients with a token. This one allows everything but [`Scope::Approve`].
    pub fn token(mut self, token: &str) -> Result<Self, ApiOptionsError> {
        self.token = Some(valid_token(token)?);
        Ok(self)
    }

    /// Accepts these tokens too, each for its scopes.
    #[must_use]
    pub fn tokens(mut self, tokens: TokenTable) -> Self {
        self.tokens = tokens;
        self
    }

    /// Answers no request without a token, not even for reading.
    #[must_use]
    pub fn only_with_token(mut self) -> Self {
        self.needs_token = true;
        self
    }

    /// Believes these proxies who their clients are. They are others than this machine, so every request needs a token.
    #[must_use]
    pub fn trusted_proxy(mut self, proxy: ProxyNetwork) -> Self {
        self.proxies.push(proxy);
        self.needs_token = true;
        self
    }

    /// Lets everyone read skills and packages, whatever else needs a token; all other requests need one.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.is_public = true;
        self.needs_token = true;
        self
    }

    /// Creates new skills in this directory, which a source must be over.
    #[must_use]
    pub fn new_skills(mut self, directory: impl Into<PathBuf>) -> Self {
        self.new_skills = Some(directory.into());
        self
    }

    /// Ends the user's answers about skills that they work on, when a request changes one of these.
    #[must_use]
    pub fn watched(mut self, work: Option<WorkRecords>) -> Self {
        self.work = work;
        self
    }

    /// To be kept while something below a path is written.
    pub(crate) fn writing(&self, path: &Path) -> Option<Writing> {
        self.work.as_ref().map(|work| work.writing(path))
    }

    /// Accepts this token too, for everything; [`Scope::Approve`] ends after 12 hours. Reading does not need it: it is for
    /// the user who started the server.
    pub fn console_token(mut self, token: &str) -> Result<Self, ApiOptionsError> {
        self.console = Some(ConsoleToken {
            token: valid_token(token)?,
            approves_until: Instant::now() + CONSOLE_APPROVES,
        });
        Ok(self)
    }

    /// Refuses every request that changes something that lasts, whatever its token.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Limits the requests of each client to so many a second, and twice that at once.
    #[must_use]
    pub fn rate_limit(mut self, per_second: Option<u32>) -> Self {
        self.rate = RateLimits::new(per_second.filter(|it| *it > 0));
        self
    }

    /// What is counted for the limit, to share it with other servers.
    pub fn rate_limits(&self) -> RateLimits {
        self.rate.clone()
    }

    /// Lets responses know that the server was asked to stop. Use it for [`serve_until`](crate::serve_until) too.
    #[must_use]
    pub fn shutdown(mut self, shutdown: &Shutdown) -> Self {
        self.shutdown = shutdown.clone();
        self
    }

    /// Makes `/readyz` ask this store, unless other servers share it.
    #[must_use]
    pub fn store(mut self, store: Store) -> Self {
        self.readiness = Readiness::of(store);
        self
    }

    /// Calls `observer` for every exchange, on any thread.
    #[must_use]
    pub fn observer(mut self, observer: impl Fn(&Exchange) + Send + Sync + 'static) -> Self {
        self.observer = Observer(Some(Arc::new(observer)));
        self
    }

    /// Whether it is safe to listen there.
    pub fn check(&self, address: SocketAddr) -> Result<(), ApiOptionsError> {
        if self.is_closed() || address.ip().to_canonical().is_loopback() {
            Ok(())
        } else {
            Err(ApiOptionsError::NeedsToken(address))
        }
    }

    /// Whether reading needs a token.
    fn is_closed(&self) -> bool {
        self.token.is_some() || self.needs_token
    }

    /// The token of a request.
    pub(crate) fn credential(&self, headers: &HeaderMap) -> Credential {
        let Some(header) = headers.get(AUTHORIZATION) else {
            return Credential::Missing;
        };
        let Some(secret) = bearer(header.as_bytes()) else {
            return Credential::Wrong;
        };
        let hash = hash(secret);
        let admin = Scopes::default().with(Scope::Admin);
        if self.token.as_ref().is_some_and(|token| token.is(&hash)) {
            return Credential::Known(TokenId::Own, admin);
        }
        if let Some(console) = self.console.as_ref().filter(|it| it.token.is(&hash)) {
            let scopes = if Instant::now() < console.approves_until {
                admin.with(Scope::Approve)
            } else {
                admin
            };
            return Credential::Known(TokenId::Console, scopes);
        }
        match self.tokens.find(&hash) {
            Some((id, scopes)) => Credential::Known(TokenId::Stored(id), scopes),
            None => Credential::Wrong,
        }
    }

    /// The scopes of the token of a request; `None` if it has none that is valid.
    pub(crate) fn token_scopes(&self, headers: &HeaderMap) -> Option<Scopes> {
        match self.credential(headers) {
            Credential::Known(_, scopes) => Some(scopes),
            Credential::Missing | Credential::Wrong => None,
        }
    }

    /// Whether a request without a token reads what is for everyone.
    pub(crate) fn is_for_everyone(&self, method: &Method, path: &str) -> bool {
        let below = |root: &str| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // What the user of the server decided about a skill is beside what the skill is.
        let is_own = below("/api/skills") && path.ends_with("/details");
        self.is_public
            && [Method::GET, Method::HEAD].contains(method)
            && ["/api/skills", "/api/v1", "/.well-known"]
                .into_iter()
                .any(below)
            && !is_own
    }

    /// Who sent a request that came from `peer`.
    pub(crate) fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> SocketAddr {
        proxy::client(&self.proxies, peer, headers)
    }

    /// What a request without a valid token may do.
    pub(crate) fn anonymous_scopes(&self) -> Scopes {
        if self.is_closed() {
            Scopes::default()
        } else {
            Scopes::default().with(Scope::Read)
        }
    }
}

fn valid_token(token: &str) -> Result<Token, ApiOptionsError> {
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ApiOptionsError::InvalidToken);
    }
    Ok(Token::new(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_token_only_loopback_is_allowed() {
        let check = |address: &str| ApiOptions::default().check(address.parse().unwrap());
        for address in [
            "127.0.0.1:0",
            "127.9.9.9:80",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
        ] {
            assert_eq!(check(address), Ok(()), "{address}");
        }
        for address in [
            "0.0.0.0:80",
            "[::]:80",
            "10.0.0.1:80",
            "[::ffff:10.0.0.1]:80",
        ] {
            let refused = ApiOptionsError::NeedsToken(address.parse().unwrap());
            assert_eq!(check(address), Err(refused));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn q36_the_console_allows_code_for_twelve_hours() {
        let options = ApiOptions::default().token("admin-token").unwrap();
        let options = options.console_token("console-token").unwrap();
        let scopes = |token: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
            options.token_scopes(&headers).unwrap()
        };
        assert!(scopes("admin-token").allow(Scope::Admin));
        assert!(!scopes("admin-token").allow(Scope::Approve));
        tokio::time::advance(CONSOLE_APPROVES / 2).await;
        assert!(scopes("console-token").allow(Scope::Approve));
        tokio::time::advance(CONSOLE_APPROVES / 2).await;
        assert!(!scopes("console-token").allow(Scope::Approve));
        assert!(scopes("console-token").allow(Scope::Admin));
    }

    #[test]
    fn token_must_fit_a_header() {
        for token in ["", " ", "a b", "a\n", "ä"] {
            let refused = ApiOptions::default().token(token).unwrap_err();
            assert_eq!(refused, ApiOptionsError::InvalidToken, "{token:?}");
        }
        let shown = format!("{:?}", ApiOptions::default().token("s3cr3t").unwrap());
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
}
