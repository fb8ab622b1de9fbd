//! Names of entries and targets of links, read strictly.

use prowess_spec::SkillPath;

use crate::error::Error;
use crate::limits::{PART_BYTES, PATH_BYTES};
use crate::problem::{LinkProblem, NameProblem};
use crate::shown::Shown;

/// Whether a name ends like a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    /// It ends with `/`, or is the root.
    Ends,
    /// It does not.
    None,
}

/// A name that stays inside the tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Where it leads; `None` is the root of the tree, as in the `./` that tar writes.
    pub(crate) path: Option<SkillPath>,
    pub(crate) slash: Slash,
}

impl Name {
    /// Parses a name. `SkillPath` tolerates backslashes and dots because users type them; names of entries are not
    /// typed.
    pub(crate) fn parse(bytes: &[u8], depth: usize) -> Result<Self, Error> {
        let refuse = |problem| Error::name(bytes, problem);
        if bytes.is_empty() {
            return Err(refuse(NameProblem::Empty));
        }
        if bytes.len() > PATH_BYTES {
            return Err(refuse(NameProblem::Long));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| refuse(NameProblem::NotUtf8))?;
        if text.contains(char::is_control) {
            return Err(refuse(NameProblem::Control));
        }
        if text.contains('\\') {
            return Err(refuse(NameProblem::Backslash));
        }
        if text.starts_with('/') {
            return Err(refuse(NameProblem::Absolute));
        }
        let mut rest = text;
        while let Some(below) = rest.strip_prefix("./") {
            rest = below;
        }
        if rest.is_empty() || rest == "." {
            let slash = Slash::Ends;
            return Ok(Self { path: None, slash });
        }
        let (rest, slash) = match rest.strip_suffix('/') {
            Some(rest) => (rest, Slash::Ends),
            None => (rest, Slash::None),
        };
        for (index, part) in rest.split('/').enumerate() {
            let problem = match part {
                "" | "." => NameProblem::Part,
                ".." => NameProblem::Traversal,
                _ if has_drive(part) => NameProblem::Drive,
                _ if part.len() > PART_BYTES => NameProblem::Long,
                _ if index >= depth => NameProblem::Deep(depth),
                _ => continue,
            };
            return Err(refuse(problem));
        }
        let path = SkillPath::parse(rest).map_err(|_| refuse(NameProblem::Part))?;
        let path = Some(path);
        Ok(Self { path, slash })
    }

    /// The path of something other than a directory.
    pub(crate) fn file(self, bytes: &[u8]) -> Result<SkillPath, Error> {
        match self {
            Self {
                path: Some(path),
                slash: Slash::None,
            } => Ok(path),
            _ => Err(Error::name(bytes, NameProblem::Slash)),
        }
    }
}

fn has_drive(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.as_bytes().get(1) == Some(&b':')
}

/// Parses the target of a symbolic link at `path`; [`crate::names::Names`] checks that it stays inside.
pub(crate) fn target<'a>(
    path: &SkillPath,
    bytes: &'a [u8],
    depth: usize,
) -> Result<&'a str, Error> {
    let refuse = |problem| Error::Link {
        name: Shown::new(path.as_str()),
        target: Shown::new(bytes),
        problem,
    };
    if bytes.len() > PATH_BYTES {
        return Err(refuse(LinkProblem::Long));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| refuse(LinkProblem::Unreadable))?;
    if text.is_empty() || text.contains('\\') || text.contains(char::is_control) {
        return Err(refuse(LinkProblem::Unreadable));
    }
    if text.starts_with('/') || text.split('/').any(has_drive) {
        return Err(refuse(LinkProblem::Absolute));
    }
    let parts = text.split('/');
    if parts.clone().any(|part| part.len() > PART_BYTES) || parts.count() > depth.saturating_mul(2)
    {
        return Err(refuse(LinkProblem::Long));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &[u8], expected: Result<Option<&str>, NameProblem>) {
        let parsed = match Name::parse(name, 3) {
            Ok(name) => Ok(name.path.map(|path| path.to_string())),
            Err(Error::Name { problem, .. }) => Err(problem),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(parsed, expected.map(|path| path.map(str::to_owned)));
    }

    #[test]
    fn q50_a_name_with_control_characters_is_refused_and_escaped() {
        for (name, shown) in [
            ("a\nforged", "a\\nforged"),
            ("d\r/x", "d\\r/x"),
            ("a\u{1b}[2K", "a\\u{1b}[2K"),
            ("a\u{9b}m", "a\\u{9b}m"),
        ] {
            let error = Name::parse(name.as_bytes(), 3).unwrap_err();
            let (problem, text) = match &error {
                Error::Name { problem, .. } => (problem, error.to_string()),
                other => panic!("{other}"),
            };
            assert_eq!(*problem, NameProblem::Control);
            assert!(
                text.contains(shown) && !text.contains(char::is_control),
                "{text}"
            );
        }
    }

    #[test]
    fn only_plain_names_below_the_root() {
        check(b"a", Ok(Some("a")));
        check(b"a/b/c", Ok(Some("a/b/c")));
        check(b"a/", Ok(Some("a")));
        check(b"./a", Ok(Some("a")));
        check(b"././a/", Ok(Some("a")));
        check(b"./", Ok(None));
        check(b".", Ok(None));
        check(b".a", Ok(Some(".a")));
        check(b"...", Ok(Some("...")));
        check(b"ab:c", Ok(Some("ab:c")));
        check("\u{e9}".as_bytes(), Ok(Some("\u{e9}")));
        check(b"", Err(NameProblem::Empty));
        check(b"/", Err(NameProblem::Absolute));
        check(b"/a", Err(NameProblem::Absolute));
        check(b"//a", Err(NameProblem::Absolute));
        check(b".//a", Err(NameProblem::Part));
        check(b"a//b", Err(NameProblem::Part));
        check(b"a/./b", Err(NameProblem::Part));
        check(b"a/.", Err(NameProblem::Part));
        check(b"a//", Err(NameProblem::Part));
        check(b"..", Err(NameProblem::Traversal));
        check(b"../a", Err(NameProblem::Traversal));
        check(b"./../a", Err(NameProblem::Traversal));
        check(b"a/..", Err(NameProblem::Traversal));
        check(b"a/../", Err(NameProblem::Traversal));
        check(br"a\b", Err(NameProblem::Backslash));
        check(br"..\a", Err(NameProblem::Backslash));
        check(b"C:", Err(NameProblem::Drive));
        check(b"C:/a", Err(NameProblem::Drive));
        check(b"a/c:b", Err(NameProblem::Drive));
        check(b"a\0", Err(NameProblem::Control));
        check(b"a\nb", Err(NameProblem::Control));
        check("a\u{85}b".as_bytes(), Err(NameProblem::Control));
        check(b"\xff", Err(NameProblem::NotUtf8));
        check(b"a/b/c/d", Err(NameProblem::Deep(3)));
        check(&[b'a'; 255], Ok(Some(&"a".repeat(255))));
        check(&[b'a'; 256], Err(NameProblem::Long));
    }
}
