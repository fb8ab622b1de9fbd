//! The rows of `docs/contract/discovery.md`.
#![cfg(test)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use pollster::block_on;
use prowess_core::{
    CatalogOptions, Collisions, Composite, Dialect, Document, FileEntry, FilePart, Filter,
    FilterError, Health, MemorySource, Scope, SkillId, Skills, Snapshot, Source, SourceError,
    Validation, validate_all,
};
use prowess_sources::{
    FilesystemOptions, FilesystemSource, SkillRecord, Strictness, UserDirectories, default_chain,
    records, watch,
};
use prowess_spec::SkillPath;
use support::{Place, call, catalog, id, ids};

#[test]
fn d1_missing_and_empty_roots() {
    let place = Place::new();
    let snapshot = place.snapshot();
    assert!(snapshot.skills.is_empty() && snapshot.warnings.is_empty());
    let missing = block_on(place.source("nowhere").snapshot()).unwrap();
    assert!(missing.skills.is_empty());
    assert_eq!(missing.warnings, ["nowhere does not exist"]);
}

#[test]
fn d2_directories_without_skills_are_descended() {
    let place = Place::new();
    place.skill("a/b/c").write("d/README.md", "x");
    assert_eq!(place.ids(), ["a/b/c"]);
}

#[test]
fn d3_a_skill_is_a_leaf() {
    let place = Place::new();
    place.skill("a").skill("a/assets/b");
    assert_eq!(place.ids(), ["a"]);
}

#[test]
fn d4_nested_ids_load() {
    let place = Place::new();
    place.skill("extraction/medical/diagnosis");
    let document = block_on(place.source("").load(&id("extraction/medical/diagnosis"))).unwrap();
    assert_eq!(document.body, "Body of extraction/medical/diagnosis.");
}

