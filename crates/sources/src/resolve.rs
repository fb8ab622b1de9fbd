//! From configuration to sources: the only road.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use prowess_config::{Repository, RepositorySpec, RepositoryState, Scope as Whose, SkillsConfig};
use prowess_core::{
    Collisions, Dialect, Document, FileEntry, FilePart, Scope, SkillId, Skills, SkillsBuilder,
    Snapshot, Source, SourceError,
};
use prowess_spec::SkillPath;
use prowess_spec::manifest::Keyword;
use prowess_trust::ProjectRoot;

use crate::archive::ArchiveSource;
use crate::chain::{UserDirectories, awaited_chain, default_chain};
use crate::filesystem::{FilesystemOptions, FilesystemSource, Links, Strictness};
use crate::pending::{PendingSource, PendingSources};
use crate::remote::RemoteOptions;

/// Options that are not part of the configuration.
#[derive(Clone)]
pub struct ResolveContext<'a> {
    /// The working directory, from which the default chain begins.
    pub directory: &'a Path,
    /// The user's directories.
    pub user: &'a UserDirectories,
    /// Whether the directories that packages are installed to count before they exist: for a process that watches them.
    pub awaits_packages: bool,
    /// The cache, and whether the network may be used.
    pub remote: RemoteOptions,
    /// The built-in skills of a program, with the lowest priority.
    pub builtin: Option<Arc<dyn Source>>,
    /// Tokens that the model takes, if known.
    pub context_window: Option<usize>,
    /// Makes sources of the types that are not at home in this crate.
    pub other: Option<&'a OtherSources<'a>>,
    /// Collects the sources that wait for the user's answer.
    pub pending: Option<&'a PendingSources>,
}

/// Makes the source of a repository, if it knows the type.
pub type OtherSources<'a> = dyn Fn(&Repository, &RemoteOptions) -> Option<Arc<dyn Source>> + 'a;

/// Skills as the configuration wants them.
///
/// Those of the project come first, then those of the user, then built-in skills; repositories come before the usual
/// directories. An unusable repository is a source that reports the reason; the
/// others are not affected. With skills disabled there are no sources except those that the caller adds to the builder.
pub fn resolve(config: &SkillsConfig, context: &ResolveContext<'_>) -> SkillsBuilder {
    let settings = &config.skills;
    let mut dialect = Dialect::named(settings.dialect.as_str()).unwrap_or_default();
    // The sources below are in the order of their importance.
    dialect.collisions = Collisions::FirstWins;
    if config.states("skills.max_injection_bytes") {
        dialect.limits.skill_bytes = settings.max_injection_bytes;
    }
    if config.states("skills.inventory_threshold") {
        dialect.limits.inventory_threshold = settings.inventory_threshold;
    }
    let mut builder = Skills::builder()
        .dialect(dialect)
        .max_skills(settings.max_skills)
        .except(&settings.disabled)
        .context_share(settings.context_share);
    builder = match (settings.catalog_budget, context.context_window) {
        (Some(tokens), _) => builder.catalog_tokens(tokens),
        (None, Some(window)) => builder.context_window(window),
        (None, None) => builder,
    };
    if !settings.enabled {
        return builder;
    }
    let strictness = strictness(config);
    let mut usual_places = if settings.usual_places {
        let chain = if context.awaits_packages {
            awaited_chain
        } else {
            default_chain
        };
        chain(context.directory, context.user)
    } else {
        Vec::new()
    };
    let named: Vec<PathBuf> = config.repositories.iter().filter_map(directory).collect();
    usual_places.retain(|link| !named.iter().any(|named| is_same(named, &link.path)));
    let cache = || context.remote.cache.clone();
    for scope in [Scope::Project, Scope::User] {
        let stated = config.repositories.iter();
        for repository in stated.filter(|repository| scope_of(repository) == scope) {
            if let Some(source) = source(repository, strictness, context) {
                builder = builder.source(&repository.name, source);
            }
        }
        for link in usual_places.iter().filter(|link| link.scope == scope) {
            let source = link.source(strictness);
            builder = builder.source(&link.name, source.cached_in(cache()));
        }
    }
    match &context.builtin {
        Some(builtin) if settings.builtin => builder.source("built-in", Arc::clone(builtin)),
        _ => builder,
    }
}

