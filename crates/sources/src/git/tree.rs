//! The trees of a commit: which skills it has, and which files.

use std::collections::BTreeMap;

use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository, Tree};
use prowess_core::SourceError;
use prowess_spec::{SkillPath, choose_skill_file};

use super::checkout::{ENTRIES, FILE_BYTES, TREE_BYTES, corrupt, ignored, name};
use super::fetch::unavailable;

/// Links that are followed for one file.
const LINKS: usize = 8;

/// A skill of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSkill {
    /// Its directory; the root of the repository if `None`.
    pub directory: Option<SkillPath>,
    /// Its `SKILL.md`, from the root of the repository.
    pub file: SkillPath,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFile {
    /// Its path, from the directory that was asked for.
    pub path: SkillPath,
    /// Its contents, as they are stored.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

/// All files of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitFiles {
    /// The files, by path.
    pub files: Vec<GitFile>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

/// A file or a link of a tree, whose contents may not be there yet.
#[derive(Clone, Copy)]
pub(super) struct TreeFile {
    pub(super) id: ObjectId,
    kind: EntryKind,
}

/// The entries below a directory.
#[derive(Default)]
pub(super) struct TreeFiles {
    pub(super) files: BTreeMap<String, TreeFile>,
    warnings: Vec<String>,
}

impl TreeFiles {
    /// Lists everything below a tree, from trees alone. Paths begin with `prefix`.
    pub(super) fn list(tree: &Tree<'_>, prefix: &str) -> Result<Self, SourceError> {
        let mut found = Self::default();
        found.directory(tree, prefix, &mut 0)?;
        Ok(found)
    }

    fn directory(
        &mut self,
        tree: &Tree<'_>,
        path: &str,
        entries: &mut usize,
    ) -> Result<(), SourceError> {
        for entry in tree.iter() {
            let entry = entry.map_err(corrupt)?;
            *entries += 1;
            if *entries > ENTRIES {
                let message = format!("the tree has more than {ENTRIES} entries");
                return Err(unavailable(message));
            }
            let Some(below) = name(path, entry.filename()) else {
                let name = entry.filename().to_string();
                self.warnings.push(ignored(path, &name, "invalid name"));
                continue;
            };
            match entry.mode().kind() {
                EntryKind::Tree => {
                    let tree = entry.object().map_err(corrupt)?.into_tree();
                    self.directory(&tree, &below, entries)?;
                }
                EntryKind::Commit => {
                    let reason = "submodules are not supported";
                    self.warnings.push(ignored("", &below, reason));
                }
                kind => {
                    let id = entry.object_id();
                    self.files.insert(below, TreeFile { id, kind });
                }
            }
        }
        Ok(())
    }

    /// The directories with a `SKILL.md`, by path.
    pub(super) fn skills(&self) -> Vec<GitSkill> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, file) in &self.files {
            if file.kind != EntryKind::Link {
                let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
                names.entry(directory).or_default().push(name);
            }
        }
        let skill = |(directory, names): (&str, Vec<&str>)| {
            let (name, _) = choose_skill_file(&names)?;
            let file = SkillPath::parse(format!("{directory}/{name}").trim_start_matches('/'));
            Some(GitSkill {
                directory: SkillPath::parse(directory).ok(),
                file: file.ok()?,
            })
        };
        names.into_iter().filter_map(skill).collect()
    }

    /// The contents of every file; all of them must be there.
    pub(super) fn read(self, repository: &Repository) -> Result<GitFiles, SourceError> {
        let mut warnings = self.warnings;
        let mut files = Vec::new();
        let mut total = 0;
        for (path, file) in &self.files {
            let file = match file.kind {
                EntryKind::Link => follow(&self.files, path, *file, repository)?,
                _ => Some(*file),
            };
            let Some(file) = file else {
                let reason = "the link does not lead to a file of this directory";
                warnings.push(ignored("", path, reason));
                continue;
            };
            let Some(bytes) = content(repository, file.id)? else {
                warnings.push(ignored("", path, "larger than 50 MiB"));
                continue;
            };
            total += bytes.len() as u64;
            if total > TREE_BYTES {
                return Err(unavailable("the tree is larger than 512 MiB".to_owned()));
            }
            if let Ok(path) = SkillPath::parse(path) {
                files.push(GitFile {
                    path,
                    bytes,
                    executable: file.kind == EntryKind::BlobExecutable,
                });
            }
        }
        Ok(GitFiles { files, warnings })
    }
}

/// The contents of a file, unless it is too large.
pub(super) fn content(
    repository: &Repository,
    id: ObjectId,
) -> Result<Option<Vec<u8>>, SourceError> {
    if repository.find_header(id).map_err(corrupt)?.size() > FILE_BYTES {
        return Ok(None);
    }
    let mut object = repository.find_object(id).map_err(corrupt)?;
    Ok(Some(std::mem::take(&mut object.data)))
}

/// The file that a link leads to, if it is one of these.
fn follow(
    files: &BTreeMap<String, TreeFile>,
    path: &str,
    link: TreeFile,
    repository: &Repository,
) -> Result<Option<TreeFile>, SourceError> {
    let (mut path, mut link) = (path.to_owned(), link);
    for _ in 0..LINKS {
        let Some(target) = content(repository, link.id)? else {
            return Ok(None);
        };
        let target = std::str::from_utf8(&target).ok();
        let Some(next) = target.and_then(|target| beside(&path, target)) else {
            return Ok(None);
        };
        match files.get(&next) {
            Some(file) if file.kind == EntryKind::Link => (path, link) = (next, *file),
            Some(file) => return Ok(Some(*file)),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// The path that a link at `path` names, if it stays below the root.
fn beside(path: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_beside_themselves() {
        for (path, target, expected) in [
            ("a.md", "b.md", Some("b.md")),
            ("d/a.md", "../b.md", Some("b.md")),
            ("d/e/a.md", "./../f//b.md", Some("d/f/b.md")),
            ("a.md", "../b.md", None),
            ("d/a.md", "../../b.md", None),
            ("d/a.md", "../../d/b.md", None),
            ("a.md", "/etc/passwd", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(beside(path, target), expected, "{path} {target}");
        }
    }
}
