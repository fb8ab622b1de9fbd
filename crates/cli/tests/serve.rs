//! `prowess serve`, `prowess mcp` and `prowess mcp install`, as programs.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use prowess_testing::ChildGuard;
use serde_json::{Value, json};
use support::TestProject;

struct Server {
    child: ChildGuard,
    port: u16,
}

/// The clients that `mcp install` knows.
const CLIENTS: [&str; 10] = [
    "claude-code",
    "claude-desktop",
    "codex",
    "copilot-cli",
    "cursor",
    "gemini-cli",
    "opencode",
    "vscode",
    "windsurf",
    "zed",
];

fn serve(project: &TestProject, variables: &[(&str, &str)]) -> Server {
    let mut command = project.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    start(command.envs(variables.iter().copied()))
}

/// Starts a server and waits until it is ready.
fn start(command: &mut Command) -> Server {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut text = Vec::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_until(b'}', &mut text).unwrap();
    let ready: Value = serde_json::from_slice(&text).unwrap();
    let url = ready["url"].as_str().unwrap();
    let port = url.split([':', '/']).nth(4).unwrap().parse().unwrap();
    Server {
        child: ChildGuard(child),
        port,
    }
}

/// The status and the body of a request.
fn ask(server: &Server, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (
        head.split(' ').nth(1).unwrap().parse().unwrap(),
        body.to_owned(),
    )
}

#[test]
fn api_and_mcp_share_a_port() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = serve(&project, &[]);
    let (status, body) = ask(&server, "GET /api/skills HTTP/1.1\r\nHost: localhost", "");
    let list: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &list["skills"][0]["id"]), (200, &json!("a")));
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json";
    let (status, body) = ask(&server, head, &hello.to_string());
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("io.modelcontextprotocol/skills"), "{body}");
    // A web page whose name was made to point here.
    for head in [
        "GET /api/skills HTTP/1.1\r\nHost: evil.example",
        "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json",
    ] {
        let (status, _) = ask(&server, head, &hello.to_string());
        assert!(status == 421 || status == 403, "{status}");
    }
}

/// The beginning of a session of MCP.
fn hello() -> String {
    let client = json!({"name": "test", "version": "1"});
    let parameters =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}).to_string()
}

/// The whole answer of `/mcp`.
fn ask_mcp(server: &Server, headers: &[String], body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let (length, headers) = (body.len(), headers.join(""));
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn status_of(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn q47_a_session_of_mcp_is_of_the_token_that_began_it() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let token = |name: &str| {
        let created = project.run(&["token", "create", name, "--json"]).json();
        let token = created["token"].as_str().unwrap().to_owned();
        vec![format!("Authorization: Bearer {token}\r\n")]
    };
    let clients = [token("one"), token("two"), Vec::new()];
    let server = serve(&project, &[]);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    for (index, client) in clients.iter().enumerate() {
        let begun = ask_mcp(&server, client, &hello());
        assert_eq!(status_of(&begun), 200, "{begun}");
        let id = begun.lines().find_map(|line| {
            line.to_lowercase()
                .strip_prefix("mcp-session-id: ")
                .map(str::to_owned)
        });
        let session = format!("Mcp-Session-Id: {}\r\n", id.unwrap());
        let with_session = |client: &[String]| [client, std::slice::from_ref(&session)].concat();
        for (other, theirs) in clients.iter().enumerate() {
            let answer = ask_mcp(&server, &with_session(theirs), &list);
            if other == index {
                assert_ne!(status_of(&answer), 404, "{answer}");
            } else {
                assert_eq!(status_of(&answer), 404, "{answer}");
                assert!(answer.contains("session-not-found"), "{answer}");
            }
        }
    }
}

#[test]
fn q45_an_origin_that_begins_like_ours_is_refused() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = serve(&project, &[]);
    let port = server.port;
    for (origin, allowed) in [
        (format!("http://127.0.0.1:{port}.evil"), false),
        (format!("http://localhost:{port}.evil.example"), false),
        (format!("http://127.0.0.1:{port}@evil.example"), false),
        ("http://127.0.0.1:1.evil".to_owned(), false),
        ("http://localhost:1.evil".to_owned(), false),
        ("http://localhost.evil:1".to_owned(), false),
        ("null".to_owned(), false),
        ("http://localhost:1".to_owned(), true),
    ] {
        let header = format!("Origin: {origin}\r\n");
        let answer = ask_mcp(&server, &[header], &hello());
        let expected = if allowed { 200 } else { 403 };
        assert_eq!(status_of(&answer), expected, "{origin}: {answer}");
        for request in [
            "GET /api/skills",
            "GET /healthz",
            "POST /api/sessions",
            "GET /",
        ] {
            let head = format!("{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}");
            assert_eq!(ask(&server, &head, "").0, 403, "{request} {origin}");
        }
    }
}

