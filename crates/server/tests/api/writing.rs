//! Creating, changing and removing skills.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use prowess_registry::{PackageFile, PackageTree, pack};
use prowess_server::{AcceptedToken, Scopes, TokenTable};
use prowess_spec::SkillPath;

use super::*;

const TOKEN: &str = "0123456789abcdef";

/// A server over `skills` of a directory, which can be written, and over some built-in skills.
struct Writable {
    ours: Ours,
    directory: TestDirectory,
}

impl Writable {
    async fn new() -> Self {
        Self::over(exposed()).await
    }

    async fn over(directory: TestDirectory) -> Self {
        let skills = Skills::builder()
            .source("mine", filesystem(&directory))
            .source("others", some_skills())
            .build();
        let options = ApiOptions::default().new_skills(directory.path("skills"));
        let options = options.token(TOKEN).unwrap();
        let ours = Ours::start(skills.await.unwrap(), options).await;
        Self { ours, directory }
    }

    async fn ask(&self, method: &str, target: &str, headers: &[&str], body: &[u8]) -> Response {
        let token = format!("authorization: Bearer {TOKEN}");
        let mut all = vec![token.as_str()];
        all.extend(headers);
        ask_with(self.ours.address, method, target, &all, body).await
    }

    async fn json(&self, method: &str, target: &str, headers: &[&str], body: Value) -> Response {
        let mut all = vec!["content-type: application/json"];
        all.extend(headers);
        let body = body.to_string();
        self.ask(method, target, &all, body.as_bytes()).await
    }

    async fn get(&self, target: &str) -> Response {
        self.ask("GET", target, &[], b"").await
    }

    /// The header for a change of what is there now.
    async fn condition(&self, target: &str) -> String {
        let response = self.get(target).await;
        format!("if-match: {}", response.header("etag").unwrap())
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.directory.path(path)).unwrap()
    }

    /// The names in the directory of skills, hidden ones too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path("skills")).unwrap();
        let name = |it: std::io::Result<fs::DirEntry>| it.unwrap().file_name().into_string();
        let mut names: Vec<String> = entries.map(|it| name(it).unwrap()).collect();
        names.sort();
        names
    }
}

fn skill_file(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name} when asked\n---\n{body}\n")
}

const PDF: &str = "/api/skills/tools%2Fpdf";
const PDF_FILE: &str = "/api/skills/tools%2Fpdf/files/references/a.md";

