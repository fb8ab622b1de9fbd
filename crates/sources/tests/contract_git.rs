//! The git contract: rows G1 to G10 as a library sees them. Tokens and ssh are tested with the program, which
//! can be given an environment of its own.
#![cfg(test)]
#![allow(clippy::unused_self, reason = "tests may panic")]

#[path = "support/repository.rs"]
mod repository;
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pollster::block_on;
use prowess_config::{Git, GitLocation, GitRef, Url};
use prowess_core::{Health, Skills, Source};
use prowess_sources::{GitSource, Network, RemoteOptions, Strictness};
use prowess_spec::SkillPath;
use repository::Repository;
use support::id;

const HOUR: Duration = Duration::from_hours(1);

impl Repository {
    /// Options for the repository on this machine.
    fn local(&self) -> Git {
        self.options(GitLocation::Local(self.place.path("work")))
    }

    /// Options for the repository behind a server.
    fn http(&self) -> Git {
        let port = self.serve();
        let url = format!("http://127.0.0.1:{port}/work/.git");
        self.options(GitLocation::Http(Url::parse(&url).unwrap()))
    }

    fn options(&self, url: GitLocation) -> Git {
        let mut options = Git::new(url);
        options.skills_root = Some(SkillPath::parse("skills").unwrap());
        options.refresh = Duration::ZERO;
        options
    }

    fn source(&self, options: Git) -> GitSource {
        GitSource::new(options, Strictness::Tolerant, self.remote())
    }
}

fn ids(source: &impl Source) -> Vec<String> {
    let snapshot = block_on(source.snapshot()).unwrap();
    snapshot
        .skills
        .iter()
        .map(|skill| skill.id.to_string())
        .collect()
}

fn error(source: &impl Source) -> String {
    block_on(source.snapshot()).unwrap_err().to_string()
}

/// Everything below a directory that is not finished, or half there.
fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".unfinished") || name.starts_with(".tmp") || name == "repository" {
            found.push(entry.path());
        } else if entry.path().is_dir() {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}

#[test]
fn g1_creating_a_source_does_no_io() {
    let repository = Repository::new();
    let _local = repository.source(repository.local());
    let _http = repository.source(repository.http());
    assert!(!repository.cache().exists());
    assert_eq!(repository.requests(), 0);
}

#[test]
fn g2_the_first_question_clones_shallowly_and_applies_the_root() {
    let repository = Repository::new();
    fs::write(repository.place.path("work/README.md"), "outside").unwrap();
    repository.skill("data/csv", "Reads CSV files");
    repository
        .place
        .write("work/skills/data/csv/scripts/run.sh", "#!/bin/sh\n");
    repository.commit("second");
    for options in [repository.local(), repository.http()] {
        let source = repository.source(options);
        assert_eq!(ids(&source), ["data/csv", "pdf"]);
        let document = block_on(source.load(&id("data/csv"))).unwrap();
        assert_eq!(document.skill.description, "Reads CSV files");
        let files = block_on(source.files(&id("data/csv"))).unwrap();
        assert_eq!(files[0].path.as_str(), "scripts/run.sh");
        let part = block_on(source.read(&id("data/csv"), &files[0].path, 0, 9)).unwrap();
        assert_eq!(part.bytes, b"#!/bin/sh");
    }
    let clones: Vec<PathBuf> = leftovers(&repository.cache());
    assert_eq!(
        clones.len(),
        1,
        "one clone for http, none for a local repository"
    );
    assert!(clones[0].join("shallow").exists());
    // Only their owner looks into them.
    let store = clones[0].parent().unwrap();
    let trees = fs::read_dir(store.join("trees")).unwrap();
    let trees = trees.map(|entry| entry.unwrap().path());
    for directory in trees.chain([store.to_owned(), store.join("trees")]) {
        let mode = fs::metadata(&directory).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", directory.display());
    }
}

