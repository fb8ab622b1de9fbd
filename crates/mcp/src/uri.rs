//! `skill://{id}/{path}`: the address of a file of a skill.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use prowess_core::SkillId;
use prowess_spec::{SKILL_FILE, SkillPath};

/// Characters that are not encoded in a segment.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

const SCHEME: &str = "skill://";

/// The address of a skill's directory, without a slash at the end.
pub(crate) fn root(id: &SkillId) -> String {
    let mut uri = SCHEME.to_owned();
    // The last segment is the name of the skill, so a label is a segment of its own.
    if let Some(label) = id.label() {
        push_segments(&mut uri, &format!("{label}:/"));
    }
    push_segments(&mut uri, id.bare().as_str());
    uri
}

/// The address of what is at `path` below a skill's directory.
pub(crate) fn below(id: &SkillId, path: &str) -> String {
    let mut uri = root(id);
    uri.push('/');
    push_segments(&mut uri, path);
    uri
}

/// The address of a skill: that of its `SKILL.md`.
pub fn skill_uri(id: &SkillId) -> String {
    below(id, SKILL_FILE)
}

fn push_segments(uri: &mut String, path: &str) {
    for (index, segment) in path.split('/').enumerate() {
        if index > 0 {
            uri.push('/');
        }
        uri.extend(utf8_percent_encode(segment, UNRESERVED));
    }
}

/// A URI of a skill: its directory, or a path in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkillUri {
    pub(crate) id: SkillId,
    /// An empty path is the directory.
    pub(crate) path: Option<SkillPath>,
}

/// Every skill and path that a URI may mean, the longest id first.
///
/// An id and a path are both names separated by slashes, so splitting them requires the catalog.
pub(crate) fn candidates(uri: &str) -> Vec<SkillUri> {
    let Some(segments) = uri.strip_prefix(SCHEME).and_then(segments) else {
        return Vec::new();
    };
    let candidate = |length: usize| {
        let (id, path) = segments.split_at_checked(length)?;
        let path = match path {
            [] => None,
            path => Some(exact(&path.join("/"))?),
        };
        let id = id.join("/").replacen(":/", ":", 1).parse().ok()?;
        Some(SkillUri { id, path })
    };
    (1..=segments.len()).rev().filter_map(candidate).collect()
}

/// The decoded segments after the scheme; `None` if one of them is empty or not UTF-8.
pub(crate) fn segments(text: &str) -> Option<Vec<String>> {
    let decoded = |segment: &str| {
        let text = percent_decode_str(segment).decode_utf8().ok()?;
        let plain = !text.is_empty() && !text.contains('/');
        plain.then(|| text.into_owned())
    };
    text.split('/').map(decoded).collect()
}

/// A path that is written as it would be handed out: nothing to drop, nothing to turn around.
pub(crate) fn exact(text: &str) -> Option<SkillPath> {
    let path = SkillPath::parse(text).ok()?;
    (path.as_str() == text).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> SkillId {
        text.parse().unwrap()
    }

    fn check(uri: &str, expected: &[(&str, Option<&str>)]) {
        let place = |(name, path): &(&str, Option<&str>)| SkillUri {
            id: id(name),
            path: path.map(|path| SkillPath::parse(path).unwrap()),
        };
        let expected: Vec<SkillUri> = expected.iter().map(place).collect();
        assert_eq!(candidates(uri), expected, "{uri}");
    }

    #[test]
    fn uris_have_no_trailing_slash() {
        assert_eq!(root(&id("acme/refunds")), "skill://acme/refunds");
        assert_eq!(skill_uri(&id("pdf")), "skill://pdf/SKILL.md");
        let labelled = skill_uri(&id("ours:acme/pdf"));
        assert_eq!(labelled, "skill://ours%3A/acme/pdf/SKILL.md");
        let meant = SkillUri {
            id: id("ours:acme/pdf"),
            path: SkillPath::parse("SKILL.md").ok(),
        };
        assert!(candidates(&labelled).contains(&meant));
        assert_eq!(below(&id("pdf"), "a b/ü.md"), "skill://pdf/a%20b/%C3%BC.md");
    }

    #[test]
    fn a_uri_has_several_candidates() {
        check(
            "skill://a/b/C.md",
            &[("a/b", Some("C.md")), ("a", Some("b/C.md"))],
        );
        check("skill://a", &[("a", None)]);
        check("skill://pdf/a%20b/%C3%BC.md", &[("pdf", Some("a b/ü.md"))]);
    }

    #[test]
    fn invalid_uris_have_no_candidates() {
        for uri in [
            "",
            "skill://",
            "skill:///a",
            "file:///etc/passwd",
            "skill://../a",
            "skill://A/b",
        ] {
            check(uri, &[]);
        }
        // Neither a step up nor a slash in disguise.
        for uri in [
            "skill://a/../B",
            "skill://a/%2e%2e/B",
            "skill://a/.%2Fb",
            "skill://a/",
            "skill://a/%ff",
        ] {
            check(uri, &[]);
        }
        check("skill://a/b%5Cc", &[]);
    }
}