#[tokio::test]
async fn sv1_sv8_created_changed_and_removed() {
    let server = Writable::new().await;
    let content = skill_file("csv", "Read rows.");
    let new = json!({"id": "tools/data/csv", "content": content});
    let created = server.json("POST", "/api/skills", &[], new).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let place = "/api/skills/tools%2Fdata%2Fcsv";
    assert_eq!(created.header("location"), Some(place));
    assert_eq!(created.json()["body"], "Read rows.");
    assert_eq!(created.json()["diagnostics"], json!([]));
    assert_eq!(server.text("skills/tools/data/csv/SKILL.md"), content);
    let got = server.get(place).await;
    assert_eq!(got.header("etag"), created.header("etag"));
    assert!(ids(&server.get("/api/skills").await).contains(&"tools/data/csv".to_owned()));

    let changed = skill_file("csv", "Read columns.");
    let condition = format!("if-match: {}", got.header("etag").unwrap());
    let body = json!({"content": changed});
    let updated = server.json("PUT", place, &[&condition], body).await;
    assert_eq!(updated.status, 200, "{}", updated.text());
    assert_eq!(updated.json()["body"], "Read columns.");
    assert_eq!(server.text("skills/tools/data/csv/SKILL.md"), changed);
    assert_ne!(updated.header("etag"), created.header("etag"));

    // The file and the skill are two views of the same.
    let file = format!("{place}/files/SKILL.md");
    let condition = server.condition(&file).await;
    let third = skill_file("csv", "Read cells.");
    let put = server
        .ask("PUT", &file, &[&condition], third.as_bytes())
        .await;
    assert_eq!(put.status, 200, "{}", put.text());
    let condition = format!("if-match: {}", updated.header("etag").unwrap());
    let stale = server.ask("DELETE", place, &[&condition], b"").await;
    assert_eq!((stale.status, &*stale.code()), (412, "precondition-failed"));
    let refused = server.ask("DELETE", &file, &["if-match: *"], b"").await;
    assert_eq!((refused.status, &*refused.code()), (403, "not-writable"));
    let condition = server.condition(place).await;
    let removed = server.ask("DELETE", place, &[&condition], b"").await;
    assert_eq!(removed.status, 204, "{}", removed.text());
    assert!(!server.directory.path("skills/tools/data/csv").exists());
    assert_eq!(server.get(place).await.status, 404);
    assert_eq!(server.names(), ["tools"]);

    // All files of a skill go with it, so all of them have to be known.
    let stale = server.condition(&format!("{PDF}/files")).await;
    server.directory.write("skills/tools/pdf/new.md", "new");
    for condition in [&stale, &server.condition(PDF).await] {
        let refused = server.ask("DELETE", PDF, &[condition], b"").await;
        assert_eq!(refused.status, 412, "{}", refused.text());
        assert!(refused.message().contains("/files"), "{}", refused.text());
    }
    assert_eq!(server.text("skills/tools/pdf/new.md"), "new");

    let condition = server.condition(PDF_FILE).await;
    let removed = server.ask("DELETE", PDF_FILE, &[&condition], b"").await;
    assert_eq!(removed.status, 204);
    let gone = server.ask("DELETE", PDF_FILE, &[&condition], b"").await;
    assert_eq!((gone.status, &*gone.code()), (404, "file-not-found"));
    assert_eq!(server.get(PDF).await.status, 200);
    let condition = server.condition(&format!("{PDF}/files")).await;
    let removed = server.ask("DELETE", PDF, &[&condition], b"").await;
    assert_eq!(removed.status, 204, "{}", removed.text());
}

#[tokio::test]
async fn sv2_what_cannot_be_created() {
    let server = Writable::new().await;
    for (id, status, code) in [
        ("tools/pdf", 409, "skill-exists"),
        ("writing/haiku", 409, "skill-exists"),
        ("tools/pdf/csv", 403, "not-writable"),
        // A directory without a skill.
        ("tools", 409, "skill-exists"),
    ] {
        let name = id.rsplit('/').next().unwrap();
        let new = json!({"id": id, "content": skill_file(name, "x")});
        let refused = server.json("POST", "/api/skills", &[], new).await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (status, code),
            "{}",
            refused.text()
        );
    }
    assert!(!server.directory.path("skills/tools/pdf/csv").exists());
    assert_eq!(server.names(), ["tools"]);
    // No directory for new skills.
    let ours = Ours::start(
        Skills::builder().build().await.unwrap(),
        ApiOptions::default().token(TOKEN).unwrap(),
    )
    .await;
    let token = format!("authorization: Bearer {TOKEN}");
    let headers = [token.as_str(), "content-type: application/json"];
    let new = json!({"id": "csv", "content": skill_file("csv", "x")}).to_string();
    let refused = ask_with(
        ours.address,
        "POST",
        "/api/skills",
        &headers,
        new.as_bytes(),
    )
    .await;
    assert_eq!((refused.status, &*refused.code()), (403, "not-writable"));
    // The configuration excludes it.
    let directory = exposed();
    let skills = Skills::builder()
        .source("mine", filesystem(&directory))
        .only(["tools/**"]);
    let options = ApiOptions::default().new_skills(directory.path("skills"));
    let ours = Ours::start(skills.build().await.unwrap(), options.token(TOKEN).unwrap()).await;
    let refused = ask_with(
        ours.address,
        "POST",
        "/api/skills",
        &headers,
        new.as_bytes(),
    )
    .await;
    assert_eq!((refused.status, &*refused.code()), (403, "not-writable"));
    assert!(!directory.path("skills/csv").exists());
}

