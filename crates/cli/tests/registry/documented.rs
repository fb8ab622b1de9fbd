//! The configuration that docs/operate.md tells operators to use.

use std::process::Command;

use prowess_testing::repository;
use prowess_testing::s3::BUCKET;
use serde_json::Value;

use crate::deployment::Deployment;
use crate::server::{Server, body, status};

/// The block of the page that holds a text.
fn block(text: &str) -> String {
    let page = std::fs::read_to_string(repository().join("docs/operate.md")).unwrap();
    let mut blocks = page.split("```").skip(1).step_by(2);
    let found = blocks.find(|block| block.contains(text)).unwrap();
    found.split_once('\n').unwrap().1.to_owned()
}

/// The command of the unit for systemd, on any port, with the configuration of the page.
fn unit(deployment: &Deployment) -> Command {
    let unit = block("ExecStart=");
    let command = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let configuration = deployment.project.path("etc/prowess.toml");
    let words: Vec<String> = command
        .unwrap()
        .split(' ')
        .skip(1)
        .map(|word| match word {
            "/etc/prowess/prowess.toml" => configuration.display().to_string(),
            "127.0.0.1:7777" => "127.0.0.1:0".to_owned(),
            word => word.to_owned(),
        })
        .chain(["--json".to_owned()])
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = deployment.command(&words);
    command.env_remove("PROWESS_TOKEN");
    command
}

/// The configuration of the page, with the database and the bucket of the test; and the password of the database.
fn configuration(deployment: &Deployment) -> (String, String) {
    let url = deployment.database.as_ref().unwrap().url();
    let (user, rest) = url
        .expose()
        .strip_prefix("postgres://")
        .unwrap()
        .split_once(':')
        .unwrap();
    let (password, place) = rest.split_once('@').unwrap();
    let text = block("db.example.com");
    let documented = "prowess:${DB_PASSWORD}@db.example.com/prowess";
    assert!(text.contains(documented) && text.contains("s3://skills/packages"));
    let text = text
        .replace(documented, &format!("{user}:${{DB_PASSWORD}}@{place}"))
        .replace("s3://skills/packages", &format!("s3://{BUCKET}/registry"));
    (text, password.to_owned())
}

#[test]
fn the_documented_service_starts_and_is_for_clients_with_a_token() {
    let deployment = Deployment::services();
    let (text, password) = configuration(&deployment);
    deployment.project.write("etc/prowess.toml", text);
    let path = deployment.project.path("etc/prowess.toml");
    let created = deployment
        .command(&["token", "create", "ada", "--json", "--config"])
        .arg(&path)
        .env("DB_PASSWORD", &password)
        .output()
        .unwrap();
    let created: Value = serde_json::from_slice(&created.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&created.stderr)));
    let token = created["token"].as_str().unwrap();
    let server = Server::start(unit(&deployment).env("DB_PASSWORD", &password));
    let get = |path: &str, more: &str| {
        let head =
            format!("GET {path} HTTP/1.1\r\nX-Forwarded-For: 198.51.100.9, 203.0.113.7{more}");
        server.ask(&head, "")
    };
    let authorization = format!("\r\nAuthorization: Bearer {token}");
    for path in [
        "/api/skills",
        "/api/catalog",
        "/api/v1/search?q=",
        "/.well-known/agent-skills/index.json",
        "/metrics",
        "/openapi.json",
        "/mcp",
        "/api/chats",
        "/api/config",
    ] {
        assert_eq!(status(&get(path, "")), 401, "{path}");
    }
    assert_eq!(status(&get("/api/sessions", "")), 401);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(status(&get(path, "")), 200, "{path}");
    }
    for path in ["/api/skills", "/api/v1/search?q=", "/metrics"] {
        assert_eq!(status(&get(path, &authorization)), 200, "{path}");
    }
    // The name of the page is accepted, and the client is the one that the proxy saw.
    let named = get("/api/catalog", &authorization);
    assert_eq!(status(&named), 200, "{}", body(&named));
    let line = server.wait_for("\"/api/catalog\"");
    assert!(line.contains("\"203.0.113.7\""), "{line}");
    assert!(!line.contains("198.51.100.9"), "{line}");
}

