//! Rows H5 and H6: the server is not there.

use super::*;

#[tokio::test]
async fn h5_stale_while_the_server_is_down() {
    let ours = Ours::over(some_skills()).await;
    let remote = source(options(&ours.url()));
    let both = composite(vec![("remote", remote), ("local", local())]);
    let catalog = both.catalog().await;
    assert_eq!(catalog.sources().next().unwrap().health, Health::Healthy);
    both.load(&id("extraction/email")).await.unwrap();
    let skills = ours.skills.clone();
    let address = ours.stop().await;

    let catalog = both.catalog().await;
    assert_eq!(catalog.len(), 5);
    let status = catalog.sources().next().unwrap();
    assert_eq!(status.health, Health::Degraded);
    // Either nobody listens any more, or the connection that was there is gone.
    let why = status.reason.clone().unwrap();
    let gone = [
        "cannot connect to the server: ",
        "the connection was interrupted: ",
    ];
    assert!(gone.iter().any(|gone| why.starts_with(gone)), "{why}");
    assert!(status.refreshed.is_some());
    let body = both.load(&id("extraction/email")).await.unwrap().body;
    assert_eq!(body, "Do it well.");
    assert_eq!(both.load(&id("local")).await.unwrap().body, "Here.");
    // What was never fetched cannot be served, and says so.
    reason(both.load(&id("writing/haiku")).await.unwrap_err());

    let listener = TcpListener::bind(address).await.unwrap();
    let ours = Ours::on(listener, skills, ApiOptions::default());
    let catalog = both.catalog().await;
    assert_eq!(catalog.sources().next().unwrap().health, Health::Healthy);
    both.load(&id("writing/haiku")).await.unwrap();
    assert_eq!(
        ours.seen(),
        ["GET /api/skills 304", "GET /api/skills/writing%2Fhaiku 200"]
    );
}

#[tokio::test]
async fn h5_a_session_continues() {
    let ours = Ours::over(some_skills()).await;
    let remote = HttpSource::new(options(&ours.url()), RemoteOptions::default());
    let skills = Skills::builder()
        .source("remote", remote)
        .build()
        .await
        .unwrap();
    let session = skills.session();
    session.turn("/list").await;
    ours.stop().await;
    skills.refresh().await;
    let prompt = session.prompt().text;
    assert!(prompt.contains("Writes haiku"), "{prompt}");
    let turn = skills.session().turn("/list of things").await;
    assert!(turn.content().contains("Do it well."));
}

/// Makes what was kept as old as can be.
fn age(directory: &Path) {
    for server in fs::read_dir(directory.join("http")).unwrap() {
        for file in fs::read_dir(server.unwrap().path()).unwrap() {
            let file = file.unwrap().path();
            let mut kept: serde_json::Value =
                serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            kept["fetched"] = 0.into();
            fs::write(&file, kept.to_string()).unwrap();
        }
    }
}

#[tokio::test]
async fn h5_retries_are_not_made_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let down = Arc::new(Mutex::new(false));
    let state = Arc::clone(&down);
    let server = Scripted::start(move |_| {
        if *state.lock().unwrap() {
            answer("503 Service Unavailable", "", "")
        } else {
            list(&["a"])
        }
    })
    .await;
    let mut slow = options(&server.url());
    slow.refresh = HOUR;
    keeping(slow.clone(), directory.path())
        .snapshot()
        .await
        .unwrap();
    *down.lock().unwrap() = true;
    age(directory.path());
    server.seen();
    let source = keeping(slow, directory.path());
    for _ in 0..5 {
        assert_eq!(ids(&source.snapshot().await.unwrap()), ["a"]);
        let why = source.freshness().stale.unwrap();
        assert_eq!(why, "the server returned 503 Service Unavailable");
    }
    assert_eq!(server.targets(), ["/skills"]);
}

#[tokio::test]
async fn h5_also_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let ours = Ours::over(some_skills()).await;
    let url = ours.url();
    let source = keeping(options(&url), directory.path());
    source.snapshot().await.unwrap();
    let email = source.load(&id("extraction/email")).await.unwrap();
    // A skill may have any name.
    let list = source.load(&id("list")).await.unwrap();
    ours.stop().await;

    let source = keeping(options(&url), directory.path());
    assert_eq!(source.snapshot().await.unwrap().skills.len(), 4);
    assert_eq!(source.load(&id("extraction/email")).await.unwrap(), email);
    assert_eq!(source.load(&id("list")).await.unwrap(), list);
    let catalog = composite(vec![("remote", source)]).catalog().await;
    assert_eq!(catalog.sources().next().unwrap().health, Health::Degraded);
}

#[tokio::test]
async fn h5_the_cache_belongs_to_one_credential() {
    let directory = tempfile::tempdir().unwrap();
    let skills = Skills::builder().source("served", some_skills()).build();
    let allowed = ApiOptions::default().token("mine").unwrap();
    let ours = Ours::start(skills.await.unwrap(), allowed).await;
    let mut mine = options(&ours.url());
    mine.auth = Some(bearer("mine"));
    keeping(mine, directory.path()).snapshot().await.unwrap();
    let mut yours = options(&ours.url());
    yours.auth = Some(bearer("yours"));
    ours.stop().await;
    reason(
        keeping(yours, directory.path())
            .snapshot()
            .await
            .unwrap_err(),
    );
}

