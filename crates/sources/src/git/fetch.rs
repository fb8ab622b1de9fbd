//! Getting a commit: over http, over ssh, or from a directory.

use std::error::Error as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::bstr::ByteSlice;
use gix::credentials::helper::Action;
use gix::credentials::protocol::Outcome;
use gix::open::Options;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::remote::fetch::{Shallow, Tags};
use gix::remote::{Connection, Direction};
use gix::sec::identity::Account;
use gix::{ObjectId, Repository};
use prowess_config::{Git, GitAuth, GitLocation, GitRef};
use prowess_core::SourceError;
use prowess_trust::LocalRepository;

use super::connect::server_url;
use super::progress::Watcher;
use super::ssh::Client;
use super::store::{Lock, Store, failed as disk_failed};

/// Where a fetched commit is noted in the repository of the cache.
const HEAD: &str = "refs/prowess/head";
/// What to do about credentials that a server refuses.
const CHECK_AUTH: &str = "check `auth`";
/// Milliseconds until a server must have taken the connection.
pub(super) const CONNECT_MILLISECONDS: u32 = 15_000;
/// Seconds without data until a server times out.
pub(super) const SILENCE_SECONDS: u32 = 30;

/// The error for a repository without a commit.
pub(super) const EMPTY: &str = "the repository is empty";

/// The repository with the commit that the options name.
pub(super) fn fetch(
    options: &Git,
    store: &Store,
    lock: &Lock,
    progress: &Watcher,
) -> Result<(Repository, ObjectId), SourceError> {
    check(options)?;
    if let GitLocation::Local(path) = &options.url {
        return local(path, options);
    }
    let directory = store.repository();
    if directory.is_dir() {
        let repository = open(&directory)?;
        let commit = receive(&repository, options, progress)?;
        return Ok((repository, commit));
    }
    let unfinished = store.unfinished(lock)?;
    gix::init_bare(unfinished.path()).map_err(|error| failed("prepare the clone", &error))?;
    let repository = open(unfinished.path())?;
    let commit = receive(&repository, options, progress)?;
    drop(repository);
    fs::rename(unfinished.path(), &directory).map_err(|error| disk_failed("write", &error))?;
    Ok((open(&directory)?, commit))
}

/// Values that must not reach a server or a program.
fn check(options: &Git) -> Result<(), SourceError> {
    match &options.reference {
        None => Ok(()),
        Some(GitRef::Branch(name)) => check_name("branch", name),
        Some(GitRef::Tag(name)) => check_name("tag", name),
        Some(GitRef::Commit(name)) if ObjectId::from_hex(name.as_bytes()).is_ok() => Ok(()),
        Some(GitRef::Commit(name)) => {
            let name = name.escape_debug();
            let message = format!("invalid commit `{name}`; write all 40 digits");
            Err(unavailable(message))
        }
    }
}

/// A name that git takes for a reference and never for an option.
pub(super) fn check_name(kind: &str, name: &str) -> Result<(), SourceError> {
    let full = format!("refs/heads/{name}");
    if !name.starts_with('-') && gix::validate::reference::name(full.as_bytes().as_bstr()).is_ok() {
        return Ok(());
    }
    let name = name.escape_debug();
    Err(unavailable(format!("invalid {kind} `{name}`")))
}

/// Opens a repository of this machine, with nothing of its or the user's configuration that starts a program.
pub(super) fn open_local(path: &Path) -> Result<Repository, SourceError> {
    if !path.exists() {
        let shown = path.file_name().unwrap_or(path.as_os_str());
        let shown = shown.to_string_lossy().into_owned();
        return Err(unavailable(format!("repository not found: `{shown}`")));
    }
    // A stranger may have made it: it is read where it was said to be, and nowhere else.
    if let Some(problem) = LocalRepository::at(path).problem() {
        return Err(unavailable(format!("cannot use the repository: {problem}")));
    }
    gix::open_opts(path, Options::isolated()).map_err(|error| failed("open the repository", &error))
}

/// The commit of the current branch of a repository of this machine.
pub(super) fn local_head(repository: &Repository) -> Result<ObjectId, SourceError> {
    let failed = |error| failed("find the current branch", &error);
    if repository.head().map_err(failed)?.is_unborn() {
        return Err(unavailable(EMPTY.to_owned()));
    }
    Ok(repository.head_id().map_err(failed)?.detach())
}

