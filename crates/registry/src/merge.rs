//! Three-way merges of skills: what was installed, what is on disk now, and the new version.

use std::borrow::Cow;
use std::collections::BTreeSet;

use diffy::MergeOptions;
use prowess_spec::SkillPath;

use crate::tree::{PackageFile, PackageTree, TreeError};

/// A merged skill.
pub struct Merge {
    /// The result. Files with a conflict have markers, or are those on disk where they are not text.
    pub tree: PackageTree,
    /// The files with a conflict.
    pub conflicts: Vec<SkillPath>,
    /// The files that keep an edit.
    pub edited: Vec<SkillPath>,
}

/// Merges two versions of a skill that come from `base`.
pub fn merge(
    base: &PackageTree,
    ours: &PackageTree,
    theirs: &PackageTree,
) -> Result<Merge, TreeError> {
    let paths = [base, ours, theirs].map(|tree| tree.files().map(|(path, _)| path));
    let paths: BTreeSet<&SkillPath> = paths.into_iter().flatten().collect();
    let (mut conflicts, mut edited) = (Vec::new(), Vec::new());
    let mut files = Vec::new();
    for path in paths {
        let [base, ours, theirs] = [base, ours, theirs].map(|tree| tree.get(path.as_str()));
        if ours != base {
            edited.push(path.clone());
        }
        let merged = if ours == base {
            theirs.cloned()
        } else if theirs == base || ours == theirs {
            ours.cloned()
        } else {
            let (file, is_clean) = merge_file(base, ours, theirs);
            if !is_clean {
                conflicts.push(path.clone());
            }
            file
        };
        files.extend(merged.map(|file| (path.clone(), file)));
    }
    Ok(Merge {
        tree: PackageTree::new(files)?,
        conflicts,
        edited,
    })
}

/// One file that both sides changed, and whether the result is what both wanted.
fn merge_file(
    base: Option<&PackageFile>,
    ours: Option<&PackageFile>,
    theirs: Option<&PackageFile>,
) -> (Option<PackageFile>, bool) {
    let (Some(own), Some(new)) = (ours, theirs) else {
        // One side removed what the other changed.
        return (ours.or(theirs).cloned(), false);
    };
    let none = Vec::new();
    let base_bytes = base.map_or(&none, |file| &file.bytes);
    let texts = [base_bytes, &own.bytes, &new.bytes].map(|it| std::str::from_utf8(it).ok());
    let [Some(before), Some(own_text), Some(new_text)] = texts else {
        return (Some(own.clone()), own.bytes == new.bytes);
    };
    let mut options = MergeOptions::new();
    options.set_conflict_style(diffy::ConflictStyle::Merge);
    let merge = |[before, own, new]: [&str; 3]| match options.merge(before, own, new) {
        Ok(text) => (text, true),
        Err(marked) => (marked, false),
    };
    let (mut text, mut is_clean) = merge([before, own_text, new_text]);
    if !is_clean {
        // A marker after a last line without an end would be a part of it.
        let ended = [before, own_text, new_text].map(ended);
        (text, is_clean) = merge(ended.each_ref().map(|text| &**text));
    }
    let executable = match base {
        Some(base) if own.executable == base.executable => new.executable,
        _ => own.executable,
    };
    let bytes = text.into_bytes();
    (Some(PackageFile { bytes, executable }), is_clean)
}

/// A text whose last line has an end.
fn ended(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        text.into()
    } else {
        format!("{text}\n").into()
    }
}

/// Whether a text still has markers of a conflict, at the beginning of a line or in it: an editor may have joined lines.
pub fn has_markers(bytes: &[u8]) -> bool {
    let starts = |line: &[u8]| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ");
    let has = |marker: &[u8]| bytes.windows(marker.len()).any(|part| part == marker);
    bytes.split(|byte| *byte == b'\n').any(starts) || has(b"<<<<<<< ours") || has(b">>>>>>> theirs")
}

