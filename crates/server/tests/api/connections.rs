//! Connections, bounds and health.

use prowess_server::limits::HEADERS;

use super::*;

#[tokio::test]
async fn health_names_what_is_wrong() {
    let remote = support::options("http://127.0.0.1:1");
    let remote =
        prowess_sources::HttpSource::new(remote, prowess_sources::RemoteOptions::default());
    let skills = Skills::builder()
        .source("far", remote)
        .source("near", some_skills())
        .build()
        .await;
    let ours = Ours::start(skills.unwrap(), Options::default()).await;
    let health = get(ours.address, "/healthz", &[]).await;
    assert_eq!(health.status, 200);
    let health = health.json();
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["sources"][0]["health"], "unhealthy");
    let reason = health["sources"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the server cannot be reached"),
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
    assert_eq!(refused.status, 405);
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