#[test]
fn d5_collection_descriptions_are_in_every_listing_and_in_the_prompt() {
    let place = Place::new();
    for index in 0..13 {
        place.skill(&format!("extraction/s{index}"));
    }
    place
        .skill("extraction/medical/scan")
        .write("extraction/COLLECTION.md", "Entity extraction\n")
        .write("extraction/medical/COLLECTION.md", "Medical texts\n");
    let skills = place.skills(Dialect::PROWESS);
    let catalog = skills.catalog();
    let described: Vec<_> = catalog
        .collections()
        .map(|it| (it.path.to_string(), it.description.clone()))
        .collect();
    let expected = [
        ("extraction", "Entity extraction"),
        ("extraction/medical", "Medical texts"),
    ];
    assert_eq!(
        described,
        expected.map(|(path, text)| (path.to_owned(), text.to_owned()))
    );
    for (arguments, text) in [
        ("{}", "Entity extraction"),
        (r#"{"path": "extraction"}"#, "Medical texts"),
    ] {
        let listing = call(&skills, "browse_skills", arguments);
        assert_eq!(listing["subcollections"][0]["description"], text);
    }
    let prompt = skills.session().prompt().text;
    let line = "<collection path=\"extraction\" count=\"14\">Entity extraction</collection>";
    assert!(prompt.contains(line), "{prompt}");
}

#[test]
fn d6_sorted_by_id() {
    let place = Place::new();
    for path in ["zebra", "b/z", "a-b", "a/b", "b/a", "m"] {
        place.skill(path);
    }
    assert_eq!(place.ids(), ["a-b", "a/b", "b/a", "b/z", "m", "zebra"]);
}

#[test]
fn d7_collisions() {
    let place = Place::new();
    place
        .described("one/pdf", "first")
        .described("two/pdf", "second");
    for (collisions, winner, loser) in [
        (Collisions::FirstWins, "one", "two"),
        (Collisions::LastWins, "two", "one"),
    ] {
        let sources: Vec<(&str, Arc<dyn Source>)> = vec![
            ("one", Arc::new(place.source("one"))),
            ("two", Arc::new(place.source("two"))),
        ];
        let options = CatalogOptions {
            collisions,
            ..CatalogOptions::default()
        };
        let catalog = catalog(sources, options);
        assert_eq!(&**catalog.get("pdf").unwrap().source, winner);
        let shadowed: Vec<_> = catalog.shadowed().collect();
        assert_eq!(shadowed.len(), 1);
        assert_eq!(
            (&**shadowed[0].winner.source, &**shadowed[0].loser.source),
            (winner, loser)
        );
    }
}

#[test]
fn d7_two_directories_of_one_root() {
    let place = Place::new();
    for directory in ["here/b", "here/a"] {
        place.write(
            &format!("{directory}/SKILL.md"),
            "---\nname: same\ndescription: d\n---\n",
        );
    }
    let sources: Vec<(&str, Arc<dyn Source>)> = vec![("here", Arc::new(place.source("here")))];
    let catalog = catalog(sources, CatalogOptions::default());
    let shadowed: Vec<_> = catalog.shadowed().collect();
    assert_eq!(shadowed.len(), 1);
    assert_eq!(
        (shadowed[0].winner.path(), shadowed[0].loser.path()),
        ("here/a".to_owned(), "here/b".to_owned())
    );
}

#[test]
fn d30_the_reason_is_the_first_error() {
    let place = Place::new();
    place.write(
        "bare/SKILL.md",
        "---\nslug: bare\nname: bare\ndescription:\n---\n",
    );
    let snapshot = place.snapshot();
    let invalid = &snapshot.invalid[0];
    assert!(invalid.diagnostics[0].message.contains("slug"));
    assert!(
        invalid.reason().contains("description"),
        "{}",
        invalid.reason()
    );
    assert!(invalid.reasons().all(|reason| !reason.contains("slug")));
}

#[test]
fn d15_hidden_directories_of_agents() {
    let place = Place::new();
    place
        .skill("plain")
        .skill(".claude/skills/a")
        .skill("web/.cursor/skills/b")
        .skill(".tabnine/agent/skills/c")
        .skill(".hidden/skills/d")
        .skill(".venv/e")
        .skill("node_modules/f");
    assert_eq!(place.ids(), ["a", "c", "plain", "web/b"]);
    assert_eq!(place.snapshot().hidden, 2);
}

#[test]
fn d3_nested_skills_are_reported() {
    let place = Place::new();
    place
        .skill("outer")
        .skill("outer/assets/inner")
        .skill("other");
    let skills = place.skills(Dialect::PROWESS);
    let nested: Vec<(String, String)> = block_on(skills.nested())
        .into_iter()
        .map(|it| (it.parent.to_string(), it.directory))
        .collect();
    assert_eq!(nested, [("outer".to_owned(), "assets/inner".to_owned())]);
}

#[test]
fn d8_invalid_beside_valid() {
    let place = Place::new();
    place
        .skill("good")
        .write("bad/SKILL.md", "---\nname: [oops\n---\n");
    place.write(
        "sloppy/SKILL.md",
        "---\nname: sloppy\ndescription: Use when: asked\n---\n",
    );
    let tolerant = place.snapshot();
    assert_eq!(tolerant.skills.len(), 2);
    assert_eq!(tolerant.invalid[0].path, "bad/SKILL.md");
    let options = FilesystemOptions {
        strictness: Strictness::Strict,
        ..FilesystemOptions::new(Scope::Project)
    };
    let strict = block_on(FilesystemSource::new(place.path(""), options).snapshot()).unwrap();
    assert_eq!(strict.skills.len(), 1);
    let paths: Vec<&str> = strict
        .invalid
        .iter()
        .map(|invalid| invalid.path.as_str())
        .collect();
    assert_eq!(paths, ["bad/SKILL.md", "sloppy/SKILL.md"]);
    assert_eq!(strict.invalid[1].diagnostics[0].code.id(), "unquoted-colon");
}

#[test]
fn d10_linked_skills() {
    let place = Place::new();
    place.skill("store/pdf").link("../store/pdf", "root/pdf");
    place.write("store/pdf/references/a.md", "a");
    let source = place.source("root");
    let snapshot = block_on(source.snapshot()).unwrap();
    let found: Vec<&str> = snapshot.skills.iter().map(|it| it.id.as_str()).collect();
    assert_eq!((found, snapshot.warnings.len()), (vec!["pdf"], 0));
    let document = block_on(source.load(&id("pdf"))).unwrap();
    assert_eq!(document.body, "Body of store/pdf.");
    let file = SkillPath::parse("references/a.md").unwrap();
    let part = block_on(source.read(&id("pdf"), &file, 0, 10)).unwrap();
    assert_eq!(part.bytes, b"a");
}

#[test]
fn d11_links_that_leave_a_skill() {
    let place = Place::new();
    place
        .skill("pdf")
        .write("pdf/references/A.md", "a")
        .write("secret.txt", "secret");
    place
        .link("../secret.txt", "pdf/escape.txt")
        .link("/etc", "pdf/etc")
        .link("references/A.md", "pdf/inside.md");
    let source = place.source("");
    block_on(source.snapshot()).unwrap();
    let files: Vec<String> = block_on(source.files(&id("pdf")))
        .unwrap()
        .iter()
        .map(|file| file.path.to_string())
        .collect();
    assert_eq!(files, ["inside.md", "references/A.md"]);
    for path in ["escape.txt", "etc/passwd"] {
        let path = SkillPath::parse(path).unwrap();
        let error = block_on(source.read(&id("pdf"), &path, 0, 100)).unwrap_err();
        assert!(
            matches!(error, SourceError::AccessDenied { .. }),
            "{error:?}"
        );
    }
    let inside =
        block_on(source.read(&id("pdf"), &SkillPath::parse("inside.md").unwrap(), 0, 100)).unwrap();
    assert_eq!(inside.bytes, b"a");
}

#[test]
fn d12_link_loops_end() {
    let place = Place::new();
    place
        .skill("root/pdf")
        .link(".", "root/loop")
        .link("..", "root/up")
        .link("loop2", "root/loop2");
    assert_eq!(
        block_on(place.source("root").snapshot())
            .unwrap()
            .skills
            .len(),
        1
    );
}

#[test]
fn d13_a_hundred_thousand_skills_and_forty_levels() {
    // A disk takes a minute for so many directories. A file has at most 65,000 links on some of them.
    let place = Place::in_memory();
    for index in 0..100_000 {
        let text = format!("text-{}", index / 50_000);
        if index % 50_000 == 0 {
            place.write(&text, "---\ndescription: d\n---\n");
        }
        let directory = place.path(&format!("skills/s{index}"));
        fs::create_dir_all(&directory).unwrap();
        fs::hard_link(place.path(&text), directory.join("SKILL.md")).unwrap();
    }
    let deep = vec!["d"; 40].join("/");
    place.skill(&format!("skills/{deep}"));
    let source = place.source("skills");
    let snapshot = block_on(source.snapshot()).unwrap();
    assert_eq!(snapshot.skills.len(), 100_001);
    assert_eq!(snapshot.warnings, [""; 0]);
    let document = block_on(source.load(&id(&deep))).unwrap();
    assert_eq!(document.body, format!("Body of skills/{deep}."));
}

#[test]
fn d13_max_skills_omits_the_same_skills_every_time() {
    let place = Place::new();
    for index in 0..50 {
        place.skill(&format!("c{}/s{index:02}", index % 7));
    }
    let all = place.ids();
    for _ in 0..10 {
        let options = CatalogOptions {
            max_skills: Some(20),
            ..CatalogOptions::default()
        };
        let catalog = catalog(vec![("x", Arc::new(place.source("")))], options);
        assert_eq!(ids(&catalog), all[..20]);
        assert_eq!(catalog.omitted(), 30);
    }
}

#[test]
fn d13_directories_beyond_a_limit_are_reported() {
    let place = Place::new();
    for index in 0..20 {
        place.skill(&format!("s{index}"));
    }
    place.skill("a/b/c");
    let scan = |max_depth, max_entries| {
        let options = FilesystemOptions {
            max_depth,
            max_entries,
            ..FilesystemOptions::new(Scope::Project)
        };
        let snapshot = block_on(FilesystemSource::new(place.path(""), options).snapshot()).unwrap();
        (snapshot.skills.len(), snapshot.warnings.clone())
    };
    assert_eq!(scan(3, 23), (21, Vec::new()));
    let deep = "directories nested more than 2 deep are ignored".to_owned();
    assert_eq!(scan(2, 23), (20, vec![deep]));
    let (found, warnings) = scan(3, 10);
    assert!((9..=10).contains(&found), "{found}");
    assert_eq!(warnings, ["stopped: more than 10 directories"]);
}

#[test]
fn d14_frontmatter_beyond_the_limit_is_skipped_and_no_body_is_read() {
    const LIMIT: usize = 64 * 1024;
    let place = Place::new();
    let skill = |name: &str, bytes: usize| {
        let head = format!("name: {name}\ndescription: d\nx: ");
        format!("---\n{head}{}\n---\n", "y".repeat(bytes - head.len() - 1))
    };
    for (name, text) in [
        ("at-the-limit", skill("at-the-limit", LIMIT)),
        ("beyond", skill("beyond", LIMIT + 1)),
        (
            "unclosed",
            format!("---\nname: unclosed\n{}", "x: y\n".repeat(LIMIT)),
        ),
        ("usual", skill("usual", 400)),
    ] {
        place.write(&format!("{name}/SKILL.md"), text);
        // 64 GiB: reading one to its end would not return.
        let file = fs::File::options()
            .write(true)
            .open(place.path(&format!("{name}/SKILL.md")));
        file.unwrap().set_len(1 << 36).unwrap();
    }
    let snapshot = place.snapshot();
    assert_eq!(place.ids(), ["at-the-limit", "usual"]);
    let invalid: Vec<_> = snapshot
        .invalid
        .iter()
        .map(|it| (it.path.as_str(), it.diagnostics[0].code.id()))
        .collect();
    assert_eq!(
        invalid,
        [
            ("beyond/SKILL.md", "frontmatter-too-large"),
            ("unclosed/SKILL.md", "frontmatter-too-large")
        ]
    );
}

#[test]
fn d15_hidden_directories() {
    let place = Place::new();
    place
        .skill(".hidden/a")
        .skill("node_modules/b")
        .skill("x/.git/c")
        .skill("ok");
    assert_eq!(place.ids(), ["ok"]);
}

#[test]
fn d16_the_default_chain_of_a_monorepo() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/repo/.git")).unwrap();
    for directory in ["home/repo/apps/web", "home/repo/apps", "home/repo", "home"] {
        place.described(&format!("{directory}/.agents/skills/pdf"), directory);
    }
    place
        .skill("home/repo/.claude/skills/other")
        .skill("home/repo/app/skills/rails");
    let user = UserDirectories {
        home: Some(place.path("home")),
        config: Some(place.path("home/.config")),
        ..UserDirectories::default()
    };
    let chain = default_chain(&place.path("home/repo/apps/web"), &user);
    let names: Vec<&str> = chain.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "apps/web/.agents/skills",
            "apps/.agents/skills",
            ".agents/skills",
            ".claude/skills",
            "app/skills",
            "~/.agents/skills",
        ]
    );
    let sources = chain
        .iter()
        .map(|link| {
            (
                link.name.as_str(),
                Arc::new(link.source(Strictness::Tolerant)) as Arc<dyn Source>,
            )
        })
        .collect();
    let catalog = catalog(sources, CatalogOptions::default());
    assert_eq!(
        &*catalog.get("pdf").unwrap().descriptor.description,
        "home/repo/apps/web"
    );
    let losers: Vec<&str> = catalog
        .shadowed()
        .map(|shadowed| &**shadowed.loser.source)
        .collect();
    assert_eq!(
        losers,
        ["apps/.agents/skills", ".agents/skills", "~/.agents/skills"]
    );
}