fn local(path: &Path, options: &Git) -> Result<(Repository, ObjectId), SourceError> {
    let repository = open_local(path)?;
    let commit = match &options.reference {
        Some(GitRef::Commit(name)) => {
            let id = ObjectId::from_hex(name.as_bytes()).map_err(|_| unknown("commit", name))?;
            repository
                .find_commit(id)
                .map_err(|_| unknown("commit", name))?;
            id
        }
        Some(GitRef::Branch(name)) => named(&repository, &format!("refs/heads/{name}"))
            .ok_or_else(|| unknown("branch", name))?,
        Some(GitRef::Tag(name)) => {
            named(&repository, &format!("refs/tags/{name}")).ok_or_else(|| unknown("tag", name))?
        }
        None => local_head(&repository)?,
    };
    Ok((repository, commit))
}

/// The commit of a reference.
pub(super) fn named(repository: &Repository, name: &str) -> Option<ObjectId> {
    let mut reference = repository.find_reference(name).ok()?;
    Some(reference.peel_to_commit().ok()?.id)
}

pub(super) fn unknown(kind: &str, name: &str) -> SourceError {
    let name = name.escape_debug();
    unavailable(format!("the repository has no {kind} `{name}`"))
}

/// Opens the repository of the cache, with nothing of the machine's or the user's configuration.
pub(super) fn open(directory: &Path) -> Result<Repository, SourceError> {
    let overrides = [
        format!("gitoxide.http.connectTimeout={CONNECT_MILLISECONDS}"),
        "http.lowSpeedLimit=1".to_owned(),
        format!("http.lowSpeedTime={SILENCE_SECONDS}"),
        "http.followRedirects=false".to_owned(),
    ];
    let options = Options::isolated().config_overrides(overrides);
    gix::open_opts(directory, options).map_err(|error| failed("open the clone", &error))
}

/// Fetches what the options name; a commit that the server does not hand out alone comes with its history.
fn receive(
    repository: &Repository,
    options: &Git,
    progress: &Watcher,
) -> Result<ObjectId, SourceError> {
    let depth = NonZeroU32::new(options.depth).map_or(Shallow::NoChange, Shallow::DepthAtRemote);
    match &options.reference {
        None => ask(
            repository,
            options,
            &format!("+HEAD:{HEAD}"),
            depth,
            progress,
        )?,
        Some(GitRef::Branch(name)) => {
            let spec = format!("+refs/heads/{name}:{HEAD}");
            if !ask(repository, options, &spec, depth, progress)? {
                return Err(unknown("branch", name));
            }
            true
        }
        Some(GitRef::Tag(name)) => {
            let spec = format!("+refs/tags/{name}:{HEAD}");
            if !ask(repository, options, &spec, depth, progress)? {
                return Err(unknown("tag", name));
            }
            true
        }
        Some(GitRef::Commit(name)) => {
            let id = ObjectId::from_hex(name.as_bytes()).map_err(|_| unknown("commit", name))?;
            // A server that does not have it, or does not hand it out alone, refuses in its own words.
            let _ = ask(
                repository,
                options,
                &format!("{name}:{HEAD}"),
                depth,
                progress,
            );
            if repository.find_commit(id).is_ok() {
                return Ok(id);
            }
            let everything = "+refs/heads/*:refs/remotes/origin/*";
            ask(repository, options, everything, Shallow::undo(), progress)?;
            return match repository.find_commit(id) {
                Ok(_) => Ok(id),
                Err(_) => Err(unknown("commit", name)),
            };
        }
    };
    named(repository, HEAD).ok_or_else(|| unavailable(EMPTY.to_owned()))
}

