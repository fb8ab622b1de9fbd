//! The model that the command line or the configuration selects.

mod saved;

use std::env;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use clap::Args;
use prowess_agent::{
    AgentError, DemoProvider, GenaiProvider, ModelChoice, Provider, ProviderError, Timeouts,
    known_window, model_of,
};
use prowess_config::SkillsConfig;
use prowess_core::{Skills, ToolUse};
use prowess_runtime::Model;

use crate::arguments::Global;
use crate::error::{CommandError, Result, message_of};

/// The stand-in that needs no key and no network.
const DEMO: &str = "demo";
/// A local server with the API of `openai`.
const LOCAL: &str = "local";

/// Options of the model; the default of each is in `[model]` of prowess.toml.
#[derive(Args, Clone, Default)]
pub(crate) struct ModelArguments {
    /// Provider: anthropic, openai, gemini, ollama, local, demo and others [default: demo]
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    provider: Option<String>,
    /// Model, as the provider names it
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    model: Option<String>,
    /// Base URL of a chat completions API [default: that of the provider]
    #[arg(long, value_name = "URL", help_heading = "Model")]
    base_url: Option<String>,
    /// Offer no tools to the model; name skills yourself
    #[arg(long, help_heading = "Model")]
    no_tools: bool,
    /// Context window of the model in tokens [default: that of known models, else 128000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2_048..), help_heading = "Model")]
    context_window: Option<u32>,
}

impl ModelArguments {
    /// The same with overrides. Options of one provider are not used for another.
    pub(crate) fn with_overrides(
        &self,
        provider: Option<&String>,
        model: Option<&String>,
        base_url: Option<&String>,
    ) -> Self {
        let elsewhere = provider.is_some() || base_url.is_some();
        let ours = |value: &Option<String>| value.clone().filter(|_| !elsewhere);
        Self {
            provider: provider.cloned().or_else(|| ours(&self.provider)),
            model: model.cloned().or_else(|| ours(&self.model)),
            base_url: base_url.cloned().or_else(|| ours(&self.base_url)),
            no_tools: self.no_tools,
            context_window: self.context_window,
        }
    }

    /// The context window, if it is known.
    pub(crate) fn window(&self, config: &SkillsConfig, chosen: &SelectedModel) -> Option<usize> {
        let typed = self
            .context_window
            .and_then(|tokens| usize::try_from(tokens).ok());
        let stated = || {
            let is_stated = config.states("model.context_window");
            is_stated.then_some(config.model.context_window)
        };
        let known = || match chosen {
            SelectedModel::Real(choice) => known_window(&choice.model),
            SelectedModel::Demo { .. } => None,
        };
        typed.or_else(stated).or_else(known)
    }
}

/// The context window of the configured model, for commands without a model of their own.
pub(crate) fn configured_window(config: &SkillsConfig) -> Option<usize> {
    if config.states("model.context_window") {
        return Some(config.model.context_window);
    }
    config.model.name.as_deref().and_then(known_window)
}

/// The selected model, or the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SelectedModel {
    /// The stand-in.
    Demo {
        /// No model was selected.
        by_default: bool,
        tool_use: ToolUse,
    },
    /// A real one.
    Real(ModelChoice),
}

/// Resolves the arguments and the configuration.
pub(crate) fn select(
    arguments: &ModelArguments,
    config: &SkillsConfig,
    global: &Global,
) -> Result<SelectedModel> {
    let ours = &config.model;
    // A place that is typed without a name is a server of the user's own.
    let typed = match (&arguments.provider, &arguments.base_url) {
        (Some(provider), _) => Some(provider.as_str()),
        (None, Some(_)) => Some(LOCAL),
        (None, None) => None,
    };
    // Configured values belong to the configured provider.
    let same = typed.is_none_or(|typed| Some(typed) == ours.provider.as_deref());
    let tool_use = if arguments.no_tools || (same && !ours.tools) {
        ToolUse::Unavailable
    } else {
        ToolUse::Available
    };
    let configured = ours.base_url.as_ref().filter(|_| same);
    let configured = configured.map(|url| url.expose().to_owned());
    let base_url = arguments.base_url.clone().or(configured);
    let provider = match (typed.or(ours.provider.as_deref()), &base_url) {
        (Some(provider), _) if provider.trim().eq_ignore_ascii_case(DEMO) => {
            let by_default = false;
            return Ok(SelectedModel::Demo {
                by_default,
                tool_use,
            });
        }
        (Some(provider), _) => provider.to_owned(),
        (None, Some(_)) => LOCAL.to_owned(),
        (None, None) if arguments.model.is_some() || ours.name.is_some() => {
            return Err(CommandError::usage("missing provider: a model is set without one").hint("add --provider (anthropic, openai, gemini, ollama, ...), or --base-url for your own server"));
        }
        (None, None) => {
            let by_default = true;
            return Ok(SelectedModel::Demo {
                by_default,
                tool_use,
            });
        }
    };
    let api_key_env = ours
        .api_key_env
        .clone()
        .filter(|_| same && (arguments.base_url.is_none() || arguments.provider.is_some()));
    let named = arguments
        .model
        .clone()
        .or_else(|| ours.name.clone().filter(|_| same));
    let Some(model) = named else {
        return Err(
            CommandError::usage(format!("missing model for provider `{provider}`"))
                .hint("add --model NAME, or `name` under [model] in your prowess.toml"),
        );
    };
    if global.offline && !base_url.as_deref().is_some_and(is_local) {
        return Err(CommandError::usage(format!(
            "cannot use `{provider}` with --offline: it is not on this machine"
        ))
        .hint(
            "omit --offline, set --base-url to a server on this machine, or use `--provider demo`",
        ));
    }
    Ok(SelectedModel::Real(ModelChoice {
        provider,
        model,
        base_url,
        api_key_env,
        tool_use,
        timeouts: Timeouts {
            first_byte: ours.first_byte,
            between_bytes: ours.between_bytes,
        },
    }))
}

