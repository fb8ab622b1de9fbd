//! The tests of `hostile.rs` again, with the C of the parsers built so that it reports memory that is not its own.
#![cfg(test)]

use std::process::Command;

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn q56_the_parsers_touch_only_memory_of_their_own() {
    let library = Command::new("cc")
        .arg("-print-file-name=libasan.so")
        .output()
        .unwrap();
    let library = String::from_utf8(library.stdout).unwrap();
    // A compiler without it answers with the bare name.
    assert!(
        library.starts_with('/'),
        "the C compiler has no AddressSanitizer; install gcc"
    );
    let output = Command::new(env!("CARGO"))
        .args([
            "test",
            "--locked",
            "--package",
            "prowess-syntax",
            "--features",
            "grammars",
        ])
        .args(["--test", "hostile"])
        .env(
            "CARGO_TARGET_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/sanitized"),
        )
        .env("CFLAGS", "-fsanitize=address")
        .env("RUSTFLAGS", "-Clink-arg=-lasan")
        .env(
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
            format!("env LD_PRELOAD={}", library.trim()),
        )
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("6 passed"), "{text}{errors}");
}
