//! How many errors a long program has, told from parts of it.

use std::hash::{DefaultHasher, Hasher};

use crate::bounded::tree;
use crate::errors::errors;
use crate::language::CodeLanguage;

/// Bytes of a part of a long source that is tried first.
const WINDOW: usize = 2048;
/// In each stretch of this length there is one such part.
const STRETCH: usize = 32 * 1024;
/// Ticks for a part.
const WINDOW_TICKS: usize = 400;

/// How many errors a long source has; trying it costs `ticks`. A short one is simply parsed.
///
/// Where the parts are depends on the content, so that no place of a file is known to be looked at.
pub(crate) fn expected_errors(
    source: &str,
    bytes: &[u8],
    language: CodeLanguage,
    ticks: &mut usize,
) -> usize {
    if source.len() <= 2 * WINDOW {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    let mut found = 0_usize;
    let mut sampled = 0_usize;
    for stretch in (0..source.len()).step_by(STRETCH) {
        let length = STRETCH.min(source.len() - stretch);
        hasher.write_usize(stretch);
        let room = u64::try_from(length.saturating_sub(WINDOW)).unwrap_or(0);
        let offset = usize::try_from(hasher.finish() % (room + 1)).unwrap_or(0);
        let start = line_start(source, stretch + offset);
        let end = source.floor_char_boundary(start + WINDOW);
        let (Some(part), Some(bytes)) = (source.get(start..end), bytes.get(start..end)) else {
            continue;
        };
        let allowed = WINDOW_TICKS.min(*ticks);
        let mut left = allowed;
        let sample = tree(bytes, part, language, &mut left);
        *ticks -= allowed - left;
        // What is cut off at both ends is not an error.
        found += match sample {
            Some(tree) => errors(&tree).0.saturating_sub(2),
            None => WINDOW / 10,
        };
        sampled += part.len().max(1);
    }
    found.saturating_mul(source.len() / sampled.max(1))
}

/// The beginning of the line that `at` is in, if that is near.
fn line_start(source: &str, at: usize) -> usize {
    let at = source.floor_char_boundary(at);
    let near = source.floor_char_boundary(at.saturating_sub(200));
    source
        .get(near..at)
        .and_then(|before| before.rfind('\n'))
        .map_or(at, |newline| near + newline + 1)
}
