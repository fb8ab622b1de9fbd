//! The git contract, rows G11 to G18: packages, of which only what is asked for is fetched.
#![cfg(test)]
#![cfg(unix)]

#[path = "support/repository.rs"]
mod repository;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use prowess_config::GitLocation;
use prowess_core::SourceError;
use prowess_sources::{GitCommit, GitFiles, Network, RemoteOptions, git_heads};
use prowess_spec::SkillPath;
use prowess_testing::{ChildGuard, SshServer, TestDirectory, file_url, free_port, run};
use repository::Repository;

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

/// The files of one skill.
fn files(commit: &GitCommit, skill: &str) -> GitFiles {
    commit
        .files(Some(&path(&format!("skills/{skill}"))))
        .unwrap()
}

fn names(files: &GitFiles) -> Vec<&str> {
    files.files.iter().map(|file| file.path.as_str()).collect()
}

/// The directories of all skills.
fn skills(commit: &GitCommit) -> Vec<String> {
    let shown = |path: Option<SkillPath>| path.map_or(".".to_owned(), |path| path.to_string());
    let skills = commit.skills(None).unwrap();
    skills
        .into_iter()
        .map(|skill| shown(skill.directory))
        .collect()
}

fn location(url: &str) -> Result<GitLocation, SourceError> {
    GitLocation::parse(url)
        .map_err(|error| SourceError::Unavailable(format!("invalid URL: {error}")))
}

fn open(
    url: &str,
    reference: Option<&str>,
    remote: &RemoteOptions,
) -> Result<GitCommit, SourceError> {
    GitCommit::open(&location(url)?, reference, remote)
}

fn heads_of(
    url: &str,
    references: &[Option<String>],
    remote: &RemoteOptions,
) -> Result<Vec<Option<String>>, SourceError> {
    git_heads(&location(url)?, references, remote)
}

impl Repository {
    /// Lets a server leave out contents, and hand out single objects.
    fn filtering(self) -> Self {
        self.git(&["config", "uploadpack.allowFilter", "true"]);
        self.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        self
    }

    fn http_url(&self) -> String {
        format!("http://127.0.0.1:{}/work/.git", self.serve())
    }

    fn local_url(&self) -> String {
        file_url(&self.place.path("work"))
    }

    fn open(&self, url: &str, reference: Option<&str>) -> Result<GitCommit, SourceError> {
        open(url, reference, &self.remote())
    }

    fn offline(&self) -> RemoteOptions {
        RemoteOptions {
            network: Network::Offline,
            ..self.remote()
        }
    }

    /// The directory of the cache for the one URL that was fetched from.
    fn store(&self) -> PathBuf {
        let entries = fs::read_dir(self.cache().join("packages/git")).unwrap();
        let mut stores = entries.map(|it| it.unwrap().path());
        stores.find(|it| it.join("repository").exists()).unwrap()
    }

    /// The number of objects in the cache, by type.
    fn objects(&self) -> BTreeMap<String, usize> {
        let store = self.store().join("repository");
        let every = [
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objecttype)",
        ];
        let mut counts = BTreeMap::new();
        for kind in prowess_testing::git(store, &every).lines() {
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
        counts
    }
}

fn many(count: usize) -> Repository {
    let repository = Repository::new();
    for number in 0..count {
        repository.skill(&format!("skill-{number}"), &format!("Number {number}"));
    }
    let script = "work/skills/skill-7/scripts/run.sh";
    repository.place.write(script, "#!/bin/sh\n");
    run(Command::new("chmod")
        .arg("755")
        .arg(repository.place.path(script)));
    repository.commit("many");
    repository
}

