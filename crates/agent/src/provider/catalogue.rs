//! Which model, whose, and where.

use std::time::Duration;

use genai::adapter::AdapterKind;
use prowess_core::ToolUse;

use super::error::ProviderError;
use crate::limits::{BETWEEN_BYTES_TIME, FIRST_BYTE_TIME};

/// A selected model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// The provider: `anthropic`, `openai`, `gemini`, `ollama`, ...
    pub provider: String,
    /// Its name at the provider.
    pub model: String,
    /// The base URL, if it differs from that of the provider. Any server with the API of `openai` or `anthropic`.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; the provider's usual one if absent.
    pub api_key_env: Option<String>,
    /// Whether it can call tools.
    pub tool_use: ToolUse,
    /// How long it may be silent.
    pub timeouts: Timeouts,
}

/// How long a provider may be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until its answer begins.
    pub first_byte: Duration,
    /// Between two parts of it.
    pub between_bytes: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: FIRST_BYTE_TIME,
            between_bytes: BETWEEN_BYTES_TIME,
        }
    }
}

/// Tokens that models of providers take, by the beginning of their name. The longest beginning counts.
const WINDOWS: [(&str, usize); 14] = [
    ("claude", 200_000),
    ("codestral", 256_000),
    ("command-a", 256_000),
    ("deepseek", 128_000),
    ("gemini", 1_048_576),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-5", 400_000),
    ("grok-4", 256_000),
    ("mistral-large", 128_000),
    ("mistral-medium", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
];

/// The context window of a model in tokens, if it is known. A local server may have a smaller one.
pub fn known_window(model: &str) -> Option<usize> {
    let model = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let known = WINDOWS.iter();
    let known = known.filter(|(beginning, _)| model.starts_with(beginning));
    known
        .max_by_key(|(beginning, _)| beginning.len())
        .map(|(_, window)| *window)
}

/// Aliases of providers.
const ALIASES: [(&str, AdapterKind); 7] = [
    ("claude", AdapterKind::Anthropic),
    ("google", AdapterKind::Gemini),
    ("openai-compatible", AdapterKind::OpenAI),
    ("local", AdapterKind::OpenAI),
    ("openrouter", AdapterKind::OpenRouter),
    ("grok", AdapterKind::Xai),
    ("bedrock", AdapterKind::BedrockApi),
];

/// The API of a provider.
pub(super) fn adapter(choice: &ModelChoice) -> Result<AdapterKind, ProviderError> {
    let name = choice.provider.trim().to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let known = alias
        .map(|(_, kind)| *kind)
        .or_else(|| AdapterKind::from_lower_str(&name.replace('-', "_")));
    let Some(kind) = known else {
        let names = AdapterKind::all().iter().map(AdapterKind::as_lower_str);
        let names = names
            .chain(ALIASES.iter().map(|(alias, _)| *alias))
            .chain(["demo"]);
        let nearest = prowess_spec::nearest(&name, names).into_iter();
        return Err(ProviderError::UnknownProvider {
            name: choice.provider.clone(),
            nearest: nearest.map(str::to_owned).collect(),
        });
    };
    if choice.base_url.is_none() && (asks_the_environment(kind) || is_somebody_elses(&name)) {
        return Err(ProviderError::NoAddress {
            provider: choice.provider.clone(),
        });
    }
    // Newer OpenAI models use another API; compatible servers have the older one.
    if kind == AdapterKind::OpenAI
        && choice.base_url.is_none()
        && let Ok(AdapterKind::OpenAIResp) = AdapterKind::from_model(&choice.model)
    {
        return Ok(AdapterKind::OpenAIResp);
    }
    Ok(kind)
}

/// Whether a provider is only compatible with `openai`.
fn is_somebody_elses(provider: &str) -> bool {
    let name = provider.trim().to_lowercase();
    matches!(name.as_str(), "local" | "openai-compatible")
}

/// Providers whose usual place depends on the environment, which is not ours to read.
fn asks_the_environment(kind: AdapterKind) -> bool {
    matches!(
        kind,
        AdapterKind::Vertex | AdapterKind::Omlx | AdapterKind::BedrockApi | AdapterKind::Custom(_)
    )
}

/// The variable that holds the key.
pub(super) fn key_variable(choice: &ModelChoice, kind: AdapterKind) -> Option<String> {
    let own = choice.api_key_env.clone();
    // A server that is compatible with OpenAI is not OpenAI: it must not get its key.
    let usual = kind
        .default_key_env_name()
        .filter(|_| !is_somebody_elses(&choice.provider));
    own.or_else(|| usual.map(str::to_owned))
}

/// The place, as the adapters want it: with a slash at its end.
pub(super) fn address(choice: &ModelChoice) -> Result<Option<String>, ProviderError> {
    let Some(url) = &choice.base_url else {
        return Ok(None);
    };
    let bad = || ProviderError::BadAddress {
        url: without_password(url),
    };
    let mut parsed = reqwest::Url::parse(url.trim()).map_err(|_| bad())?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
        return Err(bad());
    }
    if !parsed.path().ends_with('/') {
        let path = format!("{}/", parsed.path());
        parsed.set_path(&path);
    }
    Ok(Some(parsed.to_string()))
}

