//! Where a repository lies, and how its server is reached.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use gix::bstr::ByteSlice;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::TransportWithoutIO;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::client::blocking_io::connect::{
    Options as ConnectOptions, connect as connect_http,
};
use gix::protocol::transport::client::blocking_io::http::Options as HttpOptions;
use gix::protocol::transport::client::blocking_io::http::options::FollowRedirects;
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use gix::url::Scheme;
use prowess_core::SourceError;

use super::fetch::{CONNECT_MILLISECONDS, SILENCE_SECONDS, network_failure, unavailable};
use super::ssh::Client;

/// The port of git's own protocol.
const GIT_PORT: u16 = 9_418;

/// Where a repository lies.
pub(super) enum Place {
    Local(PathBuf),
    Server(gix::Url),
}

impl Place {
    /// Reads a URL or a path, and refuses what a program could take for an option.
    pub(super) fn parse(text: &str) -> Result<Self, SourceError> {
        let invalid = |reason: &str| unavailable(format!("invalid URL: {reason}"));
        if text.is_empty() || text.starts_with('-') || text.contains(char::is_control) {
            return Err(invalid("expected a URL or a path"));
        }
        let parsed =
            gix::url::parse(text.as_bytes().as_bstr()).map_err(|_| invalid("malformed"))?;
        match parsed.scheme {
            Scheme::File if text.starts_with("file:") => url::Url::parse(text)
                .ok()
                .and_then(|url| url.to_file_path().ok())
                .map(Self::Local)
                .ok_or_else(|| invalid("expected `file:///` and an absolute path")),
            Scheme::File => Ok(Self::Local(text.into())),
            Scheme::Https | Scheme::Http | Scheme::Ssh | Scheme::Git => {
                let is_option = |part: Option<&str>| part.is_some_and(|it| it.starts_with('-'));
                if parsed.host().is_none() || is_option(parsed.host()) || is_option(parsed.user()) {
                    return Err(invalid("missing host"));
                }
                // It would end in a lock file, in errors and in logs.
                if parsed.password().is_some() {
                    return Err(invalid("contains a password; use ssh"));
                }
                Ok(Self::Server(parsed))
            }
            _ => Err(invalid("expected https, http, ssh, git or file")),
        }
    }
}

/// An error of the server, or of the client that speaks with it.
pub(super) fn explain(client: &mut Option<Client>, error: &gix::Error) -> SourceError {
    match client.take().and_then(Client::complaint) {
        Some(complaint) => unavailable(format!("ssh: {complaint}")),
        None => network_failure(
            error,
            "the repository does not exist or is private; use ssh",
        ),
    }
}

type Connected = (Box<dyn Transport + Send>, Option<Client>);

/// Connects to a server.
pub(super) fn connect(url: &gix::Url) -> Result<Connected, SourceError> {
    match url.scheme {
        Scheme::Ssh => {
            let (client, transport) = Client::start(url, None, Protocol::V2)?;
            Ok((Box::new(transport), Some(client)))
        }
        Scheme::Git => Ok((Box::new(daemon(url)?), None)),
        _ => {
            // The client of gitoxide panics without one.
            prowess_net::install_tls_provider();
            let options = ConnectOptions {
                version: Protocol::V2,
                ..ConnectOptions::default()
            };
            let failed = |error: gix::Error| explain(&mut None, &error);
            let mut transport = connect_http(url.clone(), options).map_err(failed)?;
            let options = HttpOptions {
                follow_redirects: FollowRedirects::None,
                ..HttpOptions::default()
            };
            transport.configure(&options).map_err(failed)?;
            Ok((transport, None))
        }
    }
}

/// Git's own protocol, with time limits.
fn daemon(url: &gix::Url) -> Result<Connection<TcpStream, TcpStream>, SourceError> {
    let host = url.host().unwrap_or_default();
    let connect = || {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in (host, url.port.unwrap_or(GIT_PORT)).to_socket_addrs()? {
            let patience = Duration::from_millis(CONNECT_MILLISECONDS.into());
            match TcpStream::connect_timeout(&address, patience) {
                Ok(stream) => {
                    let silence = Some(Duration::from_secs(SILENCE_SECONDS.into()));
                    stream.set_read_timeout(silence)?;
                    stream.set_write_timeout(silence)?;
                    return Ok((stream.try_clone()?, stream));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    };
    let (read, write) = connect().map_err(|error: io::Error| {
        unavailable(format!("cannot fetch from the repository: {error}"))
    })?;
    Ok(Connection::new(
        read,
        write,
        Protocol::V2,
        url.path.clone(),
        Some((host, url.port)),
        ConnectMode::Daemon,
        false,
    ))
}
