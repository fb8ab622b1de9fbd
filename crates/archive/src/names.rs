//! All names of one archive: which collide, and where the links among them lead.

use std::collections::HashMap;

use prowess_spec::SkillPath;

use crate::entry::EntryKind;
use crate::error::Error;
use crate::fold::fold;
use crate::limits::{LINK_HOPS, LINKS, NAMES_BYTES, NODES};
use crate::problem::LinkProblem;
use crate::shown::Shown;

/// A place in the tree. The root is the first.
type Id = usize;
const ROOT: Id = 0;

/// The tree as far as names go. One node for each part, so that long shared prefixes cost nothing.
#[derive(Debug)]
pub(crate) struct Names {
    nodes: Vec<Node>,
    children: HashMap<(Id, Box<str>), Id>,
    links: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Node {
    parent: Id,
    /// As the first entry that had it wrote it.
    part: Box<str>,
    what: What,
    /// Which entry it is, if any.
    member: Option<usize>,
}

/// How parts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    /// As a file system that sees every difference would.
    Exact,
    /// As one that forgives the most would.
    Folded,
}

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where it is, without any link.
    pub(crate) path: String,
    /// Its entry; a directory may have none.
    pub(crate) member: Option<usize>,
}

#[derive(Debug)]
enum What {
    /// A directory without its own entry.
    Implied,
    Directory,
    File,
    Link(Box<str>),
}

impl Names {
    pub(crate) fn new() -> Self {
        let root = Node {
            parent: ROOT,
            part: "".into(),
            what: What::Implied,
            member: None,
        };
        Self {
            nodes: vec![root],
            children: HashMap::new(),
            links: 0,
            bytes: 0,
        }
    }

    /// Takes the entry for the root itself, once.
    pub(crate) fn add_root(&mut self) -> Result<(), Error> {
        let collision = || Error::Collision {
            name: Shown::new("./"),
            other: Shown::new("./"),
        };
        let root = self.nodes.get_mut(ROOT).ok_or_else(collision)?;
        if !matches!(root.what, What::Implied) {
            return Err(collision());
        }
        root.what = What::Directory;
        Ok(())
    }

    /// Takes a name, unless it cannot stand beside those that are there.
    ///
    /// A directory may be named once after entries inside it; a second entry for it is refused like any other.
    pub(crate) fn add(
        &mut self,
        path: &SkillPath,
        kind: &EntryKind,
        member: usize,
    ) -> Result<(), Error> {
        let what = match kind {
            EntryKind::Directory => What::Directory,
            EntryKind::File(_) | EntryKind::HardLink(_) => What::File,
            EntryKind::Symlink(target) => {
                self.links += 1;
                within("links", self.links, LINKS)?;
                self.count(target.len())?;
                What::Link(target.clone())
            }
        };
        // The whole path counts too, because callers store it for each entry.
        self.count(path.as_str().len())?;
        let mut at = ROOT;
        let mut parts = path.as_str().split('/').peekable();
        while let Some(part) = parts.next() {
            let last = parts.peek().is_none();
            let key = (at, Box::from(fold(part)));
            let Some(&found) = self.children.get(&key) else {
                at = self.insert(key, part)?;
                continue;
            };
            let node = self.nodes.get(found);
            let spelt_the_same = node.is_some_and(|node| *node.part == *part);
            let collides = match node.map(|node| &node.what) {
                Some(What::Implied) => !spelt_the_same,
                Some(What::Directory) => last || !spelt_the_same,
                Some(What::File | What::Link(_)) if !last && spelt_the_same => {
                    let name = Shown::new(self.path(found));
                    return Err(Error::NotADirectory { name });
                }
                _ => true,
            };
            if collides {
                return Err(Error::Collision {
                    name: Shown::new(path.as_str()),
                    other: Shown::new(self.path(found)),
                });
            }
            if last && !matches!(what, What::Directory) {
                let name = Shown::new(path.as_str());
                return Err(Error::NotADirectory { name });
            }
            at = found;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.what = what;
            node.member = Some(member);
        }
        Ok(())
    }

