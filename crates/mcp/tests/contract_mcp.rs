//! The server rows of `docs/contract/mcp.md`.
#![cfg(test)]

mod support;

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prowess_core::{MemorySource, Scope};
use prowess_mcp::limits::SESSIONS;
use prowess_mcp::{
    Choice, Client, CodeResult, CodeSkills, Digest, HttpOptions, ServerOptions, SkillsServer,
};
use serde_json::{Value, json};
use support::http::{post, serve};
use support::{PDF, PNG, Raw, Revision, meta, path, server, skills_of, source, uris};

const REVISIONS: [Revision; 3] = [
    Revision::Stateless,
    Revision::Greeted("2025-11-25"),
    Revision::Greeted("2025-06-18"),
];

async fn client() -> Raw {
    Raw::connect(&server().await, Revision::Stateless).await
}

#[tokio::test]
async fn ms1_clients_of_three_revisions_are_answered() {
    for revision in REVISIONS {
        let mut client = Raw::silent(&server().await);
        let greeting = client.greet(revision).await;
        match revision {
            Revision::Greeted(version) => assert_eq!(greeting["protocolVersion"], version),
            Revision::Stateless => {
                let versions = greeting["supportedVersions"].as_array().unwrap();
                assert!(versions.contains(&json!("2026-07-28")));
            }
        }
        assert_eq!(client.all_skills().await.len(), 3, "{revision:?}");
    }
}

#[tokio::test]
async fn ms2_capabilities_name_resources_and_the_extension() {
    for revision in REVISIONS {
        let greeting = Raw::silent(&server().await).greet(revision).await;
        let capabilities = &greeting["capabilities"];
        assert_eq!(capabilities["resources"], json!({"listChanged": true}));
        assert_eq!(
            capabilities["extensions"],
            json!({"io.modelcontextprotocol/skills": {"directoryRead": true}})
        );
        assert_eq!(capabilities["tools"], json!({"listChanged": true}));
        assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
    }
}

#[tokio::test]
async fn ms3_addresses_are_ids_and_paths() {
    for skill in client().await.all_skills().await {
        let uri = skill["uri"].as_str().unwrap();
        let id = uri
            .strip_prefix("skill://")
            .unwrap()
            .strip_suffix("/SKILL.md")
            .unwrap();
        assert_eq!(id.rsplit('/').next(), skill["frontmatter"]["name"].as_str());
        for file in uris(&skill["resources"]) {
            assert!(file.starts_with(&format!("skill://{id}/")), "{file}");
        }
    }
}

/// A name that is not the address's cannot be listed, and the list says so.
#[tokio::test]
async fn ms3_a_skill_under_another_name_is_left_out_and_reported() {
    let mut source = MemorySource::new(Scope::Project);
    source.add("fine", "---\nname: fine\ndescription: d\n---\n");
    source.add("shouting", "---\nname: SHOUTING\ndescription: d\n---\n");
    let server = SkillsServer::new(skills_of(source).await, ServerOptions::default());
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let list = client.result("skills/list", json!({})).await;
    assert_eq!(uris(&list["skills"]), ["skill://fine/SKILL.md"]);
    assert_eq!(list["_meta"]["prowess/omitted"][0]["id"], "shouting");
    let uri = "skill://shouting/SKILL.md";
    assert_eq!(
        client.error("skills/get", json!({"uri": uri})).await,
        -32602
    );
}

#[tokio::test]
async fn ms3_a_directory_has_no_slash_at_its_end() {
    let mut client = client().await;
    client
        .result("resources/directory/read", json!({"uri": "skill://pdf"}))
        .await;
    let error = client
        .error("resources/directory/read", json!({"uri": "skill://pdf/"}))
        .await;
    assert_eq!(error, -32602);
}

