//! Any bytes as a whole SKILL.md.
#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    black_box(data);
});