#[test]
fn q44_names_of_tokens_are_unique() {
    let project = TestProject::new();
    let create = |name: &str| project.run(&["token", "create", name]);
    assert_eq!(create("ada").code, Some(0));
    assert_snapshot!(create("ada").snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: a token is named `ada` already
    hint: choose another name, or revoke that token: `prowess token list`
    ");
    assert_eq!(create("Ada").code, Some(0));
    let listed = project.run(&["token", "list", "--json"]).json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 2);
    // Once it is revoked, its name is free.
    let id = listed["tokens"][0]["id"].as_str().unwrap().to_owned();
    let name = listed["tokens"][0]["name"].as_str().unwrap().to_owned();
    project.run(&["token", "revoke", &id]);
    assert_eq!(create(&name).code, Some(0));
}

#[test]
fn q44_a_token_named_like_an_owner_is_warned_about() {
    let project = TestProject::new();
    project.skill("skills/seeded");
    let serve = [
        "serve",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--seed",
        "skills",
    ];
    let _server = start(&mut project.command(&serve));
    for (name, is_warned) in [("operator", true), ("seeded", true), ("ada", false)] {
        let run = project.run(&["token", "create", name, "--scope", "publish"]);
        assert_eq!(run.code, Some(0), "{}", run.snapshot());
        let warning = format!("warning: `{name}` is also the name of an owner or of a package");
        assert_eq!(
            run.stderr.contains(&warning),
            is_warned,
            "{}",
            run.snapshot()
        );
    }
}

#[test]
fn token_is_required() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let server = serve(&project, &[("PROWESS_TOKEN", "s3cret-s3cret-s3cret")]);
    for path in ["GET /api/skills", "POST /mcp"] {
        let head = format!("{path} HTTP/1.1\r\nHost: localhost");
        assert_eq!(ask(&server, &head, "").0, 401, "{path}");
    }
    let head =
        "GET /api/skills HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret-s3cret-s3cret";
    assert_eq!(ask(&server, head, "").0, 200);
}

