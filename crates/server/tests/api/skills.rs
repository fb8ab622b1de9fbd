//! Skills, collections and searching.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn the_list() {
    let ours = ours().await;
    let list = get(ours.address, "/api/skills", &[]).await;
    assert_eq!(
        ids(&list),
        [
            "extraction/email",
            "extraction/phone",
            "list",
            "writing/haiku"
        ]
    );
    let json = list.json();
    assert_eq!(json["skills"][0]["name"], "email");
    assert_eq!(json["skills"][0]["scope"], "project");
    assert_eq!(
        json["collections"],
        json!([
            {"path": "extraction", "description": "2 skills", "count": 2},
            {"path": "writing", "description": "1 skill", "count": 1},
        ])
    );
    let collections = get(ours.address, "/api/skill-collections", &[]).await;
    assert_eq!(collections.json()["collections"], json["collections"]);
    assert_eq!(list.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn parts_of_the_list() {
    let ours = ours().await;
    for (target, expected) in [
        (
            "/api/skills?collection=extraction",
            vec!["extraction/email", "extraction/phone"],
        ),
        (
            "/api/skills?collection=extraction%2F",
            vec!["extraction/email", "extraction/phone"],
        ),
        ("/api/skills?collection=extract", vec![]),
        ("/api/skills?collection=list", vec![]),
        ("/api/skills?limit=1", vec!["extraction/email"]),
        ("/api/skills?limit=0", vec![]),
        ("/api/skills?query=haiku", vec!["writing/haiku"]),
        (
            "/api/skills?query=telephone+numbers&limit=1",
            vec!["extraction/phone"],
        ),
        ("/api/skills?query=extracts&collection=writing", vec![]),
        (
            "/api/skills?query=%20&other=x",
            vec![
                "extraction/email",
                "extraction/phone",
                "list",
                "writing/haiku",
            ],
        ),
    ] {
        let list = get(ours.address, target, &[]).await;
        assert_eq!(ids(&list), expected, "{target}");
        let whole = list.json().get("collections").is_some();
        assert_eq!(whole, target.contains("other"), "{target}");
    }
    let long = format!("/api/skills?query={}", "x".repeat(1_001));
    for target in [
        "/api/skills?limit=-1",
        "/api/skills?limit=x",
        "/api/skills?collection=../etc",
        "/api/skills?query=a&query=b",
        long.as_str(),
    ] {
        let refused = get(ours.address, target, &[]).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (400, "invalid-request"),
            "{target}"
        );
    }
}

#[tokio::test]
async fn one_skill() {
    let ours = ours().await;
    let skill = get(ours.address, "/api/skills/extraction%2femail", &[])
        .await
        .json();
    assert_eq!(skill["id"], "extraction/email");
    assert_eq!(skill["body"], "Do it well.");
    assert_eq!(
        skill["frontmatter"],
        "name: email\ndescription: Extracts entities from mail\n"
    );
    let missing = get(ours.address, "/api/skills/extraction%2Femial", &[]).await;
    assert_eq!(
        (missing.status, missing.code().as_str()),
        (404, "skill-not-found")
    );
    assert_eq!(
        missing.message(),
        "unknown skill `extraction/emial`; did you mean `extraction/email`?"
    );
    // Without the `%2F` it could be another thing's path.
    let nested = get(ours.address, "/api/skills/extraction/email", &[]).await;
    assert_eq!((nested.status, nested.code().as_str()), (404, "not-found"));
    assert!(nested.message().contains("%2F"));
}

#[tokio::test]
async fn hidden_skills_are_not_served() {
    let mut source = some_skills();
    let text =
        "---\nname: robot\ndescription: Moves an arm\nrequires_capabilities: [arm]\n---\nMove.\n";
    let robot = source.add("robot", text).unwrap();
    source.add_file(&robot, path("plan.md"), "secret plan");
    let skills = Skills::builder()
        .source("served", source)
        .except(["list"])
        .build()
        .await;
    let ours = Ours::start(skills.unwrap(), ApiOptions::default()).await;
    assert_eq!(ours.skills.catalog().unavailable().count(), 1);
    let list = get(ours.address, "/api/skills", &[]).await;
    assert_eq!(
        ids(&list),
        ["extraction/email", "extraction/phone", "writing/haiku"]
    );
    for id in ["robot", "list"] {
        for end in ["", "/files", "/files/plan.md", "/files/SKILL.md"] {
            let refused = get(ours.address, &format!("/api/skills/{id}{end}"), &[]).await;
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (404, "skill-not-found")
            );
            assert!(!refused.text().contains("arm"), "{}", refused.text());
        }
    }
}

#[tokio::test]
async fn matching_etag_returns_not_modified() {
    let ours = ours().await;
    for target in [
        "/api/skills",
        "/api/skills?collection=extraction",
        "/api/skills/extraction%2Femail",
        "/api/skills/extraction%2Femail/files",
        "/api/skills/extraction%2Femail/files/references/rules.md",
        "/api/skill-collections",
    ] {
        let first = get(ours.address, target, &[]).await;
        assert_eq!(first.status, 200);
        assert_eq!(first.header("cache-control"), Some("no-cache"));
        let etag = first.header("etag").unwrap();
        assert!(etag.starts_with('"'), "{etag}");
        let known = [&*format!("if-none-match: {etag}")];
        let second = get(ours.address, target, &known).await;
        assert_eq!((second.status, second.body.len()), (304, 0), "{target}");
        assert_eq!(second.header("etag"), Some(etag));
        let head = ask(ours.address, "HEAD", target, &[]).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{target}");
        assert_eq!(head.header("etag"), Some(etag));
        assert_eq!(
            head.header("content-length"),
            first.header("content-length")
        );
    }
}