#[tokio::test]
async fn h5_a_damaged_cache_is_no_cache() {
    let directory = tempfile::tempdir().unwrap();
    let ours = Ours::over(some_skills()).await;
    keeping(options(&ours.url()), directory.path())
        .snapshot()
        .await
        .unwrap();
    let server = fs::read_dir(directory.path().join("http"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    for file in fs::read_dir(server.path()).unwrap() {
        fs::write(file.unwrap().path(), "{\"body\":").unwrap();
    }
    let source = keeping(options(&ours.url()), directory.path());
    assert_eq!(source.snapshot().await.unwrap().skills.len(), 4);
    assert_eq!(ours.seen(), ["GET /api/skills 200", "GET /api/skills 200"]);
}

#[tokio::test]
async fn h5_offline_is_offline() {
    let directory = tempfile::tempdir().unwrap();
    let server = Scripted::start(|request| match request.target() {
        "/skills" => list(&["a"]),
        _ => json(r#"{"id":"a","name":"a","description":"d","body":"b"}"#),
    })
    .await;
    let online = keeping(options(&server.url()), directory.path());
    online.snapshot().await.unwrap();
    online.load(&id("a")).await.unwrap();
    let before = server.connections();
    let remote = |cache: Option<&Path>| RemoteOptions {
        cache: cache.map(Path::to_owned),
        network: Network::Offline,
        ..RemoteOptions::default()
    };
    let source = HttpSource::new(options(&server.url()), remote(Some(directory.path())));
    assert_eq!(ids(&source.snapshot().await.unwrap()), ["a"]);
    assert_eq!(source.freshness().stale.as_deref(), Some("offline"));
    assert_eq!(source.load(&id("a")).await.unwrap().body, "b");
    assert_eq!(reason(source.files(&id("a")).await.unwrap_err()), "offline");
    let bare = HttpSource::new(options(&server.url()), remote(None));
    assert_eq!(reason(bare.snapshot().await.unwrap_err()), "offline");
    assert_eq!(server.connections(), before);
}

#[tokio::test]
async fn h6_down_from_the_start() {
    // A port that nobody listens on any more.
    let address = Scripted::start(|_| missing()).await.stop().await;
    let remote = source(options(&format!("http://{address}")));
    let both = composite(vec![("remote", remote), ("local", local())]);
    let catalog = both.catalog().await;
    let status: Vec<_> = catalog.sources().map(|source| source.health).collect();
    assert_eq!(status, [Health::Unhealthy, Health::Healthy]);
    let why = catalog.sources().next().unwrap().reason.clone().unwrap();
    assert!(why.starts_with("cannot connect to the server: "), "{why}");
    assert_eq!(catalog.len(), 2);
    assert_eq!(both.load(&id("local")).await.unwrap().body, "Here.");
    assert_eq!(both.files(&id("local")).await.unwrap(), []);
    let text = both
        .read(&id("local"), &path("SKILL.md"), 0, 3)
        .await
        .unwrap();
    assert_eq!(text.bytes, b"---");
}

#[tokio::test]
async fn h6_up_again() {
    let address = Scripted::start(|_| missing()).await.stop().await;
    let source = source(options(&format!("http://{address}/api")));
    reason(source.snapshot().await.unwrap_err());
    let list = id("list");
    let why = reason(source.load(&list).await.unwrap_err());
    assert!(why.starts_with("cannot connect to the server: "), "{why}");
    let skills = Skills::builder()
        .source("served", some_skills())
        .build()
        .await
        .unwrap();
    let listener = TcpListener::bind(address).await.unwrap();
    let _ours = Ours::on(listener, skills, ApiOptions::default());
    assert_eq!(source.load(&list).await.unwrap().body, "Do it well.");
}

#[tokio::test]
async fn h6_a_certificate_that_does_not_verify() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = tokio_rustls::rustls::pki_types::PrivateKeyDer::Pkcs8(
        made.signing_key.serialize_der().into(),
    );
    let config = tokio_rustls::rustls::ServerConfig::builder_with_provider(Arc::new(
        tokio_rustls::rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![made.cert.der().clone()], key)
    .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                exchange(
                    stream,
                    Arc::new(|_: &Request| list(&["a"])),
                    Arc::clone(&log),
                )
                .await;
            }
        }
    });
    let mut options = options(&format!("https://localhost:{port}"));
    options.auth = Some(bearer("s3cr3t"));
    let why = reason(source(options).snapshot().await.unwrap_err());
    assert!(why.starts_with("cannot connect to the server: "), "{why}");
    assert!(why.contains("certificate"), "{why}");
    assert!(seen.lock().unwrap().is_empty());
}
