//! The HTTP API as others see it: a fuzzer that reads the OpenAPI document, and the page with `curl`.
#![cfg(test)]
#![cfg(unix)]

mod support;

use std::fs;
use std::process::Command;

use prowess_testing::{ChildGuard, python_with};
use serde_json::Value;
use support::{TestProject, started};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server over a project with one skill; its address, without a path.
fn serve(project: &TestProject) -> (ChildGuard, String) {
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    project.write(
        ".agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDFs. Use for forms.\n---\nRead it.\n",
    );
    project.write(".agents/skills/pdf/references/a.md", "a\n");
    let mut command = project.command(&["serve", "--json", "--bind", "127.0.0.1:0"]);
    let (server, ready) = started(command.env("PROWESS_TOKEN", TOKEN));
    let url = ready["url"].as_str().unwrap().trim_end_matches("/api");
    (server, url.to_owned())
}

/// Every answer is one that the document has, and none is the fault of the server.
#[test]
fn sv16_schemathesis_finds_nothing() {
    let project = TestProject::new();
    let (_server, url) = serve(&project);
    let python = python_with("schemathesis-venv", &["schemathesis==4.32.5"]);
    let run = Command::new(python.with_file_name("st"))
        .args(["run", &format!("{url}/openapi.json")])
        .args(["-H", &format!("Authorization: Bearer {TOKEN}")])
        .args(["--seed", "1", "--max-examples", "25", "--no-color"])
        // One does not end, the other has a protocol of its own.
        .args(["--exclude-operation-id", "followChat"])
        .args(["--exclude-operation-id", "sendMcp"])
        // What a `SKILL.md` must look like is no matter of a JSON schema.
        .args(["--exclude-checks", "positive_data_acceptance"])
        // Ids in paths are not empty and have no `/`: most random texts do not fit.
        .args(["--suppress-health-check", "filter_too_much"])
        .current_dir(project.path(""))
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{report}");
    assert!(!report.contains("5xx"), "{report}");
}

/// The commands of the page, with the output that it shows.
#[test]
fn sv17_the_page_with_curl() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/http.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, session) = page.split_once("```console\n").unwrap();
    let (session, _) = session.split_once("```").unwrap();
    let project = TestProject::new();
    let (_server, url) = serve(&project);
    let commands = session.lines().filter_map(|line| line.strip_prefix("$ "));
    // Not every response ends with a line end.
    let script = commands.collect::<Vec<_>>().join("\necho\n");
    let script = script.replace("http://127.0.0.1:7777", &url);
    let expected: Vec<&str> = session
        .lines()
        .filter(|line| !line.starts_with("$ "))
        .collect();
    let run = Command::new("bash")
        .args(["-c", &script])
        .env("PROWESS_TOKEN", TOKEN)
        .current_dir(project.path(""))
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&run.stdout);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(shown, expected, "{}", String::from_utf8_lossy(&run.stderr));
}

/// The status and the body of a request with a token.
fn ask(url: &str, token: &str, method: &str, path: &str) -> (u16, Value) {
    let run = Command::new("curl")
        .args(["-s", "-X", method, "-w", "\n%{http_code}"])
        .args(["-H", &format!("Authorization: Bearer {token}")])
        .arg(format!("{url}{path}"))
        .output()
        .unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let (body, status) = text.rsplit_once('\n').unwrap();
    let body = serde_json::from_str(body).unwrap_or_default();
    (status.parse().unwrap(), body)
}

#[test]
fn sv18_configuration_and_approvals_need_a_token() {
    let project = TestProject::new();
    project.write(
        "home/.config/prowess/prowess.toml",
        "[[skills.repositories]]\nname = 'team'\ntype = 'http'\nurl = 'http://127.0.0.1:1/'\nauth = { bearer = 's3cr3t-canary' }\n",
    );
    let chat = project.run(&["token", "create", "chat", "--scope", "chat"]);
    let chat = chat.stdout.trim().to_owned();
    let (_server, url) = serve(&project);
    let (status, config) = ask(&url, TOKEN, "GET", "/api/config");
    assert_eq!(status, 200, "{config}");
    let entries = config["entries"].as_array().unwrap();
    assert!(entries.iter().any(|it| it["key"] == "skills.max_skills"));
    assert!(!config.to_string().contains("canary"), "{config}");
    let (status, refused) = ask(&url, &chat, "GET", "/api/config");
    assert_eq!(
        (status, &refused["code"]),
        (403, &"insufficient-scope".into())
    );
    for token in [TOKEN, &chat] {
        let (status, approvals) = ask(&url, token, "GET", "/api/approvals");
        assert_eq!(
            (status, &approvals["permissions"]),
            (200, &Value::Array(Vec::new()))
        );
        let (status, refused) = ask(&url, token, "DELETE", "/api/approvals/pdf");
        assert_eq!((status, &refused["code"]), (404, &"not-found".into()));
    }
    for path in ["/api/config", "/api/approvals"] {
        assert_eq!(ask(&url, "wrong", "GET", path).0, 401);
    }
}
