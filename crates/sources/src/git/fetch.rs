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
use gix::remote::Direction;
use gix::remote::fetch::{Shallow, Tags};
use gix::sec::identity::Account;
use gix::{ObjectId, Repository};
use prowess_config::{Git, GitAuth, GitLocation, GitRef};
use prowess_core::SourceError;

use super::progress::Watcher;
use super::store::{Lock, Store};

/// Where a fetched commit is noted in the repository of the cache.
const HEAD: &str = "refs/prowess/head";
/// Milliseconds until a server must have taken the connection.
const CONNECT_MILLISECONDS: u32 = 15_000;
/// Seconds without a byte after which a server is given up.
const SILENCE_SECONDS: u32 = 30;

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
        let repository = open(&directory, options)?;
        let commit = receive(&repository, options, progress)?;
        return Ok((repository, commit));
    }
    let unfinished = store.unfinished(lock)?;
    gix::init_bare(unfinished.path()).map_err(|error| failed("prepare the clone", &error))?;
    let repository = open(unfinished.path(), options)?;
    let commit = receive(&repository, options, progress)?;
    drop(repository);
    fs::rename(unfinished.path(), &directory).map_err(|error| store.failed("write", &error))?;
    Ok((open(&directory, options)?, commit))
}

/// What must not reach a server or a program, however it got into the options.
fn check(options: &Git) -> Result<(), SourceError> {
    let (kind, name) = match &options.reference {
        None => return Ok(()),
        Some(GitRef::Branch(name)) => ("branch", name),
        Some(GitRef::Tag(name)) => ("tag", name),
        Some(GitRef::Commit(name)) => ("commit", name),
    };
    let commit = matches!(options.reference, Some(GitRef::Commit(_)));
    let fits = if commit {
        ObjectId::from_hex(name.as_bytes()).is_ok()
    } else {
        let full = format!("refs/heads/{name}");
        !name.starts_with('-') && gix::validate::reference::name(full.as_bytes().as_bstr()).is_ok()
    };
    if fits {
        return Ok(());
    }
    let hint = if commit { "; write all 40 digits" } else { "" };
    let name = name.escape_debug();
    Err(unavailable(format!("`{name}` cannot be a {kind}{hint}")))
}

fn local(path: &Path, options: &Git) -> Result<(Repository, ObjectId), SourceError> {
    if !path.exists() {
        let shown = path.file_name().unwrap_or(path.as_os_str());
        let shown = shown.to_string_lossy().into_owned();
        return Err(unavailable(format!("there is no repository `{shown}`")));
    }
    let repository = gix::open_opts(path, Options::isolated())
        .map_err(|error| failed("open the repository", &error))?;
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
        None => repository
            .head_id()
            .map_err(|error| failed("find the current branch", &error))?
            .detach(),
    };
    Ok((repository, commit))
}

/// The commit behind a reference.
fn named(repository: &Repository, name: &str) -> Option<ObjectId> {
    let mut reference = repository.find_reference(name).ok()?;
    Some(reference.peel_to_commit().ok()?.id)
}

fn unknown(kind: &str, name: &str) -> SourceError {
    let name = name.escape_debug();
    unavailable(format!("the repository has no {kind} `{name}`"))
}

/// Opens the repository of the cache, with nothing of the machine's or the user's configuration.
fn open(directory: &Path, options: &Git) -> Result<Repository, SourceError> {
    let mut overrides = vec![
        format!("gitoxide.http.connectTimeout={CONNECT_MILLISECONDS}"),
        "http.lowSpeedLimit=1".to_owned(),
        format!("http.lowSpeedTime={SILENCE_SECONDS}"),
        "http.followRedirects=false".to_owned(),
    ];
    if matches!(options.url, GitLocation::Ssh(_)) {
        overrides.push(format!("core.sshCommand={}", ssh_command(options)?));
    }
    let options = Options::isolated().config_overrides(overrides);
    gix::open_opts(directory, options).map_err(|error| failed("open the clone", &error))
}

/// The system's client, which must never ask.
fn ssh_command(options: &Git) -> Result<String, SourceError> {
    let mut command = format!(
        "ssh -o BatchMode=yes -o ConnectTimeout={}",
        SILENCE_SECONDS / 2
    );
    if let Some(GitAuth::SshKey(key)) = &options.auth {
        let Some(key) = key.to_str().filter(|key| !key.contains('\'')) else {
            let message = "the path of the key has a quote or is not UTF-8";
            return Err(unavailable(message.to_owned()));
        };
        command.push_str(&format!(" -o IdentitiesOnly=yes -i '{key}'"));
    }
    Ok(command)
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
    named(repository, HEAD).ok_or_else(|| unavailable("the repository is empty".to_owned()))
}

/// One fetch; whether the server has what was asked for.
fn ask(
    repository: &Repository,
    options: &Git,
    spec: &str,
    shallow: Shallow,
    progress: &Watcher,
) -> Result<bool, SourceError> {
    let (GitLocation::Http(url) | GitLocation::Ssh(url)) = &options.url else {
        return Ok(false);
    };
    let what = |error: &gix::Error| network_failure(options, error);
    let parsed = gix::url::parse(url.expose().as_bytes().as_bstr())
        .map_err(|_| unavailable("the URL makes no sense".to_owned()))?;
    let token = match &options.auth {
        Some(GitAuth::Bearer(_)) if parsed.scheme == gix::url::Scheme::Http => {
            let message = "a token is never sent over plain http; use https";
            return Err(unavailable(message.to_owned()));
        }
        Some(GitAuth::Bearer(token)) => Some(token.clone()),
        _ => None,
    };
    let host = parsed.host().map(str::to_owned);
    let remote = repository
        .remote_at(parsed)
        .and_then(|remote| remote.with_refspecs([spec], Direction::Fetch))
        .map_err(|error| what(&error))?
        .with_fetch_tags(Tags::None);
    let mut connection = remote
        .connect(Direction::Fetch)
        .map_err(|error| what(&error))?;
    // Without this, somebody would be asked in a terminal.
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
    let prepared = connection
        .prepare_fetch(progress.item(), gix::remote::ref_map::Options::default())
        .map_err(|error| what(&error))?;
    if prepared.ref_map().mappings.is_empty() {
        return Ok(false);
    }
    prepared
        .with_shallow(shallow)
        .receive(progress.item(), &AtomicBool::new(false))
        .map_err(|error| what(&error))?;
    Ok(true)
}

fn network_failure(options: &Git, error: &gix::Error) -> SourceError {
    let ssh = matches!(options.url, GitLocation::Ssh(_));
    let chain = causes(error);
    let missing = chain
        .iter()
        .any(|cause| cause.contains("No such file or directory"));
    if ssh && missing {
        let message = "there is no ssh client; install OpenSSH (`ssh` must be in PATH)";
        return unavailable(message.to_owned());
    }
    let unauthorised = chain.iter().any(|cause| {
        cause.contains("401") || cause.contains("redential") || cause.contains("identity")
    });
    if unauthorised && !ssh {
        return unavailable(
            "the server asks for credentials that it does not get; check `auth`".to_owned(),
        );
    }
    failed("fetch from the repository", error)
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

fn failed(action: &str, error: &gix::Error) -> SourceError {
    let causes = causes(error);
    unavailable(format!("cannot {action}: {}", causes.join(": ")))
}

fn unavailable(message: String) -> SourceError {
    SourceError::Unavailable(message)
}
