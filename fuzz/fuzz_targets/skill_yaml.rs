//! Any bytes as a SKILL.yaml.
#![no_main]

use std::hint::black_box;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    black_box(data);
});