#[test]
fn g3_a_branch_is_fetched_when_its_time_is_over() {
    let repository = Repository::new();
    let mut options = repository.http();
    options.reference = Some(GitRef::Branch("main".to_owned()));
    let mut patient = options.clone();
    patient.refresh = HOUR;
    let patient = repository.source(patient);
    assert_eq!(ids(&patient), ["pdf"]);
    let asked = repository.requests();
    assert!(asked > 0);
    repository.skill("csv", "Reads CSV files").commit("second");
    assert_eq!(ids(&patient), ["pdf"]);
    assert_eq!(
        repository.requests(),
        asked,
        "nothing was asked within the interval"
    );
    let due = repository.source(options);
    assert_eq!(ids(&due), ["csv", "pdf"]);
    assert!(repository.requests() > asked);
    fs::remove_dir_all(repository.place.path("work/skills/pdf")).unwrap();
    repository.commit("third");
    assert_eq!(ids(&due), ["csv"]);
    // Force-pushed back to where it was.
    repository.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    assert_eq!(ids(&due), ["pdf"]);
}

/// In the directory `skills` of a repository, that directory is no collection.
#[test]
fn g2_skills_of_a_repository_need_no_setting() {
    let repository = Repository::new();
    repository.skill("data/csv", "Reads CSV files");
    repository.place.described("work/more/xml", "Reads XML");
    repository
        .place
        .write("work/skills/data/COLLECTION.md", "Data\n");
    repository.commit("second");
    let mut options = repository.local();
    options.skills_root = None;
    let source = repository.source(options);
    assert_eq!(ids(&source), ["data/csv", "more/xml", "pdf"]);
    let snapshot = block_on(source.snapshot()).unwrap();
    assert_eq!(snapshot.collections[&"data".parse().unwrap()], "Data");
    let document = block_on(source.load(&id("data/csv"))).unwrap();
    assert_eq!(document.skill.description, "Reads CSV files");
}

#[test]
fn g3_a_branch_is_fetched_now_on_demand() {
    let repository = Repository::new();
    let mut options = repository.http();
    options.refresh = HOUR;
    assert_eq!(ids(&repository.source(options.clone())), ["pdf"]);
    repository.skill("csv", "Reads CSV files").commit("second");
    assert_eq!(ids(&repository.source(options.clone())), ["pdf"]);
    let remote = RemoteOptions {
        network: Network::Refresh,
        ..repository.remote()
    };
    let source = GitSource::new(options.clone(), Strictness::Tolerant, remote.clone());
    assert_eq!(ids(&source), ["csv", "pdf"]);
    let asked = repository.requests();
    assert_eq!(ids(&source), ["csv", "pdf"]);
    assert_eq!(repository.requests(), asked, "once");
    repository.stop();
    let source = GitSource::new(options, Strictness::Tolerant, remote);
    assert_eq!(ids(&source), ["csv", "pdf"], "the clone is used");
    assert!(source.freshness().stale.is_some());
}

#[test]
fn g4_a_tag_and_a_commit_never_change() {
    let repository = Repository::new();
    repository.git(&["tag", "v1"]);
    repository.git(&["tag", "--annotate", "--message", "x", "v1-annotated"]);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("csv", "Reads CSV files").commit("second");
    repository.skill("xml", "Reads XML files").commit("third");
    for location in [repository.local(), repository.http()] {
        for reference in [
            GitRef::Tag("v1".to_owned()),
            GitRef::Tag("v1-annotated".to_owned()),
            GitRef::Commit(first.clone()),
        ] {
            let mut options = location.clone();
            options.reference = Some(reference);
            let source = repository.source(options.clone());
            assert_eq!(ids(&source), ["pdf"]);
            let asked = repository.requests();
            assert_eq!(ids(&source), ["pdf"]);
            assert_eq!(ids(&repository.source(options)), ["pdf"]);
            assert_eq!(repository.requests(), asked);
        }
    }
}

#[test]
fn g4_a_commit_that_the_server_hands_out_only_with_its_history() {
    let repository = Repository::new();
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("csv", "Reads CSV files").commit("second");
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
    repository.git(&["config", "protocol.version", "0"]);
    let mut options = repository.http();
    options.reference = Some(GitRef::Commit(first));
    assert_eq!(ids(&repository.source(options)), ["pdf"]);
}

#[test]
fn g5_a_failed_fetch_keeps_the_checkout() {
    let repository = Repository::new();
    let skills = Skills::builder().source("git", repository.source(repository.http()));
    let skills = block_on(skills.build()).unwrap();
    assert_eq!(skills.catalog().len(), 1);
    repository.stop();
    let stale = block_on(skills.refresh());
    let status = stale.sources().next().unwrap();
    assert_eq!((stale.len(), status.health), (1, Health::Degraded));
    let reason = status.reason.as_deref().unwrap();
    assert!(
        reason.starts_with("cannot fetch from the repository: "),
        "{reason}"
    );
    assert!(status.refreshed.is_some());
    assert!(block_on(skills.sources().load(&id("pdf"))).is_ok());
}