#[tokio::test]
async fn sv3_invalid_skills_are_refused_with_their_lines() {
    let server = Writable::new().await;
    for content in [
        "no frontmatter".to_owned(),
        "---\nname: csv\n---\nx\n".to_owned(),
        "---\nname: csv\ndescription: a: b: c\n---\nx\n".to_owned(),
        skill_file("other", "x"),
    ] {
        let new = json!({"id": "csv", "content": content});
        let refused = server.json("POST", "/api/skills", &[], new).await;
        assert_eq!((refused.status, &*refused.code()), (422, "invalid-skill"));
        let found = &refused.json()["diagnostics"][0];
        assert!(found["start"]["line"].is_u64(), "{}", refused.text());
    }
    let manifest = "/api/skills/tools%2Fpdf/files/SKILL.yaml";
    let refused = server
        .ask("PUT", manifest, &["if-none-match: *"], b"PWN")
        .await;
    assert_eq!((refused.status, &*refused.code()), (422, "invalid-skill"));
    let condition = server.condition(PDF).await;
    let body = json!({"content": skill_file("other", "x")});
    let refused = server.json("PUT", PDF, &[&condition], body).await;
    assert_eq!((refused.status, &*refused.code()), (422, "invalid-skill"));
    let file = "/api/skills/tools%2Fpdf/files/SKILL.md";
    let refused = server.ask("PUT", file, &["if-match: *"], b"\xff\xfe").await;
    assert_eq!((refused.status, &*refused.code()), (422, "invalid-skill"));
    assert_eq!(server.names(), ["tools"]);
}

#[tokio::test]
async fn sv4_a_change_needs_a_condition() {
    let server = Writable::new().await;
    let body = json!({"content": skill_file("pdf", "x")});
    for response in [
        server.json("PUT", PDF, &[], body).await,
        server.ask("DELETE", PDF, &[], b"").await,
        server.ask("PUT", PDF_FILE, &[], b"x").await,
        server.ask("DELETE", PDF_FILE, &[], b"").await,
    ] {
        assert_eq!(response.status, 428, "{}", response.text());
        assert_eq!(response.code(), "precondition-required");
    }
    assert_eq!(server.text("skills/tools/pdf/references/a.md"), "a");
}

#[tokio::test]
async fn sv5_of_two_writers_one_succeeds() {
    let server = Writable::new().await;
    for round in 0..20 {
        let condition = server.condition(PDF).await;
        let headers = [condition.as_str()];
        let put = |text: String| {
            server.json(
                "PUT",
                PDF,
                &headers,
                json!({"content": skill_file("pdf", &text)}),
            )
        };
        let (a, b) = tokio::join!(put(format!("a {round}")), put(format!("b {round}")));
        let mut statuses = [a.status, b.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "{} {}", a.text(), b.text());
        let winner = if a.status == 200 { "a" } else { "b" };
        assert!(
            server
                .text("skills/tools/pdf/SKILL.md")
                .ends_with(&format!("{winner} {round}\n"))
        );
    }
}

#[tokio::test]
async fn sv6_what_changes_on_disk_stays() {
    let server = Writable::new().await;
    let condition = server.condition(PDF).await;
    let on_disk = skill_file("pdf", "by an editor");
    server
        .directory
        .write("skills/tools/pdf/SKILL.md", &on_disk);
    let body = json!({"content": skill_file("pdf", "over HTTP")});
    let refused = server.json("PUT", PDF, &[&condition], body).await;
    assert_eq!(
        (refused.status, &*refused.code()),
        (412, "precondition-failed")
    );
    let refused = server.ask("DELETE", PDF, &[&condition], b"").await;
    assert_eq!(refused.status, 412);
    let condition = server.condition(PDF_FILE).await;
    server
        .directory
        .write("skills/tools/pdf/references/a.md", "b");
    let refused = server.ask("PUT", PDF_FILE, &[&condition], b"c").await;
    assert_eq!(refused.status, 412);
    let refused = server.ask("DELETE", PDF_FILE, &[&condition], b"").await;
    assert_eq!(refused.status, 412);
    assert_eq!(server.text("skills/tools/pdf/SKILL.md"), on_disk);
    assert_eq!(server.text("skills/tools/pdf/references/a.md"), "b");
    assert_eq!(server.names(), ["tools"]);
}