#[test]
fn d17_watching() {
    let place = Place::new();
    place.skill("a");
    let builder = Skills::builder().source("here", place.source(""));
    let skills = block_on(builder.build()).unwrap();
    let (sender, receiver) = mpsc::channel();
    let _watch = watch(&skills, move |catalog| {
        let _ = sender.send(catalog);
    })
    .unwrap();
    let old = skills.catalog();
    let wait_for = |wanted: &[&str]| loop {
        let catalog = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        if ids(&catalog) == wanted {
            break;
        }
    };
    place.skill("b");
    wait_for(&["a", "b"]);
    assert_eq!(ids(&skills.catalog()), ["a", "b"]);
    fs::remove_dir_all(place.path("a")).unwrap();
    wait_for(&["b"]);
    place.described("b", "Changed");
    loop {
        let catalog = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
        let skill = catalog.get("b");
        if skill.is_some_and(|skill| &*skill.descriptor.description == "Changed") {
            break;
        }
    }
    assert_eq!(
        ids(&old),
        ["a"],
        "readers of the old catalog are not disturbed"
    );
}

#[test]
fn d17_watching_what_is_not_there_yet_and_what_is_replaced() {
    let place = Place::new();
    fs::create_dir(place.path("project")).unwrap();
    let builder = Skills::builder().source("here", place.source("project/skills"));
    let skills = block_on(builder.build()).unwrap();
    let (sender, receiver) = mpsc::channel();
    let watching = watch(&skills, move |catalog| {
        let _ = sender.send(ids(&catalog));
    })
    .unwrap();
    let wait_for = |wanted: &[&str]| {
        while receiver.recv_timeout(Duration::from_secs(10)).unwrap() != wanted {}
    };
    place.skill("project/skills/deep/er/a");
    wait_for(&["deep/er/a"]);
    // A directory that comes whole, in the place of another.
    place.skill("elsewhere/b");
    fs::rename(place.path("project/skills"), place.path("old")).unwrap();
    fs::rename(place.path("elsewhere"), place.path("project/skills")).unwrap();
    wait_for(&["b"]);
    // Something beside the skill's own file, in a directory that was never seen empty.
    place.write("project/skills/b/references/x.md", "x");
    wait_for(&["b"]);
    place.skill("project/skills/c");
    wait_for(&["b", "c"]);
    drop(watching);
    place.skill("project/skills/d");
    assert!(receiver.recv().is_err(), "nobody watches any more");
}

