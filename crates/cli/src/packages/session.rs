//! What every command about packages starts from: the place, its lock file, the store.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use prowess_config::SkillsConfig;
use prowess_registry::{
    Agent, AppliedNote, InstallableTree, LockFile, LockedSkill, Package, PackageReference,
    PackageStore, Place, Transaction, UserHome,
};
use prowess_sources::{Network, RemoteOptions};
use prowess_spec::nearest;
use prowess_trust::ProjectRoot;

use super::interrupted;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::progress::FetchProgress;
use crate::registries::{Registries, RegistryArgument};
use crate::{configuration, environment, terminal};

/// Where a command works.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct ScopeArgument {
    /// Where skills are installed
    #[arg(long, value_enum)]
    pub(super) scope: Option<ScopeName>,
}

/// A scope, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    /// In this project, for everyone who works on it
    Project,
    /// For you, in every project
    User,
}

/// The place that a command is about.
pub(super) struct Session<'g> {
    pub(super) global: &'g Global,
    pub(super) config: SkillsConfig,
    pub(super) place: Place,
    pub(super) store: PackageStore,
    pub(super) registries: Registries,
    home: PathBuf,
    config_directory: PathBuf,
}

impl<'g> Session<'g> {
    pub(super) fn open(scope: ScopeName, global: &'g Global) -> Result<Self> {
        let config = configuration::load(global)?;
        let user = environment::user_directories();
        let home = user
            .home
            .context("cannot find the home directory: set HOME")?;
        let config_directory = user.config.unwrap_or_else(|| home.join(".config"));
        let data = environment::data_directory().context("cannot find the data directory")?;
        let user_home = UserHome {
            home: &home,
            config: &config_directory,
            variable: &environment::variable,
        };
        let place = match scope {
            ScopeName::User => Place::user(&user_home),
            ScopeName::Project => {
                let here = env::current_dir().context("cannot find the current directory")?;
                let root = ProjectRoot::find(&here, Some(&home));
                if root.path() == home {
                    let message = "the home directory is not a project";
                    return Err(CommandError::usage(message)
                        .hint("`prowess install` installs skills for you, in every project"));
                }
                Place::project(&here, root.path(), &user_home)
            }
        };
        Ok(Self {
            global,
            registries: Registries::new(&config, global),
            config,
            place,
            store: PackageStore::new(data.join("packages")),
            home,
            config_directory,
        })
    }

    /// The same, asking only the registry that the user named, if any.
    pub(super) fn limited(mut self, registry: &RegistryArgument) -> Result<Self> {
        self.registries = self.registries.limited(registry)?;
        Ok(self)
    }

    /// Opens a package, wherever it comes from.
    pub(super) fn open_package(
        &self,
        reference: &PackageReference,
        remote: &RemoteOptions,
    ) -> Result<Package> {
        match reference {
            PackageReference::Registry {
                registry,
                name,
                versions,
            } => self
                .registries
                .fetch(registry.as_ref(), name, versions.as_ref(), remote),
            other => Ok(Package::open(other, self.place.root(), remote)?),
        }
    }