#[tokio::test]
async fn ms4_the_list_has_its_shape() {
    for revision in REVISIONS {
        let mut client = Raw::connect(&server().await, revision).await;
        let list = client.result("skills/list", json!({})).await;
        assert_eq!(list["resultType"], "complete");
        assert_eq!(list["ttlMs"], 5000);
        assert_eq!(list["cacheScope"], "private");
        assert!(list.get("nextCursor").is_none());
        let expected = [
            "skill://acme/billing/refunds/SKILL.md",
            "skill://background/SKILL.md",
            "skill://pdf/SKILL.md",
        ];
        assert_eq!(uris(&list["skills"]), expected);
    }
}

fn many(count: usize) -> MemorySource {
    let mut source = MemorySource::new(Scope::Project);
    for index in 0..count {
        let name = format!("skill-{index:04}");
        source.add(
            &name,
            &format!("---\nname: {name}\ndescription: Number {index}\n---\nDo.\n"),
        );
    }
    source
}

#[tokio::test]
async fn ms4_every_entry_is_whole_and_comes_once() {
    let server = SkillsServer::new(skills_of(many(2_300)).await, ServerOptions::default());
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let first = client.result("skills/list", json!({})).await;
    assert!(first["nextCursor"].is_string());
    let skills = client.all_skills().await;
    let addresses: BTreeSet<&str> = skills
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap())
        .collect();
    assert_eq!((skills.len(), addresses.len()), (2_300, 2_300));
    assert!(
        skills
            .iter()
            .all(|skill| skill["resources"].as_array().unwrap().len() == 1)
    );
}

#[tokio::test]
async fn ms4_an_old_cursor_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for index in 0..1_100 {
        let skill = directory.path().join(format!("skill-{index:04}"));
        std::fs::create_dir(&skill).unwrap();
        let text = format!("---\nname: skill-{index:04}\ndescription: d\n---\nDo.\n");
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let server = support::server_of(directory.path()).await;
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let first = client.result("skills/list", json!({})).await;
    let cursor = json!({"cursor": first["nextCursor"]});
    client.result("skills/list", cursor.clone()).await;
    // A catalog with the same content is the same catalog.
    server.skills().refresh().await;
    server.notify_changed();
    client.result("skills/list", cursor.clone()).await;
    std::fs::write(directory.path().join("skill-0000/NEW.md"), "new").unwrap();
    server.notify_changed();
    assert_eq!(client.error("skills/list", cursor).await, -32602);
}

#[tokio::test]
async fn ms5_one_skill_is_the_entry_of_the_list() {
    let mut client = client().await;
    let listed = client.all_skills().await;
    for skill in listed {
        let got = client
            .result("skills/get", json!({"uri": skill["uri"]}))
            .await;
        assert_eq!(got["resultType"], "complete");
        assert_eq!(got["ttlMs"], 5000);
        assert_eq!(got["cacheScope"], "private");
        assert_eq!(got["skill"], skill);
    }
}

#[tokio::test]
async fn ms5_an_unlisted_skill_can_be_read() {
    let mut client = client().await;
    let uri = "skill://deploy/SKILL.md";
    let listed = client.all_skills().await;
    assert!(listed.iter().all(|skill| skill["uri"] != uri));
    let got = client.result("skills/get", json!({"uri": uri})).await;
    assert_eq!(
        got["skill"]["frontmatter"]["disable-model-invocation"],
        true
    );
    client.result("resources/read", json!({"uri": uri})).await;
}

#[tokio::test]
async fn ms5_an_unknown_skill_is_refused() {
    let mut client = client().await;
    for uri in [
        "skill://nope/SKILL.md",
        "skill://pdf",
        "skill://pdf/references/FORMS.md",
        "file:///etc/passwd",
        "",
    ] {
        assert_eq!(
            client.error("skills/get", json!({"uri": uri})).await,
            -32602,
            "{uri}"
        );
    }
    assert_eq!(client.error("skills/get", json!({})).await, -32602);
}

#[tokio::test]
async fn ms6_frontmatter_is_verbatim() {
    let got = client()
        .await
        .result("skills/get", json!({"uri": "skill://pdf/SKILL.md"}))
        .await;
    let expected = json!({
        "name": "pdf",
        "description": "Reads PDFs",
        "license": "MIT",
        "allowed-tools": "Bash(git:*) Read",
        "metadata": {"version": "1.10", "level": 3},
    });
    assert_eq!(got["skill"]["frontmatter"], expected);
}