    fn insert(&mut self, key: (Id, Box<str>), part: &str) -> Result<Id, Error> {
        within("files and directories", self.nodes.len(), NODES)?;
        self.count(part.len().saturating_add(key.1.len()))?;
        let id = self.nodes.len();
        self.nodes.push(Node {
            parent: key.0,
            part: part.into(),
            what: What::Implied,
            member: None,
        });
        self.children.insert(key, id);
        Ok(id)
    }

    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        within("bytes of names", self.bytes, NAMES_BYTES)
    }

    /// The path of a node, as it was first written.
    fn path(&self, mut at: Id) -> String {
        let mut parts = Vec::new();
        while at != ROOT
            && let Some(node) = self.nodes.get(at)
        {
            parts.push(&*node.part);
            at = node.parent;
        }
        parts.reverse();
        parts.join("/")
    }

    /// Whether a target that is written so can be inside, however the links along it lead.
    ///
    /// Needed beside [`Names::check_links`]: a reader may tidy `a/..` away before it follows `a`.
    fn is_inside_as_written(path: &str, target: &str) -> bool {
        // The link itself is not part of the directory that it lies in.
        let mut depth = path.split('/').count().saturating_sub(1);
        for part in target.split('/') {
            match part {
                "" | "." => {}
                ".." if depth == 0 => return false,
                ".." => depth -= 1,
                _ => depth += 1,
            }
        }
        true
    }

    /// Resolves every link, now that all names are known.
    pub(crate) fn check_links(&self) -> Result<(), Error> {
        for (id, node) in self.nodes.iter().enumerate() {
            let What::Link(target) = &node.what else {
                continue;
            };
            let path = self.path(id);
            let followed = if Self::is_inside_as_written(&path, target) {
                let follow = |spelling| self.follow(node.parent, target, spelling);
                follow(Spelling::Exact).and(follow(Spelling::Folded))
            } else {
                Err(LinkProblem::Outside)
            };
            followed.map(|_| ()).map_err(|problem| Error::Link {
                name: Shown::new(path),
                target: Shown::new(&**target),
                problem,
            })?;
        }
        Ok(())
    }

    /// The target of a path, with all links resolved.
    pub(crate) fn resolve(&self, path: &SkillPath) -> Option<Found> {
        let id = self.follow(ROOT, path.as_str(), Spelling::Exact).ok()??;
        let member = self.nodes.get(id)?.member;
        let path = self.path(id);
        Some(Found { path, member })
    }

    /// The entry that has this path itself, without following a link.
    pub(crate) fn member(&self, path: &SkillPath) -> Option<usize> {
        let mut at = ROOT;
        for part in path.as_str().split('/') {
            at = self.child(at, part, Spelling::Exact)?;
        }
        self.nodes.get(at)?.member
    }

    fn child(&self, of: Id, part: &str, spelling: Spelling) -> Option<Id> {
        let id = *self.children.get(&(of, Box::from(fold(part))))?;
        let same = spelling == Spelling::Folded || *self.nodes.get(id)?.part == *part;
        same.then_some(id)
    }

    /// Resolves a path as the system would: a `..` after a link is relative to the target of the link.
    ///
    /// `Ok(None)` when it leads to nothing, without having left the tree.
    fn follow(&self, from: Id, path: &str, spelling: Spelling) -> Result<Option<Id>, LinkProblem> {
        let mut todo: Vec<&str> = path.rsplit('/').collect();
        // The way from the root: parts that do not exist are `None`.
        let mut way: Vec<Option<Id>> = self.way(from);
        let mut hops = 0;
        while let Some(part) = todo.pop() {
            if part.is_empty() || part == "." {
                continue;
            }
            if part == ".." {
                way.pop().ok_or(LinkProblem::Outside)?;
                continue;
            }
            let here = way.last().copied().unwrap_or(Some(ROOT));
            let next = here.and_then(|id| self.child(id, part, spelling));
            let node = next.and_then(|id| self.nodes.get(id));
            if let Some(What::Link(target)) = node.map(|node| &node.what) {
                hops += 1;
                if hops > LINK_HOPS {
                    return Err(LinkProblem::Loop);
                }
                todo.extend(target.rsplit('/'));
            } else {
                way.push(next);
            }
        }
        Ok(way.last().copied().unwrap_or(Some(ROOT)))
    }

    fn way(&self, mut at: Id) -> Vec<Option<Id>> {
        let mut way = Vec::new();
        while at != ROOT
            && let Some(node) = self.nodes.get(at)
        {
            way.push(Some(at));
            at = node.parent;
        }
        way.reverse();
        way
    }
}

