//! Publishing, yanking and owners.

use bytes::Bytes;
use prowess_store::{NewVersion, PublishOutcome, YankOutcome};
use semver::Version;
use tokio::task::spawn_blocking;

use super::error::HostingError;
use super::inspect::InspectedPackage;
use super::latest::choose_latest;
use super::registry::HostedRegistry;
use crate::package::package_digest;
use crate::package_name::PackageName;
use crate::wire::PublishReceipt;

/// Who publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// The id of the token, or a word that is none.
    pub id: String,
    /// Whether it may do everything.
    pub is_administrator: bool,
}

impl HostedRegistry {
    /// Publishes a version; `true` if it is new.
    ///
    /// The bytes are stored first: a version that can be seen can be downloaded. What was stored for a version that was never
    /// seen is removed later.
    pub async fn publish(
        &self,
        name: &PackageName,
        version: &Version,
        bytes: Bytes,
        signature: Option<String>,
        publisher: &Publisher,
    ) -> Result<(bool, PublishReceipt), HostingError> {
        let owners = self.0.store.owners(&name.ownership()).await?;
        // Before anything is unpacked.
        if !publisher.is_administrator && !owners.is_empty() && !owners.contains(&publisher.id) {
            return Err(not_owner(name, owners));
        }
        let inspected = self
            .inspect(name, version, &bytes, signature.as_deref())
            .await?;
        let digest = package_digest(&bytes);
        self.0.storage.put(digest, bytes).await?;
        let facts = serde_json::to_string(&inspected.facts);
        let facts = facts.map_err(|error| HostingError::NotAPackage(error.to_string()))?;
        let new = NewVersion {
            name: name.to_string(),
            version: version.to_string(),
            digest: digest.to_string(),
            published_by: publisher.id.clone(),
            facts,
            manifest: inspected.manifest,
            signature,
            keywords: inspected.keywords.join("\n"),
            body: inspected.body,
        };
        let claim = name.ownership();
        let store = &self.0.store;
        let outcome = store.publish(new, &claim, publisher.is_administrator, choose_latest);
        let is_new = match outcome.await? {
            PublishOutcome::Created => true,
            PublishOutcome::Exists { digest: existing } if existing == digest.to_string() => false,
            PublishOutcome::Exists { digest } => {
                return Err(HostingError::VersionExists {
                    name: name.clone(),
                    version: version.clone(),
                    digest,
                });
            }
            PublishOutcome::NotOwner => {
                return Err(not_owner(name, self.0.store.owners(&claim).await?));
            }
        };
        let receipt = PublishReceipt {
            name: name.clone(),
            version: version.clone(),
            digest: digest.to_string(),
            warnings: self.warnings(name).await,
        };
        if is_new {
            self.0.published.notify_one();
        }
        Ok((is_new, receipt))
    }

    async fn inspect(
        &self,
        name: &PackageName,
        version: &Version,
        bytes: &Bytes,
        signature: Option<&str>,
    ) -> Result<InspectedPackage, HostingError> {
        let _permit = self.0.unpacking.acquire().await;
        let (name, version) = (name.clone(), version.clone());
        let (bytes, signature) = (bytes.clone(), signature.map(str::to_owned));
        let rules = self.0.rules.clone();
        let inspected = spawn_blocking(move || {
            InspectedPackage::new(&name, &version, &bytes, signature.as_deref(), &rules)
        });
        let inspected = inspected.await;
        inspected.map_err(|error| HostingError::NotAPackage(error.to_string()))?
    }

    /// What the author of a package should know.
    async fn warnings(&self, name: &PackageName) -> Vec<String> {
        let (state, wanted) = (self.0.index.current(), name.clone());
        let similar = spawn_blocking(move || -> Vec<String> {
            // A package that exists has its name for good.
            if state.packages.contains_key(&wanted) {
                return Vec::new();
            }
            state
                .similar(&wanted)
                .iter()
                .map(ToString::to_string)
                .collect()
        });
        let similar = similar.await.unwrap_or_default();
        similar
            .into_iter()
            .map(|other| format!("the name `{name}` is easily taken for `{other}`"))
            .collect()
    }

    /// Yanks a version for a reason, or takes that back without one.
    pub async fn yank(
        &self,
        name: &PackageName,
        version: &Version,
        reason: Option<&str>,
        by: &Publisher,
    ) -> Result<(), HostingError> {
        let (text, claim) = (name.to_string(), name.ownership());
        let owner = (!by.is_administrator).then_some((claim.as_str(), by.id.as_str()));
        let version_text = version.to_string();
        let store = &self.0.store;
        let outcome = store.yank(&text, &version_text, reason, owner, choose_latest);
        match outcome.await? {
            YankOutcome::Done => {
                self.0.published.notify_one();
                Ok(())
            }
            YankOutcome::NotFound => Err(self.unknown_version(name, &version_text).await?),
            YankOutcome::NotOwner => Err(not_owner(name, store.owners(&claim).await?)),
        }
    }

    /// The owners of a package.
    pub async fn owners(&self, name: &PackageName) -> Result<Vec<String>, HostingError> {
        if self.0.store.package(&name.to_string()).await?.is_none() {
            return Err(HostingError::UnknownPackage(name.clone()));
        }
        Ok(self.0.store.owners(&name.ownership()).await?)
    }

    /// Adds or removes an owner, who is named by the id of a token or by its name.
    pub async fn set_owner(
        &self,
        name: &PackageName,
        owner: &str,
        is_owner: bool,
        by: &Publisher,
    ) -> Result<(), HostingError> {
        let owners = self.owners(name).await?;
        let owner = match self.token_id(owner).await? {
            // Who has no token any more can still be removed.
            _ if !is_owner && owners.iter().any(|known| known == owner) => owner.to_owned(),
            Some(id) => id,
            None if is_owner => return Err(HostingError::InvalidOwner(owner.to_owned())),
            None => owner.to_owned(),
        };
        let owner = owner.as_str();
        let claim = name.ownership();
        let allowed = (!by.is_administrator).then_some(by.id.as_str());
        if self
            .0
            .store
            .set_owner(&claim, owner, is_owner, allowed)
            .await?
        {
            return Ok(());
        }
        if !is_owner && owners == [owner] {
            return Err(HostingError::LastOwner(claim));
        }
        Err(not_owner(name, owners))
    }
}

impl HostedRegistry {
    /// The id of the token with this id, or else with this name.
    async fn token_id(&self, text: &str) -> Result<Option<String>, HostingError> {
        let tokens = self.0.store.tokens().await?;
        let named = tokens.iter().find(|token| token.name == text);
        let found = tokens.iter().find(|token| token.id == text).or(named);
        Ok(found.map(|token| token.id.clone()))
    }
}

fn not_owner(name: &PackageName, owners: Vec<String>) -> HostingError {
    HostingError::NotOwner {
        owned: name.ownership(),
        owners,
    }
}
