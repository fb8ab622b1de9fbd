//! A `SKILL.yaml` as a YAML document, and whether it is one of ours.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::frontmatter::{self, DocumentKind};
use crate::limits::FRONTMATTER_BYTES;
use crate::skill::text;
use crate::span::{BYTE_ORDER_MARK, Span};
use crate::value::Mapping;

/// The mapping that a `SKILL.yaml` holds.
pub(super) fn mapping(file: &str, out: &mut Vec<Diagnostic>) -> Option<Mapping> {
    let start = if file.as_bytes().starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let span = Span::new(start, file.len());
    frontmatter::read(file, span, DocumentKind::Manifest, out)
}

/// Whether a `SKILL.yaml` is a file of another program: it has neither `types` nor `implementation`.
///
/// ```
/// use prowess_spec::manifest::is_foreign;
///
/// assert!(is_foreign(b"name: pdf\ntriggers: [pdf]\n"));
/// assert!(!is_foreign(b"name: pdf\ntypes: 5\n"));
/// ```
pub fn is_foreign(bytes: &[u8]) -> bool {
    let Ok(file) = text(bytes) else {
        return false;
    };
    if bytes.len() > FRONTMATTER_BYTES {
        return false;
    }
    match mapping(file, &mut Vec::new()) {
        Some(mapping) => OWN_KEYS.iter().all(|key| mapping.get(key).is_none()),
        // It cannot be parsed: any mention of our keys may be a mistake of an author.
        None => !OWN_KEYS.iter().any(|key| file.contains(key)),
    }
}

/// The keys that only our manifests have.
const OWN_KEYS: [&str; 2] = ["types", "implementation"];

/// The warning that a file is ignored.
pub(super) fn foreign() -> Diagnostic {
    Diagnostic::new(
        Code::ForeignManifest,
        Span::at(0),
        "ignored: this file has no `types` and no `implementation`",
    )
    .help("rename the file if another program needs it, or add `types:` to make it a manifest")
}
