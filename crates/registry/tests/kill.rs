//! Row L6: transactions that are killed at random moments.
#![cfg(test)]
#![cfg(unix)]

use std::env;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use prowess_registry::{Content, Fingerprint, PackageFile, PackageTree, Transaction, leftovers};
use prowess_spec::SkillPath;
use prowess_testing::{Random, TestDirectory};

const CHILD: &str = "PROWESS_TEST_KILLED_CHILD";
const NAMES: [&str; 3] = ["a", "b", "c"];

fn tree(version: usize) -> PackageTree {
    let file = |text: String| PackageFile {
        bytes: text.into_bytes(),
        executable: false,
    };
    let files = (0..5).map(|number| {
        let path = SkillPath::parse(&format!("d{number}/f")).unwrap();
        (path, file(format!("{version} {number}")))
    });
    PackageTree::new(files).unwrap()
}

fn begin(root: &Path) -> Transaction {
    let (skills, journals) = (root.join("skills"), root.join("journals"));
    Transaction::begin(&skills, Some(root), &journals, || {}).unwrap()
}

fn put(transaction: &mut Transaction, path: &Path, content: &Content<'_>) {
    let before = Fingerprint::of(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    transaction
        .put(path.parent().unwrap(), name, content, &before)
        .unwrap();
}

/// Brings everything to a version: three directories, a link and a file in other directories.
fn change(root: &Path, version: usize) {
    let mut transaction = begin(root);
    for name in NAMES {
        let path = root.join("skills").join(name);
        // Every second version has no `c`.
        if name == "c" && version % 2 == 1 {
            let before = Fingerprint::of(&path).unwrap();
            transaction
                .remove(&root.join("skills"), name, &before)
                .unwrap();
        } else {
            put(&mut transaction, &path, &Content::Tree(&tree(version)));
        }
    }
    let target = version.to_string();
    let link = Content::Link(Path::new(&target));
    put(&mut transaction, &root.join("links/link"), &link);
    put(
        &mut transaction,
        &root.join("lock"),
        &Content::File(target.as_bytes()),
    );
    let kept = transaction.commit().unwrap();
    assert_eq!(kept, Vec::<std::path::PathBuf>::new());
}

/// The version that everything is at; every part must have the same.
fn version(root: &Path) -> usize {
    let text = fs::read_to_string(root.join("lock")).unwrap();
    let version: usize = text.parse().unwrap();
    let link = fs::read_link(root.join("links/link")).unwrap();
    assert_eq!(link.to_str(), Some(text.as_str()));
    for name in NAMES {
        let directory = root.join("skills").join(name);
        if name == "c" && version % 2 == 1 {
            assert!(!directory.exists(), "{version}");
        } else {
            let (found, _) = PackageTree::read_directory(&directory).unwrap();
            assert_eq!(found, tree(version), "{name}");
        }
    }
    for directory in [root.to_owned(), root.join("skills"), root.join("links")] {
        assert_eq!(leftovers(&directory), Vec::<std::path::PathBuf>::new());
    }
    assert_eq!(journals(root), 0);
    version
}

/// Journals of unfinished changes.
fn journals(root: &Path) -> usize {
    let entries = fs::read_dir(root.join("journals")).unwrap().flatten();
    let journals = entries.filter(|it| it.path().extension().is_some_and(|it| it == "json"));
    journals.count()
}

/// Changes versions until it is killed. It does nothing when it is run as a test.
#[test]
fn killed_child() {
    let Some(root) = env::var_os(CHILD) else {
        return;
    };
    let root = Path::new(&root);
    let first = version(root);
    println!("ready");
    for next in first + 1.. {
        change(root, next);
    }
}

#[test]
fn l6_transactions_are_killed_at_random_moments() {
    let directory = TestDirectory::in_memory();
    let root = directory.root();
    change(root, 0);
    let mut random = Random::of_run(19);
    let (mut done, mut unfinished) = (0, 0);
    for _ in 0..850 {
        let before = version(root);
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["killed_child", "--exact", "--nocapture"])
            .env(CHILD, root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"ready\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            seen.push(byte[0]);
        }
        thread::sleep(Duration::from_micros(random.below(4_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        unfinished += usize::from(journals(root) > 0);
        // The next process finishes what was begun.
        drop(begin(root));
        done += usize::from(version(root) != before);
    }
    assert!(done > 100 && unfinished > 100, "{done} {unfinished}");
}
