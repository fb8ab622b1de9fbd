//! The tables that are settings of the engine, and how they are read.

use std::path::PathBuf;
use std::time::Duration;

use prowess_spec::manifest::{Keyword, Permission};
use serde::Serialize;

use crate::address::Url;
use crate::keywords::{DialectName, SandboxMode, Scripts};
use crate::limits;
use crate::origin::Origin;
use crate::places::{self, Database};
use crate::problem::ProblemKind;
use crate::reader::{Reader, Width};
use crate::shape::{Field, FieldType, Need};
use crate::show::Shown;
use crate::texts;
use crate::values::{self, Variables};

/// `[skills]` without its repositories.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the file"
)]
pub struct SkillSettings {
    /// `false`: no discovery, no prompt, no tools.
    pub enabled: bool,
    /// Whether skills that `check` finds invalid are left out.
    pub strict: bool,
    /// How many skills a catalog may hold.
    pub max_skills: usize,
    /// How long the text of one skill may be.
    pub max_injection_bytes: usize,
    /// Up to how many skills the catalog is a flat list.
    pub inventory_threshold: usize,
    /// The share of the context window that the catalog may take.
    pub context_share: f64,
    /// Tokens that the catalog may take, whatever the window.
    pub catalog_budget: Option<usize>,
    /// Ids of skills that come first in the catalog.
    pub pinned: Vec<String>,
    /// Ids of skills that are left out; `tools/**` means everything below `tools`.
    pub disabled: Vec<String>,
    /// Whether the usual directories of the project and the user are searched.
    pub usual_places: bool,
    /// Whether the skills that come with the program are used.
    pub builtin: bool,
    /// Which tool names, shapes and texts are used.
    pub dialect: DialectName,
    /// Whether scripts run.
    pub scripts: Scripts,
    /// The confinement of code.
    pub sandbox: SandboxMode,
}

/// `[permissions]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PermissionSettings {
    /// Maximum number of model requests of a skill per turn.
    pub max_llm_calls_per_turn: u32,
    /// How many commands a skill may run in a turn.
    pub max_shell_exec_per_turn: u32,
    /// How often a skill may fetch in a turn.
    pub max_net_fetch_per_turn: u32,
    /// How long a command may take.
    pub shell_exec_timeout: Duration,
    /// How long a fetch may take.
    pub net_fetch_timeout: Duration,
    /// Permissions approved in advance, by id.
    pub approved: Vec<Approval>,
    /// Files and directories that no command in the sandbox sees, besides those that are known to hold secrets.
    pub secret_paths: Vec<PathBuf>,
}

/// Permissions of one skill that need no question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Approval {
    /// The id of the skill.
    pub skill: String,
    /// The approved permissions.
    pub permissions: Vec<Permission>,
    /// The origin of the approval.
    pub origin: Origin,
}

/// `[registry]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RegistrySettings {
    /// Where packages come from.
    pub url: Option<Url>,
    /// Where `prowess serve` stores the packages that are published: a directory, or `s3://BUCKET/PREFIX`.
    pub storage: Option<String>,
}

/// `[packages]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PackageSettings {
    /// The host of `owner/repo`.
    pub default_host: String,
    /// Beginnings of sources whose packages must be signed; `*` means all.
    pub require_signature: Vec<String>,
}

/// `[model]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelSettings {
    /// The provider of the model.
    pub provider: Option<String>,
    /// Which model.
    pub name: Option<String>,
    /// Where it is reached, when not at the provider's usual place.
    pub base_url: Option<Url>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// Whether it can call tools.
    pub tools: bool,
    /// Tokens that it takes.
    pub context_window: usize,
    /// Timeout until its answer begins.
    pub first_byte: Duration,
    /// Timeout between two parts of its answer.
    pub between_bytes: Duration,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            provider: None,
            name: None,
            base_url: None,
            api_key_env: None,
            tools: true,
            context_window: usize::try_from(limits::CONTEXT_WINDOW.default).unwrap_or(usize::MAX),
            first_byte: Duration::from_secs(limits::FIRST_BYTE_SECONDS.default.into()),
            between_bytes: Duration::from_secs(limits::BETWEEN_BYTES_SECONDS.default.into()),
        }
    }
}

