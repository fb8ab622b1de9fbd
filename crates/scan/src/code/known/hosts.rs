//! Hosts of addresses, and which credentials belong to them.

use super::super::value::HOLE;
use super::names::vendor_words;
use crate::address::{is_below, split_authority};

/// The host of an address, as far as it is known; a bare host is accepted too.
pub(in super::super) fn host_of(url: &str) -> Option<String> {
    let url = url.trim().trim_matches(['"', '\'']);
    let rest = match url.split_once("://") {
        Some((scheme, rest)) if scheme.len() <= 10 && !scheme.contains(HOLE) => rest,
        Some((scheme, rest)) if scheme == HOLE.to_string() => rest,
        _ => url,
    };
    let authority = split_authority(rest).0.split([' ', '\n']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or(host)
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let plausible = host.contains('.') || host == "localhost" || host.starts_with('[');
    let clean = host.chars().all(|c| {
        c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':') || c == HOLE
    });
    // `….example.net` is known enough; an unknown ending is not.
    (plausible && clean && !host.ends_with(HOLE)).then(|| host.replace(HOLE, "*"))
}

/// Whether a host is this machine or its network.
pub(in super::super) fn is_local(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "127.0.0.1"
        || host == "0.0.0.0"
        || host == "[::1]"
        || host == "host.docker.internal"
        || host.ends_with(".local")
}

/// Whether a credential of this name is meant for the host, or nothing says that it is not.
pub(in super::super) fn belongs(name: &str, host: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words = vendor_words(&lower);
    words.is_empty()
        || VENDORS
            .iter()
            .filter(|(vendor, _)| words.iter().any(|word| word == vendor))
            .any(|(_, domains)| domains.iter().any(|domain| is_below(host, domain)))
}

const GOOGLE: &[&str] = &["google.com", "googleapis.com", "gstatic.com", "youtube.com"];
const ANTHROPIC: &[&str] = &["anthropic.com", "claude.ai", "claude.com"];
const HUGGING_FACE: &[&str] = &["huggingface.co", "hf.co"];
const GITHUB: &[&str] = &[
    "github.com",
    "githubusercontent.com",
    "githubcopilot.com",
    "ghcr.io",
    "models.inference.ai.azure.com",
];

/// Names of vendors in variables, and their domains: what stands elsewhere in the name of a host is not theirs.
const VENDORS: &[(&str, &[&str])] = &[
    ("aws", &["amazonaws.com", "amazon.com"]),
    ("anthropic", ANTHROPIC),
    ("claude", ANTHROPIC),
    (
        "azure",
        &[
            "azure.com",
            "microsoft.com",
            "microsoftonline.com",
            "windows.net",
        ],
    ),
    ("gemini", GOOGLE),
    ("google", GOOGLE),
    ("gcloud", GOOGLE),
    ("vertex", GOOGLE),
    ("youtube", GOOGLE),
    ("gh", GITHUB),
    ("github", GITHUB),
    ("gitlab", &["gitlab.com"]),
    ("hf", HUGGING_FACE),
    ("huggingface", HUGGING_FACE),
    (
        "openai",
        &[
            "openai.com",
            "chatgpt.com",
            "openai.azure.com",
            "openrouter.ai",
        ],
    ),
    ("npm", &["npmjs.com", "npmjs.org"]),
    ("pypi", &["pypi.org"]),
    ("slack", &["slack.com"]),
    ("telegram", &["telegram.org", "t.me"]),
    ("discord", &["discord.com", "discordapp.com"]),
    ("stripe", &["stripe.com"]),
    ("notion", &["notion.so", "notion.com"]),
    ("ssh", &[]),
    ("docker", &["docker.com", "docker.io"]),
    ("vercel", &["vercel.com"]),
    ("cloudflare", &["cloudflare.com"]),
    ("digitalocean", &["digitalocean.com"]),
    ("supabase", &["supabase.com", "supabase.co"]),
    ("twilio", &["twilio.com"]),
    ("sendgrid", &["sendgrid.com", "sendgrid.net"]),
];

/// Vendors whose credentials are worth stealing: one of these sent to another host is reported.
pub(in super::super) fn is_valuable(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    vendor_words(&lower)
        .iter()
        .any(|word| VENDORS.iter().any(|(vendor, _)| vendor == word))
}
