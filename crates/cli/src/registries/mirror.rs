//! `prowess registry mirror`: copies the packages of another registry into the one of this machine.

use std::sync::Arc;

use clap::Args;
use prowess_registry::wire::{SearchFilter, VersionInfo};
use prowess_registry::{
    HostedRegistry, HostingError, Imported, ImportedVersion, NoCache, Package, PackageName,
    PackageReference, PackageTree, RegistryClient, RegistryError, VersionSpec, download_package,
    is_same_registry, pack, package_digest,
};
use prowess_sources::{Network, RemoteOptions};
use semver::Version;
use serde_json::json;
use tokio::task::block_in_place;
use url::Url;

use super::configured::{Registries, refused};
use super::login::parse;
use crate::arguments::Global;
use crate::code_skills::{block_on, open_store};
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::serve_registry;
use crate::{configuration, environment, terminal};

pub(super) const HELP: &str = "\
Examples:
  prowess registry mirror https://skills.example.com
  prowess registry mirror https://skills.example.com --owner acme

All versions of all packages are written to the store and the storage that `prowess serve` uses on this machine; a \
server that runs offers them within a second. A second run copies what is new.";

/// Packages of one request.
const PAGE: usize = 100;

/// Arguments of `registry mirror`.
#[derive(Args)]
pub(super) struct MirrorArguments {
    /// URL of a registry, or of a server with an index of skills
    url: String,
    /// Copy only packages of this owner
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &MirrorArguments, global: &Global) -> Result<Exit> {
    let url = parse(&arguments.url)?;
    if global.offline {
        return Err(CommandError::usage("cannot copy a registry offline"));
    }
    let config = configuration::load(global)?;
    let client = client(&url, &Registries::new(&config, global))?;
    let progress = Progress::new("versions");
    let imported = block_on(async {
        let store = open_store(&config).await?;
        let registry = serve_registry::open(&config, &store).await?;
        let mut mirror = Mirror {
            registry,
            imported: Imported::default(),
            progress: &progress,
        };
        let filter = SearchFilter {
            owner: arguments.owner.clone(),
            ..SearchFilter::default()
        };
        match block_in_place(|| client.search("", &filter, 1, 0)) {
            Ok(_) => mirror.registry(&client, &filter).await?,
            // A server without packages may have an index.
            Err(RegistryError::Refused { status: 404, .. } | RegistryError::Malformed { .. })
                if arguments.owner.is_none() =>
            {
                mirror.index(&url).await?;
            }
            Err(error) => {
                let cannot = format!("cannot copy {}", client.host());
                return Err(refused(&cannot, &error));
            }
        }
        mirror.registry.refresh().await?;
        Ok(mirror.imported)
    });
    progress.finish();
    let imported = imported?;
    if arguments.json {
        let refused = imported.refused.iter();
        let refused = refused.map(|(name, reason)| json!({"name": name, "reason": reason}));
        let refused: Vec<_> = refused.collect();
        let (added, known) = (imported.added, imported.known);
        terminal::print_json(&json!({
            "version": 1, "added": added, "known": known, "refused": refused,
        }))?;
    } else {
        serve_registry::print_imported(
            &imported,
            &format!("copied from {}", client.host()),
            global,
        );
    }
    Ok(if imported.refused.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// A client of the registry, with the token that the user stored for it.
fn client(url: &Url, registries: &Registries) -> Result<RegistryClient> {
    let all = registries.all();
    let known = all.into_iter().find(|it| is_same_registry(&it.url, url));
    match known {
        Some(registry) => registries.client(registry),
        None => Ok(RegistryClient::new(
            url,
            None,
            Network::Online,
            Arc::new(NoCache),
        )?),
    }
}

/// A copy that is being made.
struct Mirror<'p> {
    registry: HostedRegistry,
    imported: Imported,
    progress: &'p Progress,
}

impl Mirror<'_> {
    /// Copies every version of every package. One that cannot be copied does not stop the others.
    async fn registry(&mut self, client: &RegistryClient, filter: &SearchFilter) -> Result<()> {
        let mut offset = 0;
        loop {
            let page = block_in_place(|| client.search("", filter, PAGE, offset));
            let cannot = || format!("cannot copy {}", client.host());
            let page = page.map_err(|error| refused(&cannot(), &error))?;
            let names: Vec<PackageName> = page.packages.into_iter().map(|it| it.name).collect();
            if names.is_empty() {
                return Ok(());
            }
            offset += names.len();
            for name in names {
                match block_in_place(|| client.package(&name)) {
                    Ok(info) => {
                        for version in info.versions.iter().rev() {
                            let copied = self.version(client, &name, version).await;
                            let shown = format!("{name} {}", version.version);
                            self.count(&shown, copied);
                        }
                    }
                    Err(error) => self.count(&name.to_string(), Err(error.to_string())),
                }
            }
        }
    }

    /// Copies a version; `false` if it is there already.
    async fn version(
        &self,
        client: &RegistryClient,
        name: &PackageName,
        version: &VersionInfo,
    ) -> Result<bool, String> {
        let spec = VersionSpec::Exact(version.version.clone());
        if let Ok(known) = self.registry.version(name, &spec).await
            && known.digest == version.digest
        {
            return self
                .yank_as(name, version, known.yanked.is_some())
                .await
                .map(|()| false);
        }
        let bytes = block_in_place(|| download_package(client, name, version, &remote()));
        let bytes = bytes.map_err(|error| error.to_string())?;
        let signature = match version.signed_by {
            Some(_) => {
                let signature = block_in_place(|| client.signature(name, &version.version));
                Some(signature.map_err(|error| error.to_string())?)
            }
            None => None,
        };
        let version = ImportedVersion {
            name: name.clone(),
            version: version.version.clone(),
            bytes: bytes.into(),
            signature,
            yanked: version.yanked.clone(),
        };
        let operator = serve_registry::operator();
        let imported = self.registry.import(version, &operator).await;
        imported.map_err(|error| error.to_string())
    }

    /// A version that is known is yanked as it is there.
    async fn yank_as(
        &self,
        name: &PackageName,
        version: &VersionInfo,
        is_yanked: bool,
    ) -> Result<(), String> {
        let reason = version.yanked.as_ref().map(|it| it.reason.as_str());
        if reason.is_some() == is_yanked {
            return Ok(());
        }
        let operator = serve_registry::operator();
        let done = self
            .registry
            .yank(name, &version.version, reason, &operator)
            .await;
        done.map_err(|error| error.to_string())
    }

    /// Copies the skills of an index.
    async fn index(&mut self, url: &Url) -> Result<()> {
        let reference = PackageReference::Index(url.clone());
        let here = std::path::Path::new(".");
        let package = block_in_place(|| Package::open(&reference, here, &remote()))?;
        for skill in block_in_place(|| package.skills())? {
            let tree = block_in_place(|| package.tree(&skill));
            let copied = match tree {
                Ok((tree, _)) => self.skill(&tree).await,
                Err(error) => Err(error.to_string()),
            };
            self.count(&skill.name, copied);
        }
        Ok(())
    }

    /// Publishes a skill of an index. A skill without a version gets the next one when it changes.
    async fn skill(&self, tree: &PackageTree) -> Result<bool, String> {
        let name = tree.name().and_then(|it| PackageName::of_skill(&it));
        let name = name.ok_or("its name cannot be the name of a package")?;
        let bytes = pack(tree).map_err(|error| error.to_string())?;
        let version = match tree.package_version() {
            Some(version) => version,
            None => match self.registry.version(&name, &VersionSpec::Latest).await {
                Ok(latest) if latest.digest == package_digest(&bytes).to_string() => {
                    return Ok(false);
                }
                Ok(latest) => {
                    let Version {
                        major,
                        minor,
                        patch,
                        ..
                    } = latest.version;
                    Version::new(major, minor, patch + 1)
                }
                Err(HostingError::UnknownPackage(_)) => Version::new(0, 1, 0),
                Err(error) => return Err(error.to_string()),
            },
        };
        let operator = serve_registry::operator();
        let published = self
            .registry
            .publish(&name, &version, bytes.into(), None, &operator);
        let (is_new, _) = published.await.map_err(|error| error.to_string())?;
        Ok(is_new)
    }

    fn count(&mut self, name: &str, outcome: Result<bool, String>) {
        self.imported.count(name, outcome);
        self.progress.step();
    }
}

fn remote() -> RemoteOptions {
    RemoteOptions {
        cache: environment::cache_directory(),
        network: Network::Online,
        progress: None,
    }
}