#[tokio::test]
async fn ms6_every_file_is_listed_once_with_digest_and_size() {
    let got = client()
        .await
        .result("skills/get", json!({"uri": "skill://pdf/SKILL.md"}))
        .await;
    let file = |uri: &str, bytes: &[u8]| json!({"uri": uri, "digest": Digest::of(bytes).to_string(), "size": bytes.len()});
    let expected = json!([
        file("skill://pdf/SKILL.md", PDF.as_bytes()),
        file("skill://pdf/assets/logo.png", PNG),
        file("skill://pdf/references/FORMS.md", b"# Forms\n"),
        file(
            "skill://pdf/references/eu/VAT%20rates.md",
            "# VAT – ü\n".as_bytes()
        ),
    ]);
    assert_eq!(got["skill"]["resources"], expected);
}

fn bytes(content: &Value) -> Vec<u8> {
    match content["blob"].as_str() {
        Some(blob) => BASE64_STANDARD.decode(blob).unwrap(),
        None => content["text"].as_str().unwrap().as_bytes().to_vec(),
    }
}

#[tokio::test]
async fn ms7_every_listed_file_can_be_read() {
    for revision in REVISIONS {
        let mut client = Raw::connect(&server().await, revision).await;
        for skill in client.all_skills().await {
            for file in skill["resources"].as_array().unwrap() {
                let read = client
                    .result("resources/read", json!({"uri": file["uri"]}))
                    .await;
                let content = &read["contents"][0];
                assert_eq!(content["uri"], file["uri"]);
                assert_eq!(Digest::of(&bytes(content)).to_string(), file["digest"]);
            }
        }
        for (uri, media, text) in [
            ("skill://pdf/SKILL.md", "text/markdown", true),
            (
                "skill://pdf/references/eu/VAT%20rates.md",
                "text/markdown",
                true,
            ),
            ("skill://pdf/assets/logo.png", "image/png", false),
        ] {
            let read = client.result("resources/read", json!({"uri": uri})).await;
            let content = &read["contents"][0];
            assert_eq!(content["mimeType"], media);
            assert_eq!(content["text"].is_string(), text);
        }
    }
}

