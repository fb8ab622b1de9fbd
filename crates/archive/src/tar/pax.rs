//! Headers of headers: lines of `length key=value`.

use crate::problem::TarProblem;
use crate::shown::Shown;

/// The relevant records of a pax header for the next entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) target: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
}

/// Reads the records of one header.
pub(super) fn parse(mut bytes: &[u8]) -> Result<Pax, TarProblem> {
    let mut pax = Pax::default();
    while !bytes.is_empty() {
        let (key, value, rest) = record(bytes).ok_or(TarProblem::Pax)?;
        bytes = rest;
        match key {
            b"path" => once(&mut pax.path, filled(value)?, "name")?,
            b"linkpath" => once(&mut pax.target, filled(value)?, "link target")?,
            b"size" => once(
                &mut pax.size,
                decimal(value).ok_or(TarProblem::Pax)?,
                "size",
            )?,
            _ if changes_the_entry(key, value) => {
                return Err(TarProblem::PaxKey(Shown::new(key)));
            }
            _ => {}
        }
    }
    Ok(pax)
}

fn once<T>(slot: &mut Option<T>, value: T, what: &'static str) -> Result<(), TarProblem> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(TarProblem::Twice(what)),
    }
}

/// An empty value deletes an earlier one, which is not supported.
fn filled(value: &[u8]) -> Result<Vec<u8>, TarProblem> {
    if value.is_empty() {
        return Err(TarProblem::Pax);
    }
    Ok(value.to_vec())
}

/// Sparse files in all their dialects, and names in another encoding.
fn changes_the_entry(key: &[u8], value: &[u8]) -> bool {
    const UTF_8: &[u8] = b"ISO-IR 10646 2000 UTF-8";
    key.starts_with(b"GNU.sparse.")
        || key == b"SCHILY.realsize"
        || key == b"SCHILY.filetype"
        || key == b"SUN.holesdata"
        || (key == b"hdrcharset" && value != UTF_8)
}

/// The first record, and what follows it.
fn record(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let digits = bytes.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(decimal(bytes.get(..digits)?)?).ok()?;
    let (record, rest) = bytes.split_at_checked(length)?;
    let record = record.get(digits + 1..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    let (key, value) = record.split_at_checked(equals)?;
    let value = value.get(1..)?;
    (!key.is_empty()).then_some((key, value, rest))
}

fn decimal(digits: &[u8]) -> Option<u64> {
    let all = digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok()?;
    if all { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &Result<Pax, TarProblem>) {
        assert_eq!(parse(bytes), *expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn records() {
        check(b"", &Ok(Pax::default()));
        let named = Pax {
            path: Some(b"a/b".to_vec()),
            ..Pax::default()
        };
        check(b"12 path=a/b\n", &Ok(named));
        let sized = Pax {
            size: Some(7),
            ..Pax::default()
        };
        check(b"10 size=7\n20 mtime=1234567.89\n", &Ok(sized));
        for malformed in [
            &b"11 path=a/b\n"[..],
            b"13 path=a/b\n",
            b"99 path=a/b\n",
            b"path=a/b\n",
            b" path=a\n",
            b"12 patha/bc\n",
            b"5 =a\n",
            b"8 path=\n",
            b"0 ",
            b"99999999999999999999 path=a\n",
            b"11 size=-7\n",
            b"10 size=x\n",
        ] {
            check(malformed, &Err(TarProblem::Pax));
        }
        check(b"10 path=a\n10 path=b\n", &Err(TarProblem::Twice("name")));
    }
}
