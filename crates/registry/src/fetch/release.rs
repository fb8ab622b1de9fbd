//! A version of a package of a registry.

use std::io::Cursor;

use pollster::block_on;
use prowess_sources::RemoteOptions;
use semver::VersionReq;

use super::download::download_with;
use super::{FoundSkill, Kind, Package};
use crate::client::{RegistryClient, RegistryError};
use crate::package::package_digest;
use crate::package_name::PackageName;
use crate::reference::PackageReference;
use crate::tree::PackageTree;
use crate::version_check::verify_version;
use crate::wire::{PACKAGE_BYTES, VersionInfo};

/// A version that was downloaded.
pub(super) struct RegistryPackage {
    pub(super) version: VersionInfo,
    pub(super) bytes: Vec<u8>,
    pub(super) signature: Option<String>,
    pub(super) tree: PackageTree,
    name: PackageName,
}

impl RegistryPackage {
    pub(super) fn skill(&self) -> FoundSkill {
        FoundSkill {
            name: self.name.skill().to_string(),
            description: Some(self.version.description.clone()),
            directory: None,
            file: None,
        }
    }
}

/// Downloads the bytes of a version of a registry, and verifies that they are what the registry states.
pub fn download_package(
    client: &RegistryClient,
    name: &PackageName,
    version: &VersionInfo,
    remote: &RemoteOptions,
) -> Result<Vec<u8>, RegistryError> {
    let unusable = |reason: String| unusable(client, name, reason);
    let (url, credentials) = client.download(name, &version.version)?;
    let bytes = block_on(download_with(&url, PACKAGE_BYTES, remote, credentials))
        .map_err(|error| RegistryError::Download(error.to_string()))?;
    let bytes = bytes.ok_or_else(|| unusable("the package was not found".to_owned()))?;
    let found = package_digest(&bytes).to_string();
    if !found.eq_ignore_ascii_case(&version.digest) {
        let stated = &version.digest;
        return Err(unusable(format!(
            "the package has the digest {found}, but the registry states {stated}"
        )));
    }
    Ok(bytes)
}

fn unusable(client: &RegistryClient, name: &PackageName, reason: String) -> RegistryError {
    RegistryError::Package {
        name: name.clone(),
        host: client.host().to_owned(),
        reason,
    }
}

impl Package {
    /// Downloads a version of a package. Its bytes must have the digest that the registry states, and its skill the name
    /// of the package and the number of the version. `versions` is the range that the user asked for.
    pub fn of_registry(
        client: &RegistryClient,
        name: &PackageName,
        version: &VersionInfo,
        versions: Option<VersionReq>,
        remote: &RemoteOptions,
    ) -> Result<Self, RegistryError> {
        let bytes = download_package(client, name, version, remote)?;
        let unusable = |reason: String| unusable(client, name, reason);
        let tree = PackageTree::read_archive(Cursor::new(&bytes))
            .map_err(|error| unusable(error.to_string()))?;
        let own = tree.name();
        if own.as_ref() != Some(name.skill()) {
            let own = own.map_or("no skill".to_owned(), |it| format!("the skill `{it}`"));
            return Err(unusable(format!("the package contains {own}")));
        }
        let signature = match version.signed_by {
            Some(_) => Some(client.signature(name, &version.version)?),
            None => None,
        };
        verify_version(
            name.skill(),
            &version.version,
            &tree,
            &bytes,
            signature.as_deref(),
        )
        .map_err(|source| RegistryError::OtherVersion {
            name: name.clone(),
            host: client.host().to_owned(),
            source: Box::new(source),
        })?;
        Ok(Self {
            reference: PackageReference::Registry {
                registry: Some(client.url().clone()),
                name: name.clone(),
                versions,
            },
            kind: Kind::Registry(Box::new(RegistryPackage {
                version: version.clone(),
                bytes,
                signature,
                tree,
                name: name.clone(),
            })),
        })
    }

    /// What the registry says about the version, for a package of one.
    pub fn version_info(&self) -> Option<&VersionInfo> {
        match &self.kind {
            Kind::Registry(package) => Some(&package.version),
            _ => None,
        }
    }
}
