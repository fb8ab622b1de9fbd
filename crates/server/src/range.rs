//! Parts of a file.

/// The requested range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// All of it, or something that is as well answered with all of it.
    Whole,
    /// From `start` to before `end`; at least one byte, all of them there.
    Part { start: u64, end: u64 },
    /// Nothing that is there.
    Outside,
}

impl Range {
    /// Resolves a `Range` header for a file of `size` bytes. Several ranges yield the whole file, as the standard
    /// allows.
    pub(crate) fn parse(header: Option<&str>, size: u64) -> Self {
        let Some(spec) = header.and_then(|text| text.trim().strip_prefix("bytes=")) else {
            return Self::Whole;
        };
        let Some((first, last)) = spec.split_once('-') else {
            return Self::Whole;
        };
        let (start, end) = match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => (first, last.saturating_add(1).min(size)),
            (Some(first), None) if last.trim().is_empty() => (first, size),
            (None, Some(count)) if first.trim().is_empty() => (size.saturating_sub(count), size),
            _ => return Self::Whole,
        };
        if start < end {
            Self::Part { start, end }
        } else {
            Self::Outside
        }
    }
}

fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // More than there can be is as good as the most there can be.
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, size: u64, expected: Range) {
        assert_eq!(Range::parse(Some(header), size), expected, "{header}");
    }

    #[test]
    fn one_range_or_everything() {
        assert_eq!(Range::parse(None, 10), Range::Whole);
        check("bytes=0-3", 10, Range::Part { start: 0, end: 4 });
        check("bytes=4-", 10, Range::Part { start: 4, end: 10 });
        check("bytes=9-99", 10, Range::Part { start: 9, end: 10 });
        check("bytes=-3", 10, Range::Part { start: 7, end: 10 });
        check("bytes=-30", 10, Range::Part { start: 0, end: 10 });
        let most = "bytes=0-99999999999999999999999";
        check(most, 10, Range::Part { start: 0, end: 10 });
        for outside in [
            "bytes=10-",
            "bytes=10-12",
            "bytes=-0",
            "bytes=99999999999999999999999-",
        ] {
            check(outside, 10, Range::Outside);
        }
        check("bytes=0-0", 0, Range::Outside);
        check("bytes=-5", 0, Range::Outside);
        for nonsense in [
            "bytes=5-4",
            "bytes=a-b",
            "bytes=-",
            "bytes=",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=+1-2",
            "0-1",
            "bytes=1",
        ] {
            check(nonsense, 10, Range::Whole);
        }
    }
}