/// An address as it may be shown.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest.get(..end).and_then(|host| host.rfind('@')) {
        Some(at) => format!("{scheme}://***{}", rest.get(at..).unwrap_or_default()),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(provider: &str, model: &str, base_url: Option<&str>) -> ModelChoice {
        ModelChoice {
            provider: provider.to_owned(),
            model: model.to_owned(),
            base_url: base_url.map(str::to_owned),
            ..ModelChoice::default()
        }
    }

    #[test]
    fn names_of_providers() {
        for (name, model, url, kind) in [
            (
                "anthropic",
                "claude-sonnet-4-5",
                None,
                AdapterKind::Anthropic,
            ),
            ("Claude", "x", None, AdapterKind::Anthropic),
            ("openai", "gpt-4o", None, AdapterKind::OpenAI),
            ("openai", "gpt-5", Some("http://h"), AdapterKind::OpenAI),
            ("local", "llama", Some("http://h"), AdapterKind::OpenAI),
            ("open-router", "x", None, AdapterKind::OpenRouter),
            ("ollama", "x", None, AdapterKind::Ollama),
            ("vertex", "x", Some("http://h"), AdapterKind::Vertex),
        ] {
            assert_eq!(adapter(&choice(name, model, url)), Ok(kind), "{name}");
        }
        let error = adapter(&choice("antropic", "x", None)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown provider `antropic`; did you mean anthropic?"
        );
        for name in ["vertex", "local"] {
            let error = adapter(&choice(name, "x", None)).unwrap_err();
            assert!(matches!(error, ProviderError::NoAddress { .. }), "{error}");
        }
    }

    #[test]
    fn keys_go_to_their_provider() {
        let variable = |provider: &str, own: Option<&str>| {
            let mut choice = choice(provider, "m", Some("http://h/v1"));
            choice.api_key_env = own.map(str::to_owned);
            key_variable(&choice, adapter(&choice).unwrap())
        };
        assert_eq!(variable("openai", None).as_deref(), Some("OPENAI_API_KEY"));
        assert_eq!(variable("local", None), None);
        assert_eq!(variable("OpenAI-compatible ", None), None);
        assert_eq!(variable("local", Some("MINE")).as_deref(), Some("MINE"));
    }

    #[test]
    fn places() {
        let place = |url: &str| address(&choice("openai", "x", Some(url)));
        let of = |url: &str| place(url).unwrap().unwrap();
        assert_eq!(
            of("http://localhost:11434/v1"),
            "http://localhost:11434/v1/"
        );
        assert_eq!(of("https://h/v1/?a=b"), "https://h/v1/?a=b");
        for bad in ["localhost", "file:///etc/passwd", "", "ftp://h"] {
            assert!(place(bad).is_err(), "{bad}");
        }
        let error = place("ftp://ada:hunter2@h/x").unwrap_err().to_string();
        assert!(
            error.contains("ftp://***@h/x") && !error.contains("hunter2"),
            "{error}"
        );
    }

    #[test]
    fn c17_windows_of_known_models() {
        for (model, window) in [
            ("claude-sonnet-4-5", Some(200_000)),
            ("anthropic/claude-opus-4", Some(200_000)),
            ("GPT-4.1-mini", Some(1_047_576)),
            ("gpt-4o", Some(128_000)),
            ("llama3.2", None),
        ] {
            assert_eq!(known_window(model), window, "{model}");
        }
    }
}
