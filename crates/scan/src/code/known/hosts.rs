//! Hosts of addresses, and which credentials belong to them.

use super::super::value::HOLE;
use super::names::vendor_words;

/// The host of an address, as far as it is known; a bare host is accepted too.
pub(in super::super) fn host_of(url: &str) -> Option<String> {
    let url = url.trim().trim_matches(['"', '\'']);
    let rest = match url.split_once("://") {
        Some((scheme, rest)) if scheme.len() <= 10 && !scheme.contains(HOLE) => rest,
        Some((scheme, rest)) if scheme == HOLE.to_string() => rest,
        _ => url,
    };
    let rest = rest
        .rsplit_once('@')
        .filter(|(user, _)| !user.contains('/'))
        .map_or(rest, |(_, host)| host);
    let end = rest.find(['/', '?', '#', ' ', '\n']).unwrap_or(rest.len());
    let host = rest.get(..end)?;
    let host = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or(host)
    };
    let host = host.to_ascii_lowercase();
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
    if words.is_empty() {
        return true;
    }
    words.iter().any(|word| host.contains(word.as_str()))
        || RELATED.iter().any(|(vendor, hosts)| {
            words.iter().any(|word| word == vendor) && hosts.iter().any(|part| host.contains(part))
        })
}

/// Names of vendors in variables, and what their hosts are called.
const RELATED: &[(&str, &[&str])] = &[
    ("aws", &["amazonaws", "amazon", "cloudfront"]),
    ("anthropic", &["claude.ai", "claude.com"]),
    ("claude", &["anthropic"]),
    ("azure", &["microsoft", "windows.net"]),
    ("gemini", &["googleapis", "google"]),
    ("google", &["googleapis", "gstatic", "youtube"]),
    ("gcloud", &["googleapis", "google"]),
    ("vertex", &["googleapis"]),
    ("youtube", &["googleapis"]),
    ("gh", &["github"]),
    (
        "github",
        &["githubusercontent", "ghcr.io", "models.inference"],
    ),
    ("gitlab", &["gitlab"]),
    ("hf", &["huggingface", "hf.co", "hf.space"]),
    ("huggingface", &["hf.co"]),
    ("openai", &["azure.com", "openrouter", "oaistatic"]),
    ("npm", &["npmjs"]),
    ("pypi", &["pypi"]),
    ("slack", &["slack"]),
    ("telegram", &["telegram", "t.me"]),
    ("discord", &["discord"]),
    ("stripe", &["stripe"]),
    ("notion", &["notion"]),
    ("ssh", &[]),
    ("docker", &["docker"]),
    ("vercel", &["vercel"]),
    ("cloudflare", &["cloudflare", "workers.dev"]),
    ("digitalocean", &["digitalocean"]),
    ("supabase", &["supabase"]),
    ("twilio", &["twilio"]),
    ("sendgrid", &["sendgrid"]),
];

/// Vendors whose credentials are worth stealing: one of these sent to another host is reported.
pub(in super::super) fn is_valuable(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    vendor_words(&lower)
        .iter()
        .any(|word| RELATED.iter().any(|(vendor, _)| vendor == word))
}