#[tokio::test]
async fn sv7_files() {
    let server = Writable::new().await;
    let new = "/api/skills/tools%2Fpdf/files/scripts/new/fill.py";
    let created = server
        .ask("PUT", new, &["if-none-match: *"], b"print(1)\n")
        .await;
    assert_eq!(created.status, 201, "{}", created.text());
    let path = server
        .directory
        .path("skills/tools/pdf/scripts/new/fill.py");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let again = server.ask("PUT", new, &["if-none-match: *"], b"x").await;
    assert_eq!(again.status, 412);
    let condition = format!("if-match: {}", created.header("etag").unwrap());
    let changed = server.ask("PUT", new, &[&condition], b"print(2)\n").await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.header("etag"), server.get(new).await.header("etag"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "print(2)\n");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o755
    );

    let large = vec![b'x'; 16 * 1024 * 1024 + 1];
    let refused = server.ask("PUT", new, &["if-match: *"], &large).await;
    assert_eq!((refused.status, &*refused.code()), (413, "too-large"));
    let outside = server.directory.path("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, server.directory.path("skills/tools/pdf/out")).unwrap();
    let escape = "/api/skills/tools%2Fpdf/files/out/x";
    let refused = server.ask("PUT", escape, &["if-none-match: *"], b"x").await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    let link = "/api/skills/tools%2Fpdf/files/link";
    let refused = server.ask("PUT", link, &["if-none-match: *"], b"x").await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    let up = "/api/skills/tools%2Fpdf/files/a/..%2F..%2Fx";
    let refused = server.ask("PUT", up, &["if-none-match: *"], b"x").await;
    assert_eq!((refused.status, &*refused.code()), (400, "invalid-path"));
    // Neither what would not be listed, nor what looks like something else.
    for name in [&*format!("{}x", "d/".repeat(17)), "a%E2%80%AEtxt.exe"] {
        let path = format!("/api/skills/tools%2Fpdf/files/{name}");
        let refused = server.ask("PUT", &path, &["if-none-match: *"], b"x").await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (400, "invalid-path"),
            "{name}"
        );
    }
    for name in [
        ".git/config",
        "scripts/.ENVRC",
        "AGENTS.md",
        "a/.vscode/tasks.json",
        "GEMINI.md",
    ] {
        let protected = format!("/api/skills/tools%2Fpdf/files/{name}");
        let refused = server
            .ask("PUT", &protected, &["if-none-match: *"], b"x")
            .await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (403, "not-writable"),
            "{name}"
        );
    }
    assert!(fs::read_dir(&outside).unwrap().next().is_none());
    assert_eq!(server.text("secret"), "s3cr3t");
    assert_eq!(server.names(), ["tools"]);
}

#[tokio::test]
async fn q37_a_file_that_starts_programs_is_refused() {
    let server = Writable::new().await;
    for name in [
        "opencode.json",
        "assets/OpenCode.JSON",
        "any.code-workspace",
        ".github/workflows/x.yml",
        "scripts/.cursor/mcp.json",
        "copilot-instructions.md",
    ] {
        let path = format!("/api/skills/tools%2Fpdf/files/{name}");
        let refused = server.ask("PUT", &path, &["if-none-match: *"], b"x").await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (403, "not-writable"),
            "{name}"
        );
        assert!(refused.message().contains(name), "{}", refused.text());
    }
}

