//! Names that imitate well-known ones.

use prowess_spec::Span;

use crate::scanner::Hit;
use crate::text::Text;

/// Hosts that are worth imitating.
const HOSTS: &[&str] = &[
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "npmjs.com",
    "npmjs.org",
    "pypi.org",
    "pythonhosted.org",
    "crates.io",
    "docker.com",
    "docker.io",
    "google.com",
    "googleapis.com",
    "microsoft.com",
    "azure.com",
    "windows.net",
    "amazonaws.com",
    "apple.com",
    "anthropic.com",
    "claude.ai",
    "openai.com",
    "chatgpt.com",
    "huggingface.co",
    "cloudflare.com",
    "slack.com",
    "notion.so",
    "atlassian.com",
    "paypal.com",
    "stripe.com",
    "coinbase.com",
    "binance.com",
    "telegram.org",
    "discord.com",
    "dropbox.com",
    "clawhub.ai",
    "openclaw.ai",
    "cursor.com",
    "vercel.com",
    "supabase.com",
    "supabase.co",
];

/// Packages that are worth imitating.
const PACKAGES: &[&str] = &[
    "requests",
    "numpy",
    "pandas",
    "django",
    "flask",
    "fastapi",
    "pydantic",
    "pillow",
    "scipy",
    "matplotlib",
    "tensorflow",
    "pytorch",
    "boto3",
    "urllib3",
    "cryptography",
    "beautifulsoup4",
    "selenium",
    "playwright",
    "openai",
    "anthropic",
    "langchain",
    "transformers",
    "httpx",
    "aiohttp",
    "sqlalchemy",
    "pytest",
    "pyyaml",
    "python-dotenv",
    "colorama",
    "paramiko",
    "scikit-learn",
    "opencv-python",
    "express",
    "lodash",
    "react",
    "axios",
    "chalk",
    "commander",
    "typescript",
    "webpack",
    "eslint",
    "prettier",
    "mongoose",
    "socket.io",
    "dotenv",
    "nodemon",
    "puppeteer",
    "discord.js",
    "openclaw",
    "claude-code",
    "cross-env",
    "jsonwebtoken",
    "pdfplumber",
    "pypdf",
    "reportlab",
    "openpyxl",
    "python-docx",
    "python-pptx",
];

/// Skills that are worth imitating.
const SKILLS: &[&str] = &[
    "pdf",
    "docx",
    "pptx",
    "xlsx",
    "mcp-builder",
    "skill-creator",
    "frontend-design",
    "webapp-testing",
    "canvas-design",
    "algorithmic-art",
    "internal-comms",
    "brand-guidelines",
    "theme-factory",
    "slack-gif-creator",
    "web-artifacts-builder",
    "doc-coauthoring",
    "superpowers",
    "skill-author",
];

/// The well-known skill that a name imitates.
pub(crate) fn imitated_skill(name: &str) -> Option<&'static str> {
    SKILLS.iter().copied().find(|known| {
        // Short names differ by one letter all the time; a doubled one is meant.
        let doubled = known.len() < 5
            && name.len() == known.len() + 1
            && name.starts_with(known)
            && name.chars().last() == known.chars().last();
        doubled || is_one_edit(name, known)
    })
}

/// Hosts and packages in a file that imitate well-known ones.
pub(crate) fn scan(text: &Text<'_>) -> Vec<Hit> {
    let source = text.source();
    let mut hits: Vec<Hit> = hosts(source)
        .filter_map(|(span, host)| {
            let known = imitates_host(&host)?;
            Some(Hit::base("look-alike-host", span)?.note(&format!(": {known}")))
        })
        .collect();
    hits.extend(installed(source).into_iter().filter_map(|(span, name)| {
        let known = PACKAGES.iter().find(|known| is_one_edit(&name, known))?;
        Some(Hit::base("look-alike-name", span)?.note(&format!(": {known}")))
    }));
    hits
}

fn hosts(source: &str) -> impl Iterator<Item = (Span, String)> + '_ {
    memchr::memmem::find_iter(source.as_bytes(), b"://").filter_map(move |at| {
        let start = at + 3;
        let rest = source.get(start..)?;
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '@')))
            .unwrap_or(rest.len())
            .min(256);
        let authority = rest.get(..end)?;
        let skip = authority.rfind('@').map_or(0, |at| at + 1);
        let host = authority.get(skip..)?.trim_end_matches('.');
        Some((Span::new(start + skip, start + end), host.to_lowercase()))
    })
}

