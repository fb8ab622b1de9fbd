//! Addresses by their parts: a host and segments of a path decide, never a text that occurs somewhere in one.

/// Bytes of an address that are looked at; a longer one is unknown.
const ADDRESS_BYTES: usize = 2048;

/// Hosts on which only their owners publish.
const VENDORS: &[&str] = &[
    "docker.com",
    "python.org",
    "nodejs.org",
    "dl.google.com",
    "apple.com",
    "brew.sh",
    "rust-lang.org",
    "rustup.rs",
    "go.dev",
    "golang.org",
    "kubernetes.io",
    "dl.k8s.io",
    "ffmpeg.org",
    "postgresql.org",
    "mozilla.org",
    "debian.org",
    "ubuntu.com",
    "pytorch.org",
    "tensorflow.org",
    "nvidia.com",
    "git-scm.com",
    "jetbrains.com",
    "repo.anaconda.com",
];

/// Hosts where people read how to install well-known software; on many of them anyone can publish a page.
const DOCUMENTED: &[&str] = &[
    "microsoft.com",
    "google.com",
    "anthropic.com",
    "openai.com",
    "amazon.com",
    "npmjs.com",
    "pypi.org",
    "readthedocs.io",
    "cloudflare.com",
    "vercel.com",
    "atlassian.com",
    "slack.com",
    "notion.so",
    "notion.com",
    "stripe.com",
    "huggingface.co",
    "anaconda.com",
    "claude.ai",
    "claude.com",
    "figma.com",
    "supabase.com",
    "w3.org",
    "schema.org",
    "json-schema.org",
    "wikipedia.org",
    "stackoverflow.com",
];

/// Hosts that stand for those of a reader, and names of formats.
const PLACEHOLDERS: &[&str] = &[
    "your-domain.com",
    "yourdomain.com",
    "your-site.com",
    "yoursite.com",
    "your-server.com",
    "yourserver.com",
    "your-company.com",
    "yourcompany.com",
    "your-app.com",
    "yourapp.com",
    "your-host.com",
    "your-instance.com",
    "w3.org",
    "schema.org",
];

/// Where a URL leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    /// In lower case.
    scheme: String,
    /// In lower case, without user and port.
    host: String,
    /// From the first `/`, without query and fragment, as written.
    path: String,
    /// Whether scheme, host and path are all of it.
    is_bare: bool,
}

impl Address {
    /// The parts of a URL; nothing when its host is not known for certain.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches(['"', '\'', '`']);
        if text.len() > ADDRESS_BYTES {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        if scheme.is_empty() || !scheme.chars().all(is_scheme) {
            return None;
        }
        let (authority, rest) = split_authority(rest);
        let host = host_of_authority(authority)?;
        let (path, tail) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        Some(Self {
            scheme: scheme.to_ascii_lowercase(),
            is_bare: tail.is_empty() && authority.eq_ignore_ascii_case(&host),
            host,
            path: path.to_owned(),
        })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether the host is the domain or below it.
    pub(crate) fn is_below(&self, domain: &str) -> bool {
        is_below(&self.host, domain)
    }

    /// Whether everyone on the way can change the answer, or no name stands for it.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.is_numeric() || matches!(self.scheme.as_str(), "http" | "ftp")
    }

    /// Whether a number stands in the place of a name.
    pub(crate) fn is_numeric(&self) -> bool {
        self.host.starts_with('[')
            || self.host.starts_with(|c: char| c.is_ascii_digit())
                && (self.host.starts_with("0x") && !self.host.contains('.')
                    || !self.host.contains(|c: char| c.is_ascii_alphabetic()))
    }

    /// Whether it is on this machine, in its network, or a name that a reader replaces.
    fn is_local(&self) -> bool {
        let numbers: Vec<Option<u8>> = self.host.split('.').map(|part| part.parse().ok()).collect();
        if let [Some(first), Some(second), Some(_), Some(_)] = *numbers {
            return matches!(
                (first, second),
                (0 | 10 | 127, _) | (192, 168) | (172, 16..=31)
            );
        }
        let own = ["localhost", "local", "host.docker.internal"];
        match self.host.split_once('.') {
            None => {
                matches!(
                    self.host.as_str(),
                    "host" | "hostname" | "localhost" | "[::1]"
                ) || self.host.starts_with("your")
            }
            Some(_) => self.is_one_of(&own) || self.is_one_of(PLACEHOLDERS),
        }
    }