#[test]
fn a_public_server_opens_reading_and_nothing_else() {
    let deployment = Deployment::files();
    deployment.project.skill(".agents/skills/a");
    let start = |more: &[&str]| {
        let mut command = deployment.serve();
        Server::start(command.args(more).env_remove("PROWESS_TOKEN"))
    };
    let closed = start(&["--trusted-proxy", "10.0.0.0/8"]);
    let named = start(&["--host", "skills.example.com"]);
    let public = start(&["--host", "skills.example.com", "--public"]);
    for (head, everyone) in [
        ("GET /api/skills HTTP/1.1", true),
        ("HEAD /api/skills HTTP/1.1", true),
        ("GET /api/skills/a HTTP/1.1", true),
        ("GET /api/skills/a/files HTTP/1.1", true),
        ("GET /api/v1/search?q= HTTP/1.1", true),
        ("GET /.well-known/agent-skills/index.json HTTP/1.1", true),
        ("GET /api/skills/a/details HTTP/1.1", false),
        ("GET /api/skillset HTTP/1.1", false),
        ("GET /api/skill-collections HTTP/1.1", false),
        ("GET /api/catalog HTTP/1.1", false),
        ("GET /api/chats HTTP/1.1", false),
        ("GET /api/model HTTP/1.1", false),
        ("GET /api/config HTTP/1.1", false),
        ("GET /api/approvals HTTP/1.1", false),
        ("GET /api/trust HTTP/1.1", false),
        ("GET /metrics HTTP/1.1", false),
        ("GET /openapi.json HTTP/1.1", false),
        ("GET /mcp HTTP/1.1", false),
        ("POST /mcp HTTP/1.1", false),
        ("POST /api/sessions HTTP/1.1", false),
        ("POST /api/check HTTP/1.1", false),
        ("POST /api/skills HTTP/1.1", false),
        ("PUT /api/v1/skills/a/1.0.0 HTTP/1.1", false),
        ("DELETE /api/skills/a HTTP/1.1", false),
    ] {
        for server in [&closed, &named] {
            assert_eq!(server.status(head), 401, "{head}");
        }
        let expected = if everyone { 200 } else { 401 };
        assert_eq!(public.status(head), expected, "{head}");
    }
    for server in [&closed, &named, &public] {
        assert_eq!(server.status("GET /healthz HTTP/1.1"), 200);
        assert_eq!(server.status("GET /readyz HTTP/1.1"), 200);
    }
}

#[test]
fn clients_are_named_by_stated_proxies_only() {
    let deployment = Deployment::files();
    for (proxy, expected) in [("127.0.0.0/8", "203.0.113.7"), ("10.0.0.0/8", "127.0.0.1")] {
        let mut command = deployment.serve();
        command.args(["--log=json", "--trusted-proxy", proxy]);
        let server = Server::start(command.env_remove("PROWESS_TOKEN"));
        server.status("GET /readyz HTTP/1.1\r\nX-Forwarded-For: 203.0.113.7");
        let line = server.wait_for("\"/readyz\"");
        assert!(line.contains(&format!("\"{expected}\"")), "{line}");
    }
    // Wrong tokens of one client do not lock out the others behind a proxy.
    let mut command = deployment.serve();
    command.args(["--trusted-proxy", "127.0.0.1"]);
    let server = Server::start(command.env_remove("PROWESS_TOKEN"));
    let wrong = |client: &str| {
        let head = format!(
            "GET /api/skills HTTP/1.1\r\nAuthorization: Bearer wrong\r\nX-Forwarded-For: {client}"
        );
        server.status(&head)
    };
    let answers: Vec<u16> = (0..30).map(|_| wrong("203.0.113.7")).collect();
    assert!(answers.contains(&429), "{answers:?}");
    assert_eq!(wrong("203.0.113.8"), 401);
}