#[test]
fn g11_only_the_files_of_one_skill_are_fetched() {
    let repository = many(200).filtering();
    let commit = repository.open(&repository.http_url(), None).unwrap();
    assert_eq!(commit.id(), repository.git(&["rev-parse", "HEAD"]));
    let listed = commit.skills(None).unwrap();
    assert_eq!(listed.len(), 201);
    assert_eq!(listed[0].file.as_str(), "skills/pdf/SKILL.md");
    let counts = repository.objects();
    assert_eq!((counts.get("commit"), counts.get("blob")), (Some(&1), None));

    let asked = repository.requests();
    let found = files(&commit, "skill-7");
    assert_eq!(names(&found), ["SKILL.md", "scripts/run.sh"]);
    assert_eq!(found.files[1].bytes, b"#!/bin/sh\n");
    let executable: Vec<bool> = found.files.iter().map(|file| file.executable).collect();
    assert_eq!((executable, found.warnings.len()), (vec![false, true], 0));
    // A greeting and one question.
    assert_eq!(repository.requests() - asked, 2);
    assert_eq!(repository.objects()["blob"], 2);

    // The list of skills: every `SKILL.md`, with one question.
    let asked = repository.requests();
    let paths: Vec<SkillPath> = listed.into_iter().map(|skill| skill.file).collect();
    let texts = commit.read(&paths).unwrap();
    assert!(
        texts
            .iter()
            .all(|text| text.as_ref().unwrap().starts_with(b"---"))
    );
    assert_eq!(repository.requests() - asked, 2);
    let counts = repository.objects();
    assert_eq!((counts["blob"], counts["commit"]), (202, 1));
    let missing = commit.read(&[path("skills"), path("nope"), path("skills/pdf/SKILL.md")]);
    let missing: Vec<bool> = missing.unwrap().iter().map(Option::is_some).collect();
    assert_eq!(missing, [false, false, true]);
}

#[test]
fn g12_a_server_without_filters() {
    let repository = many(8);
    let commit = repository.open(&repository.http_url(), None).unwrap();
    assert_eq!(skills(&commit).len(), 9);
    let counts = repository.objects();
    assert_eq!((counts["commit"], counts["blob"]), (1, 10), "no history");
    repository.stop();
    assert_eq!(
        names(&files(&commit, "skill-7")),
        ["SKILL.md", "scripts/run.sh"]
    );
}

#[test]
fn g12_a_server_that_stops_to_hand_out_single_objects() {
    let repository = many(8).filtering();
    let commit = repository.open(&repository.http_url(), None).unwrap();
    // From now on it hands out commits alone.
    fs::write(repository.place.path("refuse-single-objects"), "").unwrap();
    assert_eq!(
        names(&files(&commit, "skill-7")),
        ["SKILL.md", "scripts/run.sh"]
    );
    assert_eq!(repository.objects()["blob"], 10);
}

/// The client of ssh is looked up in `PATH`, which a process has once: this test starts itself again.
#[test]
fn g12_over_ssh() {
    const URL: &str = "PROWESS_TEST_SSH_URL";
    const CACHE: &str = "PROWESS_TEST_SSH_CACHE";
    const COMMIT: &str = "PROWESS_TEST_SSH_COMMIT";
    let variable = |name| std::env::var(name).ok();
    if let (Some(url), Some(cache), Some(id)) = (variable(URL), variable(CACHE), variable(COMMIT)) {
        let remote = RemoteOptions {
            cache: Some(cache.into()),
            ..RemoteOptions::default()
        };
        for reference in [None, Some("main"), Some("v1"), Some(id.as_str())] {
            let commit = open(&url, reference, &remote).unwrap();
            assert_eq!(names(&files(&commit, "pdf")), ["SKILL.md"]);
        }
        let unknown = open(&url, Some("nope"), &remote).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "the repository has no branch or tag `nope`"
        );
        let nowhere = open(&format!("{url}-x"), None, &remote).unwrap_err();
        assert!(nowhere.to_string().starts_with("ssh: "), "{nowhere}");
        return;
    }
    let repository = Repository::new().filtering();
    repository.git(&["tag", "--annotate", "--message", "x", "v1"]);
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
    let second = repository.skill("csv", "Reads CSV files").commit("second");
    repository.skill("xml", "Reads XML files").commit("third");
    // The first version of the protocol has no filters, and hands out a commit without a name only with the history.
    for (options, blobs) in [("AcceptEnv GIT_PROTOCOL", 1), ("", 3)] {
        let _ = fs::remove_dir_all(repository.cache());
        let place = TestDirectory::new_in("/tmp");
        let directory = place.path("ssh");
        fs::create_dir(&directory).unwrap();
        let server = SshServer::start(&directory, options);
        let key = format!("-i {}", server.key().display());
        run(Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "g12_over_ssh", "--nocapture"])
            .env("PATH", server.path_with_client(&key))
            .env(URL, server.url(&repository.place.path("work")))
            .env(CACHE, repository.cache())
            .env(COMMIT, &second));
        assert_eq!(repository.objects()["blob"], blobs, "{options}");
    }
}

