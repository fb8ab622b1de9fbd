//! Any bytes as a file of a skill that is audited.
#![no_main]

mod scanned;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| scanned::scan(data));