    pub(super) fn user_home(&self) -> UserHome<'_> {
        UserHome {
            home: &self.home,
            config: &self.config_directory,
            variable: &environment::variable,
        }
    }

    pub(super) fn lock(&self) -> Result<LockFile> {
        Ok(self.place.read_lock()?)
    }

    /// The lock file as it was when this machine was last changed to it.
    pub(super) fn applied(&self) -> LockFile {
        let (scope, root) = self.applied_key();
        self.store.applied(scope, &root)
    }

    /// The note of what was applied here.
    pub(super) fn applied_note(&self) -> AppliedNote {
        let (scope, root) = self.applied_key();
        self.store.applied_note(scope, &root)
    }

    fn applied_key(&self) -> (&'static str, PathBuf) {
        let root = std::fs::canonicalize(self.place.root());
        let root = root.unwrap_or_else(|_| self.place.root().to_owned());
        let scope = if self.place.is_project() {
            "project"
        } else {
            "user"
        };
        (scope, root)
    }

    /// Stores a version of a skill, for merges and for `sync`.
    pub(super) fn keep(&self, locked: &LockedSkill, tree: &InstallableTree) -> Result<()> {
        let directory = self.store.directory();
        self.store
            .insert(locked.digest, tree.files())
            .with_context(|| format!("cannot write {}", configuration::shown(directory)))
    }

    /// Locks the place, and finishes or undoes what a killed process began.
    pub(super) fn begin(&self) -> Result<Transaction> {
        if !self.place.is_project()
            && let Some(directory) = self.place.lock_path().parent()
        {
            environment::make_private_directory(directory)?;
        }
        let skills = self.place.skills();
        let journals = self.store.directory().join("journals");
        // What a killed command began may be finished here.
        let work = environment::work_records();
        let _writing = work.map(|work| work.writing(self.place.root()));
        let waiting = || terminal::note("waiting for another prowess to finish");
        let begun = Transaction::begin(&skills, self.place.within(), &journals, waiting);
        let mut transaction =
            begun.with_context(|| format!("cannot change {}", configuration::shown(&skills)))?;
        if let Some(recovery) = transaction.take_recovery() {
            interrupted::report(&recovery)?;
        }
        Ok(transaction)
    }

    /// Finishes or undoes what a killed process began, if there is such a thing.
    pub(super) fn recover(&self) -> Result<()> {
        if self.is_interrupted() {
            drop(self.begin()?);
        }
        Ok(())
    }

    /// Whether a killed process left something to finish.
    pub(super) fn is_interrupted(&self) -> bool {
        let journals = self.store.directory().join("journals");
        prowess_registry::is_interrupted(&self.place.skills(), &journals)
    }

    /// The options for fetching, with progress.
    pub(super) fn remote(&self, progress: &FetchProgress) -> RemoteOptions {
        RemoteOptions {
            cache: environment::cache_directory(),
            network: match (self.global.offline, self.global.refresh) {
                (true, _) => Network::Offline,
                (false, true) => Network::Refresh,
                (false, false) => Network::Online,
            },
            progress: Some(progress.report()),
        }
    }

    /// The reference that a person typed: paths are relative to the working directory.
    pub(super) fn reference(&self, text: &str) -> Result<PackageReference> {
        let host = &self.config.packages.default_host;
        let is_namespace = |owner: &str| self.registries.claims(owner);
        let reference = PackageReference::parse_with(text, host, is_namespace);
        let here = env::current_dir().context("cannot find the current directory")?;
        let absolute = |path: &Path| match path.strip_prefix("~") {
            Ok(rest) => self.home.join(rest),
            Err(_) => here.join(path),
        };
        Ok(match reference? {
            PackageReference::Directory(path) => PackageReference::Directory(absolute(&path)),
            PackageReference::Archive(path, inside) => {
                PackageReference::Archive(absolute(&path), inside)
            }
            // A name is meant if there is no such directory; both could be.
            PackageReference::Registry {
                registry: None,
                name,
                ..
            } if !text.starts_with("registry:") && here.join(name.to_string()).is_dir() => {
                return Err(CommandError::usage(format!(
                    "`{name}` is the name of a package and of a directory"
                ))
                .hint(format!(
                    "write `./{name}` for the directory, `registry:{name}` for the package"
                )));
            }
            other => other,
        })
    }

    /// Prints a line about a phase.
    pub(super) fn phase(&self, text: &str, began: Instant) {
        if !self.global.quiet {
            let seconds = began.elapsed().as_secs_f64();
            terminal::note(&terminal::printable(&format!("{text} in {seconds:.2} s")));
        }
    }
}

/// Which agents get a skill.
#[derive(Args, Default)]
pub(crate) struct AgentArguments {
    /// Agents that get a link, or `all` [default: those that are present]
    #[arg(long = "agent", value_name = "AGENT", value_delimiter = ',')]
    pub(super) agents: Vec<String>,
    /// Copy skills into the directories of agents instead of linking them
    #[arg(long)]
    pub(super) copy: bool,
}

impl AgentArguments {
    pub(super) fn choose(&self, session: &Session<'_>) -> Result<Vec<&'static Agent>> {
        if self.agents.is_empty() {
            return Ok(session.place.present(&session.user_home()));
        }
        if self.agents.iter().any(|it| it == "all") {
            return Ok(Agent::with_skills().collect());
        }
        let find = |id: &String| {
            let agent = Agent::named(id).filter(|agent| agent.project.is_some());
            agent.ok_or_else(|| {
                let ids = || Agent::with_skills().map(|agent| agent.id);
                let begins: Vec<&str> = ids().filter(|it| it.starts_with(id.as_str())).collect();
                let near = if begins.is_empty() {
                    nearest(id, ids()).join(", ")
                } else {
                    begins.join(", ")
                };
                let error = CommandError::usage(format!("unknown agent `{id}`"));
                match near.as_str() {
                    "" => error.hint("`prowess add --help` lists the most used ones"),
                    near => error.hint(format!("did you mean {near}?")),
                }
            })
        };
        self.agents.iter().map(find).collect()
    }
}