#[test]
fn g12_over_the_protocol_of_git() {
    let repository = Repository::new().filtering();
    let port = free_port();
    // Not through `git`, which would outlive the test.
    let programs = prowess_testing::git(repository.place.path("work"), &["--exec-path"]);
    let mut child = Command::new(PathBuf::from(programs).join("git-daemon"))
        .args([
            "--verbose",
            "--export-all",
            "--reuseaddr",
            "--listen=127.0.0.1",
        ])
        .arg(format!("--port={port}"))
        .arg(format!(
            "--base-path={}",
            repository.place.path("").display()
        ))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let _child = ChildGuard(child);
    assert!(lines.any(|line| line.unwrap().contains("Ready to rumble")));
    std::thread::spawn(move || lines.for_each(drop));
    let url = format!("git://127.0.0.1:{port}/work/.git");
    let commit = repository.open(&url, Some("main")).unwrap();
    assert_eq!(skills(&commit), ["skills/pdf"]);
    assert_eq!(names(&files(&commit, "pdf")), ["SKILL.md"]);
}

#[test]
fn g13_branches_tags_and_commits() {
    let repository = Repository::new();
    repository.git(&["tag", "v1"]);
    repository.git(&["tag", "--annotate", "--message", "x", "v1-message"]);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["branch", "group/old"]);
    let second = repository.skill("csv", "d").commit("second");
    for filter in ["false", "true"] {
        repository.git(&["config", "uploadpack.allowFilter", filter]);
        for url in [repository.local_url(), repository.http_url()] {
            for (reference, expected, count) in [
                (None, &second, 2),
                (Some("HEAD"), &second, 2),
                (Some("main"), &second, 2),
                (Some("group/old"), &first, 1),
                (Some("v1"), &first, 1),
                (Some("v1-message"), &first, 1),
                (Some(first.as_str()), &first, 1),
            ] {
                let commit = repository.open(&url, reference).unwrap();
                assert_eq!(&commit.id(), expected, "{reference:?}");
                assert_eq!(skills(&commit).len(), count, "{reference:?}");
                assert_eq!(names(&files(&commit, "pdf")), ["SKILL.md"]);
            }
        }
        fs::remove_dir_all(repository.cache()).unwrap();
    }
}