#[test]
fn d18_filters() {
    let place = Place::new();
    for path in [
        "pdf-report",
        "extraction/email",
        "extraction/medical/scan",
        "csv",
    ] {
        place.skill(path);
    }
    let filtered = |only: &[&str], except: &[&str]| {
        let filter = Filter::new(only, except).unwrap();
        let options = CatalogOptions {
            filter,
            ..CatalogOptions::default()
        };
        let catalog = catalog(vec![("x", Arc::new(place.source("")))], options);
        ids(&catalog)
    };
    assert_eq!(filtered(&["pdf-report"], &[]), ["pdf-report"]);
    assert_eq!(filtered(&["pdf_report"], &[]), ["pdf-report"]);
    assert_eq!(
        filtered(&["extraction/**"], &[]),
        ["extraction/email", "extraction/medical/scan"]
    );
    assert_eq!(filtered(&[], &["extraction/**"]), ["csv", "pdf-report"]);
    let builder = Skills::builder().source("x", place.source(""));
    let skills = block_on(builder.only(["csv"]).build()).unwrap();
    let turn = block_on(skills.session().turn("/pdf-report go"));
    assert!(turn.blocks.is_empty());
    assert!(block_on(skills.sources().load(&id("pdf-report"))).is_err());
}

#[test]
fn d19_only_and_except() {
    assert!(matches!(
        Filter::new(&["a"], &["b"]),
        Err(FilterError::OnlyAndExcept)
    ));
}

