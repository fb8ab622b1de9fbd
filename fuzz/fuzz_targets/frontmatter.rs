//! Any bytes as the frontmatter of a SKILL.md.
#![no_main]

#[allow(dead_code, reason = "each target checks its own part")]
mod invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| invariants::frontmatter(data));