#[test]
fn g13_unknown_references_and_directories() {
    let repository = Repository::new();
    let nowhere = "1234567890123456789012345678901234567890";
    let no_commit = format!("the repository has no commit `{nowhere}`");
    for url in [repository.local_url(), repository.http_url()] {
        for (reference, expected) in [
            ("nope", "the repository has no branch or tag `nope`"),
            (nowhere, &no_commit),
            (
                "abc1234",
                "the repository has no branch or tag `abc1234`; write all 40 digits of a commit",
            ),
            ("-x", "invalid branch or tag `-x`"),
            ("a\nb", "invalid branch or tag `a\\nb`"),
            ("a..b", "invalid branch or tag `a..b`"),
        ] {
            let error = repository.open(&url, Some(reference)).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let commit = repository.open(&url, None).unwrap();
        let expected = "the repository has no directory `nope`";
        let nope = path("nope");
        assert_eq!(
            commit.skills(Some(&nope)).unwrap_err().to_string(),
            expected
        );
        assert_eq!(commit.files(Some(&nope)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn g13_an_empty_repository() {
    let repository = Repository::new();
    let empty = repository.place.path("empty");
    fs::create_dir(&empty).unwrap();
    prowess_testing::git(&empty, &["init", "--quiet", "."]);
    let port = repository.serve();
    for url in [
        empty.display().to_string(),
        format!("http://127.0.0.1:{port}/empty/.git"),
    ] {
        let error = repository.open(&url, None).unwrap_err();
        assert_eq!(error.to_string(), "the repository is empty");
        assert!(repository.open(&url, Some("main")).is_err());
    }
}

#[test]
fn g13_urls_that_are_refused() {
    let repository = Repository::new();
    for url in [
        "",
        "--upload-pack=touch pwned",
        "ext::touch pwned",
        "ssh://-oProxyCommand=touch%20pwned/x",
        "-oProxyCommand=touch pwned:x",
        "ssh://-lroot@example.com/x",
        "https://user:t0ken@example.com/x.git",
        "ftp://example.com/x.git",
        "file://example.com/x.git",
        "https://example.com/\n/x",
    ] {
        let error = repository.open(url, None).unwrap_err().to_string();
        assert!(error.starts_with("invalid URL: "), "{url}: {error}");
        assert!(!error.contains("t0ken"), "{error}");
        assert!(heads_of(url, &[None], &repository.remote()).is_err());
    }
    assert!(!repository.cache().exists());
    let missing = repository.open("/no/such/repository", None).unwrap_err();
    assert_eq!(missing.to_string(), "repository not found: `repository`");
    let url = repository.http_url();
    let missing = repository
        .open(&format!("{url}-x"), None)
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("404") || missing.contains("not found"),
        "{missing}"
    );
}

#[test]
fn g13_a_redirect_is_not_followed() {
    let repository = Repository::new();
    let target = repository.http_url();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.git", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(&stream).lines();
        let _ = lines
            .take_while(|line| !line.as_ref().unwrap().is_empty())
            .count();
        let answer = format!(
            "HTTP/1.1 301 Moved\r\nLocation: {target}/info/refs?service=git-upload-pack\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        (&stream).write_all(answer.as_bytes()).unwrap();
    });
    assert!(repository.open(&url, None).is_err());
    server.join().unwrap();
    assert_eq!(repository.requests(), 0);
}

#[test]
fn g14_a_second_time_nothing_is_fetched() {
    let repository = Repository::new().filtering();
    let url = repository.http_url();
    let commit = repository.open(&url, Some("main")).unwrap();
    let found = files(&commit, "pdf");
    let objects = repository.objects();

    let asked = repository.requests();
    let again = repository.open(&url, Some("main")).unwrap();
    assert_eq!(files(&again, "pdf"), found);
    assert_eq!(
        repository.requests() - asked,
        2,
        "a greeting and the references"
    );
    assert_eq!(repository.objects(), objects);

    let id = commit.id();
    let asked = repository.requests();
    assert_eq!(
        files(&repository.open(&url, Some(&id)).unwrap(), "pdf"),
        found
    );
    assert_eq!(repository.requests(), asked);
    repository.stop();
    assert_eq!(
        files(&repository.open(&url, Some(&id)).unwrap(), "pdf"),
        found
    );
    assert!(repository.open(&url, Some("main")).is_err());
}

#[test]
fn g14_offline() {
    let repository = many(3).filtering();
    let url = repository.http_url();
    let open_offline = |reference| open(&url, reference, &repository.offline());
    let error = open_offline(Some("main")).unwrap_err();
    let expected = "cannot fetch from the repository: offline, and `main` is not cached";
    assert_eq!(error.to_string(), expected);
    let commit = repository.open(&url, Some("main")).unwrap();
    files(&commit, "pdf");
    let asked = repository.requests();
    let cached = open_offline(Some("main")).unwrap();
    assert_eq!(cached.id(), commit.id());
    assert_eq!(names(&files(&cached, "pdf")), ["SKILL.md"]);
    let error = cached.files(Some(&path("skills/skill-1"))).unwrap_err();
    let expected = "cannot fetch from the repository: offline, and one of the files is not cached";
    assert_eq!(error.to_string(), expected);
    assert!(heads_of(&url, &[None], &repository.offline()).is_err());
    assert_eq!(repository.requests(), asked);
    // A repository of this machine is always there.
    assert!(open(&repository.local_url(), None, &repository.offline()).is_ok());
}

#[test]
fn g14_several_at_once_and_leftovers() {
    let repository = many(20).filtering();
    let url = repository.http_url();
    let id = repository.git(&["rev-parse", "HEAD"]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let commit = repository.open(&url, Some(&id)).unwrap();
                assert_eq!(
                    names(&files(&commit, "skill-7")),
                    ["SKILL.md", "scripts/run.sh"]
                );
            });
        }
    });
    let store = repository.store();
    let packs = fs::read_dir(store.join("repository/objects/pack")).unwrap();
    let packs = packs.map(|it| it.unwrap().path());
    let packs = packs.filter(|it| it.extension().is_some_and(|it| it == "pack"));
    assert_eq!(packs.count(), 2, "one of trees, one of files");
    // What a killed process left.
    fs::create_dir(store.join(".unfinished-x")).unwrap();
    files(&repository.open(&url, Some(&id)).unwrap(), "skill-8");
    let left = fs::read_dir(&store)
        .unwrap()
        .map(|it| it.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|it| it.to_string_lossy().starts_with('.'))
        .collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}