#[test]
fn d20_sources_are_added() {
    let place = Place::new();
    place
        .described("one/pdf", "first")
        .skill("one/a")
        .described("two/pdf", "second")
        .skill("two/b");
    let builder = Skills::builder()
        .with_skills("one", place.source("one"))
        .with_skills("two", place.source("two"));
    let skills = block_on(builder.build()).unwrap();
    let catalog = skills.catalog();
    assert_eq!(ids(&catalog), ["a", "b", "pdf"]);
    assert_eq!(
        &*catalog.get("pdf").unwrap().descriptor.description,
        "second"
    );
}

#[test]
fn d21_no_records() {
    let source = records([], Scope::Remote);
    assert!(source.is_empty());
    assert_eq!(block_on(source.snapshot()).unwrap().invalid.len(), 0);
}

#[test]
fn d22_records() {
    let record = |id: &str, content: Option<&str>| SkillRecord {
        id: id.to_owned(),
        description: "From a row: with a colon".to_owned(),
        content: content.map(str::to_owned),
        ..SkillRecord::default()
    };
    let mut with_file = record("c", Some("Instructions alone."));
    with_file
        .files
        .push(("references/x.md".to_owned(), b"x".to_vec()));
    with_file
        .files
        .push(("../escape".to_owned(), b"x".to_vec()));
    let source = records(
        [
            record("a", Some("---\nname: a\ndescription: d\n---\nBody.\n")),
            record("b", None),
            with_file,
            record("bad", Some("---\nname: [\n---\n")),
        ],
        Scope::Remote,
    );
    let snapshot = block_on(source.snapshot()).unwrap();
    let found: Vec<&str> = snapshot
        .skills
        .iter()
        .map(|skill| skill.id.as_str())
        .collect();
    assert_eq!(found, ["a", "c"]);
    assert_eq!(&*snapshot.skills[1].description, "From a row: with a colon");
    let invalid: Vec<&str> = snapshot
        .invalid
        .iter()
        .map(|invalid| invalid.path.as_str())
        .collect();
    assert_eq!(invalid, ["b", "bad"]);
    let files = block_on(source.files(&id("c"))).unwrap();
    assert_eq!(files.len(), 1);
}