/// `[audit]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditSettings {
    /// Findings that the user accepts: a rule and the digest of the skill, as in `control-file@sha256:1c89...`.
    pub allow: Vec<String>,
}

/// `[search]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SearchSettings {
    /// Whether skills that were loaded in this project for similar queries rank higher.
    pub history: bool,
    /// What computes vectors of meaning, if anything.
    pub embeddings: Option<EmbeddingsLocation>,
    /// The model that the endpoint is asked for.
    pub embeddings_model: Option<String>,
    /// The environment variable that holds the key of the endpoint.
    pub embeddings_key_env: Option<String>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            history: true,
            embeddings: None,
            embeddings_model: None,
            embeddings_key_env: None,
        }
    }
}

/// What computes vectors of meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmbeddingsLocation {
    /// A directory with `tokenizer.json` and a `.safetensors` file.
    Directory(PathBuf),
    /// The base URL of an OpenAI-compatible API.
    Endpoint(Url),
}

/// `[store]`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoreLocation {
    /// A file in the user's data directory.
    #[default]
    DefaultSqlite,
    /// A file.
    Sqlite(PathBuf),
    /// A `PostgreSQL` server.
    Postgres(Url),
}

pub(crate) fn skills(t: &mut Reader<'_, '_>) -> SkillSettings {
    SkillSettings {
        enabled: t.flag(
            "enabled",
            "Enable skills: discovery, prompt and tools.",
            true,
        ),
        strict: t.flag(
            "strict",
            "Ignore skills that `prowess check` reports as invalid.",
            false,
        ),
        max_skills: t.count(
            "max_skills",
            "Maximum number of skills in the catalog.",
            &limits::MAX_SKILLS,
        ),
        max_injection_bytes: t.count(
            "max_injection_bytes",
            "Maximum length of the text of one skill.",
            &limits::MAX_INJECTION_BYTES,
        ),
        inventory_threshold: t.count(
            "inventory_threshold",
            "Maximum number of skills in a flat catalog; above it, collections are listed.",
            &limits::INVENTORY_THRESHOLD,
        ),
        context_share: context_share(t),
        catalog_budget: catalog_budget(t),
        pinned: ids(
            t,
            "pinned",
            "Ids of skills that come first in the catalog, if not all fit.",
        ),
        disabled: ids(
            t,
            "disabled",
            "Ids of skills that are not used; `tools/**` means all skills below `tools`.",
        ),
        usual_places: t.flag(
            "usual_places",
            "Search the usual skill directories of the project and the user.",
            true,
        ),
        builtin: t.flag("builtin", "Use the skills that come with Prowess.", true),
        dialect: t.keyword(
            "dialect",
            "Tool names, result shapes and texts.",
            DialectName::Prowess,
        ),
        scripts: t.keyword(
            "scripts",
            "Whether scripts of skills can run.",
            Scripts::Ask,
        ),
        sandbox: t.keyword(
            "sandbox",
            "Sandbox for the code of skills; only your own file can disable it.",
            SandboxMode::Full,
        ),
    }
}

fn catalog_budget(t: &mut Reader<'_, '_>) -> Option<usize> {
    let bounds = &limits::CATALOG_BUDGET;
    let field = Field {
        name: "catalog_budget",
        about: "Maximum number of tokens of the catalog; overrides `context_share`.",
        kind: FieldType::Number {
            least: *bounds.range.start(),
            greatest: *bounds.range.end(),
        },
        need: Need::Optional,
    };
    let width = Width {
        of: &|tokens: &u32| f64::from(*tokens),
        default: f64::from(bounds.default),
    };
    let tokens = t.read(field, Shown::Plain, Some(&width), |_, value| {
        values::number(value, bounds)
    });
    tokens.and_then(|tokens| usize::try_from(tokens).ok())
}