#[test]
fn g15_a_local_repository_is_read_in_place() {
    let repository = many(5);
    let every = repository.git(&["ls-tree", "-r", "HEAD"]);
    let lost: Vec<&str> = every
        .lines()
        .filter(|line| !line.contains("skill-3"))
        .map(|line| line.split_whitespace().nth(2).unwrap())
        .collect();
    for id in &lost {
        let (directory, rest) = id.split_at(2);
        let object = repository
            .place
            .path("work/.git/objects")
            .join(directory)
            .join(rest);
        fs::remove_file(object).unwrap();
    }
    let plain = repository.place.path("work").display().to_string();
    for url in [repository.local_url(), plain] {
        let commit = repository.open(&url, None).unwrap();
        assert_eq!(skills(&commit).len(), 6);
        let below = commit.skills(Some(&path("skills/skill-3"))).unwrap();
        assert_eq!(below[0].file.as_str(), "skills/skill-3/SKILL.md");
        assert_eq!(names(&files(&commit, "skill-3")), ["SKILL.md"]);
        let lost = commit
            .files(Some(&path("skills/pdf")))
            .unwrap_err()
            .to_string();
        assert!(lost.starts_with("corrupt repository: "), "{lost}");
    }
    assert!(!repository.cache().exists());
}

#[test]
fn g16_links_submodules_and_names() {
    let repository = Repository::new().filtering();
    let place = &repository.place;
    place.write("work/SKILL.md", "---\nname: root\ndescription: d\n---\n");
    place.write("work/secret.txt", "secret");
    place.write("work/skills/pdf/docs/a.md", "a");
    for (link, target) in [
        ("same.md", "SKILL.md"),
        ("docs/up.md", "../docs/a.md"),
        ("twice.md", "docs/up.md"),
        ("loop.md", "loop.md"),
        ("out.md", "../../secret.txt"),
        ("etc", "/etc"),
        ("directory", "docs"),
    ] {
        let link = place.path("work/skills/pdf").join(link);
        std::os::unix::fs::symlink(target, link).unwrap();
    }
    place.write("work/skills/pdf/a\\b.md", "backslash");
    repository.git(&["add", "--all"]);
    let head = repository.git(&["rev-parse", "HEAD"]);
    let module = format!("160000,{head},skills/pdf/module");
    repository.git(&["update-index", "--add", "--cacheinfo", &module]);
    repository.git(&["commit", "--quiet", "--message", "second"]);
    for url in [repository.local_url(), repository.http_url()] {
        let commit = repository.open(&url, None).unwrap();
        assert_eq!(skills(&commit), [".", "skills/pdf"]);
        let found = files(&commit, "pdf");
        let text = |name: &str| {
            let file = found.files.iter().find(|file| file.path.as_str() == name);
            String::from_utf8(file.unwrap().bytes.clone()).unwrap()
        };
        assert_eq!(
            names(&found),
            ["SKILL.md", "docs/a.md", "docs/up.md", "same.md", "twice.md"]
        );
        assert_eq!(
            (text("docs/up.md"), text("twice.md")),
            ("a".to_owned(), "a".to_owned())
        );
        assert_eq!(text("same.md"), text("SKILL.md"));
        let mut ignored: Vec<&str> = found
            .warnings
            .iter()
            .map(|warning| warning.split('`').nth(1).unwrap())
            .collect();
        ignored.sort_unstable();
        assert_eq!(
            ignored,
            [
                "a\\\\b.md",
                "directory",
                "etc",
                "loop.md",
                "module",
                "out.md"
            ]
        );
        let whole = commit.files(None).unwrap();
        assert!(
            names(&whole).contains(&"skills/pdf/out.md"),
            "inside of the whole"
        );
    }
}

