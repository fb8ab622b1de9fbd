//! Requests that are malformed, too large, too slow or unusual.

use prowess_server::limits::{BODY, JSON_BYTES};

use super::*;

const SESSIONS: &str = "POST /api/sessions HTTP/1.1\r\nhost: localhost\r\nconnection: close";

async fn post(ours: &Ours, headers: &str, body: &[u8]) -> Response {
    let head = format!(
        "{SESSIONS}\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    send(ours.address, &[head.as_bytes(), body].concat()).await
}

/// Whatever came before, the next request is answered.
async fn assert_works(ours: &Ours) {
    assert_eq!(get(ours.address, "/api/skills", &[]).await.status, 200);
}

#[tokio::test]
async fn op17_invalid_bodies_are_refused() {
    let ours = ours().await;
    let json = "content-type: application/json\r\n";
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_field = format!("{{\"active\":{deep}}}");
    for (headers, body, status, code) in [
        (
            json,
            &b"{\"active\": [\"\xff\xfe\"]}"[..],
            400,
            "invalid-request",
        ),
        (json, deep.as_bytes(), 400, "invalid-request"),
        (json, deep_field.as_bytes(), 400, "invalid-request"),
        (json, b"", 400, "invalid-request"),
        (json, b"{\"active\": [", 400, "invalid-request"),
        (json, b"{\"other\": 1}", 400, "invalid-request"),
        ("", b"{}", 415, "unsupported-media-type"),
        (
            "content-type: text/plain\r\n",
            b"{}",
            415,
            "unsupported-media-type",
        ),
    ] {
        let refused = post(&ours, headers, body).await;
        assert_eq!((refused.status, refused.code().as_str()), (status, code));
    }
    let fits = post(&ours, json, b"{}").await;
    assert_eq!(fits.status, 201, "{}", fits.text());
}

/// The answer to a request whose body may not be read to its end.
async fn first_line(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn op17_large_bodies_are_refused() {
    let ours = ours().await;
    let json = "content-type: application/json";
    // One that says so, one that is found out.
    let stated = format!(
        "{SESSIONS}\r\n{json}\r\ncontent-length: {}\r\n\r\n{{",
        JSON_BYTES + 1
    );
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    stream.write_all(stated.as_bytes()).await.unwrap();
    let line = first_line(stream).await;
    assert!(line.starts_with("HTTP/1.1 413"), "{line}");
    let chunked = format!("{SESSIONS}\r\n{json}\r\ntransfer-encoding: chunked\r\n\r\n");
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    stream.write_all(chunked.as_bytes()).await.unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, " ".repeat(1 << 16));
    for _ in 0..=JSON_BYTES >> 16 {
        // The server may have hung up before.
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let line = first_line(stream).await;
    assert!(
        line.is_empty() || line.starts_with("HTTP/1.1 413"),
        "{line}"
    );
    assert_works(&ours).await;
}

#[tokio::test]
async fn op17_truncated_bodies_are_not_waited_for() {
    let ours = ours().await;
    let head =
        format!("{SESSIONS}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{");
    for _ in 0..10 {
        let mut stream = TcpStream::connect(ours.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let line = first_line(stream).await;
        assert!(
            line.is_empty() || line.starts_with("HTTP/1.1 400"),
            "{line}"
        );
    }
    assert_works(&ours).await;
}

#[tokio::test]
async fn op17_slow_bodies_time_out() {
    let ours = ours().await;
    let head =
        format!("{SESSIONS}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{");
    let mut slow = TcpStream::connect(ours.address).await.unwrap();
    slow.write_all(head.as_bytes()).await.unwrap();
    assert_works(&ours).await;
    // Nothing is left to do but to wait, so the clock jumps to what is waited for.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let line = first_line(slow).await;
    assert!(line.starts_with("HTTP/1.1 408"), "{line}");
    assert!(began.elapsed() <= BODY + Duration::from_secs(1));
}

#[tokio::test]
async fn op18_unusual_requests_are_answered() {
    let ours = ours().await;
    let many = vec!["a=b"; 10_000].join("&");
    let found = get(ours.address, &format!("/api/skills?{many}"), &[]).await;
    assert_eq!(ids(&found).len(), 4);
    let twice = get(ours.address, "/api/skills?limit=1&limit=2", &[]).await;
    assert_eq!(
        (twice.status, twice.code().as_str()),
        (400, "invalid-request")
    );
    let absolute = format!("http://{}/api/skills", ours.address);
    assert_eq!(get(ours.address, &absolute, &[]).await.status, 200);
    let hosts = ["host: localhost", "host: localhost"];
    let two = get(ours.address, "/api/skills", &hosts).await;
    assert_eq!((two.status, two.code().as_str()), (421, "forbidden-host"));
    for (method, status) in [
        ("OPTIONS", 405),
        ("TRACE", 405),
        ("BREW", 401),
        ("PROPFIND", 401),
        ("get", 401),
    ] {
        let response = ask(ours.address, method, "/api/skills", &[]).await;
        assert_eq!(response.status, status, "{method}");
    }
    let connect = ask(ours.address, "CONNECT", "localhost:80", &[]).await;
    assert!((400..500).contains(&connect.status), "{}", connect.status);
    for garbage in [
        "\0\0\0\0\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(ours.address).await.unwrap();
        stream.write_all(garbage.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let line = first_line(stream).await;
        assert!(line.is_empty() || line.starts_with("HTTP/1.1 4"), "{line}");
    }
    assert_works(&ours).await;
}

#[tokio::test]
async fn op18_large_headers_are_refused() {
    let ours = ours().await;
    for header in [
        format!("x: {}", "y".repeat(200_000)),
        vec!["a: b"; 200].join("\r\n"),
    ] {
        let mut stream = TcpStream::connect(ours.address).await.unwrap();
        let request = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{header}\r\n\r\n");
        let _ = stream.write_all(request.as_bytes()).await;
        let mut line = [0; 12];
        stream.read_exact(&mut line).await.unwrap();
        assert_eq!(&line, b"HTTP/1.1 431");
    }
    assert_works(&ours).await;
}

#[tokio::test]
async fn op18_continue_is_sent_only_where_a_body_is_wanted() {
    let ours = ours().await;
    let expects = |content_type: &str| {
        format!(
            "{SESSIONS}\r\nexpect: 100-continue\r\ncontent-type: {content_type}\r\ncontent-length: 2\r\n\r\n"
        )
    };
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    stream
        .write_all(expects("application/json").as_bytes())
        .await
        .unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{}").await.unwrap();
    assert!(first_line(stream).await.starts_with("HTTP/1.1 201"));
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    stream
        .write_all(expects("text/plain").as_bytes())
        .await
        .unwrap();
    assert!(first_line(stream).await.starts_with("HTTP/1.1 415"));
}

#[tokio::test]
async fn op18_pipelined_requests_are_answered_in_order() {
    let ours = ours().await;
    let one = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let last = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let all = [
        one("/api/skills/list"),
        one("/nothing"),
        one("/readyz"),
        last.to_owned(),
    ];
    let mut stream = TcpStream::connect(ours.address).await.unwrap();
    stream.write_all(all.concat().as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let answers = text.split("HTTP/1.1 ").skip(1);
    let statuses: Vec<&str> = answers.filter_map(|it| it.split(' ').next()).collect();
    assert_eq!(statuses, ["200", "404", "200", "200"], "{text}");
}
