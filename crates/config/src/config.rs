//! From files to the one configuration.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_spec::{LineIndex, Span};
use prowess_trust::{ProjectRoot, ReachList};
use toml::de::DeTable;

use crate::error::Error;
use crate::file::{self, Loaded};
use crate::hide;
use crate::ignored::{IgnoredFile, IgnoredKey};
use crate::layer::{Context, Fault, Layer, Log, Part};
use crate::limits;
use crate::lookup::Lookup;
use crate::named_variables;
use crate::origin::{ConfigEntry, Origin, Scope};
use crate::places;
use crate::problem::{Problem, ProblemKind, SourceFile};
use crate::reach::{self, ReachContext};
use crate::reader::Reader;
use crate::registries::{self, RegistryEntry};
use crate::repositories::{self, Draft, Drafts};
use crate::repository::{Dropped, Repository, RepositoryState};
use crate::settings::{
    self, AuditSettings, ModelSettings, PackageSettings, PermissionSettings, RegistrySettings,
    SearchSettings, SkillSettings, StoreLocation,
};
use crate::shape::Shape;
use crate::values::Variables;

/// The merged configuration of all files and the defaults.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SkillsConfig {
    /// `[skills]`
    pub skills: SkillSettings,
    /// `[[skills.repositories]]`, the strongest first. Empty when no file has any: then the
    /// default places apply.
    pub repositories: Vec<Repository>,
    /// Repositories that lost to another of their name.
    pub dropped: Vec<Dropped>,
    /// `[permissions]`
    pub permissions: PermissionSettings,
    /// `[registry]`
    pub registry: RegistrySettings,
    /// `[[registries]]`, in order.
    pub registries: Vec<RegistryEntry>,
    /// `[packages]`
    pub packages: PackageSettings,
    /// `[model]`
    pub model: ModelSettings,
    /// `[search]`
    pub search: SearchSettings,
    /// `[audit]`
    pub audit: AuditSettings,
    /// `[store]`
    pub store: StoreLocation,
    /// The files that were read, the strongest first.
    pub files: Vec<(Scope, Arc<Path>)>,
    /// Files of a project that do not count.
    pub ignored_files: Vec<IgnoredFile>,
    /// The access of the project's file, if it exists.
    pub project: Option<ProjectTrust>,
    /// The environment variables that the files name: their values are for one server, and for no code of a skill.
    pub secret_variables: BTreeSet<String>,
    entries: Vec<ConfigEntry>,
    ignored: Vec<IgnoredKey>,
}

/// What a project's file reaches outside of the project, and whether the user said yes to that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectTrust {
    /// The real path of the project's root.
    pub root: PathBuf,
    /// Everything that it reaches.
    pub reach: ReachList,
    /// Whether the user accepted exactly this list, or it is empty.
    pub trusted: bool,
}

/// Everything that the tables hold.
struct Tree {
    skills: SkillSettings,
    repositories: Drafts,
    permissions: PermissionSettings,
    registry: RegistrySettings,
    registries: Vec<RegistryEntry>,
    packages: PackageSettings,
    model: ModelSettings,
    search: SearchSettings,
    audit: AuditSettings,
    store: StoreLocation,
}

impl SkillsConfig {
    /// The nearest `prowess.toml` from the working directory up to the root of its repository, over the user's own.
    pub fn load(lookup: &Lookup<'_>) -> Result<Self, Error> {
        let found = file::discover(lookup)?;
        let mut config = build(&found.files, lookup, Some(&found.root))?;
        config.ignored_files = found.ignored;
        Ok(config)
    }

    /// `path` and no other file.
    pub fn load_file(path: &Path, lookup: &Lookup<'_>) -> Result<Self, Error> {
        let path = lookup.directory.join(path);
        build(&[file::read(path, Scope::Explicit)?], lookup, None)
    }

    /// Every effective key, with its value as it may be shown and where it comes from.
    pub fn entries(&self) -> &[ConfigEntry] {
        &self.entries
    }

    /// Whether a file states this key.
    pub fn states(&self, key: &str) -> bool {
        let stated = |entry: &ConfigEntry| entry.key == key && entry.origin != Origin::Default;
        self.entries.iter().any(stated)
    }

