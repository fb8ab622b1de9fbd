//! Paths inside a skill.

use std::fmt;

use serde::Serialize;

/// A relative path that cannot leave the skill by itself: no root, no drive, no `..`.
///
/// Links are not covered: open the path beneath a handle of the skill directory.
///
/// ```
/// use prowess_spec::{PathProblem, SkillPath};
///
/// assert_eq!(SkillPath::parse(r".\references\A.md").unwrap().as_str(), "references/A.md");
/// assert_eq!(SkillPath::parse("../A.md"), Err(PathProblem::Traversal));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SkillPath(Box<str>);

/// Why a text is not a path inside a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathProblem {
    /// Nothing remains.
    Empty,
    /// It begins at a root or a drive.
    Absolute,
    /// It has a `..`.
    Traversal,
    /// It holds a control character.
    Control,
}

impl SkillPath {
    /// Parses a path; `\` separates like `/`, and `.` parts are dropped.
    pub fn parse(text: &str) -> Result<Self, PathProblem> {
        if text.contains(char::is_control) {
            return Err(PathProblem::Control);
        }
        let drive = text.as_bytes().get(1) == Some(&b':')
            && text.starts_with(|c: char| c.is_ascii_alphabetic());
        if drive || text.starts_with(['/', '\\']) {
            return Err(PathProblem::Absolute);
        }
        let parts: Vec<&str> = text
            .split(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        if parts.contains(&"..") {
            return Err(PathProblem::Traversal);
        }
        if parts.is_empty() {
            return Err(PathProblem::Empty);
        }
        Ok(Self(parts.join("/").into()))
    }

    /// The path with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::Absolute => "is absolute",
            Self::Traversal => "contains `..`",
            Self::Control => "contains a control character",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, PathProblem>) {
        let parsed = SkillPath::parse(text);
        assert_eq!(
            parsed.as_ref().map(SkillPath::as_str),
            expected.as_ref().map(|text| *text)
        );
    }

    #[test]
    fn only_paths_that_stay_inside() {
        check("a/b.md", Ok("a/b.md"));
        check("./a//b.md", Ok("a/b.md"));
        check("a..b.md", Ok("a..b.md"));
        check("", Err(PathProblem::Empty));
        check("./.", Err(PathProblem::Empty));
        check("/etc/passwd", Err(PathProblem::Absolute));
        check(r"C:\x", Err(PathProblem::Absolute));
        check(r"\\host\x", Err(PathProblem::Absolute));
        check("a/../b", Err(PathProblem::Traversal));
        check(r"a\..\..\b", Err(PathProblem::Traversal));
        check("a\0b", Err(PathProblem::Control));
    }
}