/// What is not listed is not there, whatever the address looks like.
#[tokio::test]
async fn ms7_nothing_else_can_be_read() {
    let mut client = client().await;
    for uri in [
        "skill://pdf/nope.md",
        "skill://pdf/references",
        "skill://pdf/../deploy/SKILL.md",
        "skill://pdf/%2e%2e/deploy/SKILL.md",
        "skill://pdf/references%2FFORMS.md",
        "file:///etc/passwd",
    ] {
        let answer = client.ask("resources/read", json!({"uri": uri})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
}

#[tokio::test]
async fn ms7_a_directory_lists_its_direct_children() {
    let mut client = client().await;
    let children = async |client: &mut Raw, uri: &str| {
        let read = client
            .result("resources/directory/read", json!({"uri": uri}))
            .await;
        assert_eq!(read["resultType"], "complete");
        let children = read["resources"].as_array().unwrap().clone();
        let pair = |child: &Value| {
            let text = |key: &str| child[key].as_str().unwrap().to_owned();
            (text("uri"), text("mimeType"))
        };
        children.iter().map(pair).collect::<Vec<_>>()
    };
    let pair = |uri: &str, media: &str| (uri.to_owned(), media.to_owned());
    assert_eq!(
        children(&mut client, "skill://pdf").await,
        [
            pair("skill://pdf/SKILL.md", "text/markdown"),
            pair("skill://pdf/assets", "inode/directory"),
            pair("skill://pdf/references", "inode/directory"),
        ]
    );
    assert_eq!(
        children(&mut client, "skill://pdf/references").await,
        [
            pair("skill://pdf/references/FORMS.md", "text/markdown"),
            pair("skill://pdf/references/eu", "inode/directory"),
        ]
    );
    for uri in [
        "skill://pdf/SKILL.md",
        "skill://pdf/nope",
        "skill://nope",
        "skill://acme",
    ] {
        let error = client
            .error("resources/directory/read", json!({"uri": uri}))
            .await;
        assert_eq!(error, -32602, "{uri}");
    }
    let bad = json!({"uri": "skill://pdf", "cursor": "x"});
    assert_eq!(client.error("resources/directory/read", bad).await, -32602);
}

#[tokio::test]
async fn ms8_a_skill_beyond_the_limits_is_for_the_tools() {
    let text = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nDo.\n");
    let mut source = MemorySource::new(Scope::Project);
    for (name, files, size) in [
        ("full", 511, 1),
        ("many", 512, 1),
        ("heavy", 1, 16 << 20),
        ("brimming", 1, (16 << 20) - 100),
    ] {
        let id = source.add(name, &text(name)).unwrap();
        for index in 0..files {
            source.add_file(&id, path(&format!("f{index}")), vec![b'x'; size]);
        }
    }
    let server = SkillsServer::new(skills_of(source).await, ServerOptions::default());
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let skills = client.all_skills().await;
    let names: Vec<&str> = skills
        .iter()
        .map(|skill| skill["frontmatter"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["brimming", "full", "heavy", "many"]);
    assert_eq!(skills[1]["resources"].as_array().unwrap().len(), 512);
    assert_eq!(skills[0]["resources"].as_array().unwrap().len(), 2);
    for skill in [&skills[2], &skills[3]] {
        assert_eq!(skill["resources"], "dynamic");
        assert_eq!(
            skill["_meta"]["prowess/diagnostic"]["code"],
            "skill-too-large"
        );
        let answer = client
            .ask("resources/read", json!({"uri": skill["uri"]}))
            .await;
        assert_eq!(answer["error"]["code"], -32602);
        let id = skill["frontmatter"]["name"].clone();
        let call = json!({"name": "load_skill", "arguments": {"id": id}});
        let loaded = client.result("tools/call", call).await;
        assert_eq!(loaded["isError"], false);
        assert_eq!(loaded["structuredContent"]["id"], id);
    }
}

#[tokio::test]
async fn ms9_files_are_resources() {
    for revision in REVISIONS {
        let mut client = Raw::connect(&server().await, revision).await;
        let list = client.result("resources/list", json!({})).await;
        let expected = [
            "skill://acme/billing/refunds/SKILL.md",
            "skill://background/SKILL.md",
            "skill://pdf/SKILL.md",
            "skill://pdf/assets/logo.png",
            "skill://pdf/references/FORMS.md",
            "skill://pdf/references/eu/VAT%20rates.md",
        ];
        assert_eq!(uris(&list["resources"]), expected);
        let skill = &list["resources"][2];
        assert_eq!(skill["name"], "pdf");
        assert_eq!(skill["description"], "Reads PDFs");
        assert_eq!(skill["size"], PDF.len());
        assert_eq!(
            client.error("resources/list", json!({"cursor": "x"})).await,
            -32602
        );
        let templates = client.result("resources/templates/list", json!({})).await;
        assert_eq!(
            templates["resourceTemplates"][0]["uriTemplate"],
            "skill://{+id}/{+path}"
        );
    }
}

#[tokio::test]
async fn ms9_clients_with_a_session_are_notified_of_changes() {
    let server = server().await;
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = Raw::connect(&server, Revision::Greeted("2025-06-18")).await;
        // An answer means that the greeting was heard.
        client.ask("ping", json!({})).await;
        clients.push(client);
    }
    server.notify_changed();
    for client in &mut clients {
        let mut methods = BTreeSet::new();
        while methods.len() < 3 {
            let message = client.receive().await.unwrap();
            methods.insert(message["method"].as_str().unwrap().to_owned());
        }
        let expected = ["prompts", "resources", "tools"];
        let expected = expected.map(|kind| format!("notifications/{kind}/list_changed"));
        assert_eq!(methods, BTreeSet::from(expected));
    }
}

/// A real process watches its files.
#[tokio::test]
async fn ms9_clients_are_notified_when_files_change() {
    let directory = tempfile::tempdir().unwrap();
    support::write_skills(directory.path());
    let mut child = tokio::process::Command::new(support::example())
        .arg(directory.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut client = Raw::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    client.greet(Revision::Greeted("2025-11-25")).await;
    assert_eq!(client.all_skills().await.len(), 2);
    let skill = directory.path().join("new");
    std::fs::create_dir(&skill).unwrap();
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: new\ndescription: d\n---\n",
    )
    .unwrap();
    let message = client.receive().await.unwrap();
    assert_eq!(message["method"], "notifications/resources/list_changed");
    let skills = client.all_skills().await;
    assert!(
        skills
            .iter()
            .any(|skill| skill["uri"] == "skill://new/SKILL.md")
    );
}

/// Digests follow a file that nobody told about, as soon as somebody reads it.
#[tokio::test]
async fn ms9_digests_follow_the_files() {
    let directory = tempfile::tempdir().unwrap();
    support::write_skills(directory.path());
    let server = support::server_of(directory.path()).await;
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let uri = "skill://pdf/references/FORMS.md";
    let digest = async |client: &mut Raw| {
        let skills = client.all_skills().await;
        let mut files = skills
            .iter()
            .flat_map(|skill| skill["resources"].as_array().unwrap());
        files.find(|file| file["uri"] == uri).unwrap()["digest"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        digest(&mut client).await,
        Digest::of(b"# Forms\n").to_string()
    );
    std::fs::write(
        directory.path().join("pdf/references/FORMS.md"),
        "# FORMS\n",
    )
    .unwrap();
    let got = client
        .result("skills/get", json!({"uri": "skill://pdf/SKILL.md"}))
        .await;
    assert_eq!(
        got["skill"]["resources"][2]["digest"],
        Digest::of(b"# FORMS\n").to_string()
    );
    assert_eq!(
        digest(&mut client).await,
        Digest::of(b"# FORMS\n").to_string()
    );
    std::fs::write(
        directory.path().join("pdf/references/FORMS.md"),
        "# forms\n",
    )
    .unwrap();
    client.result("resources/read", json!({"uri": uri})).await;
    assert_eq!(
        digest(&mut client).await,
        Digest::of(b"# forms\n").to_string()
    );
}

/// Clients of 2026-07-28 subscribe to the notifications that they want.
#[tokio::test]
async fn ms9_clients_without_a_session_get_their_subscriptions() {
    let server = server().await;
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let params = json!({"notifications": {"resourcesListChanged": true}, "_meta": meta()});
    let listen =
        json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params});
    client.send(&listen).await;
    let acknowledged = client.receive().await.unwrap();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    server.notify_changed();
    let message = client.receive().await.unwrap();
    assert_eq!(message["method"], "notifications/resources/list_changed");
}

#[tokio::test]
async fn ms10_the_tools_are_those_of_the_dialect() {
    let mut client = client().await;
    let list = client.result("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["browse_skills", "load_skill", "read_skill_file"]);
    let queries = &tools[0]["inputSchema"]["properties"]["queries"];
    let how = queries["description"].as_str().unwrap();
    assert!(how.contains("technical terms, tools, file formats and synonyms"));
    let described = tools[1]["description"].as_str().unwrap();
    assert!(described.contains("<available_skills") && described.contains("pdf"));
    assert!(described.len() < 4_200, "{described}");
    assert!(
        tools
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == true)
    );
    let mut call = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        client.result("tools/call", params).await
    };
    let found = call("browse_skills", json!({"query": "refund"})).await;
    assert_eq!(
        found["structuredContent"]["skills"][0]["id"],
        "acme/billing/refunds"
    );
    let queries = json!({"queries": ["refund", "money back for an order"]});
    let fused = call("browse_skills", queries).await;
    assert_eq!(
        fused["structuredContent"]["skills"][0]["id"],
        "acme/billing/refunds"
    );
    let loaded = call("load_skill", json!({"id": "pdf"})).await;
    let text: Value = serde_json::from_str(loaded["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, loaded["structuredContent"]);
    let read = call(
        "read_skill_file",
        json!({"id": "pdf", "path": "references/FORMS.md"}),
    )
    .await;
    assert_eq!(read["structuredContent"]["content"], "# Forms\n");
    let missing = call("load_skill", json!({"id": "pfd"})).await;
    assert_eq!(missing["isError"], true);
    assert_eq!(
        missing["structuredContent"]["error"]["code"],
        "skill-not-found"
    );
}

/// The fourth is offered if scripts can run.
#[tokio::test]
async fn ms10_scripts_are_offered_where_they_are_enabled() {
    struct Echo;
    #[async_trait::async_trait]
    impl prowess_core::ScriptRunner for Echo {
        async fn run(
            &self,
            id: &prowess_core::SkillId,
            path: &prowess_spec::SkillPath,
            args: &[String],
        ) -> Result<prowess_core::ScriptOutput, prowess_core::ToolError> {
            Ok(prowess_core::ScriptOutput {
                exit_code: 0,
                stdout: format!("{id} {path} {}", args.join(" ")),
                stderr: String::new(),
                truncated: false,
                files: Vec::new(),
                duration_ms: 1,
            })
        }
    }
    let skills = prowess_core::Skills::builder()
        .source("mine", source())
        .scripts(Echo);
    let server = SkillsServer::new(skills.build().await.unwrap(), ServerOptions::default());
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let list = client.result("tools/list", json!({})).await;
    let tool = &list["tools"][3];
    assert_eq!(tool["name"], "run_skill_script");
    assert_eq!(tool["annotations"]["destructiveHint"], true);
    let arguments = json!({"id": "pdf", "path": "scripts/x.py", "args": ["1"]});
    let ran = client
        .result(
            "tools/call",
            json!({"name": "run_skill_script", "arguments": arguments}),
        )
        .await;
    assert_eq!(ran["structuredContent"]["stdout"], "pdf scripts/x.py 1");
}

/// A tool that is not offered is a mistake of the client.
#[tokio::test]
async fn ms10_another_tool_is_refused() {
    let mut client = client().await;
    for name in ["nope", "run_skill_script", ""] {
        let call = json!({"name": name, "arguments": {}});
        assert_eq!(client.error("tools/call", call).await, -32602, "{name}");
    }
}

#[tokio::test]
async fn ms11_prompts_are_the_skills_that_people_start() {
    for revision in REVISIONS {
        let mut client = Raw::connect(&server().await, revision).await;
        let list = client.result("prompts/list", json!({})).await;
        let prompts = list["prompts"].as_array().unwrap();
        let names: Vec<&str> = prompts
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["acme/billing/refunds", "deploy", "pdf"]);
        let argument = json!([{"name": "arguments", "description": "[order]", "required": false}]);
        assert_eq!(prompts[0]["arguments"], argument);
        assert!(prompts[1].get("arguments").is_none());
        let get = json!({"name": "acme/billing/refunds", "arguments": {"arguments": "order 7"}});
        // Twice the same: who asks for the block gets it.
        for _ in 0..2 {
            let got = client.result("prompts/get", get.clone()).await;
            let expected = "<skill id=\"acme/billing/refunds\">\nRefund order 7.\n</skill>";
            assert_eq!(got["messages"][0]["role"], "user");
            assert_eq!(got["messages"][0]["content"]["text"], expected);
        }
        for name in ["background", "nope", "../x", ""] {
            assert_eq!(
                client.error("prompts/get", json!({"name": name})).await,
                -32602,
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn ms12_instructions_hold_the_catalog() {
    for revision in REVISIONS {
        let greeting = Raw::silent(&server().await).greet(revision).await;
        let text = greeting["instructions"].as_str().unwrap();
        assert!(
            text.contains("load_skill") && text.contains("Reads PDFs"),
            "{text}"
        );
        assert!(!text.contains("deploy"), "{text}");
    }
    let skills = prowess_core::Skills::builder()
        .source("mine", many(2_000))
        .catalog_chars(2_000);
    let server = SkillsServer::new(skills.build().await.unwrap(), ServerOptions::default());
    let greeting = Raw::silent(&server).greet(Revision::Stateless).await;
    assert!(greeting["instructions"].as_str().unwrap().len() < 2_400);
    let empty = SkillsServer::new(
        skills_of(MemorySource::new(Scope::Project)).await,
        ServerOptions::default(),
    );
    let greeting = Raw::silent(&empty).greet(Revision::Stateless).await;
    assert!(greeting.get("instructions").is_none());
}

fn list_request(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "skills/list", "params": {"_meta": meta()}})
}

const STATELESS: [(&str, &str); 2] = [
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-method", "skills/list"),
];

#[tokio::test]
async fn ms13_http_without_a_session_as_2026_has_it() {
    let url = serve(&server().await, &HttpOptions::default()).await;
    let reply = post(&url, &list_request(1), &STATELESS).await;
    assert_eq!((reply.status, &reply.session), (200, &None), "{reply:?}");
    assert_eq!(
        reply.message()["result"]["skills"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

fn greeting(version: &str) -> Value {
    let about = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": about});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[tokio::test]
async fn q30_more_sessions_than_there_may_be_end_the_oldest_idle_ones() {
    let url = serve(&server().await, &HttpOptions::default()).await;
    let version = "2025-11-25";
    let begin = async || post(&url, &greeting(version), &[]).await.session.unwrap();
    let alive = async |session: &str| {
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "skills/list"});
        let headers = [
            ("mcp-session-id", session),
            ("mcp-protocol-version", version),
        ];
        post(&url, &list, &headers).await.status == 200
    };
    let used = begin().await;
    let mut idle = Vec::new();
    for _ in 0..SESSIONS + 60 {
        idle.push(begin().await);
        if idle.len() % 100 == 0 {
            assert!(alive(&used).await, "a session in use ended");
        }
    }
    let mut count = 0;
    for session in &idle {
        count += usize::from(alive(session).await);
    }
    assert_eq!(count, SESSIONS - 1);
    assert!(alive(&used).await);
    assert!(!alive(&idle[0]).await);
    assert!(alive(idle.last().unwrap()).await);
}

#[tokio::test]
async fn ms13_http_with_a_session_as_2025_has_it() {
    let url = serve(&server().await, &HttpOptions::default()).await;
    for version in ["2025-11-25", "2025-06-18"] {
        let reply = post(&url, &greeting(version), &[]).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.message()["result"]["protocolVersion"], version);
        let session = reply.session.clone().unwrap();
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "skills/list"});
        let headers = [
            ("mcp-session-id", session.as_str()),
            ("mcp-protocol-version", version),
        ];
        let reply = post(&url, &list, &headers).await;
        assert_eq!(
            reply.message()["result"]["skills"]
                .as_array()
                .unwrap()
                .len(),
            3
        );
        let without = post(&url, &list, &[("mcp-protocol-version", version)]).await;
        assert!(without.status >= 400, "{without:?}");
        let unknown = [
            ("mcp-session-id", "nope"),
            ("mcp-protocol-version", version),
        ];
        assert_eq!(post(&url, &list, &unknown).await.status, 404);
    }
}

#[tokio::test]
async fn ms13_http_for_other_origins_and_hosts_is_refused() {
    let url = serve(&server().await, &HttpOptions::default()).await;
    let status = async |extra: (&'static str, &'static str)| {
        let headers = [STATELESS[0], STATELESS[1], extra];
        post(&url, &list_request(1), &headers).await.status
    };
    assert_eq!(status(("origin", "https://evil.example")).await, 403);
    assert_eq!(status(("origin", "null")).await, 403);
    assert_eq!(status(("origin", "http://localhost:6274")).await, 200);
    assert_eq!(status(("host", "evil.example")).await, 403);
    assert_eq!(status(("host", "localhost")).await, 200);
}

/// An empty list of hosts is no door.
#[tokio::test]
async fn ms13_http_hosts_and_origins_can_be_stated() {
    let options = HttpOptions {
        hosts: vec!["skills.example".to_owned()],
        origins: vec!["https://app.example:443".to_owned()],
        token: None,
    };
    let url = serve(&server().await, &options).await;
    let status = async |host: &'static str, origin: &'static str| {
        let headers = [
            STATELESS[0],
            STATELESS[1],
            ("host", host),
            ("origin", origin),
        ];
        post(&url, &list_request(1), &headers).await.status
    };
    assert_eq!(status("skills.example", "https://app.example").await, 200);
    assert_eq!(status("skills.example", "http://localhost:1").await, 403);
    assert_eq!(status("localhost", "https://app.example").await, 403);
}

#[tokio::test]
async fn ms13_http_with_a_token_needs_it() {
    let token = Some(prowess_config::Secret::new("s3cr3t"));
    let url = serve(
        &server().await,
        &HttpOptions {
            token,
            ..HttpOptions::default()
        },
    )
    .await;
    for (value, expected) in [
        (None, 401),
        (Some("Bearer nope"), 401),
        (Some("Basic s3cr3t"), 401),
        (Some("Bearer s3cr3t"), 200),
        (Some("bearer s3cr3t"), 200),
    ] {
        let mut headers = STATELESS.to_vec();
        headers.extend(value.map(|value| ("authorization", value)));
        let reply = post(&url, &list_request(1), &headers).await;
        assert_eq!(reply.status, expected, "{value:?}");
        assert!(!reply.text.contains("s3cr3t"));
    }
}

/// A client of the newest revision is asked by an answer, and repeats its request with what its user said.
#[tokio::test]
async fn ms15_questions_of_stateless_clients() {
    struct Asking;
    #[async_trait::async_trait]
    impl CodeSkills for Asking {
        async fn load(&self, id: &prowess_core::SkillId, client: &Client) -> Option<String> {
            let yes = Choice {
                id: "yes",
                title: "Yes",
            };
            let answer = client.ask(&format!("Start {id}?"), &[yes]).await;
            assert!(!client.can_ask_during_call());
            Some(format!("{answer:?}"))
        }

        fn tools(&self) -> Vec<prowess_core::ToolDefinition> {
            Vec::new()
        }

        async fn call(&self, _: &str, _: Value, _: &Client) -> Option<CodeResult> {
            None
        }
    }
    let skills = prowess_core::Skills::builder().source("mine", source());
    let skills = skills.build().await.unwrap();
    let code = std::sync::Arc::new(Asking);
    let server = SkillsServer::with_code(skills, ServerOptions::default(), Some(code));
    let mut client = Raw::connect(&server, Revision::Stateless).await;
    let mut params = json!({"name": "load_skill", "arguments": {"id": "pdf"}, "_meta": meta()});
    // One that cannot ask.
    let loaded = client.result("tools/call", params.clone()).await;
    assert_eq!(loaded["content"][1]["text"], "Unavailable", "{loaded}");

    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    let asked = client.result("tools/call", params.clone()).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().unwrap();
    let (key, question) = requests.iter().next().unwrap();
    assert_eq!(question["params"]["message"], "Start pdf?", "{asked}");
    for (answer, expected) in [
        (
            json!({"action": "accept", "content": {"decision": "yes"}}),
            "Chosen(\"yes\")",
        ),
        (
            json!({"action": "accept", "content": {"decision": "no"}}),
            "Declined",
        ),
        (json!({"action": "decline"}), "Declined"),
    ] {
        params["inputResponses"] = json!({ key: answer });
        let loaded = client.result("tools/call", params.clone()).await;
        assert_eq!(loaded["content"][1]["text"], expected, "{loaded}");
    }
    // The answer to another question is no answer.
    params["inputResponses"] =
        json!({"question-0": {"action": "accept", "content": {"decision": "yes"}}});
    let asked = client.result("tools/call", params).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
}
