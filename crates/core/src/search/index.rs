//! Skills that can be searched.

use std::sync::Arc;

use super::segment::{Extent, Segment};

/// A skill as the index sees it.
#[derive(Clone, Debug, Default)]
pub struct IndexedSkill<'a> {
    /// Its id in the catalog.
    pub id: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Words its author chose, from metadata such as `keywords` and `tags`.
    pub keywords: Vec<&'a str>,
    /// The field `when_to_use`, if it has one. Descriptions and bodies are searched for such a part anyway.
    pub when_to_use: Option<&'a str>,
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

/// Skills, ready to be searched. Immutable: a change makes another index, which shares what did not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchIndex {
    /// Nearly all skills.
    pub(super) base: Arc<Segment>,
    /// Skills that were added or changed since the base was made.
    pub(super) delta: Arc<Segment>,
    /// Positions in the base of skills that are gone or in the delta, ascending.
    pub(super) dead: Arc<Vec<u32>>,
}

impl SearchIndex {
    /// An index that finds nothing.
    pub fn empty() -> Self {
        Self::default()
    }

    /// How many skills it holds.
    pub fn len(&self) -> usize {
        (self.base.len() + self.delta.len()).saturating_sub(self.dead.len())
    }

    /// Whether it holds no skill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a part of its file could not be read since it was opened. What it found may lack skills: build another one.
    pub fn is_damaged(&self) -> bool {
        self.base.lexicon.postings.is_damaged()
    }

    /// The positions of those skills whose body the next [`update`](Self::update) needs. In order of id they are found
    /// fastest.
    pub fn stale<'a>(&self, skills: impl IntoIterator<Item = (&'a str, u64)>) -> Vec<usize> {
        let mut next = 0;
        skills
            .into_iter()
            .enumerate()
            .filter(|(_, (id, stamp))| {
                let in_base = self.base.position_from(next, id);
                next = in_base.map_or(next, |position| position + 1);
                !self.is_current_at(in_base, id, *stamp, Extent::Whole)
            })
            .map(|(position, _)| position)
            .collect()
    }

    /// Whether this version of a skill is in the index, read at least to this extent.
    pub(super) fn is_current(&self, id: &str, stamp: u64, extent: Extent) -> bool {
        self.is_current_at(self.base.position(id), id, stamp, extent)
    }

    fn is_current_at(&self, in_base: Option<usize>, id: &str, stamp: u64, extent: Extent) -> bool {
        let live = |position: &usize| {
            let position = u32::try_from(*position);
            position.is_ok_and(|position| self.dead.binary_search(&position).is_err())
        };
        let found = if let Some(position) = self.delta.position(id) {
            self.delta.documents.get(position)
        } else {
            let position = in_base.filter(live);
            position.and_then(|position| self.base.documents.get(position))
        };
        found.is_some_and(|document| {
            document.stamp == stamp && (document.extent == Extent::Whole || extent == Extent::Head)
        })
    }

    /// Both parts, with the number of the first skill of each.
    pub(super) fn parts(&self) -> [(usize, &Segment); 2] {
        [(0, &self.base), (self.base.len(), &self.delta)]
    }

    /// Numbers of skills, those of the dead included.
    pub(super) fn numbers(&self) -> usize {
        self.base.len() + self.delta.len()
    }

    /// The part that has a skill, and its position there.
    pub(super) fn locate(&self, number: usize) -> (&Segment, usize) {
        match number.checked_sub(self.base.len()) {
            Some(position) => (&self.delta, position),
            None => (&self.base, number),
        }
    }

    pub(super) fn id(&self, number: usize) -> &str {
        let (segment, position) = self.locate(number);
        segment
            .documents
            .get(position)
            .map_or("", |document| &*document.id)
    }
}
