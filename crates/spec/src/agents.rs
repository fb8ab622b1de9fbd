//! `AGENTS.md`: the skills that a project names in its frontmatter.

use crate::diagnostic::Diagnostic;
use crate::frame;
use crate::frontmatter::{self, DocumentKind};
use crate::limits::FILE_BYTES;
use crate::value::{Node, Value};

/// The skills that the frontmatter of an `AGENTS.md` names under `skills`, and what is wrong there.
///
/// A file without frontmatter names none, which is valid.
///
/// ```
/// let file = b"---\nskills: [kubernetes, rfc-writer]\n---\n# Our agents\n";
/// assert_eq!(prowess_spec::agents_skills(file).0, ["kubernetes", "rfc-writer"]);
/// assert!(prowess_spec::agents_skills(b"# Our agents\n").0.is_empty());
/// ```
pub fn agents_skills(bytes: &[u8]) -> (Vec<String>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let bytes = bytes.get(..FILE_BYTES).unwrap_or(bytes);
    let Some(frame) = frame::split_standard(bytes) else {
        return (Vec::new(), diagnostics);
    };
    let Ok(file) = std::str::from_utf8(bytes) else {
        return (Vec::new(), diagnostics);
    };
    let mapping = frontmatter::read(
        file,
        frame.frontmatter,
        DocumentKind::Frontmatter,
        &mut diagnostics,
    );
    let named = mapping.as_ref().and_then(|mapping| mapping.get("skills"));
    (named.map(names).unwrap_or_default(), diagnostics)
}

fn names(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Sequence(items) => items.iter().flat_map(names).collect(),
        _ => match node.as_scalar() {
            // `skills: a, b` is what people write, too.
            Some(scalar) if !node.is_null() => scalar
                .text
                .split([',', ' '])
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        },
    }
}