    /// Whether only the owner of a well-known name publishes there, and no one on the way can change it.
    pub(crate) fn is_vendor(&self) -> bool {
        self.scheme == "https" && self.is_one_of(VENDORS)
    }

    /// Whether people read there how to install well-known software.
    pub(crate) fn is_documentation(&self) -> bool {
        self.is_one_of(VENDORS) || self.is_one_of(DOCUMENTED)
    }

    /// The whole address when nothing but scheme, host and path belongs to it: in lower case, without scheme.
    pub(crate) fn bare(&self) -> Option<String> {
        let plain = self.is_bare && self.scheme == "https";
        let path = self.path.to_ascii_lowercase();
        plain.then(|| format!("{}{}", self.host, path.strip_suffix('/').unwrap_or(&path)))
    }

    fn is_one_of(&self, domains: &[&str]) -> bool {
        domains.iter().any(|domain| self.is_below(domain))
    }
}

/// Whether a URL leads to this machine or its network, or has a part to fill in where its host belongs.
pub(crate) fn is_local(url: &str) -> bool {
    Address::parse(url).map_or_else(
        || {
            let rest = url.split_once("://").map_or("", |(_, rest)| rest);
            let (authority, _) = split_authority(rest);
            authority.starts_with(['<', '{', '$']) && !authority.contains(['.', '@'])
        },
        |address| address.is_local(),
    )
}

/// Whether a host is the domain or below it.
pub(crate) fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|front| front.is_empty() || front.ends_with('.'))
}

/// The authority of what stands behind `://`, and the rest. A backslash ends it too, as it does in a browser.
pub(crate) fn split_authority(rest: &str) -> (&str, &str) {
    rest.split_at(rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()))
}

/// The host of an authority, in lower case, without user and port.
fn host_of_authority(authority: &str) -> Option<String> {
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') {
        host.split_inclusive(']').next().unwrap_or(host)
    } else {
        host.split(':').next().unwrap_or(host)
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_known =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    (!host.is_empty() && host.chars().all(is_known)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_that_to_which_a_request_goes() {
        for (url, host) in [
            ("https://Example.net:8443/a?b=c#d", "example.net"),
            ("https://github.com@evil.net/x", "evil.net"),
            ("https://github.com:443@evil.net", "evil.net"),
            ("https://evil.net#@localhost", "evil.net"),
            ("https://evil.net?@localhost/", "evil.net"),
            ("https://evil.net\\@localhost", "evil.net"),
            ("https://evil.net./", "evil.net"),
            ("http://[::1]:80/", "[::1]"),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!(address.host(), host, "{url}");
        }
        for url in [
            "evil.net",
            "https://",
            "https://e\u{fffc}.net/",
            "https://a b/",
            "x y://z",
        ] {
            assert_eq!(Address::parse(url), None, "{url}");
        }
    }

    #[test]
    fn names_inside_of_an_address_vouch_for_nothing() {
        for url in [
            "https://nodejs.org.evil.net/",
            "https://evilnodejs.org/",
            "https://nodejs.org:x@evil.net/",
            "https://nodejs.org@evil.net/",
            "https://evil.net/nodejs.org",
            "https://evil.net/?https://nodejs.org",
            "http://nodejs.org/x",
            "https://pages.readthedocs.io/x",
        ] {
            assert!(!Address::parse(url).unwrap().is_vendor(), "{url}");
        }
        assert!(
            Address::parse("https://dist.nodejs.org:443/x?y")
                .unwrap()
                .is_vendor()
        );
        for url in [
            "https://10.evil.net",
            "https://yourevil.net",
            "https://hostile.net",
            "https://evil.net/?schema.org",
            "https://$X.evil.net",
            "https://localhost@evil.net",
        ] {
            assert!(!is_local(url), "{url}");
        }
        for url in [
            "http://10.0.0.1:80/x",
            "https://<host>/",
            "https://${HOST}/x",
            "http://a.localhost",
        ] {
            assert!(is_local(url), "{url}");
        }
    }
}