#[test]
fn unsafe_serve_options_are_rejected() {
    let project = TestProject::new();
    assert_snapshot!(project.run(&["serve", "--read-only", "--listen", "0.0.0.0:0"]).snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: cannot listen on 0.0.0.0:0 without a token: other machines can connect
    hint: create a token with `prowess token create NAME`, set PROWESS_TOKEN to one, or listen on 127.0.0.1
    ");
}

#[test]
fn cl96_short_token_is_rejected() {
    let project = TestProject::new();
    let mut command = project.command(&["serve", "--listen", "127.0.0.1:0"]);
    let run = support::Run::of(command.env("PROWESS_TOKEN", "hunter2").output().unwrap());
    assert_snapshot!(run.snapshot(), @r"
    exit 1
    --- stdout
    --- stderr
    error: invalid token in PROWESS_TOKEN: expected at least 16 bytes, found 7
    hint: run `export PROWESS_TOKEN=$(openssl rand -hex 32)`, or unset it
    ");
}

#[test]
fn cl95_mcp_uninstall_reverses_install() {
    let project = TestProject::new();
    for client in CLIENTS {
        for scope in ["project", "user"] {
            let change =
                |what: &str| project.run(&["mcp", what, client, "--scope", scope, "--yes"]);
            let installed = change("install");
            if installed.stderr.contains("does not support the scope") {
                assert_eq!(change("uninstall").code, Some(1), "{client}");
                continue;
            }
            assert_eq!(installed.code, Some(0), "{}", installed.snapshot());
            let asked = project.run(&["mcp", "uninstall", client, "--scope", scope]);
            assert_eq!(asked.code, Some(1), "{}", asked.snapshot());
            let removed = change("uninstall");
            assert_eq!(removed.code, Some(0), "{}", removed.snapshot());
            let again = change("uninstall");
            assert_eq!(again.code, Some(1), "{}", again.snapshot());
            assert!(again.stderr.contains("has no entry of Prowess"));
        }
    }
    let vscode = project.path("home/.config/Code/User/mcp.json");
    let copilot = project.path("home/.copilot/mcp-config.json");
    assert!(vscode.exists() && copilot.exists());
}

fn install_for(project: &TestProject, client: &str) {
    let run = project.run(&["mcp", "install", client, "--scope", "user", "--yes"]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
}

#[test]
fn du13_bytes_outside_of_the_entry_stay() {
    let project = TestProject::new();
    let codex = "home/.codex/config.toml";
    let before =
        "\u{feff}# mine\r\nmodel = \"x\"  # here\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\"\r\n";
    project.write(codex, before);
    install_for(&project, "codex");
    let after = project.read(codex);
    let added = after.strip_prefix(before).expect("a changed beginning");
    assert_eq!(added.matches('\n').count(), added.matches("\r\n").count());
    assert!(added.contains("[mcp_servers.prowess]\r\n"), "{added}");

    let claude = "home/.claude.json";
    let before = "\u{feff}{\r\n\t\"a\": [1,2 ],\r\n\t\"mcpServers\": {\r\n\t\t\"prowess\": {\"command\": \"old\", \"args\": [], \"env\": {\"A\": \"1\"}}\r\n\t}\r\n}";
    project.write(claude, before);
    install_for(&project, "claude-code");
    let after = project.read(claude);
    assert!(
        after.starts_with("\u{feff}{\r\n\t\"a\": [1,2 ],\r\n"),
        "{after}"
    );
    assert!(after.ends_with("\r\n\t}\r\n}"), "{after}");
}

#[test]
#[cfg(unix)]
fn du7_mode_and_owner_of_a_file_stay_and_its_copy_has_them() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let project = TestProject::new();
    let path = project.path("home/.claude.json");
    project.write("home/.claude.json", "{\"secret\": 1}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        chown(&path, Some(65534), Some(65534)).unwrap();
    }
    install_for(&project, "claude-code");
    for file in ["home/.claude.json", "home/.claude.json.bak"] {
        let found = std::fs::metadata(project.path(file)).unwrap();
        assert_eq!(found.mode() & 0o777, 0o600, "{file}");
        if is_root {
            assert_eq!((found.uid(), found.gid()), (65534, 65534), "{file}");
        }
    }
}

#[test]
fn skills_that_a_client_sees_twice_are_reported() {
    let project = TestProject::new();
    project.skill(".claude/skills/a").skill("other/b");
    let print = |more: &[&str]| {
        let arguments = ["mcp", "install", "claude-code", "--print"];
        project.run(&[&arguments, more].concat()).stderr
    };
    let twice = "warning: the client reads .claude/skills itself";
    assert!(print(&[]).contains(twice), "{}", print(&[]));
    assert!(!print(&["--in", "other"]).contains(twice));
}

#[test]
fn server_stops_on_signals() {
    let project = TestProject::new();
    for signal in ["-INT", "-TERM"] {
        let mut server = serve(&project, &[]);
        let id = server.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        assert!(server.child.wait().unwrap().success(), "{signal}");
    }
}

#[test]
fn mcp_serves_over_stdio() {
    let project = TestProject::new();
    project.skill(".agents/skills/a");
    let mut child = project
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: Value| -> Value {
        writeln!(input, "{message}").unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    let hello = ask(
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}),
    );
    assert_eq!(hello["result"]["serverInfo"]["name"], "prowess");
    let loaded = ask(
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "load_skill", "arguments": {"id": "a"}}}),
    );
    assert!(loaded.to_string().contains("<skill id="), "{loaded}");
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn mcp_install_preserves_client_configuration() {
    let project = TestProject::new();
    let asked = project.run(&["mcp", "install", "claude-code"]);
    assert_eq!(asked.code, Some(1));
    assert!(asked.stderr.contains("`--yes`"), "{}", asked.snapshot());
    assert!(!project.path(".mcp.json").exists());

    project.write(
        ".mcp.json",
        "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } }\n}\n",
    );
    let run = project.run(&["mcp", "install", "claude-code", "--yes"]);
    assert_eq!(run.code, Some(0), "{}", run.snapshot());
    let written = project.read(".mcp.json");
    assert!(
        written.contains("// mine") && written.contains("\"other\": { \"command\": \"x\" }"),
        "{written}"
    );
    assert!(written.contains("\"args\": [\"mcp\"]"), "{written}");
    assert!(project.read(".mcp.json.bak").starts_with("{\n  // mine"));
    let again = project.run(&["mcp", "install", "claude-code", "--yes"]);
    assert_eq!(again.stderr, ".mcp.json already contains the entry\n");

    project.write("home/.codex/config.toml", "model = [broken\n");
    let broken = project.run(&["mcp", "install", "codex", "--yes"]);
    assert_eq!(broken.code, Some(1));
    assert!(
        broken.stderr.contains("invalid TOML"),
        "{}",
        broken.snapshot()
    );
    assert_eq!(project.read("home/.codex/config.toml"), "model = [broken\n");
    fs::remove_file(project.path("home/.codex/config.toml")).unwrap();

    // Every client has a place, and says what belongs there.
    for client in CLIENTS {
        let print = project.run(&["mcp", "install", client, "--print"]);
        assert!(
            print.stdout.contains("mcp") && print.stderr.starts_with("in "),
            "{}",
            print.snapshot()
        );
        let wrote = project.run(&["mcp", "install", client, "--yes"]);
        assert_eq!(wrote.code, Some(0), "{}", wrote.snapshot());
    }
    let nowhere = project.run(&["mcp", "install", "codex", "--scope", "project", "--print"]);
    assert_eq!(nowhere.code, Some(1));
}

