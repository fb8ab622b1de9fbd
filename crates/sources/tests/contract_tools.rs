//! The contract of the tools: each test covers the rows of its table.
#![cfg(test)]

mod support;

use std::fs;

use pollster::block_on;
use prowess_core::{Dialect, Event, Skills, ToolRefusal, provider_name};
use serde_json::{Value, json};
use support::{Place, call};

/// The tree T of the contract.
fn tree() -> Place {
    let place = Place::new();
    place
        .described("extraction/email-extractor", "Extract entities from emails")
        .described(
            "extraction/fiction-extractor",
            "Extract characters from fiction",
        )
        .described("extraction/medical/diagnosis", "Diagnose")
        .described("extraction/medical/imaging/ct-scan", "Read CT scans")
        .described("formatting/markdown-output", "Write Markdown")
        .described("pdf-processing", "Process PDFs")
        .write("pdf-processing/references/REFERENCE.md", "The reference.\n")
        .write("pdf-processing/references/deep/er/x.md", "Deep.\n")
        .write("pdf-processing/a..b.md", "Dots.\n")
        .write("pdf-processing/.hidden", "x")
        .write("pdf-processing/assets/logo.png", b"\x89PNG\0\0")
        .write("pdf-processing/latin.txt", b"caf\xe9 au lait")
        .write("secret.txt", "secret")
        .link("../secret.txt", "pdf-processing/escape.txt");
    place
}

fn skills(place: &Place) -> Skills {
    place.skills(Dialect::PROWESS)
}

