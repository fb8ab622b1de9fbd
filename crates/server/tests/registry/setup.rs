//! A server with a registry, on each pair of a database and a storage.

use std::net::SocketAddr;
use std::sync::Arc;

use prowess_config::Secret;
use prowess_core::Skills;
use prowess_registry::{
    HostedRegistry, PackageFile, PackageStorage, PackageTree, S3Options, StorageLocation, pack,
};
use prowess_scan::Rules;
use prowess_server::{AcceptedToken, ApiOptions, TokenTable, registry_routes, router_with, serve};
use prowess_spec::SkillPath;
use prowess_store::{Store, StoreBackend, TokenRecord};
use prowess_syntax::Grammars;
use prowess_testing::s3::{ACCESS_KEY, BUCKET, S3Server, SECRET_KEY};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::database::Postgres;
use crate::support::client::{Response, ask_with};

/// A server, and what it stands on.
pub(crate) struct Setup {
    pub(crate) address: SocketAddr,
    pub(crate) registry: HostedRegistry,
    tokens: Vec<(&'static str, String)>,
    /// The ids of the tokens.
    ids: Vec<(&'static str, String)>,
    _directory: TempDir,
    _postgres: Option<Postgres>,
    _s3: Option<S3Server>,
}

/// Runs a test on both pairs.
pub(crate) async fn on_both<F: Future<Output = ()>>(test: impl Fn(Setup) -> F) {
    test(Setup::local().await).await;
    test(Setup::shared().await).await;
}

impl Setup {
    /// SQLite and a directory.
    pub(crate) async fn local() -> Self {
        Self::with_limit(None).await
    }

    pub(crate) async fn with_limit(limit: Option<u32>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let backend = StoreBackend::File(directory.path().join("store.db"));
        let path = directory.path().join("packages");
        let location = StorageLocation::Directory(path);
        Self::start(backend, &location, directory, None, None, limit).await
    }

    /// PostgreSQL and S3.
    pub(crate) async fn shared() -> Self {
        let postgres = Postgres::start();
        let s3 = S3Server::start().await;
        let options = S3Options {
            endpoint: Some(s3.endpoint()),
            region: None,
            access_key: Some(Secret::new(ACCESS_KEY)),
            secret_key: Some(Secret::new(SECRET_KEY)),
            allow_http: true,
        };
        let location = StorageLocation::parse(&format!("s3://{BUCKET}/registry"), options).unwrap();
        let backend = StoreBackend::Postgres(postgres.url());
        let directory = tempfile::tempdir().unwrap();
        Self::start(
            backend,
            &location,
            directory,
            Some(postgres),
            Some(s3),
            None,
        )
        .await
    }

    async fn start(
        backend: StoreBackend,
        location: &StorageLocation,
        directory: TempDir,
        postgres: Option<Postgres>,
        s3: Option<S3Server>,
        limit: Option<u32>,
    ) -> Self {
        let store = Store::open(backend).await.unwrap();
        let storage = PackageStorage::open(location).unwrap();
        let registry =
            HostedRegistry::open(store.clone(), storage, Rules::base(Arc::new(Grammars)))
                .await
                .unwrap();
        let table = TokenTable::default();
        let mut tokens = Vec::new();
        let mut accepted = Vec::new();
        let mut ids = Vec::new();
        for (name, scopes) in [
            ("alice", "publish,yank"),
            ("bob", "publish,yank"),
            ("reader", "read"),
            ("root", "admin"),
            // The words of tokens that are not stored.
            ("operator", "publish,yank"),
            ("admin", "publish,yank"),
        ] {
            let generated = AcceptedToken::generate(scopes.parse().unwrap(), None);
            let (secret, token) = generated.unwrap();
            let record = TokenRecord {
                id: token.id.clone(),
                name: name.to_owned(),
                hash: token.hash_text(),
                scopes: scopes.to_owned(),
                created: 0,
                expires: None,
                used: None,
            };
            assert!(store.add_token(&record).await.unwrap());
            ids.push((name, record.id));
            tokens.push((name, secret));
            accepted.push(token);
        }
        table.replace(accepted);
        let options = ApiOptions::default().tokens(table).rate_limit(limit);
        let skills = Skills::builder().build().await.unwrap();
        let router = router_with(skills, options, registry_routes(registry.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, router, std::future::pending()));
        Self {
            address,
            registry,
            tokens,
            ids,
            _directory: directory,
            _postgres: postgres,
            _s3: s3,
        }
    }

    /// The id of someone's token.
    pub(crate) fn id(&self, who: &str) -> &str {
        let found = self.ids.iter().find(|(name, _)| *name == who);
        found.map_or("", |(_, id)| id)
    }

    pub(crate) fn token(&self, who: &str) -> &str {
        let token = self.tokens.iter().find(|(name, _)| *name == who);
        token.map_or("", |(_, secret)| secret)
    }

    /// Sends a request as someone; `""` is no one.
    pub(crate) async fn ask(
        &self,
        who: &str,
        method: &str,
        target: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Response {
        let token = self.tokens.iter().find(|(name, _)| *name == who);
        let token = token.map(|(_, secret)| format!("authorization: Bearer {secret}"));
        let mut all: Vec<&str> = token.as_deref().into_iter().collect();
        all.extend(headers);
        ask_with(self.address, method, target, &all, body).await
    }

    pub(crate) async fn get(&self, target: &str) -> Response {
        self.ask("", "GET", target, &[], b"").await
    }

    /// Publishes a package as alice, and updates the index.
    pub(crate) async fn publish(&self, name: &str, version: &str, body: &[u8]) -> Response {
        let response = self.publish_as("alice", name, version, body).await;
        self.registry.refresh().await.unwrap();
        response
    }

    pub(crate) async fn publish_as(
        &self,
        who: &str,
        name: &str,
        version: &str,
        body: &[u8],
    ) -> Response {
        let target = format!("/api/v1/skills/{name}/{version}");
        self.ask(who, "PUT", &target, &[], body).await
    }
}

/// A package of one skill. More files are given as pairs of path and text.
pub(crate) fn package(name: &str, description: &str, body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let skill =
        format!("---\nname: {name}\ndescription: {description}\nlicense: MIT\n---\n{body}\n");
    let mut files = vec![("SKILL.md", skill.as_str())];
    files.extend(more);
    let files = files.into_iter().map(|(path, text)| {
        let bytes = text.as_bytes().to_vec();
        let executable = false;
        (
            SkillPath::parse(path).unwrap(),
            PackageFile { bytes, executable },
        )
    });
    pack(&PackageTree::new(files).unwrap()).unwrap()
}

/// A package about a subject.
pub(crate) fn about(name: &str, subject: &str) -> Vec<u8> {
    let description = format!("Works with {subject}. Use when a user asks about {subject}.");
    package(name, &description, &format!("# {subject}\n\nDo it."), &[])
}
