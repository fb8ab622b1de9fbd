//! Where a repository lies, and how its server is reached.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
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
use prowess_config::Url;
use prowess_core::SourceError;

use super::fetch::{CONNECT_MILLISECONDS, SILENCE_SECONDS, network_failure, unavailable};
use super::ssh::Client;

/// The port of git's own protocol.
const GIT_PORT: u16 = 9_418;

/// A server in the form of gitoxide, whose parser must see the same host as ours: that is the one that was shown.
pub(super) fn server_url(url: &Url) -> Result<gix::Url, SourceError> {
    let invalid = |reason: &str| unavailable(format!("invalid URL: {reason}"));
    let parsed = gix::url::parse(url.expose().as_bytes().as_bstr());
    let parsed = parsed.map_err(|_| invalid("malformed"))?;
    if parsed.host().is_none_or(|host| host != url.host()) {
        return Err(invalid("its host is ambiguous"));
    }
    Ok(parsed)
}

/// The same, for what is stored in lock files, errors and logs.
pub(super) fn open_server_url(url: &Url) -> Result<gix::Url, SourceError> {
    let parsed = server_url(url)?;
    if parsed.password().is_some() {
        let message = "invalid URL: contains a password; use ssh";
        return Err(unavailable(message.to_owned()));
    }
    Ok(parsed)
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
