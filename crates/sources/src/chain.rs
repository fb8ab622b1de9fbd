//! Where skills are searched by default.

use std::path::{Path, PathBuf};

use prowess_core::Scope;
use prowess_trust::ProjectRoot;

use crate::agents::{AT_ROOT, PACKAGES, in_config, in_project};
use crate::filesystem::{FilesystemOptions, FilesystemSource, Links, Strictness};

/// The directories that the environment names; the caller that reads the environment sets them.
#[derive(Clone, Debug, Default)]
pub struct UserDirectories {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The configuration directory, such as `~/.config`.
    pub config: Option<PathBuf>,
    /// Directories of agents that are not in the home directory, by their name there, such as `.claude`:
    /// [`HOME_VARIABLES`](prowess_agents::HOME_VARIABLES) names the variables.
    pub moved: Vec<(&'static str, PathBuf)>,
}

impl UserDirectories {
    /// The directories of the user's skills, with their names in listings.
    fn skills(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let config = self.config.iter().flat_map(|config| {
            in_config().map(|below| (format!("~config/{below}"), config.join(below)))
        });
        let home = self.home.iter().flat_map(|home| {
            let below = prowess_agents::in_home().iter();
            below.map(|below| (format!("~/{below}"), self.in_home(home, below)))
        });
        config.chain(home)
    }

    /// A directory below the home directory, or where a variable says it is.
    fn in_home(&self, home: &Path, below: &str) -> PathBuf {
        let moved = self.moved.iter().find_map(|(name, path)| {
            let rest = below.strip_prefix(name)?.strip_prefix('/')?;
            Some(path.join(rest))
        });
        moved.unwrap_or_else(|| home.join(below))
    }

    /// Where links in a project's directories of skills may lead: to the project, to the user's skills, which the
    /// user's agents see anyway, and to a directory outside that the user agreed to.
    pub fn links_of_project(&self, root: &Path, outside: Option<&Path>) -> Links {
        let user = self.skills().map(|(_, path)| path);
        let stated = [Some(root), outside].into_iter().flatten();
        Links::Below(stated.map(Path::to_owned).chain(user).collect())
    }
}

/// A directory of the default chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// How listings call it.
    pub name: String,
    /// The directory.
    pub path: PathBuf,
    /// Whose skills are there.
    pub scope: Scope,
    /// Where links may lead.
    pub links: Links,
}

impl ChainLink {
    /// The directory as a source.
    pub fn source(&self, strictness: Strictness) -> FilesystemSource {
        let options = FilesystemOptions {
            strictness,
            links: self.links.clone(),
            awaited: !self.path.is_dir(),
            ..FilesystemOptions::new(self.scope)
        };
        FilesystemSource::new(&self.path, options)
    }
}

/// The directories that exist, the most important first: from `start` up to the repository's root, then the
/// user's.
pub fn default_chain(start: &Path, user: &UserDirectories) -> Vec<ChainLink> {
    chain(start, user, &[])
}

/// The same with the directories that packages are installed to, also before they exist: for a process that watches them.
pub fn awaited_chain(start: &Path, user: &UserDirectories) -> Vec<ChainLink> {
    let root = repository_root(start, user.home.as_deref());
    let places = [Some(root), user.home.clone()].into_iter().flatten();
    let awaited: Vec<PathBuf> = places.map(|it| it.join(PACKAGES)).collect();
    chain(start, user, &awaited)
}

fn chain(start: &Path, user: &UserDirectories, awaited: &[PathBuf]) -> Vec<ChainLink> {
    let root = repository_root(start, user.home.as_deref());
    let links = user.links_of_project(&root, None);
    let mut chain = Vec::new();
    for directory in start.ancestors() {
        let at_root = directory == root;
        let further: &[&str] = if at_root { &AT_ROOT } else { &[] };
        for below in in_project().chain(further.iter().copied()) {
            chain.push(ChainLink {
                name: project_name(&root, directory, below),
                path: directory.join(below),
                scope: Scope::Project,
                links: links.clone(),
            });
        }
        if at_root {
            break;
        }
    }
    chain.extend(user.skills().map(|(name, path)| ChainLink {
        name,
        path,
        scope: Scope::User,
        links: Links::Anywhere,
    }));
    let mut seen = Vec::new();
    chain.retain(|link| {
        let Ok(canonical) = link.path.canonicalize() else {
            return awaited.contains(&link.path);
        };
        let new = canonical.is_dir() && !seen.contains(&canonical);
        seen.push(canonical);
        new
    });
    chain
}

/// The nearest directory with a repository in it; without one, the starting point itself.
pub fn repository_root(start: &Path, home: Option<&Path>) -> PathBuf {
    ProjectRoot::find(start, home).path().to_owned()
}

/// `.agents/skills`, with the way to it when it is not at the root.
fn project_name(root: &Path, directory: &Path, below: &str) -> String {
    match directory.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => format!("{}/{below}", inside.display()),
        _ => below.to_owned(),
    }
}
