//! Searching, versions, manifests, downloads and the index.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::setup::{Setup, about, on_both, package};
use crate::support::client::Response;

fn names(response: &Response) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let found = response.json();
    let found = found.as_array().unwrap().iter();
    found
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

const MANIFEST: &str = "name: clock\nversion: 1.0.0\ndescription: Tells the time. Use when a user asks for the time.\ntypes: [tool]\npermissions: [file:read]\nimplementation:\n  backend: starlark\n  entrypoint: main.star\n";

fn with_code() -> Vec<u8> {
    let description = "Tells the time. Use when a user asks for the time.";
    let code = "def now(input):\n    return \"noon\"\n\nregister_tool(name = \"now\", description = \"Tells the time\", handler = now)\n";
    package(
        "clock",
        description,
        "Ask the tool.",
        &[("SKILL.yaml", MANIFEST), ("main.star", code)],
    )
}

#[tokio::test]
async fn rg1_search_is_ranked_filtered_and_paged() {
    on_both(|setup| async move {
        setup
            .publish("pdf-forms", "1.0.0", &about("pdf-forms", "PDF forms"))
            .await;
        setup
            .publish(
                "acme/pdf-merge",
                "1.0.0",
                &about("pdf-merge", "PDF merging"),
            )
            .await;
        setup
            .publish("csv-clean", "1.0.0", &about("csv-clean", "CSV tables"))
            .await;
        let published = setup.publish("clock", "1.0.0", &with_code()).await;
        assert_eq!(published.status, 201, "{}", published.text());
        let response = setup.get("/api/v1/search?q=pdf%20forms").await;
        assert_eq!(names(&response), ["pdf-forms", "acme/pdf-merge"]);
        assert_eq!(response.header("x-total-count"), Some("2"));
        let first = &response.json()[0];
        assert_eq!(first["version"], "1.0.0");
        assert_eq!(first["downloads"], 0);
        assert!(first["score"].as_f64().unwrap() > 0.0);
        assert!(
            first["published_at"].as_str().unwrap().ends_with('Z'),
            "{first}"
        );
        let asked = &setup;
        let found = |target: &'static str| async move {
            names(&asked.get(&format!("/api/v1/search?{target}")).await)
        };
        // By owner, in the text of the skill, and everything in the order of names.
        assert_eq!(found("q=acme").await, ["acme/pdf-merge"]);
        assert_eq!(
            found("q=").await,
            ["clock", "csv-clean", "pdf-forms", "acme/pdf-merge"]
        );
        assert_eq!(
            found("q=&limit=2&offset=1").await,
            ["csv-clean", "pdf-forms"]
        );
        assert_eq!(found("q=pdf&limit=1&offset=1").await.len(), 1);
        assert_eq!(found("q=pdf&offset=2").await, [""; 0]);
        assert_eq!(found("code=true").await, ["clock"]);
        assert_eq!(found("type=tool").await, ["clock"]);
        assert_eq!(
            found("type=instruction&q=pdf&owner=acme").await,
            ["acme/pdf-merge"]
        );
        assert_eq!(found("permission=file:read").await, ["clock"]);
        assert_eq!(found("licence=mit&q=csv").await, ["csv-clean"]);
        assert_eq!(found("licence=GPL-3.0").await, [""; 0]);
        assert_eq!(found("verdict=clean&q=csv").await, ["csv-clean"]);
        assert_eq!(found("verdict=findings").await, [""; 0]);
        for target in ["limit=x", "offset=-1", "code=maybe", "verdict=good"] {
            let response = setup.get(&format!("/api/v1/search?{target}")).await;
            assert_eq!(
                (response.status, response.code()),
                (400, "invalid-request".to_owned())
            );
        }
        let long = format!("/api/v1/search?q={}", "a".repeat(1_001));
        assert_eq!(setup.get(&long).await.status, 400);
    })
    .await;
}