#[test]
fn g17_changes_of_a_directory() {
    let repository = Repository::new().filtering();
    let first = repository.git(&["rev-parse", "HEAD"]);
    for number in 0..3 {
        repository.skill("pdf", &format!("Version {number}"));
        repository.commit(&format!("pdf {number}\n\nwith a body"));
        repository.skill("csv", &format!("Version {number}"));
        repository.commit(&format!("csv {number}"));
    }
    let pdf = path("skills/pdf");
    let subjects = |commit: &GitCommit, since: &str, directory| {
        let found = commit.changes(since, directory).unwrap();
        let subjects = found.changes.into_iter().map(|change| change.subject);
        (subjects.collect::<Vec<_>>(), found.incomplete)
    };
    let expected = ["pdf 2", "pdf 1", "pdf 0"].map(str::to_owned).to_vec();
    for url in [repository.local_url(), repository.http_url()] {
        let commit = repository.open(&url, None).unwrap();
        assert_eq!(
            subjects(&commit, &first, Some(&pdf)),
            (expected.clone(), None)
        );
        assert_eq!(subjects(&commit, &first, None).0.len(), 6);
        assert_eq!(
            subjects(&commit, &commit.id(), Some(&pdf)),
            (Vec::new(), None)
        );
        assert!(commit.changes("main", None).is_err());
    }
    // A server without filters is not asked for its history.
    fs::remove_dir_all(repository.cache()).unwrap();
    repository.git(&["config", "uploadpack.allowFilter", "false"]);
    let commit = repository.open(&repository.http_url(), None).unwrap();
    let nothing = (Vec::new(), Some("the history was not fetched"));
    assert_eq!(subjects(&commit, &first, Some(&pdf)), nothing);
}

#[test]
fn g17_merges_and_many_changes() {
    let repository = Repository::new();
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.skill("csv", "d").commit("side");
    repository.git(&["checkout", "--quiet", "main"]);
    repository.skill("xml", "d").commit("main");
    repository.git(&["merge", "--quiet", "--message", "merge", "side"]);
    let commit = repository.open(&repository.local_url(), None).unwrap();
    let csv = path("skills/csv");
    let changes = commit.changes(&first, Some(&csv)).unwrap();
    let subjects: Vec<&str> = changes
        .changes
        .iter()
        .map(|it| it.subject.as_str())
        .collect();
    assert_eq!((subjects, changes.incomplete), (vec!["side"], None));
    for number in 0..60 {
        repository
            .skill("csv", &format!("d{number}"))
            .commit("more");
    }
    let commit = repository.open(&repository.local_url(), None).unwrap();
    let changes = commit.changes(&first, Some(&csv)).unwrap();
    assert_eq!(changes.changes.len(), 50);
    assert_eq!(changes.incomplete, Some("there are more changes"));
}

#[test]
fn g18_heads_of_several_references() {
    let repository = Repository::new();
    repository.git(&["tag", "--annotate", "--message", "x", "v1"]);
    let first = repository.git(&["rev-parse", "HEAD"]);
    let second = repository.skill("csv", "d").commit("second");
    let references = [
        None,
        Some("v1"),
        Some("main"),
        Some("nope"),
        Some(first.as_str()),
    ]
    .map(|it| it.map(str::to_owned));
    let (url, remote) = (repository.http_url(), repository.remote());
    let heads = heads_of(&url, &references, &remote).unwrap();
    let (first, second) = (Some(first), Some(second));
    let expected = [second.clone(), first.clone(), second, None, first];
    assert_eq!(heads, expected);
    assert_eq!(repository.requests(), 2, "a greeting and the references");
    assert!(!repository.cache().exists());
    assert_eq!(
        heads_of(&repository.local_url(), &references, &remote).unwrap(),
        expected
    );
    repository.stop();
    assert!(heads_of(&url, &references, &remote).is_err());
}