fn within(what: &'static str, seen: usize, limit: usize) -> Result<(), Error> {
    if seen <= limit {
        return Ok(());
    }
    Err(Error::Metadata {
        what,
        seen: seen as u64,
        limit: limit as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Mode;

    fn add(names: &mut Names, name: &str) -> Result<(), Error> {
        let (path, kind) = if let Some((path, target)) = name.split_once(" -> ") {
            (path, EntryKind::Symlink(target.into()))
        } else if let Some(path) = name.strip_suffix('/') {
            (path, EntryKind::Directory)
        } else {
            (name, EntryKind::File(Mode::Plain))
        };
        names.add(&SkillPath::parse(path).unwrap(), &kind, 0)
    }

    fn all(list: &[&str]) -> Result<(), Error> {
        let mut names = Names::new();
        for name in list {
            add(&mut names, name)?;
        }
        names.check_links()
    }

    #[test]
    fn distinct_names_are_accepted() {
        all(&["a", "b", "c/d", "c/e"]).unwrap();
        all(&["c/d", "c/"]).unwrap();
        all(&["c/", "c/d"]).unwrap();
        all(&["a/x", "b/X"]).unwrap();
    }

    #[test]
    fn colliding_names_are_rejected() {
        for list in [
            ["a", "a"],
            ["a/", "a/"],
            ["a", "A"],
            ["a/x", "A/y"],
            ["a/", "A/y"],
            ["a", "A/y"],
            ["caf\u{e9}", "cafe\u{301}"],
        ] {
            let error = all(&list).unwrap_err();
            assert!(matches!(error, Error::Collision { .. }), "{list:?} {error}");
        }
        for list in [
            ["a", "a/b"],
            ["a/b", "a"],
            ["a -> b", "a/b"],
            ["a/b", "a -> b"],
        ] {
            let error = all(&list).unwrap_err();
            assert!(
                matches!(error, Error::NotADirectory { .. }),
                "{list:?} {error}"
            );
        }
    }

    fn leads(list: &[&str], expected: LinkProblem) {
        match all(list) {
            Err(Error::Link { problem, .. }) => assert_eq!(problem, expected, "{list:?}"),
            other => panic!("{list:?} {other:?}"),
        }
    }

    #[test]
    fn links_are_followed_as_the_system_would() {
        all(&["a", "l -> a"]).unwrap();
        all(&["a/b", "c/l -> ../a/b"]).unwrap();
        all(&["c/l -> .."]).unwrap();
        all(&["l -> nowhere/at/all"]).unwrap();
        all(&["a -> b", "b -> c", "c"]).unwrap();
        leads(&["l -> .."], LinkProblem::Outside);
        leads(&["a/l -> ../../x"], LinkProblem::Outside);
        leads(&["l -> a/../../x"], LinkProblem::Outside);
        // Inside as written, outside in truth.
        leads(&["s/d -> ..", "x -> s/d/../y"], LinkProblem::Outside);
        leads(&["s/d -> ..", "x -> S/D/../y"], LinkProblem::Outside);
        // Inside in truth, outside as written.
        leads(
            &["s/t/", "d -> s/t", "x -> d/../../y"],
            LinkProblem::Outside,
        );
        leads(&["a -> a"], LinkProblem::Loop);
        leads(&["a -> b", "b -> a"], LinkProblem::Loop);
    }

    #[test]
    fn paths_resolve_through_links() {
        let mut names = Names::new();
        for name in [
            "real/file",
            "dir -> real",
            "l -> dir/file",
            "gone -> nothing",
        ] {
            add(&mut names, name).unwrap();
        }
        let resolve = |path| {
            let found = names.resolve(&SkillPath::parse(path).unwrap())?;
            Some(found.path)
        };
        assert_eq!(resolve("dir/file").as_deref(), Some("real/file"));
        assert_eq!(resolve("l").as_deref(), Some("real/file"));
        assert_eq!(resolve("real").as_deref(), Some("real"));
        assert_eq!(resolve("gone"), None);
        assert_eq!(resolve("other"), None);
        assert_eq!(resolve("REAL"), None);
    }
}
