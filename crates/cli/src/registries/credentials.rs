//! The tokens of the user: in the system's keyring, or in a file that only the user can read.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use prowess_registry::RegistryToken;
use toml_edit::{DocumentMut, Item, Table, value};
use url::Url;

use super::secret_tool;
use crate::error::{CommandError, Context, Result};
use crate::{configuration, environment, terminal};

/// The file in the configuration directory.
const FILE: &str = "credentials.toml";
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
        let mut document = self.read()?;
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
        tokens(&mut document)?.insert(&key, Item::Table(entry));
        self.write(&document)?;
        Ok(place)
    }

    /// Removes the token for a registry; whether there was one.
    pub(super) fn remove(&self, registry: &Url) -> Result<bool> {
        let key = key(registry);
        let mut document = self.read()?;
        let removed = tokens(&mut document)?.remove(&key);
        let Some(removed) = removed else {
            return Ok(false);
        };
        if removed.get("keyring").is_some() && !secret_tool::remove(&key) {
            terminal::note("warning: the keyring did not remove the token");
        }
        self.write(&document)?;
        Ok(true)
    }

    fn read(&self) -> Result<DocumentMut> {
        let cannot = || format!("cannot read {}", configuration::shown(&self.path));
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.with_context(cannot)?,
        };
        make_private(&self.path);
        // The error of the parser would show the line, and a token in it.
        text.parse()
            .map_err(|_| CommandError::failure(format!("{}: invalid TOML", cannot())))
    }

    fn write(&self, document: &DocumentMut) -> Result<()> {
        let write = || -> io::Result<()> {
            let directory = self.path.parent().unwrap_or(Path::new("."));
            environment::make_config_directory(directory)?;
            // Such a file is created for its owner alone.
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(document.to_string().as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", configuration::shown(&self.path)))
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
        let mut document = credentials.read().unwrap();
        let mut entry = Table::new();
        entry.insert("token", value("one"));
        tokens(&mut document)
            .unwrap()
            .insert("https://a.example", Item::Table(entry));
        credentials.write(&document).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
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
        assert!(credentials.remove(&url("https://a.example")).unwrap());
        assert!(!credentials.remove(&url("https://a.example")).unwrap());
        fs::write(&path, "token = secret-text").unwrap();
        let refused = credentials.get(&url("https://a.example")).unwrap_err();
        assert!(!refused.message.contains("secret-text"), "{refused}");
    }
}
