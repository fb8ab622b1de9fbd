//! The skills that a command is about.

use std::env;
use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use prowess_config::{DialectName, Repository, RepositorySpec, SkillsConfig};
use prowess_core::{Scope, SkillId, Skills, SkillsBuilder, Source};
use prowess_mcp::McpSource;
use prowess_runtime::{CODE, builtin_ids, builtin_skills};
use prowess_sources::{
    ArchiveSource, FilesystemOptions, FilesystemSource, Network, ProgressReport, RemoteOptions,
    ResolveContext, UserDirectories, open_trusted, resolve,
};
use prowess_spec::manifest::Keyword;
use prowess_trust::ProjectRoot;

use crate::arguments::{Global, SourceArguments};
use crate::error::{Context, Result};
use crate::progress::FetchProgress;
use crate::target::{self, PathKind};
use crate::{configuration, environment, model, terminal};

/// Opens sources: the given directories, or those of the configuration.
pub(crate) fn builder(
    config: &SkillsConfig,
    context_window: Option<usize>,
    sources: &SourceArguments,
    global: &Global,
    progress: Option<ProgressReport>,
) -> Result<SkillsBuilder> {
    let mut config = config.clone();
    if let Some(disabled) = configuration::disabled(&config)
        && sources.directories.is_empty()
        && !global.quiet
    {
        terminal::note(&format!("note: {disabled}"));
    }
    if !sources.directories.is_empty() {
        // Then nothing else counts.
        config.skills.enabled = false;
    }
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let context = ResolveContext {
        context_window,
        ..context(&directory, &user, sources, global, progress)
    };
    let mut builder = resolve(&config, &context).reserve(builtin_ids());
    for named in &sources.directories {
        let name = named.display().to_string();
        let options = options_of(named, &directory);
        builder = match target::kind(named) {
            Ok(PathKind::Archive) => {
                let source = ArchiveSource::new(named, options.scope, options.strictness);
                builder.source(name, source)
            }
            Ok(PathKind::Directory(path)) => {
                let source = FilesystemSource::new(path, options);
                builder.source(name, source.cached_in(environment::cache_directory()))
            }
            // The source says why it cannot be read.
            Ok(PathKind::Other) | Err(_) => {
                builder.source(name, FilesystemSource::new(named, options))
            }
        };
    }
    Ok(builder)
}

fn context<'c>(
    directory: &'c Path,
    user: &'c UserDirectories,
    sources: &'c SourceArguments,
    global: &Global,
    progress: Option<ProgressReport>,
) -> ResolveContext<'c> {
    ResolveContext {
        directory,
        awaits_packages: sources.awaits_packages,
        user,
        remote: RemoteOptions {
            cache: environment::cache_directory(),
            network: match (global.offline, global.refresh) {
                (true, _) => Network::Offline,
                (false, true) => Network::Refresh,
                (false, false) => Network::Online,
            },
            progress,
        },
        builtin: Some(Arc::new(builtin_skills())),
        context_window: None,
        other: Some(&mcp_source),
        pending: Some(&sources.pending),
    }
}

/// Opens the sources of a project that the user trusts by now.
pub(crate) fn trusted(
    config: &SkillsConfig,
    sources: &SourceArguments,
    global: &Global,
) -> Result<()> {
    let directory = env::current_dir().context("cannot find the current directory")?;
    let user = environment::user_directories();
    let context = context(&directory, &user, sources, global, None);
    open_trusted(&sources.pending, config, &context);
    Ok(())
}

/// How a directory is searched that is named on the command line. One in the project is the project's, because naming it
/// says nothing about what the project put there.
pub(crate) fn options_of(named: &Path, working_directory: &Path) -> FilesystemOptions {
    let user = environment::user_directories();
    let root = ProjectRoot::find(working_directory, user.home.as_deref());
    if root.inside(&working_directory.join(named)).is_none() {
        return FilesystemOptions::new(Scope::User);
    }
    FilesystemOptions {
        links: user.links_of_project(root.path(), None),
        ..FilesystemOptions::new(Scope::Project)
    }
}

/// Source types with a separate crate.
fn mcp_source(repository: &Repository, remote: &RemoteOptions) -> Option<Arc<dyn Source>> {
    match repository.spec()? {
        RepositorySpec::Mcp(mcp) => {
            let source = McpSource::new(&repository.name, mcp.clone(), remote.clone());
            Some(Arc::new(source))
        }
        _ => None,
    }
}

/// The skills, with something to look at if they are far away.
pub(crate) fn skills(sources: &SourceArguments, global: &Global) -> Result<Skills> {
    let config = configuration::load(global)?;
    let window = model::configured_window(&config);
    skills_with(&config, window, sources, global, |builder| builder)
}

/// The same, presented differently.
pub(crate) fn skills_with(
    config: &SkillsConfig,
    context_window: Option<usize>,
    sources: &SourceArguments,
    global: &Global,
    change: impl FnOnce(SkillsBuilder) -> SkillsBuilder,
) -> Result<Skills> {
    let waiting = FetchProgress::new(global.quiet);
    let progress = Some(waiting.report());
    let builder = builder(config, context_window, sources, global, progress)?;
    // The same as in a chat.
    Ok(block_on(change(builder.capability(CODE)).build())?)
}

/// The dialect of that name.
pub(crate) fn dialect(name: &str) -> Result<DialectName> {
    let names = || {
        let names: Vec<&str> = DialectName::ALL.iter().map(|it| it.as_str()).collect();
        names.join(", ")
    };
    DialectName::parse(name)
        .with_context(|| format!("unknown dialect `{name}`; expected one of: {}", names()))
}

/// The id that a user typed; what is not one cannot exist.
pub(crate) fn parse_id(text: &str) -> Result<SkillId> {
    let text = text.strip_prefix('/').unwrap_or(text);
    Ok(text.parse()?)
}