#[test]
fn g6_another_process_is_served_from_the_disk() {
    let repository = Repository::new();
    let options = repository.http();
    assert_eq!(ids(&repository.source(options.clone())), ["pdf"]);
    repository.stop();
    let source = repository.source(options.clone());
    assert_eq!(ids(&source), ["pdf"]);
    assert!(source.freshness().stale.is_some());
    let remote = RemoteOptions {
        network: Network::Offline,
        ..repository.remote()
    };
    let offline = GitSource::new(options, Strictness::Tolerant, remote);
    assert_eq!(ids(&offline), ["pdf"]);
    assert_eq!(offline.freshness().stale.as_deref(), Some("offline"));
}

#[test]
fn g7_a_clone_that_fails_leaves_nothing() {
    let repository = Repository::new();
    let options = repository.http();
    repository.stop();
    let source = repository.source(options);
    assert!(error(&source).starts_with("cannot fetch from the repository: "));
    assert_eq!(leftovers(&repository.cache()), Vec::<PathBuf>::new());
    let mut nowhere = repository.http();
    let url = format!("http://127.0.0.1:{}/nowhere.git", repository.serve());
    nowhere.url = GitLocation::Http(Url::parse(&url).unwrap());
    let reason = error(&repository.source(nowhere));
    assert!(
        reason.contains("404") || reason.contains("not found"),
        "{reason}"
    );
    assert_eq!(leftovers(&repository.cache()), Vec::<PathBuf>::new());
}

#[test]
fn g7_leftovers_of_a_killed_process_are_removed() {
    let repository = Repository::new();
    let source = repository.source(repository.http());
    assert_eq!(ids(&source), ["pdf"]);
    let clone = leftovers(&repository.cache()).remove(0);
    let store = clone.parent().unwrap();
    fs::create_dir(store.join(".unfinished-abc")).unwrap();
    repository.skill("csv", "d").commit("second");
    assert_eq!(ids(&source), ["csv", "pdf"]);
    assert!(!store.join(".unfinished-abc").exists());
}

#[test]
fn g8_missing_references_are_reported() {
    let repository = Repository::new();
    for location in [repository.local(), repository.http()] {
        for (reference, expected) in [
            (
                GitRef::Branch("nope".to_owned()),
                "the repository has no branch `nope`",
            ),
            (
                GitRef::Tag("v9".to_owned()),
                "the repository has no tag `v9`",
            ),
            (
                GitRef::Commit("1234567890123456789012345678901234567890".to_owned()),
                "the repository has no commit `1234567890123456789012345678901234567890`",
            ),
            (
                GitRef::Commit("abc1234".to_owned()),
                "invalid commit `abc1234`; write all 40 digits",
            ),
            (GitRef::Branch("-x".to_owned()), "invalid branch `-x`"),
            (GitRef::Branch("a\nb".to_owned()), "invalid branch `a\\nb`"),
            (GitRef::Tag("a..b".to_owned()), "invalid tag `a..b`"),
        ] {
            let mut options = location.clone();
            options.reference = Some(reference);
            assert_eq!(error(&repository.source(options)), expected);
        }
        let mut options = location;
        options.skills_root = Some(SkillPath::parse("nope/deep").unwrap());
        assert_eq!(
            error(&repository.source(options)),
            "`skills_root` not found: the repository has no directory `nope/deep`"
        );
    }
    // A root that leaves the repository is no path inside anything.
    assert!(SkillPath::parse("../x").is_err());
    let missing = repository.options(GitLocation::Local(repository.place.path("nowhere")));
    assert_eq!(
        error(&repository.source(missing)),
        "repository not found: `nowhere`"
    );
}

#[test]
fn g9_two_references_of_one_url_are_apart() {
    let repository = Repository::new();
    repository.git(&["branch", "old"]);
    repository.skill("csv", "d").commit("second");
    let at = |name: &str| {
        let mut options = repository.http();
        options.reference = Some(GitRef::Branch(name.to_owned()));
        repository.source(options)
    };
    let (main, old) = (at("main"), at("old"));
    assert_eq!(ids(&main), ["csv", "pdf"]);
    assert_eq!(ids(&old), ["pdf"]);
    assert_eq!(ids(&main), ["csv", "pdf"]);
}