#[tokio::test]
async fn a_change_is_seen_after_a_refresh() {
    let directory = exposed();
    let ours = Ours::over(filesystem(&directory)).await;
    let etag = |response: &Response| response.header("etag").unwrap().to_owned();
    let before = get(ours.address, "/api/skills", &[]).await;
    let generation = ours.skills.catalog().generation();
    ours.skills.refresh().await;
    assert!(ours.skills.catalog().generation() > generation);
    // The same skills are the same bytes, whichever catalog they come from.
    assert_eq!(
        etag(&get(ours.address, "/api/skills", &[]).await),
        etag(&before)
    );
    directory.skill("skills/other", "Is new", "New.\n");
    assert_eq!(
        etag(&get(ours.address, "/api/skills", &[]).await),
        etag(&before)
    );
    ours.skills.refresh().await;
    let after = get(ours.address, "/api/skills", &[]).await;
    assert_ne!(etag(&after), etag(&before));
    assert_eq!(ids(&after), ["other", "tools/pdf"]);
    let found = get(ours.address, "/api/skills?query=new", &[]).await;
    assert_eq!(ids(&found), ["other"]);
}

#[tokio::test(start_paused = true)]
async fn sources_are_refreshed() {
    let skills = Skills::builder()
        .source("served", some_skills())
        .build()
        .await
        .unwrap();
    let before = skills.catalog().generation();
    let fresh = keep_fresh(skills.clone(), Duration::from_secs(10));
    let _ = tokio::time::timeout(Duration::from_secs(35), fresh).await;
    assert_eq!(skills.catalog().generation(), before + 3);
}

/// Counts how often a skill is loaded.
struct Counting(MemorySource, Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Source for Counting {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        self.0.snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.1.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.0.load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.0.files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        self.0.read(id, path, offset, limit).await
    }
}

#[tokio::test]
async fn concurrent_searches_read_once() {
    let loads: Arc<AtomicUsize> = Arc::default();
    let ours = Ours::over(Counting(some_skills(), Arc::clone(&loads))).await;
    let asked: Vec<_> = (0..20)
        .map(|_| {
            let address = ours.address;
            tokio::spawn(async move { ids(&get(address, "/api/skills?query=haiku", &[]).await) })
        })
        .collect();
    for asked in asked {
        assert_eq!(asked.await.unwrap(), ["writing/haiku"]);
    }
    assert_eq!(loads.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn sv11_pages_have_no_gaps() {
    let mut source = MemorySource::new(Scope::Project);
    for number in 0..1_000 {
        let id = format!("set{}/skill-{number}", number % 7);
        source.add_owned(&id, skill(&format!("skill-{number}"), "Counts sheep", "x"));
    }
    let ours = Ours::over(source).await;
    for start in ["/api/skills?limit=99", "/api/skills?limit=99&query=sheep"] {
        let mut found = Vec::new();
        let mut target = start.to_owned();
        loop {
            let page = get(ours.address, &target, &[]).await;
            found.extend(ids(&page));
            match page.json()["next"].as_str() {
                Some(next) => target = format!("{start}&cursor={}", next.replace('/', "%2F")),
                None => break,
            }
        }
        let unique: std::collections::BTreeSet<&String> = found.iter().collect();
        assert_eq!((found.len(), unique.len()), (1_000, 1_000), "{start}");
    }
}

#[tokio::test]
async fn sv12_what_is_not_used_and_why() {
    let directory = exposed();
    directory
        .write("skills/broken/SKILL.md", "no frontmatter")
        .skill("skills/off", "Is off", "x\n");
    let mut other = MemorySource::new(Scope::Project);
    other.add("tools/pdf", &skill("pdf", "Reads PDFs too", "x"));
    let needs = "---\nname: needs\ndescription: Needs\nrequires_capabilities: [mail]\n---\n";
    other.add("needs", needs);
    let skills = Skills::builder()
        .source("mine", filesystem(&directory))
        .source("other", other)
        .except(["off"]);
    let ours = Ours::start(skills.build().await.unwrap(), ApiOptions::default()).await;
    let response = get(ours.address, "/api/catalog", &[]).await;
    assert_eq!(response.status, 200);
    let catalog = response.json();
    assert_eq!(catalog["skills"], 1, "{catalog}");
    assert_eq!(catalog["invalid"][0]["path"], "broken/SKILL.md");
    assert!(catalog["invalid"][0]["reasons"][0].is_string());
    assert_eq!(
        catalog["disabled"],
        json!([{"id": "off", "source": "mine"}])
    );
    assert_eq!(catalog["shadowed"][0]["id"], "tools/pdf");
    assert_eq!(catalog["shadowed"][0]["winner"], "mine");
    assert_eq!(catalog["unavailable"][0]["id"], "needs", "{catalog}");
    assert_eq!(catalog["sources"][1]["name"], "other");
    assert_eq!(catalog["sources"][1]["health"], "healthy");
    assert!(
        !response
            .text()
            .contains(directory.path("").to_str().unwrap())
    );
}
