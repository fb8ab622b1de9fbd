//! The registries that a command may ask, each with its token and its cached answers.

use std::borrow::Cow;
use std::sync::Arc;

use clap::Args;
use prowess_config::SkillsConfig;
use prowess_registry::wire::{PackageInfo, VersionInfo};
use prowess_registry::{
    Package, PackageName, Registry, RegistryClient, RegistryError, RegistryToken, choose_version,
    is_same_registry, registries_for,
};
use prowess_sources::{Network, RemoteOptions};
use semver::VersionReq;
use url::Url;

use super::cache::StoreCache;
use super::credentials::Credentials;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::{environment, terminal};

/// The name of the registry of `[registry]`.
const DEFAULT: &str = "default";

/// Which registry a command asks.
#[derive(Args, Clone, Default)]
pub(crate) struct RegistryArgument {
    /// Registry to ask: a name of your configuration, or a URL [default: all]
    #[arg(long, value_name = "NAME|URL")]
    pub(crate) registry: Option<String>,
}

/// The registries of the user.
pub(crate) struct Registries {
    configured: Vec<Registry>,
    /// The one that the user named.
    only: Option<Registry>,
    network: Network,
    cache: Arc<StoreCache>,
}

/// A package, and the registry that has it.
pub(crate) struct RemotePackage {
    pub(crate) client: RegistryClient,
    pub(crate) info: PackageInfo,
}

impl Registries {
    /// The registries of the configuration. Nothing is read or asked yet.
    pub(crate) fn new(config: &SkillsConfig, global: &Global) -> Self {
        let parse = |url: &prowess_config::Url| Url::parse(url.expose()).ok();
        let first = config.registry.url.as_ref().and_then(parse);
        let first = first.map(|url| Registry {
            name: DEFAULT.to_owned(),
            url,
            namespaces: Vec::new(),
        });
        let more = config.registries.iter().filter_map(|entry| {
            Some(Registry {
                name: entry.name.clone(),
                url: parse(&entry.url)?,
                namespaces: entry.namespaces.clone(),
            })
        });
        Self {
            configured: first.into_iter().chain(more).collect(),
            only: None,
            network: match (global.offline, global.refresh) {
                (true, _) => Network::Offline,
                (false, true) => Network::Refresh,
                (false, false) => Network::Online,
            },
            cache: Arc::new(StoreCache::new(config.clone())),
        }
    }

    /// The same, limited to the registry that the user named, if any.
    pub(crate) fn limited(mut self, argument: &RegistryArgument) -> Result<Self> {
        let Some(text) = &argument.registry else {
            return Ok(self);
        };
        let found = self.configured.iter().find(|it| it.name == *text);
        if let Some(found) = found {
            self.only = Some(found.clone());
            return Ok(self);
        }
        let url = Url::parse(text).ok().filter(Url::has_host);
        let Some(url) = url else {
            let names: Vec<&str> = self.configured.iter().map(|it| it.name.as_str()).collect();
            let error = CommandError::usage(format!("unknown registry `{}`", text.escape_debug()));
            return Err(match names.join(", ").as_str() {
                "" => error.hint("run `prowess login URL` to add one"),
                names => error.hint(format!("expected a URL, or one of {names}")),
            });
        };
        let is_known = |it: &&Registry| is_same_registry(&it.url, &url);
        let known = self.configured.iter().find(is_known).cloned();
        self.only = Some(known.unwrap_or(Registry {
            name: url.to_string(),
            url,
            namespaces: Vec::new(),
        }));
        Ok(self)
    }

    /// Whether there is any registry to ask.
    pub(crate) fn is_empty(&self) -> bool {
        self.configured.is_empty() && self.only.is_none()
    }

    /// The registries that are asked about everything: a search, a list.
    pub(crate) fn all(&self) -> Vec<&Registry> {
        match &self.only {
            Some(only) => vec![only],
            None => self.configured.iter().collect(),
        }
    }

    /// Whether a registry claims an owner as its namespace.
    pub(crate) fn claims(&self, owner: &str) -> bool {
        let mut namespaces = self.configured.iter().flat_map(|it| &it.namespaces);
        namespaces.any(|it| it == owner)
    }

    /// The registries that may be asked about a package, in order.
    fn for_name(&self, name: &PackageName) -> Result<Vec<&Registry>> {
        if self.is_empty() {
            let message = format!("cannot find `{name}`: no registry is configured");
            return Err(CommandError::failure(message)
                .hint("run `prowess login URL`, or set `[registry] url` in your prowess.toml"));
        }
        let allowed = registries_for(name, &self.configured);
        let Some(only) = &self.only else {
            if allowed.is_empty() {
                let message = format!("cannot find `{name}`: no registry has packages of its kind");
                return Err(CommandError::failure(message)
                    .hint("every registry of your configuration has `namespaces`"));
            }
            return Ok(allowed);
        };
        self.refuse_other(&only.url, name)?;
        Ok(vec![only])
    }

    /// Refuses to ask a registry about a name that belongs elsewhere.
    fn refuse_other(&self, url: &Url, name: &PackageName) -> Result<()> {
        let is_it = |it: &&Registry| is_same_registry(&it.url, url);
        let own = self.configured.iter().find(is_it);
        let allowed = registries_for(name, &self.configured);
        let is_claimed = allowed.iter().any(|it| !it.namespaces.is_empty());
        let is_private = own.is_some_and(|it| !it.namespaces.is_empty());
        if !(is_claimed || is_private) || allowed.iter().any(is_it) {
            return Ok(());
        }
        let asked = own.map_or_else(|| url.to_string(), |it| it.name.clone());
        let error = CommandError::failure(format!("`{name}` is not a package of {asked}"));
        Err(match allowed.first().filter(|_| is_claimed) {
            Some(owner) => error.hint(format!(
                "your configuration says that its owner is at {} only",
                owner.name
            )),
            None => error.hint("your configuration limits it to its `namespaces`"),
        })
    }