    /// Every key that a project's file states and that only the user may.
    pub fn ignored(&self) -> &[IgnoredKey] {
        &self.ignored
    }

    /// Problems of repositories, each with the name of its repository.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.repositories.iter().flat_map(Repository::problems)
    }
}

impl Default for SkillsConfig {
    /// The defaults without any file.
    fn default() -> Self {
        let lookup = Lookup::new(Path::new(""));
        let mut log = Log::default();
        let (tree, _) = read(context(&lookup), &mut log, Vec::new());
        assemble(tree, log, Vec::new(), |_| Vec::new())
    }
}

/// Every key that exists.
pub(crate) fn shape() -> Shape {
    let lookup = Lookup::new(Path::new(""));
    read(context(&lookup), &mut Log::default(), Vec::new()).1
}

/// No files.
fn context<'a>(lookup: &'a Lookup<'a>) -> Context<'a> {
    Context {
        layers: &[],
        lookup,
        project: None,
        trusted: false,
    }
}

fn read<'d>(context: Context<'_>, log: &mut Log, parts: Vec<Part<'d>>) -> (Tree, Shape) {
    let mut t: Reader<'_, 'd> = Reader::new(context, log, Variables::Literal, String::new(), parts);
    let (skills, repositories) = t.section("skills", "Skills and their sources.", |t| {
        (settings::skills(t), repositories::read(t))
    });
    let about = "Permissions and limits of the code of skills.";
    let permissions = t.section("permissions", about, settings::permissions);
    let about = "The package registry.";
    let registry = t.section("registry", about, settings::registry);
    let registries = registries::read(&mut t);
    let about = "Installing packages of skills.";
    let packages = t.section("packages", about, settings::packages);
    let about = "The model that `prowess chat` uses.";
    let model = t.section("model", about, settings::model);
    let about = "How skills are found.";
    let search = t.section("search", about, settings::search);
    let about = "Findings of `prowess audit`.";
    let audit = t.section("audit", about, settings::audit);
    let about = "Where state is stored.";
    let store = t.section("store", about, settings::store);
    let tree = Tree {
        skills,
        repositories,
        permissions,
        registry,
        registries,
        packages,
        model,
        search,
        audit,
        store,
    };
    (tree, t.finish())
}

fn build(
    files: &[Loaded],
    lookup: &Lookup<'_>,
    root: Option<&ProjectRoot>,
) -> Result<SkillsConfig, Error> {
    let layers: Vec<Layer> = files.iter().map(layer).collect();
    let parsed: Vec<_> = files
        .iter()
        .map(|file| DeTable::parse_recoverable(&file.text))
        .collect();
    let project = root.and_then(|root| {
        let mut layers = layers.iter().zip(&parsed);
        let (layer, (table, _)) = layers.find(|(layer, _)| layer.scope == Scope::Project)?;
        let here = ReachContext {
            root,
            base: &layer.base,
            home: lookup.home,
        };
        let reach = reach::of_file(table.get_ref(), &here);
        Some(ProjectTrust {
            root: root.real().to_owned(),
            trusted: reach.is_empty() || (lookup.trusts)(root.real(), &reach),
            reach,
        })
    });
    let context = Context {
        layers: &layers,
        lookup,
        project: root,
        trusted: project.as_ref().is_some_and(|project| project.trusted),
    };
    let parts = parsed.iter().enumerate().map(|(layer, (table, _))| Part {
        layer,
        span: Span::at(0),
        table: table.get_ref(),
    });
    let mut log = Log::default();
    let (tree, _) = read(context, &mut log, parts.collect());

    let mut faults = std::mem::take(&mut log.faults);
    for (layer, (_, errors)) in parsed.iter().enumerate() {
        if !errors.is_empty() {
            // Other statements of a broken file are not reported.
            faults.retain(|fault| fault.layer != layer);
            faults.extend(errors.iter().map(|error| syntax(layer, error)));
        }
    }
    let sources = files.iter().zip(&parsed).enumerate();
    let sources: Vec<Source<'_>> = sources
        .map(|(layer, (file, (_, errors)))| {
            let hidden = log.hidden.iter().filter(|(of, _)| *of == layer);
            let mut hidden: Vec<Span> = hidden.map(|(_, span)| *span).collect();
            if !errors.is_empty() {
                hidden.extend(hide::guess(&file.text));
            }
            Source::new(file, &mut hidden)
        })
        .collect();
    if !faults.is_empty() {
        return Err(invalid(faults, &sources));
    }
    let files = files
        .iter()
        .map(|file| (file.scope, Arc::clone(&file.path)));
    let problems = |faults| problems(faults, &sources);
    let mut config = assemble(tree, log, files.collect(), problems);
    config.project = project;
    let named = parsed.iter().map(|(table, _)| table.get_ref());
    config.secret_variables = named.flat_map(named_variables::of_file).collect();
    Ok(config)
}

