//! What the repositories of a project's file access outside the project.
//!
//! Computed from the text of the file alone: nothing is opened, contacted or started, and no variable is read.

use std::path::{Path, PathBuf};

use prowess_spec::manifest::Keyword;
use prowess_trust::{ProjectRoot, Reach, ReachList};
use toml::de::{DeTable, DeValue};

use crate::expand::variables;
use crate::git_location::scp;
use crate::keywords::RepositoryType;
use crate::named_variables::each_text;

/// The shown text of an invalid URL.
const INVALID_URL: &str = "an invalid URL";

/// The location of a project file, for its paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachContext<'a> {
    pub(crate) root: &'a ProjectRoot,
    /// The directory of the file.
    pub(crate) base: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

/// The access of all enabled repositories of a file.
pub(crate) fn of_file(file: &DeTable<'_>, here: &ReachContext<'_>) -> ReachList {
    let repositories = table(file.get("skills").map(toml::Spanned::get_ref))
        .and_then(|skills| skills.get("repositories"))
        .map(toml::Spanned::get_ref);
    let Some(DeValue::Array(repositories)) = repositories else {
        return ReachList::default();
    };
    let each = repositories
        .iter()
        .filter_map(|it| table(Some(it.get_ref())));
    each.flat_map(|repository| of_repository(repository, here))
        .collect()
}

/// The access of one repository.
pub(crate) fn of_repository(repository: &DeTable<'_>, here: &ReachContext<'_>) -> Vec<Reach> {
    let enabled = repository
        .get("enabled")
        .and_then(|it| it.get_ref().as_bool());
    let kind = text(repository, "type").and_then(RepositoryType::parse);
    let (Some(kind), true) = (kind, enabled != Some(false)) else {
        return Vec::new();
    };
    let mut reach = Vec::new();
    let receiver = match kind {
        RepositoryType::Filesystem | RepositoryType::Archive => {
            let Some(path) = text(repository, "path") else {
                return Vec::new();
            };
            if here.inside(path) {
                return Vec::new();
            }
            let path = here.shown(path);
            reach.push(Reach::Path { path: path.clone() });
            path
        }
        RepositoryType::Git | RepositoryType::Http | RepositoryType::Registry => {
            server(repository, kind, here, &mut reach)
        }
        RepositoryType::Sql => {
            let address = address(text(repository, "url").unwrap_or_default(), here);
            reach.push(Reach::Database {
                address: address.clone(),
                query: text(repository, "query").unwrap_or_default().to_owned(),
            });
            address
        }
        RepositoryType::Mcp => match repository.get("command").map(toml::Spanned::get_ref) {
            Some(command) => program(repository, command, here, &mut reach),
            None => server(repository, kind, here, &mut reach),
        },
    };
    for name in names(repository) {
        reach.push(Reach::Variable {
            name,
            to: receiver.clone(),
        });
    }
    reach
}