fn ids(t: &mut Reader<'_, '_>, name: &'static str, about: &'static str) -> Vec<String> {
    let field = Field {
        name,
        about,
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let read = t.read(field, Shown::Plain, None, |context, value| {
        values::each(value, |item| {
            let id = context.text(item)?.text;
            let below = id.strip_suffix("/**").filter(|_| name == "disabled");
            texts::skill_id(below.unwrap_or(&id))?;
            Ok(id.into_owned())
        })
    });
    read.unwrap_or_default()
}

fn context_share(t: &mut Reader<'_, '_>) -> f64 {
    let field = Field {
        name: "context_share",
        about: "Maximum share of the context window for the catalog.",
        kind: FieldType::Share,
        need: Need::Default(limits::CONTEXT_SHARE.into()),
    };
    let width = Width {
        of: &|share: &f64| *share,
        default: limits::CONTEXT_SHARE,
    };
    t.read(field, Shown::Plain, Some(&width), |_, value| {
        values::share(value)
    })
    .unwrap_or(limits::CONTEXT_SHARE)
}

pub(crate) fn permissions(t: &mut Reader<'_, '_>) -> PermissionSettings {
    PermissionSettings {
        max_llm_calls_per_turn: t.number(
            "max_llm_calls_per_turn",
            "Maximum number of model requests of a skill per turn.",
            &limits::LLM_CALLS,
        ),
        max_shell_exec_per_turn: t.number(
            "max_shell_exec_per_turn",
            "Maximum number of commands of a skill per turn.",
            &limits::SHELL_EXECS,
        ),
        max_net_fetch_per_turn: t.number(
            "max_net_fetch_per_turn",
            "Maximum number of HTTP requests of a skill per turn.",
            &limits::NET_FETCHES,
        ),
        shell_exec_timeout: t.seconds(
            "shell_exec_timeout_seconds",
            "Timeout of a command.",
            &limits::SHELL_EXEC_SECONDS,
        ),
        net_fetch_timeout: t.seconds(
            "net_fetch_timeout_seconds",
            "Timeout of an HTTP request.",
            &limits::NET_FETCH_SECONDS,
        ),
        approved: approved(t),
        secret_paths: secret_paths(t),
    }
}

fn secret_paths(t: &mut Reader<'_, '_>) -> Vec<PathBuf> {
    let field = Field {
        name: "secret_paths",
        about: "Additional files and directories to hide from commands in the sandbox.",
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let read = t.read(field, Shown::Plain, None, |context, value| {
        values::each(value, |item| {
            Ok(places::path(context, &context.text(item)?)?)
        })
    });
    read.unwrap_or_default()
}

fn approved(t: &mut Reader<'_, '_>) -> Vec<Approval> {
    let about = "Permissions that are approved without asking, by skill id.";
    let kind = FieldType::List(Box::new(FieldType::Keyword(Permission::names())));
    let found = t.map(
        ("approved", about),
        kind,
        Shown::Plain,
        |context, id, value| {
            texts::skill_id(id)?;
            let mut permissions = values::each(value, |item| {
                Ok(values::keyword::<Permission>(&context.text(item)?.text)?)
            })?;
            permissions.sort_unstable_by_key(|permission| permission.as_str());
            permissions.dedup();
            Ok(permissions)
        },
    );
    found
        .into_iter()
        .map(|(skill, permissions, origin)| Approval {
            skill,
            permissions,
            origin,
        })
        .collect()
}

pub(crate) fn registry(t: &mut Reader<'_, '_>) -> RegistrySettings {
    let about = "URL of the package registry.";
    RegistrySettings {
        url: t.text(("url", about), Need::Optional, Shown::Url, places::base_url),
        storage: t.text(
            (
                "storage",
                "Where `prowess serve` stores published packages: a directory or `s3://BUCKET/PREFIX`.",
            ),
            Need::Optional,
            Shown::Plain,
            places::storage,
        ),
    }
}

pub(crate) fn packages(t: &mut Reader<'_, '_>) -> PackageSettings {
    let host = ("default_host", "Host of `owner/repo`.");
    let need = Need::Default(limits::DEFAULT_HOST.into());
    let field = Field {
        name: "require_signature",
        about: "Beginnings of sources whose packages must be signed; `*` means all.",
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let default_host = t.text(host, need, Shown::Plain, texts::line);
    let required = t.read(field, Shown::Plain, None, |context, value| {
        values::each(value, |item| Ok(context.text(item)?.text.into_owned()))
    });
    PackageSettings {
        default_host: default_host.unwrap_or_else(|| limits::DEFAULT_HOST.to_owned()),
        require_signature: required.unwrap_or_default(),
    }
}

pub(crate) fn model(t: &mut Reader<'_, '_>) -> ModelSettings {
    let provider = ("provider", "Provider of the model.");
    let name = ("name", "Name of the model.");
    let base_url = ("base_url", "Base URL of an OpenAI-compatible API.");
    let api_key_env = ("api_key_env", "Environment variable with the API key.");
    let (need, how) = (Need::Optional, Shown::Plain);
    ModelSettings {
        provider: t.text(provider, need.clone(), how, texts::line),
        name: t.text(name, need.clone(), how, texts::line),
        base_url: t.text(base_url, need.clone(), Shown::Url, places::base_url),
        // A key that was entered here by mistake must not be shown.
        api_key_env: t.text(api_key_env, need, Shown::Variable, |_, written| {
            texts::key_variable(&written.text)
        }),
        tools: t.flag("tools", "Whether the model can call tools.", true),
        context_window: t.count(
            "context_window",
            "Size of the context window in tokens; older messages are compacted to fit.",
            &limits::CONTEXT_WINDOW,
        ),
        first_byte: t.seconds(
            "first_byte_seconds",
            "Timeout until an answer of the model begins.",
            &limits::FIRST_BYTE_SECONDS,
        ),
        between_bytes: t.seconds(
            "between_bytes_seconds",
            "Timeout between two parts of an answer.",
            &limits::BETWEEN_BYTES_SECONDS,
        ),
    }
}

pub(crate) fn audit(t: &mut Reader<'_, '_>) -> AuditSettings {
    let field = Field {
        name: "allow",
        about: "Findings that you accept: `RULE@sha256:DIGEST`, as `prowess audit` prints them.",
        kind: FieldType::List(Box::new(FieldType::Text)),
        need: Need::Optional,
    };
    let allow = t.read(field, Shown::Plain, None, |context, value| {
        values::each(value, |item| {
            let text = context.text(item)?.text;
            texts::allowed_finding(&text)?;
            Ok(text.into_owned())
        })
    });
    AuditSettings {
        allow: allow.unwrap_or_default(),
    }
}

pub(crate) fn search(t: &mut Reader<'_, '_>) -> SearchSettings {
    let embeddings = (
        "embeddings",
        "Vectors of meaning: base URL of an OpenAI-compatible API, or a directory with `tokenizer.json` and a `.safetensors` file.",
    );
    let model = ("embeddings_model", "Model that the endpoint is asked for.");
    let key = (
        "embeddings_key_env",
        "Environment variable with the API key of the endpoint.",
    );
    let (need, how) = (Need::Optional, Shown::Plain);
    SearchSettings {
        history: t.flag(
            "history",
            "Rank skills higher that were loaded in this project for similar queries.",
            true,
        ),
        embeddings: t.text(embeddings, need.clone(), Shown::Url, |context, written| {
            if written.text.contains("://") {
                return places::base_url(context, written).map(EmbeddingsLocation::Endpoint);
            }
            places::path(context, written).map(EmbeddingsLocation::Directory)
        }),
        embeddings_model: t.text(model, need.clone(), how, texts::line),
        // A key that was entered here by mistake must not be shown.
        embeddings_key_env: t.text(key, need, Shown::Variable, |_, written| {
            texts::key_variable(&written.text)
        }),
    }
}

pub(crate) fn store(t: &mut Reader<'_, '_>) -> StoreLocation {
    let url = (
        "url",
        "`sqlite`, `sqlite:` and a path, or `postgres://...`; `${VAR}` is replaced in your own file.",
    );
    let need = Need::Default("sqlite".into());
    // Its password is better in the environment of a service than in a file.
    t.variables = Variables::ExpandForUser;
    t.text(url, need, Shown::Url, |context, written| {
        if written.text == "sqlite" {
            return Ok(StoreLocation::DefaultSqlite);
        }
        match places::database(context, written)? {
            Database::Sqlite(path) => Ok(StoreLocation::Sqlite(path)),
            Database::Postgres(url) => Ok(StoreLocation::Postgres(url)),
            Database::MySql(_) => Err(ProblemKind::Scheme {
                allowed: "`sqlite:` or `postgres://`",
            }),
        }
    })
    .unwrap_or_default()
}
