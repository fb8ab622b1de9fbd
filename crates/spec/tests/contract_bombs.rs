//! Row F21 of the contract. It is a binary of its own because it measures the memory of its process.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fmt::Write;
use std::fs;
use std::time::Duration;

use prowess_spec::Code;
use support::frontmatter;

const TIME: Duration = Duration::from_millis(50);
const MEMORY_KIB: u64 = 16 * 1024;

/// The most memory that this process had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// The time that this thread ran; other processes do not count.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

fn aliases() -> String {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for pair in ["ab", "bc", "cd", "de", "ef", "fg", "gh"] {
        let (of, name) = pair.split_at(1);
        let aliases = vec![format!("*{of}"); 9].join(", ");
        writeln!(text, "{name}: &{name} [{aliases}]").unwrap();
    }
    text
}

fn nested(depth: usize) -> String {
    format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn f21_bombs_are_skipped_in_little_time_and_memory() {
    let text_aliases = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(9_000),
        "*a, ".repeat(5_000)
    );
    let bombs = [
        (aliases(), Code::YamlTooLarge),
        (text_aliases, Code::YamlTooLarge),
        (nested(100), Code::YamlTooDeep),
        (
            format!("a: [{}x]\n", "x, ".repeat(20_000)),
            Code::YamlTooLarge,
        ),
        (
            format!("a: {}\n", "x".repeat(1024 * 1024)),
            Code::FrontmatterTooLarge,
        ),
    ]
    .map(|(text, code)| (format!("name: pdf\ndescription: d\n{text}"), code));
    assert!(frontmatter("name: pdf\ndescription: d\n").skill.is_some());
    let before = peak();
    for (text, code) in &bombs {
        let times = (0..3).map(|_| {
            let start = cpu_time();
            let outcome = frontmatter(text);
            let time = cpu_time().saturating_sub(start);
            outcome.skipped(*code);
            time
        });
        let worst = times.min().unwrap();
        assert!(worst < TIME, "{code}: {worst:?}");
    }
    let used = peak() - before;
    assert!(used < MEMORY_KIB, "{used} KiB");
    let within = format!("name: pdf\ndescription: d\n{}", nested(60));
    assert!(frontmatter(&within).skill.is_some());
}
