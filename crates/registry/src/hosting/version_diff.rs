//! What changed between two versions.

use semver::Version;

use super::inspect::VersionFacts;
use crate::tree::{PackageFile, PackageTree};
use crate::wire::{FileDiff, FileDiffKind, VersionDiff};

/// Bytes of a text that is compared line by line.
const TEXT_BYTES: usize = 256 * 1024;
/// Bytes of all differences together.
const DIFF_BYTES: usize = 1024 * 1024;
/// Files that are listed.
const FILES: usize = 1_000;

/// A version with its files.
pub(super) struct ComparedVersion {
    pub(super) version: Version,
    pub(super) facts: VersionFacts,
    pub(super) tree: PackageTree,
}

/// The difference from one version to another; everything is new without one.
pub(super) fn version_diff(from: Option<&ComparedVersion>, to: &ComparedVersion) -> VersionDiff {
    let empty = PackageTree::default();
    let old = from.map_or(&empty, |it| &it.tree);
    let removed = old
        .files()
        .filter(|(path, _)| to.tree.get(path.as_str()).is_none())
        .map(|(path, file)| (path, FileDiffKind::Removed, Some(file), None));
    let changed = to
        .tree
        .files()
        .filter_map(|(path, file)| match old.get(path.as_str()) {
            None => Some((path, FileDiffKind::Added, None, Some(file))),
            Some(before) if before.bytes == file.bytes => None,
            Some(before) => Some((path, FileDiffKind::Changed, Some(before), Some(file))),
        });
    let mut left = DIFF_BYTES;
    let mut files: Vec<_> = removed.chain(changed).collect();
    files.sort_by_key(|(path, ..)| *path);
    let files = files
        .into_iter()
        .take(FILES)
        .map(|(path, change, before, after)| {
            let text = lines(before, after).filter(|it| it.len() <= left);
            left -= text.as_ref().map_or(0, String::len);
            FileDiff {
                path: path.to_string(),
                change,
                text,
            }
        });
    let none = Vec::new();
    let wanted = from.map_or(&none, |it| &it.facts.permissions);
    let only = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|it| !b.contains(it)).cloned().collect()
    };
    VersionDiff {
        from: from.map(|it| it.version.clone()),
        to: to.version.clone(),
        files: files.collect(),
        permissions_added: only(&to.facts.permissions, wanted),
        permissions_removed: only(wanted, &to.facts.permissions),
    }
}

/// A unified diff of two texts.
fn lines(before: Option<&PackageFile>, after: Option<&PackageFile>) -> Option<String> {
    let text = |file: Option<&'_ PackageFile>| match file {
        Some(file) if file.bytes.len() > TEXT_BYTES || file.bytes.contains(&0) => None,
        Some(file) => String::from_utf8(file.bytes.clone()).ok(),
        None => Some(String::new()),
    };
    let (before, after) = (text(before)?, text(after)?);
    Some(diffy::create_patch(&before, &after).to_string())
}

#[cfg(test)]
mod tests {
    use prowess_spec::SkillPath;

    use super::*;
    use crate::wire::AuditVerdict;

    fn version(version: &str, files: &[(&str, &[u8])], permissions: &[&str]) -> ComparedVersion {
        let files = files.iter().map(|(path, bytes)| {
            let bytes = bytes.to_vec();
            let executable = false;
            (
                SkillPath::parse(path).unwrap(),
                PackageFile { bytes, executable },
            )
        });
        ComparedVersion {
            version: version.parse().unwrap(),
            facts: VersionFacts {
                description: String::new(),
                size: 0,
                files: 0,
                types: Vec::new(),
                permissions: permissions.iter().map(ToString::to_string).collect(),
                licence: None,
                has_code: false,
                verdict: AuditVerdict::Clean,
                findings: Vec::new(),
                signed_by: None,
            },
            tree: PackageTree::new(files).unwrap(),
        }
    }

    #[test]
    fn rg12_files_permissions_and_lines_are_compared() {
        let old = version(
            "1.0.0",
            &[("SKILL.md", b"a\nb\n"), ("x", b"1"), ("y", b"1")],
            &["file:read"],
        );
        let new = version(
            "1.1.0",
            &[("SKILL.md", b"a\nc\n"), ("y", b"1"), ("z", b"\0")],
            &["net:fetch"],
        );
        let diff = version_diff(Some(&old), &new);
        let files: Vec<(&str, FileDiffKind)> = diff
            .files
            .iter()
            .map(|it| (it.path.as_str(), it.change))
            .collect();
        assert_eq!(
            files,
            [
                ("SKILL.md", FileDiffKind::Changed),
                ("x", FileDiffKind::Removed),
                ("z", FileDiffKind::Added)
            ]
        );
        let text = diff.files[0].text.as_ref().unwrap();
        assert!(text.contains("-b\n+c\n"), "{text}");
        assert_eq!(diff.files[2].text, None);
        assert_eq!(diff.permissions_added, ["net:fetch"]);
        assert_eq!(diff.permissions_removed, ["file:read"]);
        let first = version_diff(None, &new);
        assert_eq!((first.from, first.files.len()), (None, 3));
    }
}
