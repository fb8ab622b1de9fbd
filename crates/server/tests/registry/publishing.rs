//! Publishing, yanking, owners, and what is refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess_registry::{KeyPair, PackageFile, PackageTree, pack, sign};
use prowess_spec::SkillPath;
use serde_json::json;

use crate::setup::{Setup, about, on_both, package};
use crate::support::client::Response;

fn outcome(response: &Response) -> (u16, String) {
    (response.status, response.code())
}

fn expected(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn rg5_versions_are_published_once() {
    on_both(|setup| async move {
        let bytes = about("pdf", "PDF");
        let created = setup.publish("pdf", "1.0.0", &bytes).await;
        assert_eq!(created.status, 201, "{}", created.text());
        let digest = prowess_registry::package_digest(&bytes).to_string();
        assert_eq!(created.json()["digest"], digest);
        assert_eq!(setup.publish("pdf", "1.0.0", &bytes).await.status, 200);
        let other = setup.publish("pdf", "1.0.0", &about("pdf", "other")).await;
        assert_eq!(outcome(&other), expected(409, "version-exists"));
        assert!(other.message().contains(&digest), "{}", other.message());
        let by_bob = setup
            .publish_as("bob", "pdf", "1.1.0", &about("pdf", "more"))
            .await;
        assert_eq!(outcome(&by_bob), expected(403, "not-owner"));
        let alice = setup.id("alice");
        assert!(by_bob.message().contains(alice), "{}", by_bob.message());
        let by_admin = setup
            .publish_as("root", "pdf", "1.1.0", &about("pdf", "more"))
            .await;
        assert_eq!(by_admin.status, 201);
        assert_eq!(
            setup.get("/api/v1/skills/pdf/owners").await.json(),
            json!([alice])
        );
        for (who, code) in [
            ("", (401, "unauthorised")),
            ("reader", (403, "insufficient-scope")),
        ] {
            let refused = setup.publish_as(who, "pdf", "2.0.0", &bytes).await;
            assert_eq!(outcome(&refused), expected(code.0, code.1));
        }
        assert_eq!(
            setup.get("/api/v1/skills/pdf/versions").await.json(),
            json!(["1.1.0", "1.0.0"])
        );
    })
    .await;
}

#[tokio::test]
async fn rg5_invalid_packages_are_refused_and_leave_nothing() {
    on_both(|setup| async move {
        let invalid = package("pdf", "''", "No description.", &[]);
        let refused = setup.publish("pdf", "1.0.0", &invalid).await;
        assert_eq!(outcome(&refused), expected(422, "invalid-skill"));
        let diagnostics = refused.json()["diagnostics"].clone();
        assert_eq!(diagnostics[0]["file"], "SKILL.md", "{diagnostics}");
        assert_eq!(diagnostics[0]["start"]["line"], 2, "{diagnostics}");
        let renamed = setup.publish("csv", "1.0.0", &about("pdf", "PDF")).await;
        assert_eq!(outcome(&renamed), expected(422, "invalid-skill"));
        let mut damaged = about("pdf", "PDF");
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0xff;
        let damaged = setup.publish("pdf", "1.0.0", &damaged).await;
        assert_eq!(outcome(&damaged), expected(422, "invalid-package"));
        for bytes in [&b""[..], b"PK\x03\x04", b"\x1f\x8b"] {
            let refused = setup.publish("pdf", "1.0.0", bytes).await;
            assert_eq!(outcome(&refused), expected(422, "invalid-package"));
        }
        let bomb = {
            use std::io::Write as _;
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            for _ in 0..64 {
                encoder.write_all(&vec![0; 1024 * 1024]).unwrap();
            }
            encoder.finish().unwrap()
        };
        let refused = setup.publish("pdf", "1.0.0", &bomb).await;
        assert_eq!(outcome(&refused), expected(422, "invalid-package"));
        // The version in the skill is the one that is published.
        let text = "---\nname: pdf\ndescription: Reads. Use it.\nmetadata:\n  version: 1.2.0\n---\nRead.\n";
        let path = SkillPath::parse("SKILL.md").unwrap();
        let file = PackageFile { bytes: text.into(), executable: false };
        let stated = pack(&PackageTree::new([(path, file)]).unwrap()).unwrap();
        let refused = setup.publish("pdf", "1.3.0", &stated).await;
        assert_eq!(outcome(&refused), expected(422, "invalid-package"));
        assert!(refused.message().contains("1.2.0"), "{}", refused.message());
        let unknown = setup.get("/api/v1/skills/pdf").await;
        assert_eq!(outcome(&unknown), expected(404, "package-not-found"));
        assert_eq!(setup.publish("pdf", "1.2.0", &stated).await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn q52_a_skill_that_is_a_plugin_is_not_published() {
    on_both(|setup| async move {
        let agent_plugin =
            r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}"#;
        for (path, text) in [
            (".claude-plugin/plugin.json", "{}"),
            ("references/.Codex-Plugin/plugin.json", "{}"),
            ("plugin.json", agent_plugin),
        ] {
            let files = [(path, text), ("hooks/hooks.json", "{}")];
            let plugin = package("pdf", "Reads. Use it.", "Read.", &files);
            let refused = setup.publish("pdf", "1.0.0", &plugin).await;
            assert_eq!(outcome(&refused), expected(422, "invalid-package"));
            assert!(refused.message().contains(path), "{}", refused.message());
        }
        let unknown = setup.get("/api/v1/skills/pdf").await;
        assert_eq!(outcome(&unknown), expected(404, "package-not-found"));
        let files = [("bin/read", "echo\n"), ("plugin.json", "{}")];
        let plain = package("pdf", "Reads. Use it.", "Read.", &files);
        assert_eq!(setup.publish("pdf", "1.0.0", &plain).await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn rg5_too_many_bytes_are_not_read() {
    let setup = Setup::local().await;
    let length = format!("content-length: {}", 200 * 1024 * 1024);
    let target = "/api/v1/skills/pdf/1.0.0";
    let request = format!(
        "PUT {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {}\r\n{length}\r\n\r\n",
        setup.address,
        setup.token("alice"),
    );
    let response = crate::support::client::send(setup.address, request.as_bytes()).await;
    assert_eq!(outcome(&response), expected(413, "too-large"));
}

#[tokio::test]
async fn rg6_yanked_versions_are_only_there_by_their_number() {
    on_both(|setup| async move {
        setup.publish("pdf", "1.0.0", &about("pdf", "PDF")).await;
        let newest = about("pdf", "new PDF");
        setup.publish("pdf", "1.1.0", &newest).await;
        let target = "/api/v1/skills/pdf/1.1.0";
        let reason = format!("{target}?reason=sends%20files%20away");
        for (who, code) in [("", 401), ("reader", 403), ("bob", 403)] {
            assert_eq!(
                setup.ask(who, "DELETE", &reason, &[], b"").await.status,
                code
            );
        }
        assert_eq!(
            setup.ask("alice", "DELETE", &reason, &[], b"").await.status,
            204
        );
        setup.registry.refresh().await.unwrap();
        assert_eq!(
            setup.get("/api/v1/skills/pdf/versions").await.json(),
            json!(["1.0.0"])
        );
        assert_eq!(
            setup.get("/api/v1/skills/pdf/latest").await.json()["version"],
            "1.0.0"
        );
        let found = setup.get("/api/v1/search?q=pdf").await.json();
        assert_eq!(found[0]["version"], "1.0.0");
        let yanked = setup.get(target).await.json();
        assert_eq!(yanked["yanked"]["reason"], "sends files away");
        assert_eq!(setup.get(&format!("{target}/download")).await.body, newest);
        // All yanked: in no search and no index.
        setup
            .ask("alice", "DELETE", "/api/v1/skills/pdf/1.0.0", &[], b"")
            .await;
        setup.registry.refresh().await.unwrap();
        assert_eq!(setup.get("/api/v1/search?q=pdf").await.json(), json!([]));
        let latest = setup.get("/api/v1/skills/pdf/latest").await;
        assert_eq!(outcome(&latest), expected(404, "version-not-found"));
        assert_eq!(
            setup.get("/api/v1/skills/pdf").await.json()["latest"],
            json!(null)
        );
        // A yanked version is never published again with other bytes.
        let again = setup.publish("pdf", "1.1.0", &about("pdf", "other")).await;
        assert_eq!(again.status, 409);
        let undo = setup
            .ask("alice", "PUT", &format!("{target}/unyank"), &[], b"")
            .await;
        assert_eq!(undo.status, 204);
        setup.registry.refresh().await.unwrap();
        assert_eq!(
            setup.get("/api/v1/skills/pdf/latest").await.json()["version"],
            "1.1.0"
        );
        let unknown = setup
            .ask("alice", "DELETE", "/api/v1/skills/pdf/7.0.0", &[], b"")
            .await;
        assert_eq!(outcome(&unknown), expected(404, "version-not-found"));
        let latest = setup
            .ask("alice", "DELETE", "/api/v1/skills/pdf/latest", &[], b"")
            .await;
        assert_eq!(outcome(&latest), expected(400, "invalid-request"));
        let lines = setup
            .ask(
                "alice",
                "DELETE",
                &format!("{target}?reason=a%0Ab"),
                &[],
                b"",
            )
            .await;
        assert_eq!(lines.status, 400);
    })
    .await;
}

#[tokio::test]
async fn rg8_errors_are_problems_and_too_many_requests_wait() {
    let setup = Setup::with_limit(Some(5)).await;
    let unknown = setup.get("/api/v1/skills/nothing/versions").await;
    assert_eq!(outcome(&unknown), expected(404, "package-not-found"));
    assert_eq!(
        unknown.header("content-type"),
        Some("application/problem+json")
    );
    let problem = unknown.json();
    assert_eq!(problem["type"], "urn:prowess:problem:package-not-found");
    assert_eq!(
        (&problem["status"], &problem["detail"]),
        (&json!(404), &json!("unknown package `nothing`"))
    );
    let invalid = setup.get("/api/v1/skills/No%20Name").await;
    assert_eq!(outcome(&invalid), expected(400, "invalid-request"));
    assert_eq!(setup.get("/api/v1/skills/pdf/1.0").await.status, 400);
    assert_eq!(
        outcome(&setup.get("/api/v1/skills/a/b/c/d/e").await),
        expected(404, "not-found")
    );
    let method = setup
        .ask("alice", "PUT", "/api/v1/skills/pdf/versions", &[], b"")
        .await;
    assert_eq!(outcome(&method), expected(405, "method-not-allowed"));
    let mut last = setup.get("/api/v1/search?q=x").await;
    for _ in 0..20 {
        last = setup.get("/api/v1/search?q=x").await;
    }
    assert_eq!(outcome(&last), expected(429, "rate-limited"));
    assert!(last.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

#[tokio::test]
async fn q44_packages_belong_to_a_token_and_not_to_its_name() {
    on_both(|setup| async move {
        let directory = prowess_testing::TestDirectory::new();
        directory.skill("skills/seeded", "Reads PDFs. Use for PDFs", "Read.\n");
        let operator = prowess_registry::Publisher {
            id: "operator".to_owned(),
            is_administrator: true,
        };
        let skills = directory.path("skills");
        let seeded = setup.registry.seed(&skills, &operator, || {}).await;
        assert_eq!(seeded.unwrap().added, 1);
        let admin = prowess_registry::Publisher {
            id: "admin".to_owned(),
            is_administrator: true,
        };
        let (name, version) = ("made".parse().unwrap(), "1.0.0".parse().unwrap());
        let bytes = about("made", "x").into();
        let published = setup.registry.publish(&name, &version, bytes, None, &admin);
        published.await.unwrap();
        // Tokens with the names of owners.
        for (who, package) in [("operator", "seeded"), ("admin", "made")] {
            let bytes = about(package, "more");
            let refused = setup.publish_as(who, package, "9.0.0", &bytes).await;
            assert_eq!(outcome(&refused), expected(403, "not-owner"), "{who}");
            let target = format!("/api/v1/skills/{package}/owners/bob");
            let refused = setup.ask(who, "PUT", &target, &[], b"").await;
            assert_eq!(outcome(&refused), expected(403, "not-owner"), "{who}");
        }
        // What is stored and shown is the id, however the token was named.
        setup.publish("pdf", "1.0.0", &about("pdf", "PDF")).await;
        let target = "/api/v1/skills/pdf/owners/bob";
        assert_eq!(
            setup.ask("alice", "PUT", target, &[], b"").await.status,
            204
        );
        let info = setup.get("/api/v1/skills/pdf").await.json();
        let mut both = [setup.id("alice"), setup.id("bob")];
        both.sort_unstable();
        assert_eq!(info["owners"], json!(both));
        assert_eq!(info["versions"][0]["published_by"], setup.id("alice"));
        let nobody = "/api/v1/skills/pdf/owners/nobody";
        let refused = setup.ask("alice", "PUT", nobody, &[], b"").await;
        assert_eq!(outcome(&refused), expected(400, "invalid-request"));
        let by_id = format!("/api/v1/skills/pdf/owners/{}", setup.id("bob"));
        assert_eq!(
            setup.ask("bob", "DELETE", &by_id, &[], b"").await.status,
            204
        );
    })
    .await;
}

#[tokio::test]
async fn rg10_owners_share_a_package_or_a_namespace() {
    on_both(|setup| async move {
        setup
            .publish("acme/pdf", "1.0.0", &about("pdf", "PDF"))
            .await;
        // The namespace is alice's now, with every name in it.
        let by_bob = setup
            .publish_as("bob", "acme/csv", "1.0.0", &about("csv", "CSV"))
            .await;
        assert_eq!(outcome(&by_bob), expected(403, "not-owner"));
        let owner = "/api/v1/skills/acme/pdf/owners/bob";
        assert_eq!(setup.ask("bob", "PUT", owner, &[], b"").await.status, 403);
        assert_eq!(setup.ask("alice", "PUT", owner, &[], b"").await.status, 204);
        let by_bob = setup
            .publish_as("bob", "acme/csv", "1.0.0", &about("csv", "CSV"))
            .await;
        assert_eq!(by_bob.status, 201);
        let owners = setup.get("/api/v1/skills/acme/csv/owners").await.json();
        let mut both = [setup.id("alice"), setup.id("bob")];
        both.sort_unstable();
        assert_eq!(owners, json!(both));
        let blank = "/api/v1/skills/acme/pdf/owners/%20";
        let refused = setup.ask("alice", "PUT", blank, &[], b"").await;
        assert_eq!(outcome(&refused), expected(400, "invalid-request"));
        let first = "/api/v1/skills/acme/pdf/owners/alice";
        assert_eq!(
            setup.ask("bob", "DELETE", first, &[], b"").await.status,
            204
        );
        let last = setup.ask("bob", "DELETE", owner, &[], b"").await;
        assert_eq!(outcome(&last), expected(409, "last-owner"));
        // The same name elsewhere is another package.
        assert_eq!(
            setup
                .publish("pdf", "1.0.0", &about("pdf", "PDF"))
                .await
                .status,
            201
        );
        let unknown = setup
            .ask("alice", "PUT", "/api/v1/skills/none/owners/bob", &[], b"")
            .await;
        assert_eq!(unknown.status, 404);
    })
    .await;
}

#[tokio::test]
async fn rg11_names_that_look_alike_are_warned_about() {
    on_both(|setup| async move {
        let first = setup
            .publish("terraform", "1.0.0", &about("terraform", "clouds"))
            .await;
        assert_eq!(first.json()["warnings"], json!([]));
        let second = setup
            .publish_as("bob", "terraforrn", "1.0.0", &about("terraforrn", "clouds"))
            .await;
        assert_eq!(second.status, 201);
        let warnings = second.json()["warnings"].clone();
        assert_eq!(
            warnings,
            json!(["the name `terraforrn` is easily taken for `terraform`"])
        );
        let unicode = setup.publish("terrаform", "1.0.0", b"").await;
        assert_eq!(unicode.status, 400);
    })
    .await;
}

#[tokio::test]
async fn q33_a_signature_is_of_one_version() {
    on_both(|setup| async move {
        let bytes = about("pdf", "PDF");
        let pair = KeyPair::generate(None).unwrap();
        let signature = sign(&bytes, &pair.secret, None, "file:pdf-1.0.0.tar.gz").unwrap();
        let header = format!("x-prowess-signature: {}", STANDARD.encode(&signature));
        for (version, status) in [("1.1.0", 422), ("1.0.0", 201), ("0.9.0", 422)] {
            let target = format!("/api/v1/skills/pdf/{version}");
            let answer = setup.ask("alice", "PUT", &target, &[&header], &bytes).await;
            assert_eq!(answer.status, status, "{version}: {}", answer.text());
        }
    })
    .await;
}

#[tokio::test]
async fn rg16_signatures_are_verified_and_returned() {
    on_both(|setup| async move {
        let bytes = about("pdf", "PDF");
        let pair = KeyPair::generate(None).unwrap();
        let signature = sign(&bytes, &pair.secret, None, "file:pdf-1.0.0.tar.gz").unwrap();
        let header = format!("x-prowess-signature: {}", STANDARD.encode(&signature));
        let target = "/api/v1/skills/pdf/1.0.0";
        let other = about("pdf", "other");
        let wrong = setup.ask("alice", "PUT", target, &[&header], &other).await;
        assert_eq!(outcome(&wrong), expected(422, "invalid-package"));
        let malformed = setup
            .ask("alice", "PUT", target, &["x-prowess-signature: ?"], &bytes)
            .await;
        assert_eq!(malformed.status, 400);
        let created = setup.ask("alice", "PUT", target, &[&header], &bytes).await;
        assert_eq!(created.status, 201, "{}", created.text());
        assert_eq!(
            setup.get(&format!("{target}/signature")).await.text(),
            signature
        );
        assert_eq!(
            setup.get(target).await.json()["signed_by"],
            pair.public.to_string()
        );
        setup.publish("pdf", "1.1.0", &other).await;
        let unsigned = setup.get("/api/v1/skills/pdf/1.1.0/signature").await;
        assert_eq!(outcome(&unsigned), expected(404, "not-signed"));
    })
    .await;
}
