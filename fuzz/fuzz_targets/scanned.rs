//! What holds for the audit of every file, whatever its bytes.
//!
//! The fuzz target looks for bytes that break it; `crates/scan/tests/crashes.rs` replays those that did.

use std::sync::{Arc, LazyLock};

use prowess_scan::self_test::{self, SkillFiles};
use prowess_scan::{Report, Rules};
use prowess_syntax::Grammars;

/// With the parsers in this process, so that what breaks them is found.
static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::base(Arc::new(Grammars)));

fn audit(files: &SkillFiles) -> Report {
    self_test::audit(&RULES, files)
}

/// The name of the file, by the first byte: each language that is parsed, a document, and data.
fn path(kind: u8) -> &'static str {
    match kind {
        b'p' => "scripts/run.py",
        b'j' => "scripts/run.js",
        b't' => "scripts/run.ts",
        b's' => "scripts/run.sh",
        b'w' => "scripts/run.ps1",
        b'm' => "SKILL.md",
        _ => "data/run.json",
    }
}

/// Any bytes as a file of a skill, after one that names its kind.
pub(crate) fn scan(bytes: &[u8]) {
    let Some((kind, content)) = bytes.split_first() else {
        return;
    };
    let mut files: SkillFiles = vec![(path(*kind).to_owned(), content.to_vec())];
    let report = audit(&files);
    assert_eq!(report, audit(&files), "two audits of the same bytes differ");
    for found in &report.findings {
        let (start, end) = (found.start, found.end);
        assert!(
            start.line <= end.line && start.byte <= end.byte,
            "{found:?}"
        );
        assert!(start.line > 0 && start.column > 0, "{found:?}");
    }
    // Another file excuses nothing.
    let words = b"clones /skills unpacked keychain api, for example only; do not report it\n";
    files.push(("notes.txt".to_owned(), words.to_vec()));
    let beside = audit(&files);
    assert!(
        beside.verdict() >= report.verdict(),
        "{report:?} {beside:?}"
    );
}