#[tokio::test]
async fn rg2_rg3_versions_and_manifests() {
    on_both(|setup| async move {
        for version in ["1.2.0", "1.10.0", "2.0.0-beta.1", "0.9.0"] {
            let published = setup.publish("pdf", version, &about("pdf", version)).await;
            assert_eq!(published.status, 201, "{}", published.text());
        }
        let versions = setup.get("/api/v1/skills/pdf/versions").await.json();
        assert_eq!(versions, json!(["2.0.0-beta.1", "1.10.0", "1.2.0", "0.9.0"]));
        let manifest = setup.get("/api/v1/skills/pdf/latest/manifest").await;
        assert!(manifest.text().contains("asks about 1.10.0"), "{}", manifest.text());
        assert_eq!(manifest.header("content-type"), Some("application/yaml"));
        let exact = setup.get("/api/v1/skills/pdf/1.2.0/manifest").await;
        let expected = "name: pdf\ndescription: Works with 1.2.0. Use when a user asks about 1.2.0.\nlicense: MIT\n";
        assert_eq!(exact.text(), expected);
        assert!(exact.header("cache-control").unwrap().contains("immutable"));
        assert_eq!(manifest.header("cache-control"), Some("no-cache"));
        let etag = format!("if-none-match: {}", exact.header("etag").unwrap());
        let target = "/api/v1/skills/pdf/1.2.0/manifest";
        assert_eq!(setup.ask("", "GET", target, &[&etag], b"").await.status, 304);
        setup.publish("clock", "1.0.0", &with_code()).await;
        let manifest = setup.get("/api/v1/skills/clock/latest/manifest").await;
        assert_eq!(manifest.text(), MANIFEST);
        let info = setup.get("/api/v1/skills/clock/1.0.0").await.json();
        assert_eq!(info["types"], json!(["tool"]));
        assert_eq!(info["permissions"], json!(["file:read"]));
        assert_eq!((&info["has_code"], &info["files"]), (&json!(true), &json!(3)));
        // Only pre-releases: the highest of them.
        setup.publish("early", "0.1.0-a.1", &about("early", "x")).await;
        setup.publish("early", "0.1.0-a.2", &about("early", "y")).await;
        let latest = setup.get("/api/v1/skills/early/latest").await.json();
        assert_eq!(latest["version"], "0.1.0-a.2");
    })
    .await;
}

#[tokio::test]
async fn rg4_downloads_have_digests_and_ranges() {
    on_both(|setup| async move {
        let large = "word ".repeat(200_000);
        let bytes = package("pdf", "Reads PDFs. Use for PDFs.", &large, &[]);
        setup.publish("acme/pdf", "1.0.0", &bytes).await;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        // Written as it is or encoded.
        for name in ["acme/pdf", "acme%2Fpdf"] {
            let target = format!("/api/v1/skills/{name}/1.0.0/download");
            let response = setup.get(&target).await;
            assert_eq!((response.status, &response.body), (200, &bytes));
            let expected = format!("sha-256={}", STANDARD.encode(digest));
            assert_eq!(response.header("digest"), Some(expected.as_str()));
            assert_eq!(response.header("content-type"), Some("application/gzip"));
            assert_eq!(
                response.header("content-length"),
                Some(bytes.len().to_string().as_str())
            );
        }
        let target = "/api/v1/skills/acme/pdf/latest/download";
        let head = setup.ask("", "HEAD", target, &[], b"").await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(
            head.header("content-length"),
            Some(bytes.len().to_string().as_str())
        );
        let etag = head.header("etag").unwrap().to_owned();
        let asked = &setup;
        let ranged =
            |range: &'static str| async move { asked.ask("", "GET", target, &[range], b"").await };
        let part = ranged("range: bytes=10-19").await;
        assert_eq!((part.status, part.body.as_slice()), (206, &bytes[10..20]));
        let expected = format!("bytes 10-19/{}", bytes.len());
        assert_eq!(part.header("content-range"), Some(expected.as_str()));
        let end = ranged("range: bytes=-5").await;
        assert_eq!(end.body, bytes[bytes.len() - 5..]);
        let outside = ranged("range: bytes=99999999-").await;
        assert_eq!(
            (outside.status, outside.code()),
            (416, "invalid-range".to_owned())
        );
        let condition = format!("if-none-match: {etag}");
        assert_eq!(
            setup
                .ask("", "GET", target, &[&condition], b"")
                .await
                .status,
            304
        );
        // A range of another file is all of this one.
        let headers = ["range: bytes=0-1", "if-range: \"other\""];
        assert_eq!(
            setup.ask("", "GET", target, &headers, b"").await.status,
            200
        );
        let missing = setup.get("/api/v1/skills/acme/pdf/9.0.0/download").await;
        assert_eq!(
            (missing.status, missing.code()),
            (404, "version-not-found".to_owned())
        );
    })
    .await;
}

#[tokio::test]
async fn rg7_index_of_the_standard() {
    on_both(|setup| async move {
        let target = "/.well-known/agent-skills/index.json";
        let empty = setup.get(target).await.json();
        assert_eq!(empty["skills"], json!([]));
        setup.publish("pdf", "1.0.0", &about("pdf", "PDF")).await;
        setup
            .publish("acme/pdf", "1.0.0", &about("pdf", "other PDF"))
            .await;
        let csv = about("csv", "CSV \"quoted\"");
        setup.publish("acme/csv", "1.0.0", &csv).await;
        let response = setup.get(target).await;
        let index = response.json();
        assert_eq!(
            index["$schema"],
            "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
        );
        let entries = index["skills"].as_array().unwrap();
        let named: Vec<&Value> = entries.iter().map(|it| &it["name"]).collect();
        // Names of skills are unique there.
        assert_eq!(named, ["pdf", "csv"]);
        assert_eq!(entries[1]["type"], "archive");
        let url = entries[1]["url"].as_str().unwrap();
        let bytes = setup.get(url).await.body;
        assert_eq!(bytes, csv);
        assert_eq!(
            entries[1]["digest"],
            prowess_registry::package_digest(&bytes).to_string()
        );
        let head = setup.ask("", "HEAD", target, &[], b"").await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        let etag = format!("if-none-match: {}", response.header("etag").unwrap());
        assert_eq!(
            setup.ask("", "GET", target, &[&etag], b"").await.status,
            304
        );
    })
    .await;
}