    /// The one registry that a package is published to or changed in.
    pub(crate) fn owner_of(&self, name: &PackageName) -> Result<RegistryClient> {
        let found = self.for_name(name)?;
        let first = found.first().context("no registry is configured")?;
        self.client(first)
    }

    /// A client of a registry of the user, with its token.
    pub(crate) fn client(&self, registry: &Registry) -> Result<RegistryClient> {
        let token = self.token(registry)?;
        self.client_at(&registry.url, token)
    }

    fn client_at(&self, url: &Url, token: Option<RegistryToken>) -> Result<RegistryClient> {
        let cache = Arc::clone(&self.cache) as Arc<dyn prowess_registry::ResponseCache>;
        Ok(RegistryClient::new(url, token, self.network, cache)?)
    }

    /// The token for a registry. That of the variable is for the registry that the user named, or else for the first.
    fn token(&self, registry: &Registry) -> Result<Option<RegistryToken>> {
        let meant = self.only.as_ref().or(self.configured.first());
        if meant == Some(registry)
            && let Some(text) = environment::registry_token()
        {
            let token = RegistryToken::new(&text);
            let invalid = || format!("invalid token in {}", environment::REGISTRY_TOKEN);
            return token.with_context(invalid).map(Some);
        }
        if self.network == Network::Offline {
            return Ok(None);
        }
        Credentials::of_user()?.get(&registry.url)
    }

    /// A package in the first registry that has it.
    pub(crate) fn find(&self, name: &PackageName) -> Result<RemotePackage> {
        let mut last = None;
        for registry in self.for_name(name)? {
            let client = self.client(registry)?;
            match client.package(name) {
                Ok(info) => return Ok(RemotePackage { client, info }),
                Err(error) if error.is_not_found() => last = Some(client.host().to_owned()),
                // Another registry must not stand in for one that is down.
                Err(error) => return Err(error.into()),
            }
        }
        let hosts = last.unwrap_or_default();
        Err(
            CommandError::failure(format!("unknown package `{name}` at {hosts}")).hint(format!(
                "`prowess search {}` searches the registries",
                name.skill()
            )),
        )
    }

    /// A package of the registry that a lock file names. Only a registry of the user gets a token.
    pub(crate) fn find_at(&self, url: &Url, name: &PackageName) -> Result<RemotePackage> {
        let client = self.locked_client(url, name)?;
        let info = client.package(name)?;
        Ok(RemotePackage { client, info })
    }

    /// The same; `None` if the registry has no such package.
    pub(crate) fn info_at(&self, url: &Url, name: &PackageName) -> Result<Option<PackageInfo>> {
        match self.locked_client(url, name)?.package(name) {
            Ok(info) => Ok(Some(info)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn locked_client(&self, url: &Url, name: &PackageName) -> Result<RegistryClient> {
        self.refuse_other(url, name)?;
        match self.known(url) {
            Some(known) => self.client(known),
            None => self.client_at(url, None),
        }
    }

    /// The registry of the user at a URL.
    fn known(&self, url: &Url) -> Option<&Registry> {
        let mut registries = self.configured.iter().chain(&self.only);
        registries.find(|it| is_same_registry(&it.url, url))
    }

    /// What is known about a package of a lock file without asking a server that the user has not named: cached answers,
    /// and those of the user's own registries.
    pub(crate) fn known_about(&self, url: &Url, name: &PackageName) -> Option<PackageInfo> {
        let client = self.locked_client(url, name).ok()?;
        let asked = self.known(url).and_then(|_| client.package(name).ok());
        asked.or_else(|| client.cached_package(name))
    }

    /// Downloads the version of a package that is meant.
    pub(crate) fn fetch(
        &self,
        registry: Option<&Url>,
        name: &PackageName,
        versions: Option<&VersionReq>,
        remote: &RemoteOptions,
    ) -> Result<Package> {
        let found = match registry {
            Some(url) => self.find_at(url, name)?,
            None => self.find(name)?,
        };
        let version: &VersionInfo = choose_version(&found.info, versions)?;
        let package =
            Package::of_registry(&found.client, name, version, versions.cloned(), remote)?;
        Ok(package)
    }
}

/// The error of a command that a registry refuses: `cannot publish acme/pdf: DETAIL`.
pub(crate) fn refused(what: &str, error: &RegistryError) -> CommandError {
    let message = terminal::one_line(&format!("{what}: {error}")).into_owned();
    let mut failure = match error.status() {
        Some(401 | 403) => CommandError::permission(message),
        _ => CommandError::failure(message),
    };
    if let RegistryError::Refused {
        status,
        diagnostics,
        host,
        ..
    } = error
    {
        let lines = diagnostics.iter().map(|line| terminal::one_line(line));
        failure.hints.extend(lines.map(Cow::into_owned));
        failure = match status {
            401 => failure.hint(format!(
                "`prowess login` with the URL of {host} stores a valid token"
            )),
            409 if what.starts_with("cannot publish") => {
                failure.hint("a version never changes; publish the next one")
            }
            422 => failure.hint("fix these problems, then publish again"),
            _ => failure,
        };
    }
    failure
}
