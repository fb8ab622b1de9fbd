//! Files and their parts.

use super::*;

#[tokio::test]
async fn files_and_their_parts() {
    let mut source = some_skills();
    let email = id("extraction/email");
    source.add_file(&email, path("page.html"), "<script>alert(1)</script>");
    let ours = Ours::over(source).await;
    let at = |path: &str| format!("/api/skills/extraction%2Femail/files{path}");
    let list = get(ours.address, &at(""), &[]).await.json();
    assert_eq!(
        list,
        json!({"files": [
            {"path": "empty", "size": 0},
            {"path": "page.html", "size": 25},
            {"path": "references/rules.md", "size": 10},
        ]})
    );
    let rules = at("/references/rules.md");
    let whole = get(ours.address, &rules, &[]).await;
    assert_eq!((whole.status, whole.text()), (200, "0123456789"));
    assert_eq!(
        whole.header("content-type"),
        Some("text/markdown; charset=utf-8")
    );
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    let etag = whole.header("etag").unwrap();

    for (range, status, body, content_range) in [
        ("bytes=0-3", 206, "0123", Some("bytes 0-3/10")),
        ("bytes=8-99", 206, "89", Some("bytes 8-9/10")),
        ("bytes=-2", 206, "89", Some("bytes 8-9/10")),
        ("bytes=0-0,2-3", 200, "0123456789", None),
        ("bytes=4-3", 200, "0123456789", None),
    ] {
        let part = get(ours.address, &rules, &[&format!("range: {range}")]).await;
        assert_eq!((part.status, part.text()), (status, body), "{range}");
        assert_eq!(part.header("content-range"), content_range);
        assert_eq!(part.header("etag"), Some(etag));
    }
    let beyond = get(ours.address, &rules, &["range: bytes=10-"]).await;
    assert_eq!(
        (beyond.status, beyond.code().as_str()),
        (416, "invalid-range")
    );
    assert_eq!(beyond.header("content-range"), Some("bytes */10"));
    // Who knows another state of the file gets all of this one.
    let other = get(
        ours.address,
        &rules,
        &["range: bytes=0-3", "if-range: \"x\""],
    )
    .await;
    assert_eq!(other.status, 200);
    let same = get(
        ours.address,
        &rules,
        &["range: bytes=0-3", &format!("if-range: {etag}")],
    )
    .await;
    assert_eq!(same.status, 206);
    let known = ["range: bytes=0-3", &format!("if-none-match: {etag}")];
    assert_eq!(get(ours.address, &rules, &known).await.status, 304);
    let head = ask(ours.address, "HEAD", &rules, &["range: bytes=0-3"]).await;
    assert_eq!(
        (head.status, head.header("content-length")),
        (200, Some("10"))
    );

    // What a browser would run, it saves.
    let page = get(ours.address, &at("/page.html"), &[]).await;
    assert_eq!(page.header("content-disposition"), Some("attachment"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(
        page.header("content-security-policy"),
        Some("default-src 'none'; frame-ancestors 'none'")
    );
    let text = get(ours.address, &at("/SKILL.md"), &[]).await;
    assert!(text.text().starts_with("---\nname: email\n"));

    let missing = get(ours.address, &at("/references/rule.md"), &[]).await;
    assert_eq!(
        (missing.status, missing.code().as_str()),
        (404, "file-not-found")
    );
    assert!(
        missing
            .message()
            .contains("did you mean `references/rules.md`?")
    );
}

/// A file of which only a part is ever in memory.
struct Huge(u64);

#[async_trait::async_trait]
impl Source for Huge {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let mut source = MemorySource::new(Scope::User);
        source.add("huge", &skill("huge", "Is large", ""));
        source.snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        Err(SourceError::NotFound(id.clone()))
    }

    async fn files(&self, _: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        Ok(Vec::new())
    }

    async fn read(
        &self,
        _: &SkillId,
        _: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        assert!(limit <= 1024 * 1024);
        let left = usize::try_from(self.0.saturating_sub(offset)).unwrap();
        let byte = |at: u64| u8::try_from((offset + at) % 251).unwrap();
        Ok(FilePart {
            bytes: (0..left.min(limit) as u64).map(byte).collect(),
            offset,
            size: self.0,
        })
    }
}

#[tokio::test]
async fn large_files_are_sent_in_parts() {
    let size: u64 = 17 * 1024 * 1024 + 3;
    let ours = Ours::over(Huge(size)).await;
    let whole = get(ours.address, "/api/skills/huge/files/x.bin", &[]).await;
    assert_eq!(
        whole.header("content-length"),
        Some(size.to_string().as_str())
    );
    assert_eq!(whole.header("etag"), None);
    assert_eq!(whole.body.len() as u64, size);
    let right = |(at, byte): (usize, &u8)| at % 251 == usize::from(*byte);
    assert!(whole.body.iter().enumerate().all(right));
    let range = format!("range: bytes={}-", size - 2);
    let part = get(ours.address, "/api/skills/huge/files/x.bin", &[&range]).await;
    assert_eq!(part.status, 206);
    assert_eq!(part.body, whole.body[whole.body.len() - 2..]);
    let head = ask(ours.address, "HEAD", "/api/skills/huge/files/x.bin", &[]).await;
    assert_eq!(
        head.header("content-length"),
        Some(size.to_string().as_str())
    );
    assert!(head.body.is_empty());
}

#[tokio::test]
async fn sv19_hidden_files_are_not_there() {
    let directory = exposed();
    directory
        .write("skills/tools/pdf/.git/config", "https://user:s3cr3t@host")
        .write("skills/tools/pdf/.env", "KEY=s3cr3t")
        .write("skills/tools/pdf/a/.hidden/b", "s3cr3t");
    let ours = Ours::over(filesystem(&directory)).await;
    let session = ours.skills.session();
    for name in [".git/config", ".env", "a/.hidden/b"] {
        let target = format!("/api/skills/tools%2Fpdf/files/{name}");
        let refused = get(ours.address, &target, &[]).await;
        assert_eq!((refused.status, &*refused.code()), (404, "file-not-found"));
        let arguments = json!({"id": "tools/pdf", "path": name});
        let read = session.call("read_skill_file", &arguments).await;
        assert!(read.result.is_error, "{:?}", read.result.content);
    }
}