/// Opens the sources that waited for the user's answer and are trusted by now.
pub fn open_trusted(pending: &PendingSources, config: &SkillsConfig, context: &ResolveContext<'_>) {
    let strictness = strictness(config);
    pending.open(|name| {
        let mut repositories = config.repositories.iter();
        let repository = repositories.find(|it| it.name == name && it.spec().is_some())?;
        source(repository, strictness, context)
    });
}

fn strictness(config: &SkillsConfig) -> Strictness {
    if config.skills.strict {
        Strictness::Strict
    } else {
        Strictness::Tolerant
    }
}

/// The directory that a repository is, if it is one.
fn directory(repository: &Repository) -> Option<PathBuf> {
    match repository.spec()? {
        RepositorySpec::Filesystem { path } => Some(path.clone()),
        _ => None,
    }
}

/// Whether two paths lead to one directory.
fn is_same(a: &Path, b: &Path) -> bool {
    a.canonicalize()
        .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Whose statement a repository is.
fn scope_of(repository: &Repository) -> Scope {
    match repository.origin.scope() {
        Some(Whose::Project) => Scope::Project,
        // A file that is named on the command line is the user's statement.
        _ => Scope::User,
    }
}

/// The source of a repository; none if it is disabled.
fn source(
    repository: &Repository,
    strictness: Strictness,
    context: &ResolveContext<'_>,
) -> Option<Arc<dyn Source>> {
    let spec = match &repository.state {
        RepositoryState::Disabled => return None,
        RepositoryState::Ready(spec) => spec,
        RepositoryState::Failed(problems) => {
            let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Some(Arc::new(UnavailableSource::new(messages.join("; "))));
        }
        RepositoryState::Untrusted(reach) => {
            let source = Arc::new(PendingSource::new(reach));
            if let Some(pending) = context.pending {
                pending.add(&repository.name, Arc::clone(&source));
            }
            return Some(source);
        }
    };
    let scope = scope_of(repository);
    let remote = || context.remote.clone();
    Some(match spec {
        RepositorySpec::Filesystem { path } => {
            let mut options = FilesystemOptions::new(scope);
            options.strictness = strictness;
            if scope == Scope::Project {
                options.links = links_of_project(path, context);
            }
            let cache = context.remote.cache.clone();
            Arc::new(FilesystemSource::new(path, options).cached_in(cache))
        }
        RepositorySpec::Archive { path } => Arc::new(ArchiveSource::new(path, scope, strictness)),
        #[cfg(feature = "git")]
        RepositorySpec::Git(git) => {
            Arc::new(crate::GitSource::new(git.clone(), strictness, remote()))
        }
        #[cfg(feature = "http")]
        RepositorySpec::Http(http) => Arc::new(crate::HttpSource::new(http.clone(), remote())),
        #[cfg(feature = "sql")]
        RepositorySpec::Sql(sql) => Arc::new(crate::SqlSource::new(sql.clone(), &remote())),
        _ => {
            let other = context.other;
            let made = other.and_then(|other| other(repository, &remote()));
            made.unwrap_or_else(|| {
                let kind = repository.kind.as_str();
                Arc::new(UnavailableSource::new(format!(
                    "type `{kind}` is not supported by this build"
                )))
            })
        }
    })
}

/// Where links in a directory that a project's file names may lead. One outside of the project was shown to the user.
fn links_of_project(named: &Path, context: &ResolveContext<'_>) -> Links {
    let user = context.user;
    let root = ProjectRoot::find(context.directory, user.home.as_deref());
    let outside = root.inside(named).is_none().then_some(named);
    user.links_of_project(root.path(), outside)
}

/// A repository that cannot be used, and why.
pub struct UnavailableSource(SourceError);

impl UnavailableSource {
    /// A source without skills that reports the reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(SourceError::Unavailable(reason.into()))
    }
}

#[async_trait]
impl Source for UnavailableSource {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        Err(self.0.clone())
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        // It has no skills, so it never shadows another source.
        Err(SourceError::NotFound(id.clone()))
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        Err(SourceError::NotFound(id.clone()))
    }

    async fn read(
        &self,
        id: &SkillId,
        _: &SkillPath,
        _: u64,
        _: usize,
    ) -> Result<FilePart, SourceError> {
        Err(SourceError::NotFound(id.clone()))
    }
}
