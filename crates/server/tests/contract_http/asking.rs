//! Rows H2, H3 and H7: as few requests as can be.

use super::*;

#[tokio::test]
async fn h2_one_unfiltered_request() {
    let ours = Ours::over(some_skills()).await;
    let mut options = options(&ours.url());
    options.refresh = HOUR;
    let source: Arc<dyn Source> = source(options);
    let mut filtered = Composite::new(CatalogOptions {
        filter: Filter::new(&["extraction/**"], &[]).unwrap(),
        ..CatalogOptions::default()
    });
    filtered.push("remote", Arc::clone(&source));
    assert_eq!(filtered.catalog().await.len(), 2);
    assert_eq!(composite(vec![("remote", source)]).catalog().await.len(), 4);
    assert_eq!(ours.seen(), ["GET /api/skills 200"]);
}

#[tokio::test]
async fn h3_conditional_requests() {
    let ours = Ours::over(some_skills()).await;
    let source = source(options(&ours.url()));
    let first = source.snapshot().await.unwrap();
    let second = source.snapshot().await.unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    let document = source.load(&id("list")).await.unwrap();
    assert_eq!(source.load(&id("list")).await.unwrap(), document);
    assert_eq!(
        ours.seen(),
        [
            "GET /api/skills 200",
            "GET /api/skills 304",
            "GET /api/skills/list 200",
            "GET /api/skills/list 304",
        ]
    );
}

#[tokio::test]
async fn h3_what_changed_is_fetched() {
    let current = Arc::new(Mutex::new("\"1\""));
    let etag_now = Arc::clone(&current);
    let server = Scripted::start(move |request| {
        let etag = *etag_now.lock().unwrap();
        if request.header("if-none-match") == Some(etag) {
            return answer("304 Not Modified", "", "");
        }
        let description = format!("Version {}", etag.trim_matches('"'));
        answer(
            "200 OK",
            &format!("etag: {etag}\r\n"),
            format!(r#"{{"skills":[{{"id":"a","name":"a","description":"{description}"}}],"collections":[]}}"#),
        )
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let description =
        |snapshot: Arc<prowess_core::Snapshot>| snapshot.skills[0].description.to_string();
    let source = keeping(options(&server.url()), directory.path());
    assert_eq!(description(source.snapshot().await.unwrap()), "Version 1");
    assert_eq!(description(source.snapshot().await.unwrap()), "Version 1");
    *current.lock().unwrap() = "\"2\"";
    assert_eq!(description(source.snapshot().await.unwrap()), "Version 2");
    // The next process asks conditionally too.
    let source = keeping(options(&server.url()), directory.path());
    assert_eq!(description(source.snapshot().await.unwrap()), "Version 2");
    let asked: Vec<Option<String>> = server
        .seen()
        .iter()
        .map(|request| request.header("if-none-match").map(str::to_owned))
        .collect();
    let expected = [None, Some("\"1\""), Some("\"1\""), Some("\"2\"")];
    assert_eq!(asked, expected.map(|etag| etag.map(str::to_owned)));
}

#[tokio::test]
async fn h7_one_flight() {
    let ours = Ours::over(some_skills()).await;
    for refresh in [HOUR, Duration::ZERO] {
        let mut options = options(&ours.url());
        options.refresh = refresh;
        let source = source(options);
        let lists: Vec<_> = (0..50)
            .map(|_| {
                let source = Arc::clone(&source);
                tokio::spawn(async move { source.snapshot().await.unwrap().skills.len() })
            })
            .collect();
        for list in lists {
            assert_eq!(list.await.unwrap(), 4);
        }
        assert_eq!(ours.seen(), ["GET /api/skills 200"]);
    }
    let mut options = options(&ours.url());
    options.refresh = HOUR;
    let source = source(options);
    let loads: Vec<_> = (0..50)
        .map(|_| {
            let source = Arc::clone(&source);
            tokio::spawn(async move { source.load(&id("list")).await.unwrap() })
        })
        .collect();
    for load in loads {
        assert_eq!(load.await.unwrap().body, "Do it well.");
    }
    assert_eq!(ours.seen(), ["GET /api/skills/list 200"]);
}

#[tokio::test]
async fn h7_one_failure() {
    let server = Scripted::start(|_| answer("500 Internal Server Error", "", "")).await;
    let mut options = options(&server.url());
    options.refresh = HOUR;
    let source = source(options);
    let lists: Vec<_> = (0..50)
        .map(|_| {
            let source = Arc::clone(&source);
            tokio::spawn(async move { source.snapshot().await.is_err() })
        })
        .collect();
    for list in lists {
        assert!(list.await.unwrap());
    }
    assert_eq!(server.targets(), ["/skills"]);
}