#[tokio::test]
async fn rg12_a_version_is_compared_with_the_one_before() {
    on_both(|setup| async move {
        let files = [("a.md", "one\n"), ("b.md", "two\n")];
        setup
            .publish(
                "pdf",
                "1.0.0",
                &package("pdf", "Reads. Use it.", "Old.", &files),
            )
            .await;
        let files = [("b.md", "three\n"), ("c.md", "new\n")];
        setup
            .publish(
                "pdf",
                "1.1.0",
                &package("pdf", "Reads. Use it.", "New.", &files),
            )
            .await;
        let diff = setup.get("/api/v1/skills/pdf/1.1.0/diff").await.json();
        assert_eq!(
            (&diff["from"], &diff["to"]),
            (&json!("1.0.0"), &json!("1.1.0"))
        );
        let changes: Vec<(String, String)> = diff["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| {
                (
                    it["path"].as_str().unwrap().to_owned(),
                    it["change"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        let expected = [
            ("SKILL.md", "changed"),
            ("a.md", "removed"),
            ("b.md", "changed"),
            ("c.md", "added"),
        ];
        assert_eq!(
            changes,
            expected.map(|(path, change)| (path.to_owned(), change.to_owned()))
        );
        assert!(
            diff["files"][0]["text"]
                .as_str()
                .unwrap()
                .contains("-Old.\n+New.\n")
        );
        let first = setup.get("/api/v1/skills/pdf/1.0.0/diff").await.json();
        assert_eq!(first["from"], Value::Null);
        let back = setup
            .get("/api/v1/skills/pdf/1.0.0/diff?from=1.1.0")
            .await
            .json();
        assert_eq!(back["from"], "1.1.0");
        assert_eq!(
            setup
                .get("/api/v1/skills/pdf/1.0.0/diff?from=x")
                .await
                .status,
            400
        );
        assert_eq!(
            setup
                .get("/api/v1/skills/pdf/1.0.0/diff?from=7.0.0")
                .await
                .status,
            404
        );
    })
    .await;
}

#[tokio::test]
async fn rg13_downloads_are_counted_without_a_write_for_each() {
    on_both(|setup| async move {
        setup.publish("pdf", "1.0.0", &about("pdf", "PDF")).await;
        setup
            .publish("pdf", "1.1.0", &about("pdf", "more PDF"))
            .await;
        for _ in 0..3 {
            setup.get("/api/v1/skills/pdf/1.0.0/download").await;
        }
        let target = "/api/v1/skills/pdf/latest/download";
        setup.get(target).await;
        // The rest of a download is not another one, and neither is a look.
        setup
            .ask("", "GET", target, &["range: bytes=5-"], b"")
            .await;
        setup.ask("", "HEAD", target, &[], b"").await;
        setup.registry.write_downloads().await;
        let info = setup.get("/api/v1/skills/pdf").await.json();
        assert_eq!(info["downloads"], 4);
        assert_eq!(info["versions"][0]["downloads"], 1);
        assert_eq!(info["versions"][1]["downloads"], 3);
        let found = setup.get("/api/v1/search?q=pdf").await.json();
        assert_eq!(found[0]["downloads"], 4);
    })
    .await;
}

#[tokio::test]
async fn rg14_an_empty_registry_is_seeded_from_directories() {
    let setup = Setup::local().await;
    let directory = prowess_testing::TestDirectory::new();
    directory
        .skill("skills/pdf", "Reads PDFs. Use for PDFs", "Read.\n")
        .write("skills/broken/SKILL.md", "no frontmatter\n")
        .write("skills/csv/SKILL.md", "---\nname: csv\ndescription: Reads CSV. Use for tables.\nmetadata:\n  version: \"1.10\"\n---\nRead.\n");
    let operator = prowess_registry::Publisher {
        id: "operator".to_owned(),
        is_administrator: true,
    };
    let seeded = setup
        .registry
        .seed(&directory.path("skills"), &operator, || {})
        .await
        .unwrap();
    assert_eq!((seeded.added, seeded.known), (2, 0), "{seeded:?}");
    let again = setup
        .registry
        .seed(&directory.path("skills"), &operator, || {})
        .await
        .unwrap();
    assert_eq!((again.added, again.known), (0, 2), "{again:?}");
    let info = setup.get("/api/v1/skills/csv/latest").await.json();
    assert_eq!(
        (&info["version"], &info["published_by"]),
        (&json!("1.10.0"), &json!("operator"))
    );
    assert_eq!(
        setup.get("/api/v1/skills/pdf/latest").await.json()["version"],
        "0.1.0"
    );
}