/// A server, and the key file that it is shown.
fn server(
    repository: &DeTable<'_>,
    kind: RepositoryType,
    here: &ReachContext<'_>,
    reach: &mut Vec<Reach>,
) -> String {
    let Some(stated) = text(repository, "url") else {
        let package = text(repository, "package").unwrap_or_default();
        reach.push(Reach::Host {
            protocol: "registry".to_owned(),
            address: format!("configured/{package}"),
        });
        return "the configured registry".to_owned();
    };
    let whole = address(stated, here);
    let (protocol, rest) = match whole.split_once("://") {
        Some((scheme, rest)) => (scheme.to_owned(), rest.to_owned()),
        None if kind == RepositoryType::Git && scp(stated).is_some() => ("ssh".to_owned(), whole),
        None => ("path".to_owned(), whole),
    };
    let protocol = match kind {
        RepositoryType::Git => format!("git+{protocol}"),
        RepositoryType::Mcp => format!("mcp+{protocol}"),
        RepositoryType::Registry => format!("registry+{protocol}"),
        _ => protocol,
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or(&rest);
    let receiver = if host.is_empty() { &rest } else { host }.to_owned();
    reach.push(Reach::Host {
        protocol,
        address: rest,
    });
    let auth = table(repository.get("auth").map(toml::Spanned::get_ref));
    if let Some(path) = auth.and_then(|auth| text(auth, "ssh_key")) {
        reach.push(Reach::KeyFile {
            path: here.shown(path),
            to: receiver.clone(),
        });
    }
    receiver
}

/// A program, with its environment and the digests of the files of the project that its command names.
fn program(
    repository: &DeTable<'_>,
    command: &DeValue<'_>,
    here: &ReachContext<'_>,
    reach: &mut Vec<Reach>,
) -> String {
    let words: Vec<String> = match command {
        DeValue::Array(words) => {
            let words = words.iter().filter_map(|word| word.get_ref().as_str());
            words.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let digest = |word: &String| {
        let path = here.root.inside(&here.base.join(word))?;
        let relative = path.strip_prefix(here.root.real()).ok()?;
        if !path.is_file() {
            return None;
        }
        let digest = here.root.digest(&path);
        let digest = digest.unwrap_or_else(|| "not checked".to_owned());
        Some((relative.display().to_string(), digest))
    };
    let files = words.iter().filter_map(digest).collect();
    let environment = table(repository.get("env").map(toml::Spanned::get_ref));
    let environment = environment.into_iter().flatten().map(|(name, value)| {
        let value = value.get_ref().as_str().unwrap_or_default();
        (name.get_ref().to_string(), value.to_owned())
    });
    let receiver = format!("the program {}", words.first().map_or("", String::as_str));
    reach.push(Reach::Program {
        command: words,
        environment: environment.collect(),
        files,
    });
    receiver
}

impl ReachContext<'_> {
    /// Whether a path that the file states is inside the project; one with a variable in it is not known to be.
    fn inside(&self, stated: &str) -> bool {
        variables(stated).next().is_none() && self.root.inside(&self.path(stated)).is_some()
    }

    fn path(&self, stated: &str) -> PathBuf {
        match (stated.strip_prefix('~'), self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.base.join(stated),
        }
    }

    fn shown(&self, stated: &str) -> String {
        if variables(stated).next().is_some() {
            return stated.to_owned();
        }
        let path = self.path(stated);
        // An answer is for this project, so its own files are named as seen from its root.
        let inside = self.root.inside(&path);
        let inside = inside.as_ref().and_then(|it| {
            it.strip_prefix(self.root.real())
                .or_else(|_| it.strip_prefix(self.root.path()))
                .ok()
        });
        inside.unwrap_or(&path).display().to_string()
    }
}

/// A URL or a path without the user's name and password, which are no part of where it leads.
///
/// The parser is the one that is used for the connection, so both see the same host. What it cannot read before
/// variables are replaced is shown whole.
fn address(stated: &str, here: &ReachContext<'_>) -> String {
    if let Some(path) = stated.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        return format!("sqlite:{}", here.shown(path));
    }
    if !stated.contains("://") {
        // `user@host:path` is a server, anything else a path: as the reader of git URLs has it.
        return if scp(stated).is_some() {
            stated.to_owned()
        } else {
            here.shown(stated)
        };
    }
    let Ok(mut url) = url::Url::parse(stated) else {
        return INVALID_URL.to_owned();
    };
    match url.set_username("").and_then(|()| url.set_password(None)) {
        Ok(()) => url.to_string().replace("$%7B", "${").replace("%7D", "}"),
        Err(()) => stated.to_owned(),
    }
}

/// Whether a variable decides about something that the question could not show: the host of a URL, or the program.
pub(crate) fn hidden_variable(repository: &DeTable<'_>) -> Option<&'static str> {
    let in_host = |stated: &str| {
        let authority = stated.split_once("://").map_or(stated, |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#', '\\']).next();
        let authority = authority.unwrap_or_default();
        let scheme = stated.split_once("://").map_or("", |(scheme, _)| scheme);
        let host = authority.rsplit('@').next().unwrap_or_default();
        variables(host).next().is_some() || variables(scheme).next().is_some()
    };
    let url = text(repository, "url").filter(|url| !url.starts_with("sqlite:"));
    if url.is_some_and(in_host) {
        return Some("url");
    }
    match repository.get("command").map(toml::Spanned::get_ref) {
        Some(DeValue::Array(words)) => {
            let mut words = words.iter().filter_map(|word| word.get_ref().as_str());
            let named = words.any(|word| variables(word).next().is_some());
            named.then_some("command")
        }
        _ => None,
    }
}

/// Every variable that the strings of a repository name.
fn names(repository: &DeTable<'_>) -> Vec<String> {
    let mut found = Vec::new();
    each_text(repository, &mut |_, text| {
        found.extend(variables(text).map(str::to_owned));
    });
    found
}

fn text<'t>(table: &'t DeTable<'_>, key: &str) -> Option<&'t str> {
    table.get(key)?.get_ref().as_str()
}

fn table<'t, 'd>(value: Option<&'t DeValue<'d>>) -> Option<&'t DeTable<'d>> {
    match value? {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