#[tokio::test]
async fn q50_a_file_name_with_control_characters_is_refused() {
    let server = Writable::new().await;
    for (name, shown) in [
        ("a%0Aforged", "`a\\nforged`"),
        ("a%1B%5B2K", "`a\\u{1b}[2K`"),
        ("a%C2%9Bm", "`a\\u{9b}m`"),
        ("d%0D/x", "`d\\r/x`"),
        ("a%E2%80%AEtxt.exe", "`a\\u{202e}txt.exe`"),
    ] {
        let path = format!("/api/skills/tools%2Fpdf/files/{name}");
        let refused = server.ask("PUT", &path, &["if-none-match: *"], b"x").await;
        assert_eq!((refused.status, &*refused.code()), (400, "invalid-path"));
        assert!(refused.message().contains(shown), "{}", refused.text());
    }
}

#[tokio::test]
async fn sv7_a_skill_behind_a_link_is_not_written() {
    let server = Writable::new().await;
    let elsewhere = server.directory.path("elsewhere/linked");
    server
        .directory
        .skill("elsewhere/linked", "Is elsewhere", "x\n");
    symlink(&elsewhere, server.directory.path("skills/linked")).unwrap();
    server.ours.skills.refresh().await;
    let place = "/api/skills/linked";
    let condition = server.condition(place).await;
    let body = json!({"content": skill_file("linked", "y")});
    for refused in [
        server.json("PUT", place, &[&condition], body).await,
        server.ask("DELETE", place, &[&condition], b"").await,
    ] {
        assert_eq!((refused.status, &*refused.code()), (403, "not-writable"));
        assert!(refused.message().contains("link"), "{}", refused.text());
    }
    assert!(elsewhere.join("SKILL.md").exists());
}

#[tokio::test]
async fn sv9_other_sources_are_read_only() {
    let server = Writable::new().await;
    let place = "/api/skills/writing%2Fhaiku";
    let condition = server.condition(place).await;
    let body = json!({"content": skill_file("haiku", "x")});
    for refused in [
        server.json("PUT", place, &[&condition], body).await,
        server.ask("DELETE", place, &[&condition], b"").await,
        server
            .ask(
                "PUT",
                &format!("{place}/files/x"),
                &["if-none-match: *"],
                b"x",
            )
            .await,
    ] {
        assert_eq!((refused.status, &*refused.code()), (403, "not-writable"));
        assert!(refused.message().contains("`others`"), "{}", refused.text());
    }
}

#[tokio::test]
async fn sv10_writing_needs_a_token() {
    let directory = exposed();
    let skills = Skills::builder().source("mine", filesystem(&directory));
    let table = TokenTable::default();
    let scopes: Scopes = "read".parse().unwrap();
    let (secret, token) = AcceptedToken::generate(scopes, None).unwrap();
    table.replace([token]);
    let options = ApiOptions::default()
        .new_skills(directory.path("skills"))
        .tokens(table);
    let ours = Ours::start(skills.build().await.unwrap(), options).await;
    let reading = format!("authorization: Bearer {secret}");
    for (method, target) in [
        ("POST", "/api/skills"),
        ("PUT", PDF),
        ("DELETE", PDF),
        ("PUT", PDF_FILE),
        ("DELETE", PDF_FILE),
    ] {
        let headers = ["content-type: application/json", "if-match: *"];
        let refused = ask_with(ours.address, method, target, &headers, b"{}").await;
        assert_eq!((refused.status, &*refused.code()), (401, "unauthorised"));
        let headers = [headers[0], headers[1], &reading];
        let refused = ask_with(ours.address, method, target, &headers, b"{}").await;
        assert_eq!(
            (refused.status, &*refused.code()),
            (403, "insufficient-scope")
        );
    }
}

#[tokio::test]
async fn sv13_check_without_writing() {
    let server = Writable::new().await;
    let body = json!({"content": "---\nname: Csv\ndescription: x\n---\n", "directory": "csv"});
    let checked = server.json("POST", "/api/check", &[], body).await;
    assert_eq!(checked.status, 200, "{}", checked.text());
    assert_eq!(checked.json()["valid"], false);
    let found = &checked.json()["diagnostics"][0];
    assert_eq!(found["start"]["line"], 2, "{found}");
    assert_eq!(found["severity"], "error");
    // Anyone who may read may check.
    let open = ours().await;
    let headers = ["content-type: application/json"];
    let content = json!({"content": skill_file("csv", "x")}).to_string();
    let checked = ask_with(
        open.address,
        "POST",
        "/api/check",
        &headers,
        content.as_bytes(),
    )
    .await;
    assert_eq!(checked.json()["valid"], true, "{}", checked.text());
}