fn assemble(
    tree: Tree,
    log: Log,
    files: Vec<(Scope, Arc<Path>)>,
    problems: impl Fn(Vec<Fault>) -> Vec<Problem>,
) -> SkillsConfig {
    let repository = |draft: Draft| Repository {
        name: draft.name,
        kind: draft.kind,
        origin: draft.origin,
        state: match draft.spec {
            _ if !draft.enabled => RepositoryState::Disabled,
            _ if !draft.untrusted.is_empty() && draft.faults.is_empty() => {
                RepositoryState::Untrusted(draft.untrusted)
            }
            Some(spec) if draft.faults.is_empty() => RepositoryState::Ready(spec),
            _ => RepositoryState::Failed(problems(draft.faults)),
        },
    };
    let Drafts { used, dropped } = tree.repositories;
    SkillsConfig {
        skills: tree.skills,
        repositories: used.into_iter().map(repository).collect(),
        dropped,
        permissions: tree.permissions,
        registry: tree.registry,
        registries: tree.registries,
        packages: tree.packages,
        model: tree.model,
        search: tree.search,
        audit: tree.audit,
        store: tree.store,
        files,
        ignored_files: Vec::new(),
        project: None,
        secret_variables: BTreeSet::new(),
        entries: log.entries,
        ignored: log.ignored,
    }
}

fn layer(file: &Loaded) -> Layer {
    let after_breaks = file.text.match_indices('\n').map(|(at, _)| at + 1);
    Layer {
        scope: file.scope,
        path: Arc::clone(&file.path),
        base: places::directory_of(&file.path),
        lines: std::iter::once(0).chain(after_breaks).collect(),
    }
}

fn syntax(layer: usize, error: &toml::de::Error) -> Fault {
    let span = error.span().unwrap_or_default();
    Fault {
        layer,
        span: Span::new(span.start, span.end),
        key: String::new(),
        kind: ProblemKind::Syntax {
            message: error.message().to_owned(),
        },
    }
}

/// A file, ready to be shown.
struct Source<'f> {
    shown: Arc<SourceFile>,
    index: LineIndex<'f>,
}

impl<'f> Source<'f> {
    fn new(file: &'f Loaded, hidden: &mut [Span]) -> Self {
        Self {
            shown: Arc::new(SourceFile {
                path: Arc::clone(&file.path),
                text: hide::blot(&file.text, hidden),
            }),
            index: LineIndex::new(file.text.as_bytes()),
        }
    }
}

fn problems(mut faults: Vec<Fault>, sources: &[Source<'_>]) -> Vec<Problem> {
    faults.sort_by_key(|fault| (fault.layer, fault.span));
    let problem = |fault: Fault| {
        let source = sources.get(fault.layer)?;
        Some(Problem {
            file: Arc::clone(&source.shown),
            span: fault.span,
            position: source.index.position(fault.span.start),
            key: fault.key,
            kind: fault.kind,
        })
    };
    faults.into_iter().filter_map(problem).collect()
}

fn invalid(mut faults: Vec<Fault>, sources: &[Source<'_>]) -> Error {
    let all = faults.len();
    faults.sort_by_key(|fault| (fault.layer, fault.span));
    let mut counts = vec![0_usize; sources.len()];
    faults.retain(|fault| {
        let count = counts.get_mut(fault.layer);
        count.is_some_and(|count| {
            *count += 1;
            *count <= limits::PROBLEMS
        })
    });
    Error::Invalid {
        omitted: all - faults.len(),
        problems: problems(faults, sources),
    }
}
