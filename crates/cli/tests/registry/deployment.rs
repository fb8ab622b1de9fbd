//! Servers over one database and one storage of packages, and what is published to them.

use std::process::Command;

use prowess_registry::{PackageFile, PackageTree, pack, package_digest};
use prowess_spec::SkillPath;
use prowess_testing::Random;
use prowess_testing::s3::{ACCESS_KEY, BUCKET, S3Server, SECRET_KEY};
use prowess_testing::skill_text;
use tokio::runtime::Runtime;

use crate::client::{Client, path};
use crate::database::Postgres;
use crate::server::Server;
use crate::support::TestProject;

/// An S3 server that runs on threads of the test.
pub(crate) struct Bucket {
    pub(crate) server: S3Server,
    // After the server: it ends on the runtime.
    _runtime: Runtime,
}

impl Bucket {
    fn start() -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build().unwrap();
        Self {
            server: runtime.block_on(S3Server::start()),
            _runtime: runtime,
        }
    }
}

/// The state that servers share.
pub(crate) struct Deployment {
    pub(crate) project: TestProject,
    pub(crate) database: Option<Postgres>,
    pub(crate) bucket: Option<Bucket>,
}

impl Deployment {
    /// SQLite and a directory, as they are without any configuration.
    pub(crate) fn files() -> Self {
        Self {
            project: TestProject::new(),
            database: None,
            bucket: None,
        }
    }

    /// PostgreSQL and S3.
    pub(crate) fn services() -> Self {
        let bucket = Bucket::start();
        let storage = format!("s3://{BUCKET}/registry");
        Self {
            bucket: Some(bucket),
            ..Self::over_postgres(&storage)
        }
    }

    /// PostgreSQL and a directory that all servers share.
    pub(crate) fn postgres_and_directory() -> Self {
        let deployment = Self::over_postgres("");
        let storage = deployment.project.path("packages");
        deployment.configure(storage.to_str().unwrap());
        deployment
    }

    fn over_postgres(storage: &str) -> Self {
        let deployment = Self {
            project: TestProject::new(),
            database: Some(Postgres::start()),
            bucket: None,
        };
        deployment.configure(storage);
        deployment
    }

    fn configure(&self, storage: &str) {
        let url = self.database.as_ref().unwrap().url();
        let text = format!(
            "[store]\nurl = \"{}\"\n\n[registry]\nstorage = \"{storage}\"\n",
            url.expose()
        );
        self.project
            .write("home/.config/prowess/prowess.toml", text);
    }

    /// The program, with what it needs to reach the storage.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command_as_typed(arguments);
        if let Some(bucket) = &self.bucket {
            command
                .env("AWS_ENDPOINT_URL", bucket.server.endpoint())
                .env("AWS_ACCESS_KEY_ID", ACCESS_KEY)
                .env("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
                .env("AWS_REGION", "us-east-1");
        }
        command
    }

    pub(crate) fn serve(&self) -> Command {
        self.command(&["serve", "--json", "--bind", "127.0.0.1:0"])
    }

    pub(crate) fn start(&self) -> Server {
        Server::start(&mut self.serve())
    }

    /// Creates a token: its id, and a client that has it.
    pub(crate) fn token(&self, name: &str, scopes: &str) -> (String, Client) {
        let output = self
            .command(&["token", "create", name, "--scope", scopes, "--json"])
            .output()
            .unwrap();
        let created: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        let token = Some(text("token"));
        (text("id"), Client { token })
    }

    /// A client that may publish.
    pub(crate) fn publisher(&self) -> Client {
        self.token("alice", "publish,yank").1
    }
}

/// A package, with a file of random bytes that makes it as large as wanted.
pub(crate) fn package(name: &str, text: &str, random_bytes: usize) -> Vec<u8> {
    let file = |bytes: Vec<u8>| PackageFile {
        bytes,
        executable: false,
    };
    let skill = skill_text(
        name,
        &format!("Handles {text}. Use when {text} is asked for."),
        &format!("# {text}\n\nDo it.\n"),
    );
    let mut seed = Random::new(text.bytes().map(u64::from).sum::<u64>() + random_bytes as u64);
    let files = [
        ("SKILL.md", skill.into_bytes()),
        ("assets/data.bin", seed.bytes(random_bytes)),
    ];
    let files = files.map(|(path, bytes)| (SkillPath::parse(path).unwrap(), file(bytes)));
    pack(&PackageTree::new(files).unwrap()).unwrap()
}

/// What a registry says about bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    package_digest(bytes).to_string()
}

/// The version is there as a whole, with these bytes.
#[track_caller]
pub(crate) fn assert_whole(client: &Client, port: u16, version: &str, bytes: &[u8]) {
    let get = |part: &str| client.get(port, &path(version, part)).unwrap();
    let info = get("");
    assert_eq!(info.status, 200, "{version}: {}", info.text());
    assert_eq!(info.json()["digest"], digest(bytes), "{version}");
    let manifest = get("/manifest");
    assert_eq!(manifest.status, 200, "{version}: {}", manifest.text());
    assert!(manifest.text().contains("description: "), "{manifest:?}");
    let download = get("/download");
    assert_eq!(download.status, 200, "{version}: {}", download.text());
    assert_eq!(digest(&download.body), digest(bytes), "{version}");
}

/// Nothing of the version is there.
#[track_caller]
pub(crate) fn assert_absent(client: &Client, port: u16, version: &str) {
    for part in ["", "/manifest", "/download"] {
        let answer = client.get(port, &path(version, part)).unwrap();
        assert_eq!(answer.status, 404, "{version}{part}: {}", answer.text());
    }
}
