//! Packages that an operator brings along: from directories of skills, or from another registry.

use std::path::Path;

use bytes::Bytes;
use semver::Version;

use super::error::HostingError;
use super::publish::Publisher;
use super::registry::HostedRegistry;
use crate::fetch::in_directory;
use crate::package::pack;
use crate::package_name::PackageName;
use crate::tree::PackageTree;
use crate::wire::Yank;

/// What became of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Versions that are new.
    pub added: usize,
    /// Versions that were there already.
    pub known: usize,
    /// What was left out, and why.
    pub refused: Vec<(String, String)>,
}

/// A version of another registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedVersion {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub version: Version,
    /// Its bytes.
    pub bytes: Bytes,
    /// Its signature.
    pub signature: Option<String>,
    /// Whether it is yanked there.
    pub yanked: Option<Yank>,
}

/// The version of a skill that states none.
const UNVERSIONED: Version = Version::new(0, 1, 0);

impl HostedRegistry {
    /// Publishes every skill below a directory. A skill that cannot be published does not stop the others.
    pub async fn seed(
        &self,
        directory: &Path,
        publisher: &Publisher,
        step: impl Fn() + Send,
    ) -> Result<Imported, HostingError> {
        let root = directory.to_owned();
        let found = tokio::task::spawn_blocking(move || in_directory(&root, None)).await;
        let found = match found {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return Err(HostingError::NotAPackage(error.to_string())),
            Err(error) => return Err(HostingError::NotAPackage(error.to_string())),
        };
        let mut imported = Imported::default();
        for skill in found {
            let inside = skill.directory.as_ref().map_or("", |it| it.as_str());
            let path = directory.join(inside);
            let packed = tokio::task::spawn_blocking(move || packed(&path)).await;
            let outcome = match packed {
                Ok(Ok((name, version, bytes))) => {
                    let version = self.publish(&name, &version, bytes, None, publisher).await;
                    version
                        .map(|(is_new, _)| is_new)
                        .map_err(|error| error.to_string())
                }
                Ok(Err(reason)) => Err(reason),
                Err(error) => Err(error.to_string()),
            };
            imported.count(&skill.name, outcome);
            step();
        }
        self.refresh().await?;
        Ok(imported)
    }

    /// Adds a version of another registry.
    pub async fn import(
        &self,
        version: ImportedVersion,
        publisher: &Publisher,
    ) -> Result<bool, HostingError> {
        let ImportedVersion {
            name,
            version,
            bytes,
            signature,
            yanked,
        } = version;
        let publish = self.publish(&name, &version, bytes, signature, publisher);
        let (is_new, _) = publish.await?;
        if let Some(yank) = yanked {
            self.yank(&name, &version, Some(&yank.reason), publisher)
                .await?;
        }
        Ok(is_new)
    }
}

impl Imported {
    /// Counts what became of one.
    pub fn count(&mut self, name: &str, outcome: Result<bool, String>) {
        match outcome {
            Ok(true) => self.added += 1,
            Ok(false) => self.known += 1,
            Err(reason) => self.refused.push((name.to_owned(), reason)),
        }
    }
}

/// A skill as a package, with its name and version.
fn packed(directory: &Path) -> Result<(PackageName, Version, Bytes), String> {
    let (tree, _) = PackageTree::read_directory(directory).map_err(|it| it.to_string())?;
    let name = tree.name().ok_or("it has no name")?;
    let package = PackageName::of_skill(&name);
    let package = package.ok_or_else(|| format!("`{name}` cannot be the name of a package"))?;
    let version = match (tree.version(), tree.package_version()) {
        (_, Some(version)) => version,
        (Some(text), None) => return Err(format!("`{text}` is not a version")),
        (None, None) => UNVERSIONED,
    };
    let bytes = pack(&tree).map_err(|it| it.to_string())?;
    Ok((package, version, bytes.into()))
}