#[test]
fn d24_no_skills_at_all() {
    let place = Place::new();
    let skills = place.skills(Dialect::PROWESS);
    let session = skills.session();
    assert_eq!(session.prompt().text, "");
    assert_eq!(session.tools(), []);
}

/// A source that can be made to fail.
struct Flaky {
    inner: MemorySource,
    broken: AtomicBool,
}

impl Flaky {
    fn check(&self) -> Result<(), SourceError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(SourceError::Unavailable("the server is down".to_owned()));
        }
        Ok(())
    }
}

#[async_trait]
impl Source for Flaky {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        self.check()?;
        self.inner.snapshot().await
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        self.check()?;
        if id.as_str() == "gone" {
            return Err(SourceError::NotFound(id.clone()));
        }
        self.inner.load(id).await
    }

    async fn files(&self, id: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        self.inner.files(id).await
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        offset: u64,
        limit: usize,
    ) -> Result<FilePart, SourceError> {
        self.inner.read(id, path, offset, limit).await
    }
}

#[test]
fn d25_a_source_that_fails() {
    let place = Place::new();
    place.skill("local").skill("shared").skill("gone");
    let mut inner = MemorySource::new(Scope::Remote);
    for name in ["remote", "shared", "gone"] {
        inner.add(name, &format!("---\nname: {name}\ndescription: d\n---\n"));
    }
    let flaky = Arc::new(Flaky {
        inner,
        broken: AtomicBool::new(true),
    });
    let mut sources = Composite::new(CatalogOptions::default());
    sources.push("remote", Arc::clone(&flaky) as Arc<dyn Source>);
    sources.push("local", Arc::new(place.source("")));

    let never = block_on(sources.catalog());
    assert_eq!(ids(&never), ["gone", "local", "shared"]);
    let status: Vec<_> = never.sources().map(|source| source.health).collect();
    assert_eq!(status, [Health::Unhealthy, Health::Healthy]);
    assert_eq!(
        never.sources().next().unwrap().reason.as_deref(),
        Some("the server is down")
    );
    // What never answered does not stand in the way.
    assert!(block_on(sources.load(&id("shared"))).is_ok());

    flaky.broken.store(false, Ordering::Relaxed);
    let all = ["gone", "local", "remote", "shared"];
    assert_eq!(ids(&block_on(sources.catalog())), all);
    // Not found falls through to the next source.
    let fallen = block_on(sources.load(&id("gone"))).unwrap();
    assert_eq!(fallen.body, "Body of gone.");
    assert_eq!(block_on(sources.load(&id("shared"))).unwrap().body, "");

    flaky.broken.store(true, Ordering::Relaxed);
    let stale = block_on(sources.catalog());
    assert_eq!(ids(&stale), all);
    assert_eq!(stale.sources().next().unwrap().health, Health::Degraded);
    // Another error is the answer, but only of a source that has the skill.
    assert_eq!(
        block_on(sources.load(&id("shared"))).unwrap_err(),
        SourceError::Unavailable("the server is down".to_owned())
    );
    assert!(block_on(sources.load(&id("local"))).is_ok());
}

