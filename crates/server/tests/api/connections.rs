//! Connections, bounds and health.

use prowess_server::limits::HEADERS;

use super::*;

#[tokio::test]
async fn health_reports_problems() {
    let remote = support::options("http://127.0.0.1:1");
    let remote =
        prowess_sources::HttpSource::new(remote, prowess_sources::RemoteOptions::default());
    let skills = Skills::builder()
        .source("far", remote)
        .source("near", some_skills())
        .build()
        .await;
    let ours = Ours::start(skills.unwrap(), ApiOptions::default()).await;
    let health = get(ours.address, "/healthz", &[]).await;
    assert_eq!(health.status, 200);
    let health = health.json();
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["sources"][0]["health"], "unhealthy");
    let reason = health["sources"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("cannot connect to the server"),
        "{reason}"
    );
    assert_eq!(
        health["sources"][1],
        json!({"name": "near", "health": "healthy", "skills": 4})
    );
}

#[tokio::test]
async fn requests_are_bounded() {
    let ours = ours().await;
    let large = format!("x: {}", "y".repeat(200_000));
    assert_eq!(ask_status(&ours, &large).await, 431);
    let many = vec!["a: b"; 200].join("\r\n");
    assert_eq!(ask_status(&ours, &many).await, 431);
    // A body is neither wanted nor waited for.
    let body = "content-length: 99999999999";
    let refused = ask(ours.address, "POST", "/api/skills", &[body]).await;
    assert_eq!(refused.status, 401);
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
}

/// The status alone: a request that is too large may not be read to its end.
async fn ask_status(ours: &Ours, header: &str) -> u16 {
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    let request = format!("GET /api/skills HTTP/1.1\r\nhost: localhost\r\n{header}\r\n\r\n");
    let _ = stream.write_all(request.as_bytes()).await;
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.unwrap();
    std::str::from_utf8(&line)
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn slow_requests_are_cut_off() {
    let ours = ours().await;
    let mut idle = TcpStream::connect(ours.address).await.unwrap();
    let mut slow = TcpStream::connect(ours.address).await.unwrap();
    slow.write_all(b"GET /api/skills HTTP/1.1\r\nhost: loc")
        .await
        .unwrap();
    let other = get(ours.address, "/api/skills", &[]).await;
    assert_eq!(other.status, 200);
    // From here on nothing is left to do but to wait, so the clock jumps to what is waited for.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).await.unwrap();
    idle.read_to_end(&mut rest).await.unwrap();
    assert!(!String::from_utf8_lossy(&rest).contains("200"));
    assert!(began.elapsed() <= HEADERS + Duration::from_secs(1));
}

#[tokio::test]
async fn stopping_lets_requests_end() {
    let ours = ours().await;
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    // The connection is kept alive; stopping ends it.
    let address = ours.stop().await;
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

/// Row Q30 of the contract of trust.
/// A body that is read as it comes, as that of a server that takes messages.
async fn taking() -> (std::net::SocketAddr, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let take = |body: axum::body::Bytes| async move { body.len().to_string() };
    let router = axum::Router::new().route(
        "/",
        axum::routing::post(take)
            .get(async || "quick")
            .layer(axum::extract::DefaultBodyLimit::disable()),
    );
    let task = tokio::spawn(prowess_server::serve(
        listener,
        router,
        std::future::pending(),
    ));
    (address, task)
}

#[tokio::test]
async fn q30_slow_bodies_and_idle_connections_hold_nothing_that_others_need() {
    let (address, task) = taking().await;
    let slow_body = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\nx";
    let slow_header = b"GET / HTTP/1.1\r\nhost: loc";
    let quick = || async move { assert_eq!(get(address, "/", &[]).await.status, 200) };
    // None of the bodies is refused: the server waits for the rest of each.
    let mut held = Vec::new();
    for number in 0..3_000 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        match number % 3 {
            0 => stream.write_all(slow_body).await.unwrap(),
            1 => stream.write_all(slow_header).await.unwrap(),
            _ => {}
        }
        held.push(stream);
        if number % 50 == 0 {
            quick().await;
        }
    }
    for _ in 0..100 {
        quick().await;
    }
    // The oldest were closed, the newest are waited for.
    let mut byte = [0];
    let oldest = held[0].read(&mut byte).await;
    assert!(matches!(oldest, Ok(0) | Err(_)), "{oldest:?}");
    for newest in &held[2_995..] {
        let waits = newest.try_read(&mut byte).unwrap_err();
        assert_eq!(waits.kind(), std::io::ErrorKind::WouldBlock);
    }
    task.abort();
}

#[tokio::test]
async fn q30_bodies_together_are_bounded() {
    let (address, task) = taking().await;
    let opening = "POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 4000000\r\n\r\n";
    let most = vec![b'x'; 3_999_999];
    let mut held = Vec::new();
    // All but the last byte of each, of much more than there may be.
    for _ in 0..20 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(opening.as_bytes()).await.unwrap();
        stream.write_all(&most).await.unwrap();
        held.push(stream);
    }
    let mut answered = 0;
    for mut stream in held {
        let _ = stream.write_all(b"x").await;
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text).await;
        answered += usize::from(text.starts_with(b"HTTP/1.1 200"));
    }
    // Some more than fit at once: those that were answered made room for what was still on its way.
    let fit = prowess_server::limits::BODY_BYTES / 4_000_000;
    assert!((1..2 * fit).contains(&answered), "{answered}");
    task.abort();
}