#[test]
fn stored_tokens_open_the_server_and_revoked_ones_do_not() {
    let project = TestProject::new();
    project.skill(".agents/skills/pdf");
    let refused = project.run(&["serve", "--bind", "0.0.0.0:0"]);
    assert!(
        refused.stderr.contains("prowess token create"),
        "{}",
        refused.stderr
    );
    let created = project
        .run(&["token", "create", "laptop", "--expires-days", "7", "--json"])
        .json();
    let secret = created["token"].as_str().unwrap().to_owned();
    let text = project.run(&["token", "create", "other", "--scope", "read,chat"]);
    assert!(text.stdout.starts_with("prowess_") && text.stderr.contains("not shown again"));
    let rows = project.run(&["token", "list", "--json"]).json();
    assert_eq!(rows["tokens"][0]["name"], "laptop");
    assert_eq!(rows["tokens"][1]["scopes"], "read chat");
    assert!(!rows.to_string().contains(&secret));
    let wrong = project.run(&["token", "create", "x", "--scope", "root"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("unknown scope `root`"),
        "{}",
        wrong.stderr
    );

    let arguments = ["serve", "--json", "--bind", "0.0.0.0:0", "--log=json"];
    let mut server = start(project.command(&arguments).stderr(Stdio::piped()));
    // Read to the end, so that the server never waits for a reader of its log.
    let (lines, log) = std::sync::mpsc::channel();
    let stderr = BufReader::new(server.child.0.stderr.take().unwrap());
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
    let get = |token: &str, path: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r1\r\nAuthorization: Bearer {token}"
        );
        ask(&server, &head, "").0
    };
    assert_eq!(get(&secret, "/api/skills?query=s3cret"), 200);
    let line: Value = serde_json::from_str(&log.recv().unwrap()).unwrap();
    assert_eq!(
        (&line["status"], &line["request_id"]),
        (&json!(200), &json!("r1"))
    );
    assert_eq!(
        (&line["path"], &line["client"]),
        (&json!("/api/skills"), &json!("127.0.0.1"))
    );
    assert!(line["bytes"].as_u64().unwrap() > 0 && line["time"].is_string());
    assert_eq!(get("prowess_wrong", "/api/skills"), 401);
    // The same token opens MCP, and its requests are in the log.
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mcp = |token: &str| {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nAuthorization: Bearer {token}"
        );
        ask(&server, &head, initialize).0
    };
    assert_eq!((mcp(&secret), mcp("prowess_wrong")), (200, 401));
    // Revoked tokens are refused soon, and uses are stored.
    let id = created["id"].as_str().unwrap();
    assert_eq!(project.run(&["token", "revoke", id]).code, Some(0));
    assert_eq!(project.run(&["token", "revoke", id]).code, Some(1));
    let began = std::time::Instant::now();
    while get(&secret, "/api/skills") != 401 {
        assert!(
            began.elapsed().as_secs() < 30,
            "the token is still accepted"
        );
        std::thread::yield_now();
    }
    drop(server);
    let rest: Vec<String> = log.iter().collect();
    assert!(
        rest.iter().any(|line| line.contains("\"/mcp\"")),
        "{rest:?}"
    );
    assert!(!rest.join("").contains(&secret), "{rest:?}");
}
