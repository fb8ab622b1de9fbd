//! `prowess login` and `prowess logout`.

use std::io::{self, Read};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use prowess_config::Url as ConfigUrl;
use prowess_registry::wire::SearchFilter;
use prowess_registry::{NoCache, PackageName, RegistryClient, RegistryError, RegistryToken};
use prowess_sources::Network;
use serde_json::json;
use url::Url;

use super::configured::refused;
use super::credentials::{Credentials, TokenPlace};
use super::user_config::{self, NewRegistry};
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal::{self, Echo};
use crate::{configuration, environment};

const LOGIN_HELP: &str = "\
Verifies a token with one request, then stores it in the keyring of the system, or in credentials.toml in the \
configuration directory, which only you can read. The URL is added to your prowess.toml.

Examples:
  prowess login https://skills.example.com
  prowess login https://skills.acme.example --name acme --namespace acme
  prowess login https://skills.example.com --token-stdin < token.txt

Exit codes:
  0  the token is stored
  1  the registry cannot be asked
  2  invalid arguments
  4  the registry refuses the token";

const LOGOUT_HELP: &str = "\
Removes the token. The registry stays in your prowess.toml.

Examples:
  prowess logout https://skills.example.com";

/// Bytes of a token on standard input.
const TOKEN_BYTES: u64 = 64 * 1024;
/// How long a token that a server does not know may be a new one.
const NEW_TOKEN: Duration = Duration::from_secs(3);

/// Arguments of `login`.
#[derive(Args)]
#[command(after_long_help = LOGIN_HELP)]
pub(crate) struct LoginArguments {
    /// URL of the registry
    url: String,
    /// Name of the registry, to add it beside others [default: the main registry]
    #[arg(long)]
    name: Option<String>,
    /// Owner whose packages are only in this registry (repeatable)
    #[arg(long = "namespace", value_name = "OWNER", requires = "name")]
    namespaces: Vec<String>,
    /// Read the token from standard input
    #[arg(long)]
    token_stdin: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `logout`.
#[derive(Args)]
#[command(after_long_help = LOGOUT_HELP)]
pub(crate) struct LogoutArguments {
    /// URL of the registry
    url: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn login(arguments: &LoginArguments, global: &Global) -> Result<Exit> {
    let url = parse(&arguments.url)?;
    for namespace in &arguments.namespaces {
        let is_owner = format!("{namespace}/x").parse::<PackageName>().is_ok();
        if !is_owner {
            let message = format!("invalid namespace `{}`", namespace.escape_debug());
            return Err(CommandError::usage(message)
                .hint("a namespace has lower-case letters, digits and hyphens"));
        }
    }
    if global.offline {
        return Err(CommandError::usage("cannot verify a token offline"));
    }
    let token = token(arguments.token_stdin)?;
    let client = RegistryClient::new(
        &url,
        Some(token.clone()),
        Network::Online,
        Arc::new(NoCache),
    )?;
    let cannot = format!("cannot log in to {}", client.host());
    verify(&client).map_err(|error| refused(&cannot, &error))?;
    let place = Credentials::of_user()?.set(&url, &token)?;
    let config = user_config::add(&NewRegistry {
        url: &url,
        name: arguments.name.as_deref(),
        namespaces: &arguments.namespaces,
    })?;
    let place = match place {
        TokenPlace::Keyring => "the keyring of the system".to_owned(),
        TokenPlace::File(path) => configuration::shown(&path),
    };
    if arguments.json {
        terminal::print_json(&json!({
            "version": 1,
            "registry": url.as_str(),
            "name": arguments.name,
            "token": place,
            "config": config,
        }))?;
    } else if !global.quiet {
        let config = configuration::shown(&config);
        terminal::note(&format!(
            "logged in to {}; the token is in {place}, the URL in {config}",
            client.host()
        ));
    }
    Ok(Exit::Success)
}

/// Sends a request with the token. A server knows a new token after two seconds.
fn verify(client: &RegistryClient) -> Result<(), RegistryError> {
    let deadline = Instant::now() + NEW_TOKEN;
    loop {
        match client.search("", &SearchFilter::default(), 1, 0) {
            Err(error) if error.status() == Some(401) && Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(500));
            }
            done => return done.map(|_| ()),
        }
    }
}

pub(crate) fn logout(arguments: &LogoutArguments, global: &Global) -> Result<Exit> {
    let url = parse(&arguments.url)?;
    let removed = Credentials::of_user()?.remove(&url)?;
    if arguments.json {
        terminal::print_json(&json!({"version": 1, "registry": url.as_str(), "removed": removed}))?;
    } else if !global.quiet {
        terminal::note(if removed {
            "logged out"
        } else {
            "no token is stored for this registry"
        });
    }
    Ok(Exit::Success)
}

pub(super) fn parse(text: &str) -> Result<Url> {
    let url = Url::parse(text).ok().filter(Url::has_host);
    let url = url.filter(|it| ["https", "http"].contains(&it.scheme()));
    let is_plain = |it: &Url| {
        let has_more = it.query().is_some() || it.fragment().is_some();
        !has_more && it.username().is_empty() && it.password().is_none()
    };
    url.filter(is_plain).ok_or_else(|| {
        // A password in it must not be shown.
        let shown = ConfigUrl::parse(text).map_or_else(|_| String::new(), |it| format!(" `{it}`"));
        let message = format!("invalid registry URL{shown}: expected https://HOST");
        CommandError::usage(message)
    })
}

/// The token: from standard input, from the terminal, or from the variable.
fn token(from_stdin: bool) -> Result<RegistryToken> {
    let text = if from_stdin {
        let mut text = String::new();
        let read = io::stdin().take(TOKEN_BYTES).read_to_string(&mut text);
        read.context("cannot read the token")?;
        text
    } else if let Some(text) = environment::registry_token() {
        text
    } else if terminal::can_ask() {
        let hidden = Echo::set(false);
        let answer = terminal::ask("Token: ")?;
        drop(hidden);
        terminal::note("");
        answer.ok_or_else(CommandError::interrupted)?
    } else {
        return Err(CommandError::permission("no token")
            .hint("run it in a terminal, or pass the token with `--token-stdin`"));
    };
    RegistryToken::new(&text).ok_or_else(|| CommandError::usage("invalid token: expected one word"))
}
