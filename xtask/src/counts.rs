//! How many tests passed, failed and were skipped, read from what the runners print.

use std::fmt;
use std::iter::Sum;

/// The sum over everything that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Counts {
    /// Whether not a single test ran; skipped ones did not.
    pub(crate) fn none_ran(self) -> bool {
        self.passed + self.failed == 0
    }

    /// Reads nextest's `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 timed out, 4 skipped`.
    pub(crate) fn from_nextest(line: &str) -> Option<Self> {
        let (_, after_time) = line.strip_prefix("Summary [")?.split_once(']')?;
        let (_, outcomes) = after_time.split_once(" run:")?;
        Self::read(&without_remarks(outcomes), ", ")
    }

    /// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s`.
    pub(crate) fn from_libtest(line: &str) -> Option<Self> {
        let (_, outcomes) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let (outcomes, _) = outcomes.split_once("; finished in ")?;
        Self::read(outcomes, "; ")
    }

    /// Adds up `3 passed`, `1 failed` and so on; a way to fail that has another name is still a failure.
    fn read(outcomes: &str, separator: &str) -> Option<Self> {
        let mut counts = Self::default();
        let mut is_summary = false;
        for outcome in outcomes.trim().split(separator) {
            let Some((number, name)) = outcome.split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match name.trim_end() {
                "passed" => {
                    is_summary = true;
                    counts.passed += number;
                }
                "skipped" | "ignored" | "measured" | "filtered out" => counts.skipped += number,
                _ => counts.failed += number,
            }
        }
        is_summary.then_some(counts)
    }
}

/// Drops what stands in parentheses: `45 passed (1 slow, 2 flaky)` counts 45.
fn without_remarks(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|&c| {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            passed: sum.passed + one.passed,
            failed: sum.failed + one.failed,
            skipped: sum.skipped + one.skipped,
        })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: fn(&str) -> Option<Counts>, line: &str, expected: Option<&str>) {
        let counts = read(line).map(|counts| counts.to_string());
        assert_eq!(counts.as_deref(), expected, "{line}");
    }

    #[test]
    fn nextest_summaries() {
        for (line, expected) in [
            (
                "Summary [   0.123s] 45 tests run: 45 passed, 1 skipped",
                Some("45 passed, 0 failed, 1 skipped"),
            ),
            (
                "Summary [   0.010s] 1 test run: 1 passed, 0 skipped",
                Some("1 passed, 0 failed"),
            ),
            (
                "Summary [  12.000s] 9/45 tests run: 5 passed (2 slow, 1 flaky), 1 failed, 2 timed out, 1 exec failed, 3 skipped",
                Some("5 passed, 4 failed, 3 skipped"),
            ),
            (
                "Summary [   0.000s] 0 tests run: 0 passed, 0 skipped",
                Some("0 passed, 0 failed"),
            ),
            ("Summary of what follows", None),
            ("test result: ok. 3 passed; 0 failed", None),
        ] {
            check(Counts::from_nextest, line, expected);
        }
    }

    #[test]
    fn libtest_results() {
        for (line, expected) in [
            (
                "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s",
                Some("3 passed, 0 failed, 3 skipped"),
            ),
            (
                "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s",
                Some("3 passed, 2 failed"),
            ),
            (
                "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                Some("0 passed, 0 failed"),
            ),
            ("test name::of_a_test ... ok", None),
            ("Summary [ 0.1s] 1 test run: 1 passed, 0 skipped", None),
        ] {
            check(Counts::from_libtest, line, expected);
        }
    }

    #[test]
    fn sums_and_notices_that_nothing_ran() {
        let skipped = Counts {
            skipped: 4,
            ..Counts::default()
        };
        let passed = Counts {
            passed: 2,
            ..Counts::default()
        };
        assert!(skipped.none_ran());
        let sum: Counts = [skipped, passed, passed].into_iter().sum();
        assert!(!sum.none_ran());
        assert_eq!(sum.to_string(), "4 passed, 0 failed, 4 skipped");
    }
}