#[test]
fn g9_many_at_once_do_not_disturb_each_other() {
    let repository = Repository::new();
    let options = repository.http();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            // Each has a source of its own, as processes have.
            scope.spawn(|| assert_eq!(ids(&repository.source(options.clone())), ["pdf"]));
        }
    });
    assert_eq!(leftovers(&repository.cache()).len(), 1);
}

#[test]
fn concurrent_requests_share_one_fetch() {
    let repository = Repository::new();
    let mut options = repository.http();
    options.refresh = HOUR;
    let source = repository.source(options);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| assert_eq!(ids(&source), ["pdf"]));
        }
    });
    let log = fs::read_to_string(repository.place.path("requests.log")).unwrap();
    let fetches = log.lines().filter(|line| line.starts_with("GET")).count();
    assert_eq!(fetches, 1, "{log}");
}

#[test]
fn committed_files_stay_inside_the_checkout() {
    let repository = Repository::new();
    let work = repository.place.path("work");
    repository.place.write(
        "secret/SKILL.md",
        "---\nname: secret\ndescription: d\n---\n",
    );
    std::os::unix::fs::symlink("/etc", work.join("skills/etc")).unwrap();
    std::os::unix::fs::symlink("../../secret", work.join("skills/up")).unwrap();
    std::os::unix::fs::symlink("SKILL.md", work.join("skills/pdf/same.md")).unwrap();
    std::os::unix::fs::symlink("../../../secret/SKILL.md", work.join("skills/pdf/out.md")).unwrap();
    std::os::unix::fs::symlink("pdf", work.join("skills/alias")).unwrap();
    repository.commit("links");
    for options in [repository.local(), repository.http()] {
        let source = repository.source(options);
        let snapshot = block_on(source.snapshot()).unwrap();
        let names: Vec<&str> = snapshot
            .skills
            .iter()
            .map(|skill| skill.id.as_str())
            .collect();
        assert!(!names.contains(&"secret"), "{names:?}");
        assert!(
            snapshot
                .warnings
                .iter()
                .any(|warning| warning.contains("ignored `etc`")),
            "{:?}",
            snapshot.warnings
        );
        let read = |name: &str| {
            block_on(source.read(&id("pdf"), &SkillPath::parse(name).unwrap(), 0, 100))
        };
        assert!(read("same.md").is_ok());
        assert!(read("out.md").is_err());
    }
}

#[test]
fn progress_is_reported() {
    let repository = Repository::new();
    for number in 0..200 {
        repository.skill(&format!("skill-{number}"), "d");
    }
    repository.commit("many");
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let remote = RemoteOptions {
        progress: Some(Arc::new(move |progress| {
            listener.lock().unwrap().push(progress.what.clone());
        })),
        ..repository.remote()
    };
    let source = GitSource::new(repository.http(), Strictness::Tolerant, remote);
    assert_eq!(ids(&source).len(), 201);
    assert!(!told.lock().unwrap().is_empty());
}

#[test]
fn full_disk_is_reported_and_the_checkout_is_kept() {
    let repository = Repository::new();
    let full = repository.place.path("full");
    fs::create_dir(&full).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&full)
        .status()
        .is_ok_and(|status| status.success());
    if !mounted && !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the superuser can mount");
        return;
    }
    assert!(mounted);
    let _unmount = Unmount(full.clone());
    let options = repository.http();
    let source = GitSource::new(
        options,
        Strictness::Tolerant,
        RemoteOptions {
            cache: Some(full.clone()),
            ..RemoteOptions::default()
        },
    );
    assert_eq!(ids(&source), ["pdf"]);
    let before = leftovers(&full);
    let noise: Vec<u8> = (0..600_000_u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    repository
        .place
        .write("work/skills/pdf/assets/noise.bin", noise);
    repository.commit("large");
    // What was there is served, and the reason is said.
    assert_eq!(ids(&source), ["pdf"]);
    let reason = source.freshness().stale.unwrap();
    assert!(reason.contains("No space left on device"), "{reason}");
    assert_eq!(leftovers(&full), before);
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
