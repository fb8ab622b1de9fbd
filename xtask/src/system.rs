//! Programs that come with the operating system, from apt where there is one.

use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{line, output, run, succeeds};

/// The oldest Python that the reference validator runs on, and the two modules that make a virtual environment.
const PYTHON_CHECK: &str =
    "import ensurepip, sys, venv; sys.exit(0 if sys.version_info >= (3, 11) else 1)";

/// Something that no Rust tool can bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A C compiler, which rustc links with.
    Linker,
    /// A C++ compiler, for libFuzzer.
    Cpp,
    /// Python with `venv`, for the reference validator.
    Python,
    /// git with `http-backend`, whose repositories the git source is tested on.
    Git,
    /// An ssh server and client, for the same.
    Ssh,
    /// Makes certificates for servers of tests.
    Openssl,
    /// A second opinion on archives.
    Bsdtar,
    /// A `PostgreSQL` server, for the SQL source.
    Postgres,
    /// A `MariaDB` server, for the same.
    MariaDb,
    /// A tracer, which shows what a command does in a hostile project.
    Tracer,
    /// A browser, for the console.
    Browser,
    /// The package manager of Node, for peers in JavaScript and the console.
    Npm,
    /// The second way to make a jail, and the interpreters of the system, which run inside.
    Jail,
}

impl Need {
    fn is_met(self) -> bool {
        succeeds(&mut match self {
            Self::Linker => words("cc --version"),
            Self::Cpp => words("c++ --version"),
            Self::Python => {
                let mut python = Command::new("python3");
                python.args(["-I", "-c", PYTHON_CHECK]);
                python
            }
            Self::Git => {
                let mut shell = Command::new("sh");
                shell.args(["-c", "test -x \"$(git --exec-path)/git-http-backend\""]);
                shell
            }
            Self::Ssh => words("test -x /usr/sbin/sshd -a -x /usr/bin/ssh"),
            Self::Openssl => words("openssl version"),
            Self::Bsdtar => words("bsdtar --version"),
            Self::Postgres => {
                let mut shell = Command::new("sh");
                shell.args([
                    "-c",
                    "ls /usr/lib/postgresql/*/bin/initdb || command -v initdb",
                ]);
                shell
            }
            Self::MariaDb => words("test -x /usr/sbin/mariadbd"),
            Self::Tracer => words("strace -V"),
            Self::Browser => words("test -x /usr/bin/chromium"),
            Self::Npm => words("npm --version"),
            Self::Jail => {
                let mut shell = Command::new("sh");
                let programs = "bwrap setpriv python3 node jq";
                shell.args([
                    "-c",
                    &format!("for p in {programs}; do test -x /usr/bin/$p || exit 1; done"),
                ]);
                shell
            }
        })
    }

    fn what(self) -> &'static str {
        match self {
            Self::Linker => "a C compiler (cc)",
            Self::Cpp => "a C++ compiler (c++)",
            Self::Python => "Python 3.11 or newer with venv (python3)",
            Self::Git => "git with http-backend",
            Self::Ssh => "an ssh server and client (sshd, ssh)",
            Self::Openssl => "openssl",
            Self::Bsdtar => "bsdtar",
            Self::Postgres => "a PostgreSQL server (initdb)",
            Self::MariaDb => "a MariaDB server (mariadbd)",
            Self::Tracer => "strace",
            Self::Browser => "Chromium, as /usr/bin/chromium",
            Self::Npm => "npm",
            Self::Jail => "bubblewrap, setpriv, Python, node and jq of the system, below /usr/bin",
        }
    }

    /// The Debian packages that meet it.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Linker => &["gcc", "libc6-dev"],
            Self::Cpp => &["g++"],
            Self::Python => &["python3", "python3-venv"],
            Self::Git => &["git"],
            Self::Ssh => &["openssh-server", "openssh-client"],
            Self::Openssl => &["openssl"],
            Self::Bsdtar => &["libarchive-tools"],
            Self::Postgres => &["postgresql"],
            Self::MariaDb => &["mariadb-server-core", "mariadb-client-core"],
            Self::Tracer => &["strace"],
            Self::Browser => &["chromium", "fonts-noto-core"],
            Self::Npm => &["npm"],
            Self::Jail => &["bubblewrap", "util-linux", "python3", "nodejs", "jq"],
        }
    }
}

/// Installs what is missing with apt, or fails with the commands that an administrator must run.
pub(crate) fn ensure(needs: &[Need]) -> Result<()> {
    let missing = unmet(needs);
    if missing.is_empty() {
        return Ok(());
    }
    let names = names(&missing);
    let commands = apt_commands(&missing);
    if !succeeds(&mut words("apt-get --version")) {
        bail!(
            "missing: {names}; apt-get not found: install the equivalent of {}",
            packages(&missing).join(", ")
        );
    }
    if output(&mut words("id -u"))?.trim() != "0" {
        let lines: Vec<_> = commands
            .iter()
            .map(|c| format!("\n    sudo {}", line(c)))
            .collect();
        bail!(
            "missing: {names}; only root may install, so run:{}",
            lines.concat()
        );
    }
    for mut command in commands {
        println!("installing {names}: {}", line(&command));
        run(command.env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    let still = unmet(needs);
    if !still.is_empty() {
        bail!(
            "apt-get succeeded, yet this is still missing: {}",
            self::names(&still)
        );
    }
    Ok(())
}

fn unmet(needs: &[Need]) -> Vec<Need> {
    needs
        .iter()
        .copied()
        .filter(|need| !need.is_met())
        .collect()
}

fn names(needs: &[Need]) -> String {
    needs
        .iter()
        .map(|need| need.what())
        .collect::<Vec<_>>()
        .join(", ")
}

fn packages(needs: &[Need]) -> Vec<&'static str> {
    needs
        .iter()
        .flat_map(|need| need.packages())
        .copied()
        .collect()
}

fn apt_commands(needs: &[Need]) -> [Command; 2] {
    let mut install = words("apt-get install --yes --no-install-recommends");
    install.args(packages(needs));
    [words("apt-get update"), install]
}

/// A command from words without quotes.
fn words(text: &str) -> Command {
    let mut words = text.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_update_and_one_install_for_everything() {
        let lines = apt_commands(&[Need::Linker, Need::Python]).map(|command| line(&command));
        assert_eq!(
            lines,
            [
                "apt-get update",
                "apt-get install --yes --no-install-recommends gcc libc6-dev python3 python3-venv",
            ]
        );
    }
}
