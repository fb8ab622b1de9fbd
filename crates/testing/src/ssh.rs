//! An ssh server for the user who runs the tests, with a key of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::directory::write;
use crate::program::{ChildGuard, file_url, free_port, run};

/// A running ssh server, with its files in a directory.
pub struct SshServer {
    directory: PathBuf,
    port: u16,
    _child: ChildGuard,
}

impl SshServer {
    /// Starts a server that lets in the key `user_key` of the directory, whose path has no blanks. `options` are lines of its configuration.
    pub fn start(directory: &Path, options: &str) -> Self {
        let keys = "ssh-keygen -q -t ed25519 -N '' -f host_key; ssh-keygen -q -t ed25519 -N '' -f user_key; cp user_key.pub authorized_keys; chmod 600 authorized_keys";
        run(Command::new("sh")
            .args(["-euc", keys])
            .current_dir(directory));
        let port = free_port();
        let root = directory.display();
        let config = directory.join("sshd_config");
        write(
            &config,
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {root}/host_key\nAuthorizedKeysFile {root}/authorized_keys\nPidFile {root}/sshd.pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n{options}\n"
            ),
        );
        // Where it drops its privileges; Debian makes it when the service starts.
        let _ = fs::create_dir_all("/run/sshd");
        let mut child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f"])
            .arg(config)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let listening = lines.any(|line| line.unwrap().contains("Server listening"));
        assert!(listening);
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            directory: directory.to_owned(),
            port,
            _child: ChildGuard(child),
        }
    }

    /// The URL of a repository of this machine.
    pub fn url(&self, repository: &Path) -> String {
        let user = run(Command::new("id").arg("-un"));
        let (user, port) = (user.trim(), self.port);
        let path = file_url(repository).replacen("file://", "", 1);
        format!("ssh://{user}@127.0.0.1:{port}{path}")
    }

    /// The key that the server lets in.
    pub fn key(&self) -> PathBuf {
        self.directory.join("user_key")
    }

    /// A `PATH` whose client trusts this server, and has these options. The client reads the user's own known hosts,
    /// wherever `HOME` points; so they are named in a wrapper.
    pub fn path_with_client(&self, options: &str) -> String {
        let (root, client) = (self.directory.display(), self.directory.join("bin/ssh"));
        write(
            &client,
            format!(
                "#!/bin/sh\nexec /usr/bin/ssh {options} -o UserKnownHostsFile={root}/known_hosts -o StrictHostKeyChecking=accept-new \"$@\"\n"
            ),
        );
        run(Command::new("chmod").arg("755").arg(&client));
        let path = std::env::var("PATH").unwrap();
        format!("{}:{path}", self.directory.join("bin").display())
    }
}
