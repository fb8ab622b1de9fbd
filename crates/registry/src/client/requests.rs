//! The requests of a client.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pollster::block_on;
use prowess_net::{client_builder, is_loopback, same_origin, secret_header};
use prowess_sources::Network;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use semver::Version;
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::answers::{Publication, Published, SearchPage};
use super::cache::{ResponseCache, Validity};
use super::error::RegistryError;
use super::token::RegistryToken;
use super::transport::{self, Answer, CONNECT, REDIRECTS, Request, SILENCE};
use crate::package_name::PackageName;
use crate::wire::{
    FoundPackage, PackageInfo, PublishReceipt, SIGNATURE_HEADER, SearchFilter, VersionDiff,
};

/// Bytes of a signature.
const SIGNATURE_BYTES: usize = 4_096;

/// A client of one registry. Its token goes to the origin of the registry and to no other.
pub struct RegistryClient {
    url: Url,
    host: String,
    token: Option<RegistryToken>,
    network: Network,
    cache: Arc<dyn ResponseCache>,
    client: reqwest::Client,
}

impl fmt::Debug for RegistryClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryClient")
            .field("host", &self.host)
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

impl RegistryClient {
    /// A client of the registry at a URL.
    pub fn new(
        url: &Url,
        token: Option<RegistryToken>,
        network: Network,
        cache: Arc<dyn ResponseCache>,
    ) -> Result<Self, RegistryError> {
        let invalid = || RegistryError::Url(url.to_string());
        let host = url.host_str().ok_or_else(invalid)?;
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        if !["https", "http"].contains(&url.scheme()) {
            return Err(invalid());
        }
        if token.is_some() && url.scheme() == "http" && !is_loopback(url) {
            return Err(RegistryError::Unencrypted(host));
        }
        let headers = credentials(token.as_ref())?;
        let client = client_builder(Some(url))
            .default_headers(headers)
            .redirect(same_origin(url, REDIRECTS))
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .build();
        let client = client.map_err(|error| RegistryError::Unreachable {
            host: host.clone(),
            reason: error.to_string(),
        })?;
        let mut url = url.clone();
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self {
            url,
            host,
            token,
            network,
            cache,
            client,
        })
    }

    /// The URL of the registry.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The host and port, for people.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether requests have a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// A package with all versions; cached for one hour.
    pub fn package(&self, name: &PackageName) -> Result<PackageInfo, RegistryError> {
        self.cached(&package_key(name), Validity::Mutable, || {
            let info: PackageInfo = self.get(self.package_url(name, &[])?)?.json(&self.host)?;
            if info.name != *name {
                return Err(self.malformed(format!("expected `{name}`, got `{}`", info.name)));
            }
            Ok(info)
        })
    }

    /// The answer about a package that was cached before, whatever its age.
    pub fn cached_package(&self, name: &PackageName) -> Option<PackageInfo> {
        let cached = self.cache.load(self.url.as_str(), &package_key(name))?;
        serde_json::from_str(&cached.body).ok()
    }

    /// The results of a search from `offset` on; cached for one hour.
    pub fn search(
        &self,
        query: &str,
        filter: &SearchFilter,
        limit: usize,
        offset: usize,
    ) -> Result<SearchPage, RegistryError> {
        let mut url = self.endpoint(&["search"])?;
        {
            let mut pairs = url.query_pairs_mut();
            pairs.append_pair("q", query);
            pairs.append_pair("limit", &limit.to_string());
            pairs.append_pair("offset", &offset.to_string());
            for (key, value) in filter_pairs(filter) {
                pairs.append_pair(&key, &value);
            }
        }
        let key = format!("search {}", url.query().unwrap_or_default());
        self.cached(&key, Validity::Mutable, || {
            let answer = self.get(url)?;
            let packages: Vec<FoundPackage> = answer.json(&self.host)?;
            let total = answer.total.unwrap_or(offset + packages.len());
            Ok(SearchPage { packages, total })
        })
    }

    /// What changed between two versions; cached for ever.
    pub fn diff(
        &self,
        name: &PackageName,
        from: &Version,
        to: &Version,
    ) -> Result<VersionDiff, RegistryError> {
        let mut url = self.package_url(name, &[&to.to_string(), "diff"])?;
        url.query_pairs_mut().append_pair("from", &from.to_string());
        let key = format!("diff {name} {from} {to}");
        self.cached(&key, Validity::Immutable, || {
            self.get(url)?.json(&self.host)
        })
    }

    /// The owners of a package. They are never cached: who changes them wants to see the change.
    pub fn owners(&self, name: &PackageName) -> Result<Vec<String>, RegistryError> {
        let url = self.package_url(name, &["owners"])?;
        self.get(url)?.json(&self.host)
    }

    /// Adds or removes an owner.
    pub fn set_owner(
        &self,
        name: &PackageName,
        owner: &str,
        is_owner: bool,
    ) -> Result<(), RegistryError> {
        let url = self.package_url(name, &["owners", owner])?;
        let method = if is_owner {
            Method::PUT
        } else {
            Method::DELETE
        };
        self.send(Request::new(method, url)).map(drop)
    }

    /// Publishes a package.
    pub fn publish(
        &self,
        name: &PackageName,
        version: &Version,
        publication: &Publication,
    ) -> Result<Published, RegistryError> {
        let url = self.package_url(name, &[&version.to_string()])?;
        let mut request = Request::new(Method::PUT, url);
        request.body.clone_from(&publication.bytes);
        let media_type = HeaderValue::from_static("application/gzip");
        request
            .headers
            .insert(reqwest::header::CONTENT_TYPE, media_type);
        if let Some(signature) = &publication.signature {
            let value = HeaderValue::try_from(STANDARD.encode(signature));
            let value = value.map_err(|_| RegistryError::Token)?;
            let header = HeaderName::from_static(SIGNATURE_HEADER);
            request.headers.insert(header, value);
        }
        let answer = self.send(request)?;
        let receipt: PublishReceipt = answer.json(&self.host)?;
        self.forget(name);
        Ok(Published {
            receipt,
            is_new: answer.status == StatusCode::CREATED,
        })
    }

    /// Yanks a version.
    pub fn yank(
        &self,
        name: &PackageName,
        version: &Version,
        reason: &str,
    ) -> Result<(), RegistryError> {
        let mut url = self.package_url(name, &[&version.to_string()])?;
        url.query_pairs_mut().append_pair("reason", reason);
        self.send(Request::new(Method::DELETE, url))?;
        self.forget(name);
        Ok(())
    }

    /// Takes a yank back.
    pub fn unyank(&self, name: &PackageName, version: &Version) -> Result<(), RegistryError> {
        let url = self.package_url(name, &[&version.to_string(), "unyank"])?;
        self.send(Request::new(Method::PUT, url))?;
        self.forget(name);
        Ok(())
    }

    /// The text of the signature of a version.
    pub fn signature(
        &self,
        name: &PackageName,
        version: &Version,
    ) -> Result<String, RegistryError> {
        let answer = self.get(self.package_url(name, &[&version.to_string(), "signature"])?)?;
        let text = String::from_utf8(answer.body).ok();
        text.filter(|it| it.len() <= SIGNATURE_BYTES)
            .ok_or_else(|| self.malformed("expected a signature".to_owned()))
    }

    /// Where the bytes of a version are, and the credentials for them.
    pub(crate) fn download(
        &self,
        name: &PackageName,
        version: &Version,
    ) -> Result<(Url, HeaderMap), RegistryError> {
        let url = self.package_url(name, &[&version.to_string(), "download"])?;
        Ok((url, credentials(self.token.as_ref())?))
    }

    fn endpoint(&self, parts: &[&str]) -> Result<Url, RegistryError> {
        let mut url = self.url.clone();
        {
            let segments = url.path_segments_mut();
            let mut segments = segments.map_err(|()| RegistryError::Url(self.url.to_string()))?;
            segments.pop_if_empty().extend(["api", "v1"]).extend(parts);
        }
        Ok(url)
    }

    fn package_url(&self, name: &PackageName, parts: &[&str]) -> Result<Url, RegistryError> {
        let owner = name.owner().into_iter();
        let path = std::iter::once("skills").chain(owner);
        let path = path.chain([name.skill().as_str()]);
        let path: Vec<&str> = path.chain(parts.iter().copied()).collect();
        self.endpoint(&path)
    }

    fn get(&self, url: Url) -> Result<Answer, RegistryError> {
        self.send(Request::new(Method::GET, url))
    }

    fn send(&self, request: Request) -> Result<Answer, RegistryError> {
        if self.network == Network::Offline {
            return Err(RegistryError::Offline(self.host.clone()));
        }
        let (client, host) = (self.client.clone(), self.host.clone());
        let sent = prowess_net::run(async move { transport::send(&client, &request, &host).await });
        block_on(sent).unwrap_or_else(|error| {
            Err(RegistryError::Unreachable {
                host: self.host.clone(),
                reason: error.to_string(),
            })
        })
    }

    /// The cached answer to a request, or a new one.
    fn cached<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        validity: Validity,
        ask: impl FnOnce() -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let origin = self.url.as_str();
        let cached = self
            .cache
            .load(origin, key)
            .filter(|it| match self.network {
                Network::Offline => true,
                Network::Online => it.is_fresh(validity, SystemTime::now()),
                Network::Refresh => validity == Validity::Immutable,
            });
        if let Some(known) = cached.and_then(|it| serde_json::from_str(&it.body).ok()) {
            return Ok(known);
        }
        let answer = ask()?;
        if let Ok(body) = serde_json::to_string(&answer) {
            self.cache.save(origin, key, &body);
        }
        Ok(answer)
    }

    /// Forgets what was cached about a package that was just changed.
    fn forget(&self, name: &PackageName) {
        // An empty answer is none: the next command asks again.
        self.cache.save(self.url.as_str(), &package_key(name), "");
    }

    fn malformed(&self, reason: String) -> RegistryError {
        RegistryError::Malformed {
            host: self.host.clone(),
            reason,
        }
    }
}

/// The name of the cached answer about a package.
fn package_key(name: &PackageName) -> String {
    format!("package {name}")
}

fn credentials(token: Option<&RegistryToken>) -> Result<HeaderMap, RegistryError> {
    let Some(token) = token else {
        return Ok(HeaderMap::new());
    };
    let value = format!("Bearer {}", token.expose());
    secret_header(AUTHORIZATION.as_str(), &value).map_err(|_| RegistryError::Token)
}

/// The parameters of a filter, as the wire names them.
fn filter_pairs(filter: &SearchFilter) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(filter) else {
        return Vec::new();
    };
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    fields
        .into_iter()
        .map(|(key, value)| (key, text(value)))
        .collect()
}