/// One fetch; returns whether the server has the reference.
fn ask(
    repository: &Repository,
    options: &Git,
    spec: &str,
    shallow: Shallow,
    progress: &Watcher,
) -> Result<bool, SourceError> {
    let Some(url) = options.url.server() else {
        return Ok(false);
    };
    let parsed = server_url(url)?;
    let token = match &options.auth {
        Some(GitAuth::Bearer(_)) if parsed.scheme == gix::url::Scheme::Http => {
            let message = "cannot send a token over http; use https";
            return Err(unavailable(message.to_owned()));
        }
        Some(GitAuth::Bearer(token)) => Some(token.clone()),
        _ => None,
    };
    let ssh = parsed.scheme == gix::url::Scheme::Ssh;
    let host = parsed.host().map(str::to_owned);
    let remote = repository
        .remote_at(parsed.clone())
        .and_then(|remote| remote.with_refspecs([spec], Direction::Fetch))
        .map_err(|error| network_failure(&error, CHECK_AUTH))?
        .with_fetch_tags(Tags::None);
    if ssh {
        let (client, transport) = Client::start(&parsed, options.auth.as_ref(), Protocol::V1)?;
        let connection = remote.to_connection_with_transport(transport);
        let received = exchange(connection, shallow, progress);
        return received.map_err(|error| match client.complaint() {
            Some(complaint) => unavailable(format!("ssh: {complaint}")),
            None => network_failure(&error, CHECK_AUTH),
        });
    }
    let mut connection = remote
        .connect(Direction::Fetch)
        .map_err(|error| network_failure(&error, CHECK_AUTH))?;
    // Without this, git would ask in a terminal.
    connection.set_credentials(move |action| {
        let Action::Get(context) = action else {
            return Ok(None);
        };
        let asked = context
            .url
            .as_ref()
            .and_then(|url| gix::url::parse(url.as_bstr()).ok());
        let same_host = asked.is_some_and(|url| url.host().map(str::to_owned) == host);
        Ok(token.as_ref().filter(|_| same_host).map(|token| Outcome {
            identity: Account {
                username: "x-access-token".to_owned(),
                password: token.expose().to_owned(),
                oauth_refresh_token: None,
            },
            next: context.into(),
        }))
    });
    exchange(connection, shallow, progress).map_err(|error| network_failure(&error, CHECK_AUTH))
}

/// Communicates with a server; returns whether it has the reference.
fn exchange<T: Transport>(
    connection: Connection<'_, '_, '_, T>,
    shallow: Shallow,
    progress: &Watcher,
) -> gix::Result<bool> {
    let options = gix::remote::ref_map::Options::default();
    let prepared = connection.prepare_fetch(progress.item(), options)?;
    if prepared.ref_map().mappings.is_empty() {
        return Ok(false);
    }
    prepared
        .with_shallow(shallow)
        .receive(progress.item(), &AtomicBool::new(false))?;
    Ok(true)
}

/// Whether an error is about credentials. Its text may have a URL, in which the same letters and digits mean nothing.
fn is_about_credentials(cause: &str) -> bool {
    let words = cause
        .split_whitespace()
        .filter(|word| !word.contains("://"));
    words.into_iter().any(|word| {
        let plain = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        plain == "401" || plain.contains("redential") || plain.contains("identity")
    })
}

/// `advice` follows an error about credentials.
pub(super) fn network_failure(error: &gix::Error, advice: &str) -> SourceError {
    if causes(error)
        .iter()
        .any(|cause| is_about_credentials(cause))
    {
        return unavailable(format!("authentication failed; {advice}"));
    }
    // The errors above it contain no details.
    let reason = causes(error).pop().unwrap_or_default();
    let reason = reason
        .rsplit("client error (Connect): ")
        .next()
        .unwrap_or(&reason);
    unavailable(format!("cannot fetch from the repository: {reason}"))
}

/// An error with what lies below it, each thing once.
fn causes(error: &gix::Error) -> Vec<String> {
    let mut causes = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !causes.contains(&text) {
            causes.push(text);
        }
        cause = error.source();
    }
    causes
}

pub(super) fn failed(action: &str, error: &gix::Error) -> SourceError {
    let causes = causes(error);
    unavailable(format!("cannot {action}: {}", causes.join(": ")))
}

pub(super) fn unavailable(message: String) -> SourceError {
    SourceError::Unavailable(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_url_are_no_status() {
        for (cause, expected) in [
            ("Received HTTP status 401", true),
            ("HTTP status client error (401 Unauthorized)", true),
            (
                "Credentials provided for https://x/ were not accepted",
                true,
            ),
            (
                "error sending request for url (http://127.0.0.1:40123/a.git)",
                false,
            ),
            ("could not reach http://identity.example.com/401.git", false),
            ("Received HTTP status 404", false),
        ] {
            assert_eq!(is_about_credentials(cause), expected, "{cause}");
        }
    }
}
