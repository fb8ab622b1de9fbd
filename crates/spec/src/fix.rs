//! Fixes a file without guessing.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Edit};
use crate::offsets::apply_edits;
use crate::skill::{Context, parse};

/// Maximum number of rounds; a fix can reveal another problem.
const ROUNDS: usize = 8;

/// A fixed file.
#[derive(Debug)]
pub struct Fixed {
    /// Its text.
    pub text: String,
    /// The fixed diagnostics, as found in the original.
    pub fixed: Vec<Diagnostic>,
}

/// The `SKILL.md` with all fixes applied, or `None` if there are none.
///
/// ```
/// use prowess_spec::{Context, fix};
///
/// let fixed = fix("---\nname: pdf\ndescription: Use when: asked\n---\n", &Context::default());
/// assert_eq!(fixed.unwrap().text, "---\nname: pdf\ndescription: \"Use when: asked\"\n---\n");
/// ```
pub fn fix(text: &str, context: &Context<'_>) -> Option<Fixed> {
    let mut fixed = Fixed {
        text: text.to_owned(),
        fixed: Vec::new(),
    };
    for _ in 0..ROUNDS {
        let mut found = parse(fixed.text.as_bytes(), context).diagnostics;
        found.retain(|diagnostic| !diagnostic.fix.is_empty());
        // It replaces the rest of the file, which would leave out other edits.
        let is_last = |found: &Diagnostic| found.code == Code::MixedLineEndings;
        if !found.iter().all(is_last) {
            found.retain(|diagnostic| !is_last(diagnostic));
        }
        let edits: Vec<Edit> = found.iter().flat_map(|found| found.fix.clone()).collect();
        let text = apply_edits(&fixed.text, &edits);
        if text == fixed.text {
            break;
        }
        fixed.text = text;
        fixed.fixed.append(&mut found);
    }
    (fixed.text != text).then_some(fixed)
}
