//! Which limit of the operating system a worker died of.
//!
//! A worker that exceeds a limit within one operation cannot respond: the kernel or its runtime ends it. It leaves a
//! signal and possibly a last line on standard error. [`limit_of`] reads both.
//!
//! | what happened | signal | last word |
//! |---|---|---|
//! | an allocation failed | `SIGABRT` | `memory allocation of N bytes failed`, `out of memory`, `capacity overflow` |
//! | the stack overflowed | `SIGABRT` | `has overflowed its stack` |
//! | too much processor time | `SIGXCPU` | none |
//! | wrote to a file | `SIGXFSZ` | none |
//! | a system call that is not allowed | `SIGSYS` | none |
//!
//! A plain `SIGSEGV` is a crash without a limit. In a Starlark worker it has one known cause: the memory limit, when
//! the table of a dict cannot be allocated and the interpreter does not check. The worker stops ordinary code before
//! that.
//!
//! `SIGKILL` stays without an answer here: the host itself sends it at its deadline, and knows that it did.

use std::fmt;

/// A limit of the operating system that ends a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// It requested more memory than allowed.
    Memory,
    /// It nested calls or values deeper than its stack holds.
    Stack,
    /// It computed for longer than it may.
    Processor,
    /// It wrote to a file, which no worker may.
    FileSize,
    /// It made a system call that it may not make.
    SystemCall,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "the memory limit",
            Self::Stack => "the nesting limit (stack overflow)",
            Self::Processor => "the CPU time limit",
            Self::FileSize => "the file size limit",
            Self::SystemCall => "the system call limit",
        })
    }
}

const SIGABRT: i32 = 6;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;
const SIGSYS: i32 = 31;

/// Last words and their limits.
const LAST_WORDS: [(&str, Limit); 4] = [
    ("memory allocation of ", Limit::Memory),
    ("out of memory", Limit::Memory),
    ("capacity overflow", Limit::Memory),
    ("has overflowed its stack", Limit::Stack),
];

/// Which limit ended a worker that `signal` killed after it wrote `stderr_tail`; nothing if it was none of them.
///
/// ```
/// use prowess_sdk::{Limit, limit_of};
///
/// let tail = "memory allocation of 2000000000 bytes failed\n";
/// assert_eq!(limit_of(tail, Some(6)), Some(Limit::Memory));
/// assert_eq!(limit_of("", Some(24)), Some(Limit::Processor));
/// assert_eq!(limit_of(tail, None), None); // it ended by itself
/// ```
pub fn limit_of(stderr_tail: &str, signal: Option<i32>) -> Option<Limit> {
    match signal? {
        SIGXCPU => Some(Limit::Processor),
        SIGXFSZ => Some(Limit::FileSize),
        SIGSYS => Some(Limit::SystemCall),
        SIGABRT => {
            let said = |(words, limit)| stderr_tail.rfind(words).map(|at| (at, limit));
            let last = LAST_WORDS.into_iter().filter_map(said).max();
            last.map(|(_, limit)| limit)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_derived_from_signal_and_output() {
        let allocation = "memory allocation of 2400000000 bytes failed\n";
        let arena = "worker panicked: out of memory at bumpalo/src/lib.rs:1\n";
        let vector = "worker panicked: capacity overflow at alloc/raw_vec.rs:1\n";
        let stack = "\nthread 'worker' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        let table = [
            (allocation, Some(6), Some(Limit::Memory)),
            (arena, Some(6), Some(Limit::Memory)),
            (vector, Some(6), Some(Limit::Memory)),
            (stack, Some(6), Some(Limit::Stack)),
            ("", Some(24), Some(Limit::Processor)),
            (allocation, Some(24), Some(Limit::Processor)),
            ("", Some(25), Some(Limit::FileSize)),
            ("", Some(31), Some(Limit::SystemCall)),
            ("", Some(6), None),
            ("worker panicked: index out of bounds\n", Some(6), None),
            (allocation, None, None),
            (allocation, Some(9), None),
            (stack, Some(11), None),
        ];
        for (tail, signal, expected) in table {
            assert_eq!(limit_of(tail, signal), expected, "{tail:?} {signal:?}");
        }
        let both = format!("{allocation}{stack}");
        assert_eq!(limit_of(&both, Some(6)), Some(Limit::Stack));
    }
}
