//! What holds for every file, whatever its bytes.
//!
//! The fuzz targets look for bytes that break it; `crates/spec/tests/crashes.rs` replays those that did.

use prowess_spec::manifest::{self, ParsedManifest};
use prowess_spec::{
    Code, Context, Diagnostic, Edit, Head, Profile, Skill, apply_edits, fix, head, is_valid, parse,
    render_frontmatter,
};
use serde::Serialize;
use serde_json::Value;

const DIRECTORY: &str = "some-dir";

const CONTEXT: Context<'_> = Context {
    directory: Some(DIRECTORY),
    exists: Some(&|_| false),
};

/// What reading mends on the way, and what a mended file must therefore be free of.
const REPAIRED: [Code; 9] = [
    Code::BadQuoting,
    Code::HeadingAsKey,
    Code::MalformedDelimiter,
    Code::MergeConflict,
    Code::MissingDelimiter,
    Code::TabIndentation,
    Code::UnindentedText,
    Code::UnquotedColon,
    Code::UnquotedScalar,
];

/// Any bytes as a whole `SKILL.md`.
pub(crate) fn skill_md(bytes: &[u8]) {
    let parsed = parse(bytes, &CONTEXT);
    spans_lie_within(bytes, &parsed.diagnostics);
    let head = head(bytes, Some(DIRECTORY));
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(parsed.skill.is_none(), "a skill of bytes that are not text");
        return;
    };
    same_head(head.as_ref(), parsed.skill.as_ref());
    if let Some(head) = &head {
        let behind = text.get(head.body_start..).unwrap_or_default();
        assert!(behind.trim_start().starts_with(parsed.body), "{head:?}");
    }
    apply_edits(text, &edits(&parsed.diagnostics));
    let Some(skill) = &parsed.skill else { return };
    if let Some(fixed) = fix(text, &CONTEXT) {
        let again = parse(fixed.text.as_bytes(), &CONTEXT);
        let read = again.skill.map(|again| (again.name, again.description));
        let meant = (skill.name.clone(), skill.description.clone());
        assert_eq!(read, Some(meant), "{}", fixed.text);
        is_mended(&again.diagnostics);
    }
}

/// Any bytes as the frontmatter of a `SKILL.md`.
pub(crate) fn frontmatter(bytes: &[u8]) {
    let file = [b"---\n", bytes, b"\n---\nbody"].concat();
    skill_md(&file);
    if let Some(skill) = parse(&file, &CONTEXT).skill {
        let rendered = render_frontmatter(&skill.frontmatter);
        let file = format!("---\n{rendered}---\n");
        let again = parse(file.as_bytes(), &CONTEXT).skill;
        same_frontmatter(&skill, again.as_ref(), &rendered);
    }
}

/// Any bytes as a `SKILL.yaml`.
pub(crate) fn skill_yaml(bytes: &[u8]) {
    let bare = manifest::parse(bytes, &CONTEXT, None);
    let context = Context {
        exists: Some(&|_| true),
        ..CONTEXT
    };
    let complete = manifest::parse(bytes, &context, None);
    for parsed in [&bare, &complete] {
        spans_lie_within(bytes, &parsed.diagnostics);
        is_whole(parsed);
    }
    differ_in_files(&bare.diagnostics, &complete.diagnostics);
}

pub(crate) fn spans_lie_within(bytes: &[u8], diagnostics: &[Diagnostic]) {
    let text = std::str::from_utf8(bytes).ok();
    for found in diagnostics {
        let spans = std::iter::once(found.span).chain(found.fix.iter().map(|edit| edit.span));
        for span in spans {
            let lies_within = bytes.get(span.start..span.end).is_some();
            let between_characters =
                text.is_none_or(|text| text.get(span.start..span.end).is_some());
            assert!(lies_within && between_characters, "{span:?} of {found:?}");
        }
    }
}

/// The fast way finds what the whole way finds, in every field that it has.
pub(crate) fn same_head(head: Option<&Head<'_>>, skill: Option<&Skill>) {
    assert_eq!(head.is_some(), skill.is_some(), "{head:?} {skill:?}");
    let (head, skill) = (json(&head), json(&skill));
    for (field, value) in head.as_object().into_iter().flatten() {
        let whole = skill.get(field).or_else(|| skill.get("client")?.get(field));
        if field != "body_start" {
            assert_eq!(Some(value), whole, "{field}");
        }
    }
}

pub(crate) fn is_mended(diagnostics: &[Diagnostic]) {
    for found in diagnostics {
        assert!(!REPAIRED.contains(&found.code), "still there: {found:?}");
    }
}

/// What is written reads back as what it was written from.
pub(crate) fn same_frontmatter(skill: &Skill, again: Option<&Skill>, rendered: &str) {
    // As text, because the order of the fields counts.
    let text = |skill: &Skill| serde_json::to_string(&skill.frontmatter).unwrap_or_default();
    assert_eq!(again.map(text), Some(text(skill)), "{rendered}");
}

/// There is a manifest only where nothing is wrong with it, and a reason where there is none.
pub(crate) fn is_whole(parsed: &ParsedManifest) {
    let valid = is_valid(&parsed.diagnostics, Profile::Load);
    assert_eq!(parsed.manifest.is_some(), valid, "{:?}", parsed.diagnostics);
}

/// Files that are missing change nothing but what is said about files.
pub(crate) fn differ_in_files(bare: &[Diagnostic], complete: &[Diagnostic]) {
    let others = |found: &&Diagnostic| found.code != Code::MissingFile;
    let bare: Vec<&Diagnostic> = bare.iter().filter(others).collect();
    let complete: Vec<&Diagnostic> = complete.iter().collect();
    assert_eq!(bare, complete);
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn edits(diagnostics: &[Diagnostic]) -> Vec<Edit> {
    let fixes = diagnostics.iter().map(|found| found.fix.clone());
    fixes.flatten().collect()
}