#[test]
fn d26_capabilities() {
    let place = Place::new();
    place.skill("plain");
    place.write(
        "needy/SKILL.md",
        "---\nname: needy\ndescription: d\nrequires-capabilities: [shell, browser]\n---\n",
    );
    let with = |capabilities: &[&str]| {
        let capabilities: BTreeSet<String> =
            capabilities.iter().map(|text| (*text).to_owned()).collect();
        let mut sources = Composite::new(CatalogOptions {
            capabilities,
            ..CatalogOptions::default()
        });
        sources.push("x", Arc::new(place.source("")));
        sources
    };
    let none = with(&[]);
    let catalog = block_on(none.catalog());
    assert_eq!(ids(&catalog), ["plain"]);
    let unavailable: Vec<_> = catalog
        .unavailable()
        .map(|skill| skill.descriptor.id.to_string())
        .collect();
    assert_eq!(unavailable, ["needy"]);
    let missing = |sources: &Composite| match block_on(sources.load(&id("needy"))) {
        Err(SourceError::MissingCapabilities { missing, .. }) => missing,
        _ => Vec::new(),
    };
    assert_eq!(missing(&none), ["shell", "browser"]);
    assert_eq!(missing(&with(&["shell"])), ["browser"]);
    assert_eq!(
        ids(&block_on(with(&["shell", "browser"]).catalog())),
        ["needy", "plain"]
    );
}

#[test]
fn files_that_are_not_files_never_block() {
    let place = Place::new();
    place.skill("good");
    fs::create_dir_all(place.path("pipe")).unwrap();
    fs::create_dir_all(place.path("dir/SKILL.md")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(place.path("pipe/SKILL.md"))
            .status()
            .unwrap()
            .success()
    );
    let snapshot = place.snapshot();
    assert_eq!(place.ids(), ["good"]);
    assert_eq!(snapshot.warnings.len(), 2, "{:?}", snapshot.warnings);
}

#[test]
fn second_scan_finds_changes() {
    let place = Place::new();
    place.skill("a").skill("b").skill("c");
    let source = place.source("");
    let first = block_on(source.snapshot()).unwrap();
    let again = block_on(source.snapshot()).unwrap();
    assert!(
        Arc::ptr_eq(&first, &again),
        "nothing changed, nothing is built"
    );
    place.described("b", "Something quite different");
    fs::remove_dir_all(place.path("c")).unwrap();
    place.skill("d");
    let changed = block_on(source.snapshot()).unwrap();
    let found: Vec<_> = changed
        .skills
        .iter()
        .map(|skill| (skill.id.as_str(), &*skill.description))
        .collect();
    assert_eq!(
        found,
        [
            ("a", "Does something"),
            ("b", "Something quite different"),
            ("d", "Does something")
        ]
    );
    assert_eq!(
        first.skills.len(),
        3,
        "readers of the old snapshot are not disturbed"
    );
}

#[test]
fn names_that_differ_only_by_normalisation() {
    let place = Place::new();
    place.write(
        "caf\u{e9}/SKILL.md",
        "---\nname: caf\u{e9}\ndescription: one\n---\n",
    );
    place.write(
        "cafe\u{301}/SKILL.md",
        "---\nname: cafe\u{301}\ndescription: two\n---\n",
    );
    let catalog = catalog(
        vec![("x", Arc::new(place.source("")))],
        CatalogOptions::default(),
    );
    assert_eq!(ids(&catalog), ["caf\u{e9}"]);
    assert_eq!(catalog.shadowed().count(), 1);
}

#[test]
fn a_skill_edited_or_removed_after_listing() {
    let place = Place::new();
    place.skill("a").skill("b");
    let source = place.source("");
    block_on(source.snapshot()).unwrap();
    place.write(
        "a/SKILL.md",
        "---\nname: a\ndescription: d\n---\nNew body.\n",
    );
    assert_eq!(block_on(source.load(&id("a"))).unwrap().body, "New body.");
    fs::remove_dir_all(place.path("b")).unwrap();
    assert!(matches!(
        block_on(source.load(&id("b"))),
        Err(SourceError::NotFound(_))
    ));
}

