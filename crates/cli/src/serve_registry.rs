//! The registry of `prowess serve`: where its packages are, and how it is filled.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::PathBuf;

use prowess_config::{Secret, SkillsConfig};
use prowess_policy::ContentDigest;
use prowess_registry::{
    HostedRegistry, Imported, PackageStorage, Publisher, S3Options, StorageLocation, UNUSED_GRACE,
};
use prowess_store::Store;

use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::progress::Progress;
use crate::{code_skills, configuration, environment, terminal};

/// The name of the owner of packages that an operator brings along.
const OPERATOR: &str = "operator";

/// Opens the registry over a store.
pub(crate) async fn open(config: &SkillsConfig, store: &Store) -> Result<HostedRegistry> {
    let location = location(config)?;
    let storage = PackageStorage::open(&location).map_err(|error| {
        CommandError::from(error).hint("see `storage` of `[registry]` in your prowess.toml")
    })?;
    Ok(HostedRegistry::open(store.clone(), storage, code_skills::base_rules()).await?)
}

/// The registry, filled if that was asked for. Without its own storage the rest is served all the same, unless the
/// configuration names one.
pub(crate) async fn open_filled(
    directories: &[PathBuf],
    global: &Global,
    config: &SkillsConfig,
    store: &Store,
) -> Result<Option<HostedRegistry>> {
    let registry = match open(config, store).await {
        Ok(registry) => registry,
        Err(error) if config.registry.storage.is_none() && directories.is_empty() => {
            terminal::note(&format!(
                "warning: {}: the registry is not available",
                error.message
            ));
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    seed(&registry, directories, global).await?;
    Ok(Some(registry))
}

/// Keeps the registry up to date, if there is one.
pub(crate) async fn keep_current(registry: Option<&HostedRegistry>) -> Infallible {
    match registry {
        Some(registry) => registry.run().await,
        None => std::future::pending().await,
    }
}

/// How many packages no version refers to, which the server of the registry removes; `None` if there is no registry here.
pub(crate) async fn count_unused(config: &SkillsConfig) -> Result<Option<usize>> {
    let location = location(config)?;
    // Opening a directory would create it.
    let is_missing = matches!(&location, StorageLocation::Directory(path) if !path.exists());
    if is_missing || !code_skills::store_exists(config) {
        return Ok(None);
    }
    // Why a store cannot be read is said where it is looked at.
    let Ok(store) = code_skills::open_store_to_read(config).await else {
        return Ok(None);
    };
    let used: HashSet<String> = store.digests().await?.into_iter().collect();
    let is_used = move |digest: ContentDigest| used.contains(&digest.to_string());
    let storage = PackageStorage::open(&location)?;
    Ok(Some(storage.count_unused(is_used, UNUSED_GRACE).await?))
}

/// Where the packages are; by default beside the store of this machine.
fn location(config: &SkillsConfig) -> Result<StorageLocation> {
    let stated = config.registry.storage.clone();
    let default = || {
        let data = environment::data_directory().context("cannot find the data directory")?;
        let path = data.join("registry").into_os_string().into_string();
        path.map_err(|_| CommandError::failure("the data directory is not UTF-8"))
    };
    let text = stated.map_or_else(default, Ok)?;
    let variable = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
    let options = S3Options {
        // Who states an address without encryption means it.
        allow_http: endpoint
            .as_ref()
            .is_some_and(|it| it.starts_with("http://")),
        endpoint,
        region: variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")),
        access_key: variable("AWS_ACCESS_KEY_ID").map(Secret::new),
        secret_key: variable("AWS_SECRET_ACCESS_KEY").map(Secret::new),
    };
    Ok(StorageLocation::parse(&text, options)?)
}

/// Who publishes what an operator brings along.
pub(crate) fn operator() -> Publisher {
    Publisher {
        id: OPERATOR.to_owned(),
        is_administrator: true,
    }
}

/// Fills an empty registry with the skills of directories.
async fn seed(registry: &HostedRegistry, directories: &[PathBuf], global: &Global) -> Result<()> {
    if directories.is_empty() {
        return Ok(());
    }
    if !registry.is_empty() {
        let packages = registry.len();
        terminal::note(&format!(
            "not seeded: the registry has {packages} packages already"
        ));
        return Ok(());
    }
    let operator = operator();
    for directory in directories {
        let progress = Progress::new("packages");
        let seeded = registry.seed(directory, &operator, || progress.step());
        let imported = seeded.await;
        progress.finish();
        let shown = configuration::shown(directory);
        let imported = imported.with_context(|| format!("cannot seed from {shown}"))?;
        print_imported(&imported, &format!("seeded from {shown}"), global);
    }
    Ok(())
}

/// Says what became of an import.
pub(crate) fn print_imported(imported: &Imported, what: &str, global: &Global) {
    for (name, reason) in &imported.refused {
        terminal::note(&terminal::printable(&format!(
            "left out `{name}`: {reason}"
        )));
    }
    if !global.quiet {
        let Imported {
            added,
            known,
            refused,
        } = imported;
        let left_out = refused.len();
        terminal::note(&format!(
            "{what}: {added} published, {known} there already, {left_out} left out"
        ));
    }
}
