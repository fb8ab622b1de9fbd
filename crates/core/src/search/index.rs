//! Documents and results of a search.

use std::sync::Arc;

use super::lexicon::Lexicon;
use super::postings::Field;
use super::score::Norms;

/// A skill as the index sees it.
#[derive(Clone, Debug)]
pub struct IndexedSkill<'a> {
    /// Its id in the catalog.
    pub id: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Words its author chose, from metadata such as `keywords` and `tags`.
    pub keywords: Vec<&'a str>,
    /// The text after the frontmatter.
    ///
    /// `None` when it was not read: for a skill that is not [stale](SearchIndex::stale) nothing is lost, any
    /// other is found by the rest and stays stale.
    pub body: Option<&'a str>,
    /// Computed from the content by the caller: the same stamp means the same text.
    pub stamp: u64,
}

/// The result of [`SearchIndex::update`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Skills that were not in the index.
    pub added: usize,
    /// Skills with another stamp, or whose body came later.
    pub changed: usize,
    /// Skills that are gone.
    pub removed: usize,
    /// Skills that were taken over without reading them again.
    pub kept: usize,
}

impl UpdateReport {
    /// Whether the new index differs from the old one.
    pub fn is_change(&self) -> bool {
        self.added + self.changed + self.removed > 0
    }
}

/// A skill that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// Its id.
    pub id: &'a str,
    /// Higher is better; only good for comparison with other hits of the same search.
    pub score: f32,
}

/// Skills, ready to be searched. Immutable: a change makes another index.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchIndex {
    /// In order of id; a position here is the number in the postings.
    pub(super) documents: Vec<Document>,
    pub(super) lexicon: Lexicon,
    pub(super) norms: Norms,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Document {
    pub(super) id: Arc<str>,
    pub(super) stamp: u64,
    pub(super) extent: Extent,
    /// Words in each field, in the order of [`Field::ALL`].
    pub(super) lengths: [u32; Field::ALL.len()],
}

/// How much of a skill was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Head,
    Whole,
}

impl SearchIndex {
    /// An index that finds nothing.
    pub fn empty() -> Self {
        Self::new(Vec::new(), Lexicon::default())
    }

    pub(super) fn new(documents: Vec<Document>, lexicon: Lexicon) -> Self {
        let norms = Norms::new(&documents);
        Self {
            documents,
            lexicon,
            norms,
        }
    }

    /// How many skills it holds.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether it holds no skill.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The positions of those skills whose body the next [`update`](Self::update) needs.
    pub fn stale<'a>(&self, skills: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<usize> {
        skills
            .into_iter()
            .enumerate()
            .filter(|(_, (id, stamp))| {
                self.document(id).is_none_or(|document| {
                    document.stamp != *stamp || document.extent == Extent::Head
                })
            })
            .map(|(position, _)| position)
            .collect()
    }

    fn document(&self, id: &str) -> Option<&Document> {
        let position = self
            .documents
            .binary_search_by(|document| (*document.id).cmp(id))
            .ok()?;
        self.documents.get(position)
    }
}

impl Default for SearchIndex {
    fn default() -> Self {
        Self::empty()
    }
}

impl Document {
    /// Whether the indexed version of `skill` is current.
    pub(super) fn covers(&self, skill: &IndexedSkill<'_>) -> bool {
        self.stamp == skill.stamp && (self.extent == Extent::Whole || skill.body.is_none())
    }
}