/// Whether a place is on this machine.
fn is_local(url: &str) -> bool {
    let Ok(url) = url::Url::parse(url) else {
        return false;
    };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl SelectedModel {
    /// Whether it is offered tools.
    pub(crate) fn tool_use(&self) -> ToolUse {
        match self {
            Self::Demo { tool_use, .. } => *tool_use,
            Self::Real(choice) => choice.tool_use,
        }
    }

    /// The model itself, with its key from the environment.
    pub(crate) fn open(&self, skills: &Skills) -> Result<Arc<dyn Provider>> {
        match self {
            Self::Demo { tool_use, .. } => {
                Ok(Arc::new(DemoProvider::new(skills.clone()).tools(*tool_use)))
            }
            Self::Real(choice) => {
                let provider = GenaiProvider::new(choice, &|name| env::var(name).ok());
                Ok(Arc::new(
                    provider.map_err(|error| CommandError::from(&error))?,
                ))
            }
        }
    }
}

impl From<&ProviderError> for CommandError {
    fn from(error: &ProviderError) -> Self {
        let message = error.to_string();
        match error {
            ProviderError::UnknownProvider { .. } => Self::usage(message).hint(
                "use anthropic, openai, gemini, ollama, groq, xai, deepseek, open_router, another provider, `local` with --base-url, or `demo`",
            ),
            ProviderError::NoAddress { .. } => {
                Self::usage(message).hint("add --base-url, for example http://localhost:11434/v1")
            }
            ProviderError::BadAddress { .. } => {
                Self::usage(message).hint("use a URL such as http://localhost:11434/v1")
            }
            ProviderError::NoKey { variable, .. } => Self::permission(message).hint(format!(
                "run `export {variable}=...`, set `api_key_env` under [model] in your own prowess.toml, or use `--provider demo`"
            )),
            ProviderError::KeyRefused { variable: None, .. } => Self::permission(message).hint(
                "set `api_key_env` under [model] in your own prowess.toml to the variable with the key",
            ),
            ProviderError::KeyRefused { .. } => Self::permission(message),
            ProviderError::NoModel { .. } => {
                Self::failure(message).hint("check --model and --base-url")
            }
            ProviderError::Unreachable { .. } => Self::failure(message)
                .hint("check that the server is running and that --base-url is correct"),
            ProviderError::Silent { setting, .. } => Self::failure(message).hint(format!(
                "set `{setting}` under [model] in your own prowess.toml to wait longer"
            )),
            _ => Self::failure(message),
        }
    }
}

impl From<AgentError> for CommandError {
    fn from(error: AgentError) -> Self {
        match &error {
            AgentError::Provider(error) => error.into(),
            other => Self::failure(message_of(other)),
        }
    }
}

/// The configured model, for the code of skills; it is opened on first use.
pub(crate) fn for_skills(
    config: &SkillsConfig,
    skills: &Skills,
    global: &Global,
) -> Option<Arc<dyn Model>> {
    let chosen = select(&ModelArguments::default(), config, global);
    if matches!(
        chosen,
        Ok(SelectedModel::Demo {
            by_default: true,
            ..
        })
    ) {
        return None;
    }
    Some(Arc::new(LazyModel {
        chosen,
        skills: skills.clone(),
        opened: OnceLock::new(),
    }))
}

struct LazyModel {
    chosen: Result<SelectedModel>,
    skills: Skills,
    opened: OnceLock<Result<Arc<dyn Model>, String>>,
}

#[async_trait]
impl Model for LazyModel {
    async fn complete(
        &self,
        prompt: &str,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> Result<String, String> {
        let open = || {
            let chosen = self.chosen.as_ref().map_err(ToString::to_string)?;
            let provider = chosen.open(&self.skills);
            Ok(model_of(provider.map_err(|error| error.to_string())?))
        };
        match self.opened.get_or_init(open) {
            Ok(model) => model.complete(prompt, system, max_tokens).await,
            Err(reason) => Err(reason.clone()),
        }
    }
}