const AGENT_PLUGIN: &[u8] =
    br#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "pdf"}"#;

#[tokio::test]
async fn q52_no_file_makes_a_plugin_of_a_skill() {
    let server = Writable::new().await;
    let put = async |path: &str, bytes: &[u8]| {
        let target = format!("/api/skills/tools%2Fpdf/files/{path}");
        let answer = server
            .ask("PUT", &target, &["if-none-match: *"], bytes)
            .await;
        (answer.status, answer.text().to_string())
    };
    // A skill may have such files; they do nothing without a manifest.
    for path in ["hooks/a.json", "bin/a", "settings.json"] {
        let (status, text) = put(path, b"{}").await;
        assert_eq!(status, 201, "{path}: {text}");
    }
    for path in [
        "plugin.json",
        "Plugin.json",
        ".claude-plugin/plugin.json",
        "a/.PLUGIN/plugin.json",
        ".github/plugin/plugin.json",
    ] {
        let (status, text) = put(path, AGENT_PLUGIN).await;
        assert_eq!(status, 403, "{path}: {text}");
    }
    let (status, text) = put("references/plugin.json", AGENT_PLUGIN).await;
    assert_eq!(status, 201, "{text}");
    // The user has a plugin there: a client with a token adds nothing that it starts.
    server
        .directory
        .write("skills/tools/pdf/.claude-plugin/plugin.json", "{}");
    for path in ["hooks/hooks.json", "bin/git", "Hooks/b.json"] {
        let (status, text) = put(path, b"{}").await;
        assert_eq!(status, 403, "{path}: {text}");
        assert!(text.contains(path), "{text}");
    }
    let (status, text) = put("scripts/a.py", b"print(1)").await;
    assert_eq!(status, 201, "{text}");
}

#[tokio::test]
async fn q52_a_plugin_in_an_archive_is_refused_by_name() {
    let server = Writable::new().await;
    let file = |text: &str| PackageFile {
        bytes: text.into(),
        executable: false,
    };
    let agent_plugin = std::str::from_utf8(AGENT_PLUGIN).unwrap();
    let files = [
        ("a/SKILL.md", skill_file("a", "x")),
        ("a/.claude-plugin/plugin.json", "{}".to_owned()),
        ("a/hooks/hooks.json", "{}".to_owned()),
        ("b/SKILL.md", skill_file("b", "x")),
        ("b/plugin.json", agent_plugin.to_owned()),
        ("c/SKILL.md", skill_file("c", "x")),
        ("c/bin/tool", "echo\n".to_owned()),
        ("c/plugin.json", "{}".to_owned()),
        ("SKILL.yaml", String::new()),
    ];
    let files = files.map(|(path, text)| (SkillPath::parse(path).unwrap(), file(&text)));
    let archive = pack(&PackageTree::new(files).unwrap()).unwrap();
    let imported = server.ask("POST", "/api/import", &[], &archive).await;
    assert_eq!(imported.status, 200, "{}", imported.text());
    let imported = imported.json();
    assert_eq!(imported["created"], json!(["c"]), "{imported}");
    let refused = imported["refused"].as_array().unwrap();
    let reason = |id: &str| {
        let found = refused.iter().find(|row| row["id"] == id).unwrap();
        found["reason"].as_str().unwrap().to_owned()
    };
    for path in [".claude-plugin/plugin.json", "hooks/hooks.json"] {
        assert!(reason("a").contains(path), "{}", reason("a"));
    }
    assert!(reason("b").contains("plugin.json"));
    assert_eq!(server.text("skills/c/bin/tool"), "echo\n");
    assert_eq!(server.names(), ["c", "tools"]);
}