fn imitates_host(host: &str) -> Option<&'static str> {
    let labels: Vec<&str> = host.split('.').collect();
    let (Some(last), Some(second)) = (
        labels.last(),
        labels.len().checked_sub(2).and_then(|at| labels.get(at)),
    ) else {
        return None;
    };
    let domain = format!("{second}.{last}");
    if HOSTS.contains(&domain.as_str()) {
        return None;
    }
    HOSTS.iter().copied().find(|known| {
        // `github.com.example.net`
        let inside = host.find(known).is_some_and(|at| {
            (at == 0 || host.as_bytes().get(at - 1) == Some(&b'.'))
                && host.as_bytes().get(at + known.len()) == Some(&b'.')
        });
        inside && !host.ends_with(".example") || is_one_edit(&domain, known) && known.len() > 8
    })
}

/// Names of packages in commands that install them.
fn installed(source: &str) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    for command in [
        "pip install ",
        "pip3 install ",
        "npm install ",
        "npm i ",
        "pnpm add ",
        "yarn add ",
        "uv add ",
        "uv pip install ",
        "bun add ",
    ] {
        for at in memchr::memmem::find_iter(source.as_bytes(), command.as_bytes()) {
            let start = at + command.len();
            let rest = source.get(start..).unwrap_or_default();
            let line = rest
                .split(['\n', '`', ';', '|', '&', '#'])
                .next()
                .unwrap_or_default();
            let mut offset = start;
            for word in line
                .get(..line.floor_char_boundary(400))
                .unwrap_or_default()
                .split(' ')
            {
                let name = word
                    .trim_matches(['"', '\'', '\r', ','])
                    .split(['=', '<', '>', '[', '@', '~'])
                    .next()
                    .unwrap_or_default();
                if name.len() >= 5 && !word.starts_with('-') {
                    found.push((Span::new(offset, offset + word.len()), name.to_lowercase()));
                }
                offset += word.len() + 1;
            }
        }
    }
    found
}

/// Whether two names differ by one letter that is added, removed, replaced or exchanged with its neighbour.
pub(crate) fn is_one_edit(name: &str, known: &str) -> bool {
    if name == known || name.len().abs_diff(known.len()) > 1 || known.len() < 5 {
        return false;
    }
    let (a, b) = (name.as_bytes(), known.as_bytes());
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = |bytes: &[u8], skip: usize| bytes.get(prefix + skip..).unwrap_or_default().to_vec();
    // A plural, another hyphen or a number at the end is a name of its own.
    let tail = |bytes: &[u8]| {
        bytes
            .get(prefix)
            .is_none_or(|byte| byte.is_ascii_digit() || matches!(byte, b's' | b'-' | b'_' | b'.'))
    };
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => {
            let swapped = a.get(prefix) == b.get(prefix + 1)
                && a.get(prefix + 1) == b.get(prefix)
                && rest(a, 2) == rest(b, 2);
            let replaced = rest(a, 1) == rest(b, 1)
                && !(a.get(prefix).is_some_and(u8::is_ascii_digit)
                    && b.get(prefix).is_some_and(u8::is_ascii_digit))
                && !matches!(a.get(prefix), Some(b'-' | b'_' | b'.'));
            swapped || replaced
        }
        std::cmp::Ordering::Greater => {
            rest(a, 1) == rest(b, 0)
                && !(tail(a) && prefix + 1 == a.len() && a.get(prefix) != b.last())
        }
        std::cmp::Ordering::Less => rest(a, 0) == rest(b, 1) && !tail(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit() {
        for (name, known) in [
            ("reqeusts", "requests"),
            ("expresss", "express"),
            ("lodsh", "lodash"),
            ("reqvests", "requests"),
        ] {
            assert!(is_one_edit(name, known), "{name}");
        }
        for (name, known) in [
            ("requests", "requests"),
            ("boto4", "boto3"),
            ("pandas", "numpy"),
            ("request", "requests"),
        ] {
            assert!(!is_one_edit(name, known), "{name}");
        }
    }

    #[test]
    fn hosts_that_imitate() {
        for host in ["githib.com", "github.com.cdn.net", "api.openai.com.x.io"] {
            assert!(imitates_host(host).is_some(), "{host}");
        }
        for host in [
            "github.com",
            "api.github.com",
            "example.net",
            "gitlab.com",
            "localhost",
        ] {
            assert!(imitates_host(host).is_none(), "{host}");
        }
    }
}
