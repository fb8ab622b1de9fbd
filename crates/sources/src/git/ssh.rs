//! The ssh client of the system: started without a shell, never interactive, with captured errors.

use std::io::{self, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::git::ConnectMode;
use gix::protocol::transport::client::git::blocking_io::Connection;
use prowess_config::GitAuth;
use prowess_core::SourceError;

use super::fetch::unavailable;

/// Seconds until a server must have taken the connection.
const CONNECT_SECONDS: u32 = 15;
/// Captured bytes of error output.
const COMPLAINT_BYTES: u64 = 4_096;

/// A client that is running.
pub(super) struct Client {
    child: Child,
    complaints: Option<JoinHandle<String>>,
}

/// The transport of gitoxide.
pub(super) type Transport = Connection<ChildStdout, ChildStdin>;

impl Client {
    /// Starts the client with git's command at the other end. A server that takes no variables speaks the first
    /// version of the protocol.
    pub(super) fn start(
        url: &gix::Url,
        auth: Option<&GitAuth>,
        version: Protocol,
    ) -> Result<(Self, Transport), SourceError> {
        let host = url
            .host()
            .filter(|host| !host.starts_with('-'))
            .ok_or_else(|| unavailable("invalid URL: missing host".to_owned()))?;
        let path = url.path.to_string();
        let mut command = Command::new("ssh");
        command.args(["-o", "BatchMode=yes"]);
        command.args(["-o", &format!("ConnectTimeout={CONNECT_SECONDS}")]);
        if let Some(GitAuth::SshKey(key)) = auth {
            command.args(["-o", "IdentitiesOnly=yes", "-i"]).arg(key);
        }
        if version == Protocol::V2 {
            command.args(["-o", "SendEnv=GIT_PROTOCOL"]);
            command.env("GIT_PROTOCOL", "version=2");
        }
        if let Some(port) = url.port {
            command.args(["-p", &port.to_string()]);
        }
        if let Some(user) = url.user() {
            command.args(["-l", user]);
        }
        command
            .args(["--", host, &format!("git-upload-pack {}", quoted(&path))])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            unavailable(match error.kind() {
                io::ErrorKind::NotFound => "ssh not found in PATH; install OpenSSH".to_owned(),
                _ => format!("cannot start the ssh client: {error}"),
            })
        })?;
        let (Some(input), Some(output), Some(mut complaints)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(unavailable(
                "cannot open pipes to the ssh client".to_owned(),
            ));
        };
        let complaints = thread::spawn(move || {
            let mut text = Vec::new();
            let _ = complaints
                .by_ref()
                .take(COMPLAINT_BYTES)
                .read_to_end(&mut text);
            let _ = io::copy(&mut complaints, &mut io::sink());
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        let client = Self {
            child,
            complaints: Some(complaints),
        };
        let nobody: Option<(String, Option<u16>)> = None;
        let transport = Connection::new(
            output,
            input,
            version,
            path,
            nobody,
            ConnectMode::Process,
            false,
        );
        Ok((client, transport))
    }

    /// The error output of the client, after it ended.
    pub(super) fn complaint(mut self) -> Option<String> {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let text = self.complaints.take()?.join().ok()?;
        let line = text.lines().rfind(|line| !line.trim().is_empty())?;
        Some(line.trim().to_owned())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A path as the shell of the other side takes it for one word.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted("/srv/a b.git"), "'/srv/a b.git'");
        assert_eq!(quoted("/a'; rm -rf /; '"), r"'/a'\''; rm -rf /; '\'''");
    }
}
