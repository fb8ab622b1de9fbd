//! The environment of the loader, given by the caller, because the loader does not read it.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use prowess_trust::ReachList;

/// Where to look for files, and where `~` and `${VAR}` come from.
///
/// ```
/// use std::path::Path;
/// use prowess_config::{Lookup, SkillsConfig};
///
/// let directory = std::env::temp_dir();
/// let lookup = Lookup {
///     home: Some(Path::new("/home/ada")),
///     variables: &|name| std::env::var_os(name),
///     ..Lookup::new(&directory)
/// };
/// let config = SkillsConfig::load(&lookup)?;
/// assert!(config.skills.enabled);
/// # Ok::<(), prowess_config::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// The working directory, absolute: the search for `prowess.toml` begins here.
    pub directory: &'a Path,
    /// The meaning of `~`.
    pub home: Option<&'a Path>,
    /// The directory of the user's configuration, which holds `prowess/prowess.toml`.
    pub user_config: Option<&'a Path>,
    /// The value of an environment variable.
    pub variables: &'a dyn Fn(&str) -> Option<OsString>,
    /// Whether the user accepted this access for the project with this root.
    pub trusts: &'a dyn Fn(&Path, &ReachList) -> bool,
}

impl<'a> Lookup<'a> {
    /// Only a working directory: no home, no user's configuration, no variables, no trust.
    pub fn new(directory: &'a Path) -> Self {
        Self {
            directory,
            home: None,
            user_config: None,
            variables: &|_| None,
            trusts: &|_, _| false,
        }
    }
}

impl fmt::Debug for Lookup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("directory", &self.directory)
            .field("home", &self.home)
            .field("user_config", &self.user_config)
            .finish_non_exhaustive()
    }
}