/// How many lines differ between two versions; bytes that are not text count as one line for each file.
pub fn differing_lines(one: &PackageTree, other: &PackageTree) -> usize {
    let paths: BTreeSet<&SkillPath> = [one, other]
        .into_iter()
        .flat_map(|tree| tree.files().map(|(path, _)| path))
        .collect();
    let text = |file: Option<&PackageFile>| {
        file.map_or(Some(String::new()), |file| {
            String::from_utf8(file.bytes.clone()).ok()
        })
    };
    let of_file = |path: &SkillPath| {
        let [one, other] = [one, other].map(|tree| tree.get(path.as_str()));
        if one == other {
            return 0;
        }
        let (Some(one), Some(other)) = (text(one), text(other)) else {
            return 1;
        };
        let patch = diffy::create_patch(&one, &other);
        let lines = patch.hunks().iter().flat_map(diffy::Hunk::lines);
        let differing = lines.filter(|line| !matches!(line, diffy::Line::Context(_)));
        differing.count().max(1)
    };
    paths.into_iter().map(of_file).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> PackageTree {
        let file = |text: &str| PackageFile {
            bytes: text.as_bytes().to_vec(),
            executable: false,
        };
        let files = files
            .iter()
            .map(|(path, text)| (SkillPath::parse(path).unwrap(), file(text)));
        PackageTree::new(files).unwrap()
    }

    fn text(tree: &PackageTree, path: &str) -> Option<String> {
        let file = tree.get(path)?;
        Some(String::from_utf8(file.bytes.clone()).unwrap())
    }

    #[test]
    fn edits_of_different_lines_are_both_kept() {
        let base = tree(&[("SKILL.md", "a\nb\nc\nd\ne\n"), ("x", "1"), ("gone", "g")]);
        let ours = tree(&[
            ("SKILL.md", "A\nb\nc\nd\ne\n"),
            ("x", "1"),
            ("mine", "m"),
            ("gone", "g"),
        ]);
        let theirs = tree(&[("SKILL.md", "a\nb\nc\nd\nE\n"), ("x", "2"), ("new", "n")]);
        let merged = merge(&base, &ours, &theirs).unwrap();
        assert!(merged.conflicts.is_empty());
        let edited: Vec<&str> = merged.edited.iter().map(SkillPath::as_str).collect();
        assert_eq!(edited, ["SKILL.md", "mine"]);
        assert_eq!(text(&merged.tree, "SKILL.md").unwrap(), "A\nb\nc\nd\nE\n");
        assert_eq!(text(&merged.tree, "x").unwrap(), "2");
        assert_eq!(text(&merged.tree, "mine").unwrap(), "m");
        assert_eq!(text(&merged.tree, "new").unwrap(), "n");
        assert_eq!(text(&merged.tree, "gone"), None);
    }

    #[test]
    fn edits_of_one_line_are_a_conflict_with_markers() {
        let base = tree(&[("SKILL.md", "a\n"), ("r", "1"), ("b", "\u{0}")]);
        let ours = tree(&[("SKILL.md", "mine\n"), ("r", "2")]);
        let theirs = tree(&[("SKILL.md", "theirs\n"), ("b", "\u{0}\u{0}")]);
        let merged = merge(&base, &ours, &theirs).unwrap();
        let conflicts: Vec<&str> = merged.conflicts.iter().map(SkillPath::as_str).collect();
        assert_eq!(conflicts, ["SKILL.md", "b", "r"]);
        let marked = text(&merged.tree, "SKILL.md").unwrap();
        assert!(
            marked.contains("mine") && marked.contains("theirs"),
            "{marked}"
        );
        assert!(has_markers(marked.as_bytes()));
        assert!(!has_markers(b"a <<<<<<< b\n=======\n"));
    }

    #[test]
    fn du5_a_marker_is_never_glued_to_a_line_without_an_end() {
        let (base, ours, theirs) = ("a\nb", "a\nmine", "a\ntheirs");
        let [base, ours, theirs] = [base, ours, theirs].map(|text| tree(&[("SKILL.md", text)]));
        let merged = merge(&base, &ours, &theirs).unwrap();
        let marked = text(&merged.tree, "SKILL.md").unwrap();
        assert_eq!(
            marked,
            "a\n<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\n"
        );
        assert!(has_markers(b"mine=======\ntheirs>>>>>>> theirs"));
    }

    #[test]
    fn du12_a_file_where_the_new_version_has_a_directory_is_refused_with_its_path() {
        let base = tree(&[("SKILL.md", "a")]);
        let ours = tree(&[("SKILL.md", "a"), ("new", "mine")]);
        let theirs = tree(&[("SKILL.md", "a"), ("new/file.md", "theirs")]);
        let Err(error) = merge(&base, &ours, &theirs) else {
            panic!("it was merged");
        };
        assert_eq!(
            error.to_string(),
            "`new` is a file, and a directory with `new/file.md`: rename or remove one of them"
        );
    }

    #[test]
    fn du3_lines_are_counted_not_files() {
        let one = tree(&[("a", "1\n2\n3\n"), ("b", "same")]);
        let other = tree(&[("a", "1\nx\n3\n"), ("b", "same")]);
        assert_eq!(differing_lines(&one, &one), 0);
        assert_eq!(differing_lines(&one, &other), 2);
        assert_eq!(differing_lines(&one, &tree(&[("b", "same")])), 3);
    }

    #[test]
    fn the_same_edit_on_both_sides_is_no_conflict() {
        let base = tree(&[("SKILL.md", "a\n")]);
        let both = tree(&[("SKILL.md", "b\n")]);
        assert!(merge(&base, &both, &both).unwrap().conflicts.is_empty());
    }
}
