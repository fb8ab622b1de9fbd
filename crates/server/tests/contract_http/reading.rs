//! Rows H1: what is asked for, and that it comes over whole.

use super::*;

#[tokio::test]
async fn h1_urls() {
    let server = Scripted::start(|request| match request.target() {
        "/base/skills" => {
            json(r#"{"skills":[{"id":"extraction/email","name":"email","description":"d"}]}"#)
        }
        "/base/skills/extraction%2Femail" => {
            json(r#"{"id":"extraction/email","name":"email","description":"d","body":"b"}"#)
        }
        "/base/skill-collections" => json(
            r#"{"collections":[{"path":"extraction","description":"Takes things out","count":1}]}"#,
        ),
        _ => missing(),
    })
    .await;
    for base in ["/base", "/base/", "/base//"] {
        let mut options = options(&format!("{}{base}", server.url()));
        options.refresh = HOUR;
        let source = source(options);
        let snapshot = source.snapshot().await.unwrap();
        assert_eq!(ids(&snapshot), ["extraction/email"]);
        assert_eq!(snapshot.skills[0].scope, Scope::Remote);
        let described = snapshot.collections.iter().next().unwrap();
        assert_eq!(
            (described.0.as_str(), described.1.as_str()),
            ("extraction", "Takes things out")
        );
        let document = source.load(&id("extraction/email")).await.unwrap();
        assert_eq!(document.body, "b");
        assert_eq!(document.skill.description, "d");
        assert_eq!(
            server.targets(),
            [
                "/base/skills",
                "/base/skill-collections",
                "/base/skills/extraction%2Femail"
            ]
        );
    }
}

#[tokio::test]
async fn h1_our_server() {
    let ours = Ours::over(some_skills()).await;
    let mut options = options(&format!("{}/", ours.url()));
    options.refresh = HOUR;
    let source = source(options);
    let snapshot = source.snapshot().await.unwrap();
    assert_eq!(
        ids(&snapshot),
        [
            "extraction/email",
            "extraction/phone",
            "list",
            "writing/haiku"
        ]
    );
    assert!(snapshot.warnings.is_empty());
    let document = source.load(&id("extraction/email")).await.unwrap();
    assert_eq!(document.body, "Do it well.");
    assert_eq!(
        ours.seen(),
        [
            "GET /api/skills 200",
            "GET /api/skills/extraction%2Femail 200"
        ]
    );
}

/// Everything that crosses the wire comes out as it went in.
#[tokio::test]
async fn h1_nothing_is_lost_on_the_way() {
    let mut skills = MemorySource::new(Scope::User);
    let text = "---\nname: навык\ndescription: \"Пишет: «да» 🦀 \\\"x\\\"\"\nmetadata:\n  version: \"1.0\"\n  ключ: значение\nallowed-tools: Read Write\ndisable-model-invocation: true\nargument-hint: \"[file]\"\nx-own: [1, two]\n---\r\n\r\n# Раз\r\n---\r\nдва\n\t</skill>\r\n";
    let navyk = skills.add("技能/навык", text).unwrap();
    assert_eq!(navyk.as_str(), "技能/навык");
    let direct = skills.load(&navyk).await.unwrap();
    let described = skills.snapshot().await.unwrap().skills[0].clone();
    let ours = Ours::over(skills).await;
    let source = source(options(&ours.url()));
    let fetched = source.load(&navyk).await.unwrap();
    assert_eq!(fetched.body, direct.body);
    assert!(fetched.body.contains("\r\n---\r\n"));
    assert_eq!(fetched.skill.description, direct.skill.description);
    assert_eq!(fetched.skill.metadata, direct.skill.metadata);
    assert_eq!(fetched.skill.allowed_tools, direct.skill.allowed_tools);
    let texts = |skill: &prowess_spec::Skill| prowess_spec::render_frontmatter(&skill.frontmatter);
    assert_eq!(texts(&fetched.skill), texts(&direct.skill));
    let mut listed = source.snapshot().await.unwrap().skills[0].clone();
    assert_eq!(listed.scope, Scope::Remote);
    listed.scope = described.scope;
    assert_eq!(listed, described);
}

#[tokio::test]
async fn h1_files_in_parts() {
    let mut skills = some_skills();
    let email = id("extraction/email");
    let long: Vec<u8> = (0..=255u8).cycle().take(3_000_000).collect();
    skills.add_file(
        &email,
        path("assets/päth with space/%2e%2e/ü+?#.bin"),
        long.clone(),
    );
    let ours = Ours::over(skills).await;
    let source = source(options(&ours.url()));
    let files = source.files(&email).await.unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        names,
        [
            "assets/päth with space/%2e%2e/ü+?#.bin",
            "empty",
            "references/rules.md"
        ]
    );
    assert_eq!(files[0].size, 3_000_000);

    let rules = path("references/rules.md");
    for (offset, limit, expected) in [
        (0, 100, "0123456789"),
        (0, 4, "0123"),
        (4, 4, "4567"),
        (8, 4, "89"),
        (10, 4, ""),
        (99, 4, ""),
        (3, 0, ""),
    ] {
        let part = source.read(&email, &rules, offset, limit).await.unwrap();
        assert_eq!(part.bytes, expected.as_bytes(), "{offset} {limit}");
        assert_eq!((part.offset, part.size), (offset.min(10), 10));
    }
    // Never more than was asked for.
    let seen = ours.seen();
    assert_eq!(seen.len(), 8);
    assert!(
        seen[1..].iter().all(|line| !line.ends_with("200")),
        "{seen:?}"
    );
    let part = source.read(&email, &path("empty"), 0, 10).await.unwrap();
    assert_eq!((part.bytes.len(), part.offset, part.size), (0, 0, 0));

    let odd = &files[0].path;
    let mut whole = Vec::new();
    while whole.len() < long.len() {
        let part = source
            .read(&email, odd, whole.len() as u64, 1_000_000)
            .await
            .unwrap();
        assert_eq!(part.size, 3_000_000);
        whole.extend(part.bytes);
    }
    assert!(whole == long);

    let missing = source.read(&email, &path("references/rule.md"), 0, 1).await;
    assert_eq!(
        missing.unwrap_err(),
        SourceError::FileNotFound {
            id: email.clone(),
            path: path("references/rule.md"),
            nearest: vec!["references/rules.md".to_owned()],
        }
    );
    let directory = source.read(&email, &path("references"), 0, 1).await;
    assert_eq!(
        directory.unwrap_err(),
        SourceError::NotAFile {
            id: email,
            path: path("references"),
            entries: vec!["rules.md".to_owned()],
        }
    );
}

#[tokio::test]
async fn h1_servers_that_do_not_know_parts() {
    let server = Scripted::start(|request| match request.target() {
        "/skills/a/files/whole" => answer("200 OK", "", "0123456789"),
        "/skills/a/files/other" => answer(
            "206 Partial Content",
            "content-range: bytes 0-1/10\r\n",
            "01",
        ),
        "/skills/a/files/unknown" => answer(
            "206 Partial Content",
            "content-range: bytes 2-3/*\r\n",
            "23",
        ),
        "/skills/a/files/beyond" if request.header("range").is_some() => {
            answer("416 Range Not Satisfiable", "", "")
        }
        "/skills/a/files/beyond" => answer("200 OK", "", "0"),
        "/skills/a" => json(r#"{"id":"a","name":"a","description":"d","body":"b"}"#),
        _ => missing(),
    })
    .await;
    let source = source(options(&server.url()));
    let read = |file: &'static str| {
        let source = Arc::clone(&source);
        async move { source.read(&id("a"), &path(file), 2, 3).await }
    };
    let part = read("whole").await.unwrap();
    assert_eq!((part.bytes.as_slice(), part.size), (b"234".as_slice(), 10));
    for file in ["other", "unknown"] {
        let reason = reason(read(file).await.unwrap_err());
        assert_eq!(reason, "malformed response: wrong range");
    }
    let part = read("beyond").await.unwrap();
    assert_eq!((part.bytes.len(), part.offset, part.size), (0, 1, 1));
    // No files at all is no reason to be without the skill.
    assert!(source.files(&id("a")).await.unwrap().is_empty());
    assert!(matches!(
        read("none").await,
        Err(SourceError::FileNotFound { .. })
    ));
}