#[test]
fn d27_every_skill_of_a_source_is_validated() {
    let place = Place::new();
    place
        .skill("writing/haiku")
        .write(
            "tolerated/SKILL.md",
            "---\nname: tolerated\ndescription: Use when: a b\n---\n",
        )
        .write("hopeless/SKILL.md", "no frontmatter\n")
        .write("lower/skill.md", "---\nname: lower\ndescription: d\n---\n")
        .write("upper/SKILL.MD", "---\nname: upper\ndescription: d\n---\n")
        .write(
            "renamed/SKILL.md",
            "---\nname: other\ndescription: d\n---\n",
        )
        .write("coded/SKILL.md", "---\nname: coded\ndescription: d\n---\n")
        .write(
            "coded/SKILL.yaml",
            "name: coded\nversion: 1\ntypes: [magic]\n",
        );
    let found = block_on(validate_all(&place.source(""))).unwrap();
    let valid: Vec<&str> = found.valid.iter().map(SkillId::as_str).collect();
    assert_eq!(valid, ["lower", "writing/haiku"]);
    let invalid: Vec<(&str, &str)> = found
        .invalid
        .iter()
        .map(|invalid| (invalid.path.as_str(), invalid.diagnostics[0].code.id()))
        .collect();
    assert_eq!(
        invalid,
        [
            ("hopeless/SKILL.md", "missing-frontmatter"),
            ("coded/SKILL.md", "missing-field"),
            ("renamed/SKILL.md", "name-mismatch"),
            ("tolerated/SKILL.md", "unquoted-colon"),
            ("upper/SKILL.md", "file-name"),
        ]
    );
    let empty = block_on(validate_all(&MemorySource::new(Scope::Project))).unwrap();
    assert_eq!(empty, Validation::default());
}

/// A `SKILL.yaml` may stand alone: name and description are its own, and there are no instructions.
#[test]
fn manifest_alone_is_a_skill() {
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("tools/lint");
    std::fs::create_dir_all(skill.join("sub/deeper")).unwrap();
    let manifest = "name: lint\nversion: 1.0.0\ndescription: Checks code.\ntypes: [prompt]\n";
    std::fs::write(skill.join("SKILL.yaml"), manifest).unwrap();
    std::fs::write(skill.join("sub/deeper/SKILL.md"), "not a skill of its own").unwrap();
    let broken = root.path().join("broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("SKILL.yaml"), "name: broken\n").unwrap();

    let source = FilesystemSource::new(root.path(), FilesystemOptions::new(Scope::Project));
    let skills = block_on(Skills::builder().source("here", source).build()).unwrap();
    let catalog = skills.catalog();
    let ids: Vec<&str> = catalog
        .skills()
        .map(|it| it.descriptor.id.as_str())
        .collect();
    assert_eq!(ids, ["tools/lint"]);
    let invalid: Vec<&str> = catalog.invalid().map(|(_, it)| it.path.as_str()).collect();
    assert_eq!(invalid, ["broken/SKILL.yaml"]);
    let id = id("tools/lint");
    let document = block_on(skills.sources().load(&id)).unwrap();
    assert_eq!(document.skill.description, "Checks code.");
    assert_eq!(document.body, "");
    let Ok(prowess_core::Contents::Whole(files)) =
        block_on(skills.sources().contents(&id, 10, 10_000))
    else {
        panic!("its files are there");
    };
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "SKILL.yaml", "sub/deeper/SKILL.md"]);
}

/// What looks like the end of the fields in the first part of a long file is not taken for it.
#[test]
fn delimiter_after_the_first_read_counts() {
    let place = Place::new();
    let fields = "---\nname: NAME\ndescription: d\n\n# comment\n\nmetadata:\n  long: ";
    let long = "x".repeat(5_000);
    let closed = fields.replace("NAME", "closed");
    place.write(
        "closed/SKILL.md",
        format!("{closed}{long}\n  last: y\n---\nBody\n"),
    );
    let unclosed = fields.replace("NAME", "unclosed");
    place.write("unclosed/SKILL.md", format!("{unclosed}{long}\n"));
    let snapshot = place.snapshot();
    let metadata: Vec<_> = snapshot
        .skills
        .iter()
        .map(|skill| (skill.id.as_str(), skill.metadata.len()))
        .collect();
    assert_eq!(metadata, [("closed", 2), ("unclosed", 0)]);
}
