//! The tokens of the user: in the system's keyring, or in a file that only the user can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use prowess_registry::RegistryToken;
use toml_edit::{DocumentMut, Item, Table, value};
use url::Url;

use super::secret_tool;
use crate::error::{CommandError, Context, Result};
use crate::rewrite::{self, Access};
use crate::{configuration, environment, terminal};

/// The file in the configuration directory.
const FILE: &str = "credentials.toml";
/// Bytes of the file.
const FILE_BYTES: u64 = 4 * 1024 * 1024;
/// The table with one table for each registry.
const TABLE: &str = "registry";

/// Where a token was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenPlace {
    Keyring,
    File(PathBuf),
}

/// The tokens of the user, by the URL of their registry.
pub(super) struct Credentials {
    path: PathBuf,
}

impl Credentials {
    pub(super) fn of_user() -> Result<Self> {
        let directory = environment::user_directories().config;
        let directory = directory.context("cannot find the configuration directory: set HOME")?;
        Ok(Self {
            path: directory.join("prowess").join(FILE),
        })
    }

    /// The token for a registry.
    pub(super) fn get(&self, registry: &Url) -> Result<Option<RegistryToken>> {
        let key = key(registry);
        let document = self.read()?;
        let entry = document.get(TABLE).and_then(|it| it.get(&key));
        let Some(entry) = entry else {
            return Ok(None);
        };
        if let Some(token) = entry.get("token").and_then(Item::as_str) {
            return Ok(RegistryToken::new(token));
        }
        let token = secret_tool::load(&key);
        if token.is_none() {
            terminal::note(&format!(
                "warning: the keyring has no token for {key}; run `prowess login {key}`"
            ));
        }
        Ok(token)
    }

    /// Stores the token for a registry.
    pub(super) fn set(&self, registry: &Url, token: &RegistryToken) -> Result<TokenPlace> {
        let key = key(registry);
        let mut entry = Table::new();
        let is_available = secret_tool::is_available();
        let place = if is_available && secret_tool::store(&key, token) {
            entry.insert("keyring", value(true));
            TokenPlace::Keyring
        } else {
            if is_available {
                terminal::note("warning: the keyring did not store the token; a file is used");
            }
            entry.insert("token", value(token.expose()));
            TokenPlace::File(self.path.clone())
        };
        self.change(|tokens| {
            tokens.insert(&key, Item::Table(entry.clone()));
        })?;
        Ok(place)
    }

    /// Removes the token for a registry; whether there was one.
    pub(super) fn remove(&self, registry: &Url) -> Result<bool> {
        let key = key(registry);
        let mut removed = None;
        self.change(|tokens| removed = tokens.remove(&key))?;
        let Some(removed) = removed else {
            return Ok(false);
        };
        if removed.get("keyring").is_some() && !secret_tool::remove(&key) {
            terminal::note("warning: the keyring did not remove the token");
        }
        Ok(true)
    }

    fn read(&self) -> Result<DocumentMut> {
        let shown = configuration::shown(&self.path);
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.with_context(|| format!("cannot read {shown}"))?,
        };
        make_private(&self.path);
        self.parse(&text)
    }

    /// The error of the parser would show the line, and a token in it.
    fn parse(&self, text: &str) -> Result<DocumentMut> {
        text.parse().map_err(|_| {
            let shown = configuration::shown(&self.path);
            CommandError::failure(format!("cannot read {shown}: invalid TOML"))
        })
    }

    fn change(&self, mut change: impl FnMut(&mut Table)) -> Result<()> {
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let shown = configuration::shown(&self.path);
        environment::make_private_directory(directory)
            .with_context(|| format!("cannot write {shown}"))?;
        rewrite::edit(&self.path, &shown, FILE_BYTES, Access::Private, |text| {
            let mut document = self.parse(text)?;
            change(tokens(&mut document)?);
            Ok(document.to_string())
        })?;
        Ok(())
    }
}

fn tokens(document: &mut DocumentMut) -> Result<&mut Table> {
    let mut empty = Table::new();
    empty.set_implicit(true);
    let table = document.entry(TABLE).or_insert(Item::Table(empty));
    table
        .as_table_mut()
        .context("invalid credentials.toml: expected tables")
}

fn key(registry: &Url) -> String {
    registry.as_str().trim_end_matches('/').to_owned()
}

/// Takes the file away from others, who may have read it.
fn make_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(found) = fs::symlink_metadata(path) else {
            return;
        };
        if found.is_file() && found.permissions().mode() & 0o077 != 0 {
            let shown = configuration::shown(path);
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
            terminal::note(&format!(
                "warning: {shown} was readable by other users; now it is not"
            ));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn tokens_are_stored_by_registry_in_a_private_file() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("prowess").join(FILE);
        let credentials = Credentials { path: path.clone() };
        let url = |text: &str| Url::parse(text).unwrap();
        let token = |text: &str| RegistryToken::new(text).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, "[registry.\"https://a.example\"]\ntoken = \"one\"\n").unwrap();
        assert_eq!(
            credentials.get(&url("https://a.example/")).unwrap(),
            Some(token("one"))
        );
        for other in [
            "https://b.example",
            "http://a.example",
            "https://a.example:8443",
            "https://a.example/x",
        ] {
            assert_eq!(credentials.get(&url(other)).unwrap(), None, "{other}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        credentials.get(&url("https://a.example")).unwrap();
        assert_eq!(mode(), 0o600);
        fs::write(&path, "token = secret-text").unwrap();
        let refused = credentials.get(&url("https://a.example")).unwrap_err();
        assert!(!refused.message.contains("secret-text"), "{refused}");
    }
}
