//! Real databases, started for a test and gone with it.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use prowess_config::Url;
use prowess_testing::{ChildGuard, free_port, run, sql};
use tempfile::TempDir;

/// Servers refuse to run as root.
const NOBODY: u32 = 65534;

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

/// A directory that nobody owns. The path of a socket in it is short, and has no blank that an option would end at.
fn directory() -> TempDir {
    let directory = tempfile::tempdir_in("/tmp").unwrap();
    if is_root() {
        chown(directory.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    directory
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command as somebody without privileges.
fn unprivileged(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

pub(crate) struct Sqlite {
    directory: TempDir,
}

impl Sqlite {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// A name with everything that a URL would take for something else.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("my skills?100%.db")
    }

    pub(crate) fn run(&self, statement: &str) {
        sql(self.path(), statement);
    }
}

pub(crate) struct Postgres {
    directory: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
            .expect("PostgreSQL is needed by this test")
            .map(|entry| entry.unwrap().path().join("bin"))
            .filter(|bin| bin.join("initdb").exists())
            .collect();
        versions.sort();
        let programs = versions.pop().unwrap();
        let directory = directory();
        let data = directory.path().join("data");
        let password = directory.path().join("password");
        fs::write(&password, "s3cret").unwrap();
        let mut initdb = unprivileged(programs.join("initdb"));
        initdb
            .args([
                "--username=ada",
                "--auth=scram-sha-256",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
            ])
            .arg(format!("--pwfile={}", password.display()))
            .arg(&data)
            .current_dir(directory.path());
        run(&mut initdb);
        let port = free_port();
        let options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -c unix_socket_directories={}",
            directory.path().display()
        );
        let mut start = unprivileged(programs.join("pg_ctl"));
        start
            .args([
                "start", "--wait", "--silent", "-o", &options, "-l", "log", "-D",
            ])
            .arg(&data)
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(start.status().unwrap().success());
        Self {
            directory,
            programs,
            port,
        }
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!(
            "postgres://ada:s3cret@127.0.0.1:{}/postgres",
            self.port
        ))
        .unwrap()
    }

    pub(crate) fn run(&self, statement: &str) {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args([
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-c",
            statement,
            self.url().expose(),
        ]);
        run(&mut psql);
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut stop = unprivileged(self.programs.join("pg_ctl"));
        stop.args(["stop", "--silent", "--mode=immediate", "-D"])
            .arg(self.directory.path().join("data"))
            .current_dir(self.directory.path());
        let _ = stop.output();
    }
}

pub(crate) struct MariaDb {
    directory: TempDir,
    _server: ChildGuard,
    port: u16,
}

impl MariaDb {
    pub(crate) fn start() -> Self {
        let directory = directory();
        let data = directory.path().join("data");
        let mut install = unprivileged("mariadb-install-db");
        install
            .args([
                "--no-defaults",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ])
            .arg(format!("--datadir={}", data.display()))
            .current_dir(directory.path());
        run(&mut install);
        let port = free_port();
        let server = unprivileged("/usr/sbin/mariadbd")
            .args([
                "--no-defaults",
                "--bind-address=127.0.0.1",
                "--skip-log-bin",
            ])
            .arg(format!("--datadir={}", data.display()))
            .arg(format!(
                "--socket={}",
                directory.path().join("socket").display()
            ))
            .arg(format!(
                "--pid-file={}",
                directory.path().join("pid").display()
            ))
            .arg(format!("--port={port}"))
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let database = Self {
            directory,
            _server: ChildGuard(server),
            port,
        };
        // It says nothing when it is ready, so it is asked until it answers.
        let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
        while !database
            .client("SELECT 1")
            .output()
            .unwrap()
            .status
            .success()
        {
            assert!(
                std::time::Instant::now() < deadline,
                "MariaDB did not start"
            );
            std::thread::yield_now();
        }
        database.run("CREATE USER ada@'127.0.0.1' IDENTIFIED BY 's3cret'");
        database.run("GRANT ALL ON *.* TO ada@'127.0.0.1'");
        database.run("CREATE DATABASE app");
        database
    }

    fn client(&self, statement: &str) -> Command {
        let mut client = Command::new("mariadb");
        client
            .args(["--no-defaults", "--user=root", "--execute", statement])
            .arg(format!(
                "--socket={}",
                self.directory.path().join("socket").display()
            ));
        if !statement.starts_with("CREATE DATABASE")
            && self.directory.path().join("data/app").exists()
        {
            client.arg("app");
        }
        client
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!("mysql://ada:s3cret@127.0.0.1:{}/app", self.port)).unwrap()
    }

    pub(crate) fn run(&self, statement: &str) {
        run(&mut self.client(statement));
    }
}