fn paths(value: &Value, key: &str, member: &str) -> Vec<String> {
    let items = value[key].as_array().unwrap();
    items
        .iter()
        .map(|item| item[member].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn br1_br2_br3_br4_browse_and_search() {
    let place = tree();
    let skills = skills(&place);
    let browse = |arguments: &str| call(&skills, "browse_skills", arguments);
    let root = browse("{}");
    assert_eq!(
        root,
        json!({
            "type": "listing",
            "path": "",
            "subcollections": [
                {"path": "extraction", "description": "4 skills", "count": 4},
                {"path": "formatting", "description": "1 skill", "count": 1},
            ],
            "skills": [{"id": "pdf-processing", "name": "pdf-processing", "description": "Process PDFs", "source": "here"}],
        })
    );
    let extraction = browse(r#"{"path": "extraction"}"#);
    assert_eq!(
        paths(&extraction, "subcollections", "path"),
        ["extraction/medical"]
    );
    assert_eq!(extraction["subcollections"][0]["count"], 2);
    assert_eq!(
        paths(&extraction, "skills", "name"),
        ["email-extractor", "fiction-extractor"]
    );
    assert_eq!(browse(r#"{"path": "extraction/"}"#), extraction);
    let medical = browse(r#"{"path": "extraction/medical"}"#);
    assert_eq!(
        paths(&medical, "subcollections", "path"),
        ["extraction/medical/imaging"]
    );
    assert_eq!(paths(&medical, "skills", "name"), ["diagnosis"]);
    for nowhere in ["nope", "extract", "extractions", "../..", "Extraction"] {
        let listing = browse(&json!({"path": nowhere}).to_string());
        assert_eq!(
            (
                listing["type"].as_str(),
                &listing["skills"],
                &listing["subcollections"]
            ),
            (Some("listing"), &json!([]), &json!([]))
        );
    }
    assert_eq!(browse(r#"{"query": "  "}"#), root);
    let found = browse(r#"{"query": "email"}"#);
    assert_eq!(
        (&found["type"], &found["query"]),
        (&json!("search"), &json!("email"))
    );
    assert_eq!(
        paths(&found, "skills", "id"),
        ["extraction/email-extractor"]
    );
    assert_eq!(browse(r#"{"query": "email", "path": "formatting"}"#), found);
    assert_eq!(
        paths(&browse(r#"{"query": "markdwon"}"#), "skills", "id"),
        ["formatting/markdown-output"]
    );
}

#[test]
fn br5_pages() {
    let place = Place::new();
    for index in 0..45 {
        place.skill(&format!("c/s{index:02}"));
    }
    let skills = skills(&place);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let mut arguments = json!({"path": "c"});
        if let Some(cursor) = cursor.take() {
            arguments["cursor"] = cursor;
        }
        let page = call(&skills, "browse_skills", &arguments.to_string());
        let names = paths(&page, "skills", "name");
        assert!(names.len() <= 20);
        seen.extend(names);
        match page.get("next") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    assert_eq!(seen.len(), 45);
    let wrong = call(&skills, "browse_skills", r#"{"cursor": "x"}"#);
    assert_eq!(wrong["error"]["code"], "invalid-arguments");
}

#[test]
fn tl1_tl2_load_skill() {
    let place = tree();
    let skills = skills(&place);
    let loaded = call(&skills, "load_skill", r#"{"id": "pdf-processing"}"#);
    assert_eq!(
        loaded["content"],
        "<skill id=\"pdf-processing\">\nBody of pdf-processing.\n</skill>"
    );
    assert_eq!(
        (&loaded["id"], &loaded["name"], &loaded["truncated"]),
        (
            &json!("pdf-processing"),
            &json!("pdf-processing"),
            &json!(false)
        )
    );
    assert_eq!(
        loaded["frontmatter"],
        json!({"name": "pdf-processing", "description": "Process PDFs"})
    );
    assert_eq!(
        loaded["files"],
        json!([
            "a..b.md",
            "assets/logo.png",
            "latin.txt",
            "references/REFERENCE.md",
            "references/deep/er/x.md"
        ])
    );
    let unknown = call(&skills, "load_skill", r#"{"id": "pdf-procesing"}"#);
    assert_eq!(unknown["error"]["code"], "skill-not-found");
    assert_eq!(unknown["error"]["nearest"], json!(["pdf-processing"]));
    for empty in [
        r#"{"id": ""}"#,
        "{}",
        r#"{"id": 5}"#,
        r#"{"id": "a", "x": 1}"#,
        "[]",
    ] {
        assert_eq!(
            call(&skills, "load_skill", empty)["error"]["code"],
            "invalid-arguments",
            "{empty}"
        );
    }
    let session = skills.session();
    let events = block_on(session.call("load_skill", &json!({"id": "pdf-processing"}))).events;
    assert_eq!(session.active().len(), 1);
    assert!(matches!(events.as_slice(), [Event::Activated { .. }]));
    fs::remove_file(place.path("pdf-processing/SKILL.md")).unwrap();
    let gone = call(&skills, "load_skill", r#"{"id": "pdf-processing"}"#);
    assert_eq!(gone["error"]["code"], "skill-not-found");
    assert!(!gone.to_string().contains(place.path("").to_str().unwrap()));
}

/// What only a person may start is not found by a model, nor loaded by one that guesses its name.
#[test]
fn tl3_skills_that_a_model_may_not_load() {
    let place = Place::new();
    place.described("open", "Anybody may use it").write(
        "deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys it\ndisable-model-invocation: true\n---\nBody of deploy.\n",
    );
    let skills = skills(&place);
    for arguments in ["{}", r#"{"query": "deploys it"}"#] {
        let found = call(&skills, "browse_skills", arguments);
        assert!(!found.to_string().contains("deploy\""), "{found}");
    }
    let refused = call(&skills, "load_skill", r#"{"id": "deploy"}"#);
    assert_eq!(refused["error"]["code"], "skill-unavailable");
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("type /deploy")
    );
    // Once a person did, it can be had again.
    let session = skills.session();
    block_on(session.turn("/deploy now"));
    let again = block_on(session.call("load_skill", &json!({"id": "deploy"}))).result;
    assert!(
        again.content.to_string().contains("Body of deploy"),
        "{again:?}"
    );
}

#[test]
fn tl4_tl5_tl6_tl8_read_skill_file() {
    let place = tree();
    let skills = skills(&place);
    let read = |path: &str| {
        let arguments = json!({"id": "pdf-processing", "path": path}).to_string();
        call(&skills, "read_skill_file", &arguments)
    };
    for path in [
        "references/REFERENCE.md",
        "./references/REFERENCE.md",
        r"references\REFERENCE.md",
    ] {
        let file = read(path);
        assert_eq!(
            (&file["content"], &file["path"]),
            (
                &json!("The reference.\n"),
                &json!("references/REFERENCE.md")
            )
        );
    }
    assert_eq!(read("references/deep/er/x.md")["content"], "Deep.\n");
    assert_eq!(read("a..b.md")["content"], "Dots.\n");
    assert_eq!(read("SKILL.md")["truncated"], false);
    for (path, code) in [
        ("/etc/passwd", "invalid-path"),
        (r"C:\x", "invalid-path"),
        ("../SKILL.md", "invalid-path"),
        ("references/../../x", "invalid-path"),
        ("references/../x", "invalid-path"),
        ("escape.txt", "access-denied"),
        ("references", "not-a-file"),
        ("references/REFERENCES.md", "file-not-found"),
        ("assets/logo.png", "binary-file"),
        ("latin.txt", "binary-file"),
        ("", "invalid-arguments"),
    ] {
        let answer = read(path);
        assert_eq!(answer["error"]["code"], code, "{path}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.chars().count() <= 500 && !message.contains(place.path("").to_str().unwrap())
        );
    }
    assert_eq!(
        read("references")["error"]["entries"],
        json!(["REFERENCE.md", "deep"])
    );
    assert_eq!(
        read("references/REFERENCES.md")["error"]["nearest"],
        json!(["references/REFERENCE.md"])
    );
    assert!(
        read("assets/logo.png")["error"]["message"]
            .as_str()
            .unwrap()
            .contains("image/png, 6 bytes")
    );
    let arguments = json!({"id": "pdf-processing", "path": "escape.txt"});
    let events = block_on(skills.session().call("read_skill_file", &arguments)).events;
    assert!(matches!(events.as_slice(), [Event::AccessDenied { .. }]));
}

#[test]
fn tl7_large_files_are_read_in_parts() {
    let place = Place::new();
    let text = "é".repeat(1_500_000);
    place.skill("a").write("a/big.txt", &text);
    let skills = skills(&place);
    let mut whole = String::new();
    let mut offset = 0;
    loop {
        let part = call(
            &skills,
            "read_skill_file",
            &json!({"id": "a", "path": "big.txt", "offset": offset}).to_string(),
        );
        whole.push_str(part["content"].as_str().unwrap());
        assert_eq!(part["truncated"], part.get("next_offset").is_some());
        match part.get("next_offset") {
            Some(next) => offset = next.as_u64().unwrap(),
            None => break,
        }
    }
    assert_eq!(whole, text);
    // An odd limit falls inside a character, which then belongs to the next part.
    let part = call(
        &skills,
        "read_skill_file",
        r#"{"id": "a", "path": "big.txt", "limit": 5}"#,
    );
    assert_eq!(
        (&part["content"], &part["next_offset"]),
        (&json!("éé"), &json!(4))
    );
}

#[test]
fn tl9_scripts_are_off_until_a_host_enables_them() {
    let place = tree();
    let skills = skills(&place);
    let names: Vec<String> = skills
        .session()
        .tools()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["browse_skills", "load_skill", "read_skill_file"]);
    let run = call(
        &skills,
        "run_skill_script",
        r#"{"id": "pdf-processing", "path": "scripts/x.sh"}"#,
    );
    assert_eq!(run["error"]["code"], "permission-denied");
}

#[test]
fn tl11_schemas_list_the_ids_of_a_small_catalog() {
    let place = tree();
    let skills = skills(&place);
    let tools = skills.session().tools();
    let load = tools.iter().find(|tool| tool.name == "load_skill").unwrap();
    assert_eq!(
        load.input_schema["properties"]["id"]["enum"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    assert_eq!(load.input_schema["required"], json!(["id"]));
    let unknown = call(&skills, "load_skil", "{}");
    assert_eq!(unknown["error"]["code"], "unknown-tool");
}

#[test]
fn di6_names_with_dots() {
    assert_eq!(provider_name("skills.activate"), "skills_activate");
    let tool = Dialect::REMCOCHAT.tool("skills_activate").unwrap();
    assert_eq!(tool.name, "skills.activate");
}

#[test]
fn at1_at2_at3_allowed_tools_are_advice_or_enforced() {
    let place = Place::new();
    place.write(
        "git/SKILL.md",
        "---\nname: git\ndescription: d\nallowed-tools: Bash(git:*) Read\n---\n",
    );
    place.write("pure/SKILL.md", "---\nname: pure\ndescription: d\n---\n");
    let tools = ["Bash", "Read", "Write", "load_skill"];
    let session = |skills: &Skills, name: &str| skills.resume([support::id(name)]);
    let off = session(&place.skills(Dialect::PROWESS), "git");
    assert_eq!(block_on(off.visible_tools(&tools)), tools);
    assert!(block_on(off.permits("Write", None)).is_ok());

    let builder = Skills::builder().source("here", place.source(""));
    let skills = block_on(builder.enforce_allowed_tools().build()).unwrap();
    let law = session(&skills, "git");
    assert_eq!(
        block_on(law.visible_tools(&tools)),
        ["Bash", "Read", "load_skill"]
    );
    assert!(block_on(law.permits("Bash", Some("git log"))).is_ok());
    assert!(block_on(law.permits("load_skill", None)).is_ok());
    let refusal = block_on(law.permits("Bash", Some("rm -rf /"))).unwrap_err();
    let ToolRefusal { error, event } = refusal;
    assert_eq!(error.code.id(), "tool-not-allowed");
    assert!(matches!(event, Event::ToolNotAllowed { .. }));
    let nothing = session(&skills, "pure");
    assert_eq!(block_on(nothing.visible_tools(&tools)), ["load_skill"]);
}

#[test]
fn tl12_files_of_tests_are_not_for_models() {
    let place = Place::new();
    place
        .skill("pdf")
        .write("pdf/evals/evals.json", "{}")
        .write("pdf/tests/run.sh", "echo expected")
        .write("pdf/references/tests/guide.md", "Guide");
    let skills = place.skills(Dialect::PROWESS);
    let loaded = call(&skills, "load_skill", r#"{"id": "pdf"}"#);
    assert_eq!(loaded["files"], json!(["references/tests/guide.md"]));
    for (tool, path) in [
        ("read_skill_file", "evals/evals.json"),
        ("read_skill_file", "./tests/run.sh"),
        ("run_skill_script", "tests/run.sh"),
    ] {
        let arguments = json!({"id": "pdf", "path": path}).to_string();
        let refused = call(&skills, tool, &arguments);
        assert_eq!(refused["error"]["code"], "access-denied", "{refused}");
    }
}
