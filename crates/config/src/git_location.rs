//! Where a git repository lies, read in one place: what is shown and asked about is what is opened.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::address::Url;

/// Where a git repository lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GitLocation {
    /// After `https://` or `http://`.
    Http(Url),
    /// After `ssh://`, or `user@host:path`.
    Ssh(Url),
    /// After `git://`, which encrypts nothing and knows no users.
    Daemon(Url),
    /// On this machine; a relative path as it is written.
    Local(PathBuf),
}

/// Why a text names no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitLocationError {
    /// Nothing is written.
    #[error("it is empty")]
    Empty,
    /// A space or a control character.
    #[error("it contains a space or a control character")]
    Characters,
    /// Git would take a part of it for an option, or for a program to run.
    #[error("a part of it could be taken for an option or a program")]
    Option,
    /// Another scheme, or `ext::` and the like.
    #[error("expected https, http, ssh, git or file")]
    Scheme,
    /// `file://host/path`.
    #[error("a `file` URL cannot have a host: write `file:///` and an absolute path")]
    FileHost,
    /// No URL.
    #[error("the URL is malformed: {0}")]
    Url(#[from] url::ParseError),
}

impl GitLocation {
    /// Reads a URL, git's `user@host:path`, or a path.
    ///
    /// ```
    /// use prowess_config::GitLocation;
    ///
    /// let local = GitLocation::parse("file://localhost/a/%2e%2e/b").unwrap();
    /// assert_eq!(local.expose(), "file:///b");
    /// ```
    pub fn parse(text: &str) -> Result<Self, GitLocationError> {
        Self::parse_written(text, text)
    }

    /// `text` is the effective value, `written` the value in the file, which is what a URL shows of itself.
    pub(crate) fn parse_written(text: &str, written: &str) -> Result<Self, GitLocationError> {
        if text.is_empty() {
            return Err(GitLocationError::Empty);
        }
        if text.contains(char::is_control) {
            return Err(GitLocationError::Characters);
        }
        let before_path = text.split('/').next().unwrap_or(text);
        if text.starts_with('-') || before_path.contains("::") {
            return Err(GitLocationError::Option);
        }
        let spaced = text.contains(char::is_whitespace);
        if text.contains("://") {
            if spaced {
                return Err(GitLocationError::Characters);
            }
            return of_url(text, written);
        }
        let Some((host, _)) = scp(text) else {
            return Ok(Self::Local(text.into()));
        };
        let host = host.rsplit('@').next().unwrap_or(host);
        if spaced {
            Err(GitLocationError::Characters)
        } else if host.is_empty() || host.starts_with('-') {
            Err(GitLocationError::Option)
        } else {
            Ok(Self::Ssh(Url::new(text, written)))
        }
    }

    /// The whole text, with a password that may be in it. Reading it again gives the same place.
    pub fn expose(&self) -> Cow<'_, str> {
        match self {
            Self::Http(url) | Self::Ssh(url) | Self::Daemon(url) => url.expose().into(),
            Self::Local(path) => file_url(path),
        }
    }

    /// The server; `None` on this machine.
    pub fn server(&self) -> Option<&Url> {
        match self {
            Self::Http(url) | Self::Ssh(url) | Self::Daemon(url) => Some(url),
            Self::Local(_) => None,
        }
    }
}

fn of_url(text: &str, written: &str) -> Result<GitLocation, GitLocationError> {
    let parsed = url::Url::parse(text)?;
    let is_option = |part: &str| {
        let part = part.to_ascii_lowercase();
        part.starts_with('-') || part.starts_with("%2d")
    };
    if is_option(parsed.username()) || parsed.host_str().is_some_and(is_option) {
        return Err(GitLocationError::Option);
    }
    // As the parser has it, so that no other parser can read it otherwise.
    let written = if text == written {
        parsed.as_str()
    } else {
        written
    };
    let own = || Url::new(parsed.as_str(), written);
    match parsed.scheme() {
        "https" | "http" => Ok(GitLocation::Http(own())),
        "ssh" if parsed.has_host() => Ok(GitLocation::Ssh(own())),
        "git" if parsed.has_host() => Ok(GitLocation::Daemon(own())),
        "file" => parsed
            .to_file_path()
            .map(GitLocation::Local)
            .map_err(|()| GitLocationError::FileHost),
        _ => Err(GitLocationError::Scheme),
    }
}

/// Host and path of git's `user@host:path`. One letter before the colon is a drive.
pub(crate) fn scp(text: &str) -> Option<(&str, &str)> {
    let before_path = text.split('/').next().unwrap_or(text);
    let at = before_path.find(':').filter(|at| *at != 1)?;
    let is_server = !before_path.starts_with(['.', '~']) && !text.contains("://");
    is_server.then(|| Some((text.get(..at)?, text.get(at + 1..)?)))?
}

fn file_url(path: &Path) -> Cow<'_, str> {
    match url::Url::from_file_path(path) {
        // What follows an `@` would be a reference.
        Ok(url) => url.as_str().replace('@', "%40").into(),
        Err(()) => path.to_string_lossy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, GitLocationError> {
        GitLocation::parse(text).map(|location| {
            let kind = match &location {
                GitLocation::Http(_) => "http",
                GitLocation::Ssh(_) => "ssh",
                GitLocation::Daemon(_) => "git",
                GitLocation::Local(path) => return format!("local {}", path.display()),
            };
            format!("{kind} {}", location.expose())
        })
    }

    #[test]
    fn q38_places_are_what_the_parser_made_of_them() {
        for (text, expected) in [
            ("file:///home/u/x", "local /home/u/x"),
            ("file://localhost/home/u/x", "local /home/u/x"),
            ("file:///a/%2e%2e/b", "local /b"),
            ("file:///a/../../b", "local /b"),
            ("FILE:///x", "local /x"),
            ("File://LOCALHOST/x", "local /x"),
            ("https://EXAMPLE.com/a/../b", "http https://example.com/b"),
            ("https://example.com./a", "http https://example.com./a"),
            (
                "https://example.com\\@evil.example/a",
                "http https://example.com/@evil.example/a",
            ),
            ("https://example.com:443/a", "http https://example.com/a"),
            (
                "https://user@example.com/a",
                "http https://user@example.com/a",
            ),
            ("ssh://git@example.com/a", "ssh ssh://git@example.com/a"),
            ("git@example.com:a/b.git", "ssh git@example.com:a/b.git"),
            ("git://example.com/a", "git git://example.com/a"),
            ("./a:b", "local ./a:b"),
            ("C:/a", "local C:/a"),
            ("a/b:c", "local a/b:c"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
            let again = read(&GitLocation::parse(text).unwrap().expose());
            assert_eq!(again.as_deref(), Ok(expected), "{text} read again");
        }
        for (text, expected) in [
            ("", GitLocationError::Empty),
            ("file://host/x", GitLocationError::FileHost),
            ("ext::sh -c id", GitLocationError::Option),
            ("-oProxyCommand=id", GitLocationError::Option),
            ("ssh://-oProxyCommand=id/x", GitLocationError::Option),
            ("ssh://%2doProxyCommand=id/x", GitLocationError::Option),
            ("-x@host:a", GitLocationError::Option),
            ("git@-x:a", GitLocationError::Option),
            ("git@host:a b", GitLocationError::Characters),
            ("https://host/a\nb", GitLocationError::Characters),
            ("ftp://host/x", GitLocationError::Scheme),
        ] {
            assert_eq!(read(text), Err(expected), "{text}");
        }
    }
}
