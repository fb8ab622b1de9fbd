//! From one index to the next, by difference.

use std::sync::Arc;

use super::builder::IndexBuilder;
use super::finish::finish;
use super::index::{IndexedSkill, SearchIndex, UpdateReport};
use super::lexicon::narrow;
use super::segment::{DROPPED, Extent, Segment, numbers};

/// A delta of so many skills is joined with a base of any size: below, joining costs more than it saves.
const SMALL_DELTA: usize = 64;
/// A delta above this part of the base is joined with it, so that a search has few skills to read twice.
const DELTA_SHARE: usize = 8;
/// A base with so many dead skills is written anew.
const DEAD_SHARE: usize = 4;

impl SearchIndex {
    /// The index of exactly these skills. Only new and changed ones are split into words.
    ///
    /// Of two skills with one id the first counts.
    pub fn update<'a>(
        &self,
        skills: impl IntoIterator<Item = IndexedSkill<'a>>,
    ) -> (Self, UpdateReport) {
        let mut skills: Vec<_> = skills.into_iter().collect();
        skills.sort_by(|left, right| left.id.cmp(right.id));
        skills.dedup_by(|later, earlier| later.id == earlier.id);
        let mut builder = IndexBuilder::default();
        for skill in &skills {
            let extent = skill.body.map_or(Extent::Head, |_| Extent::Whole);
            if !self.is_current(skill.id, skill.stamp, extent) {
                builder.add(skill);
            }
        }
        self.extend(skills.iter().map(|skill| skill.id), [builder])
    }

    /// The index of the skills in `ids`: those that were read by `builders`, and of the others the ones that are in this
    /// index. Each builder but the first is finished in a thread of its own.
    ///
    /// The time grows with what was read, but for a comparison of the ids.
    pub fn extend<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        builders: impl IntoIterator<Item = IndexBuilder>,
    ) -> (Self, UpdateReport) {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        if !ids.is_sorted() {
            ids.sort_unstable();
        }
        ids.dedup();
        let norms = (self.base.len() > 0).then_some(&self.base.norms);
        let fresh = finish(builders.into_iter().collect(), norms);
        self.with_segment(&ids, fresh)
    }

    fn with_segment(&self, ids: &[&str], fresh: Segment) -> (Self, UpdateReport) {
        let mut report = UpdateReport::default();
        let mut numbers = Numbers::new(self, &fresh);
        for id in ids {
            numbers.take(id, &mut report);
        }
        let live = self.len();
        report.removed = live.saturating_sub(report.kept + report.changed);
        if !report.is_change() {
            return (self.clone(), report);
        }
        let norms = (self.base.len() > 0).then_some(&self.base.norms);
        let dead = numbers.dead();
        let (kept, added) = (numbers.delta, numbers.fresh);
        let delta = if self.delta.len() == 0 && !added.contains(&DROPPED) {
            fresh
        } else {
            Segment::join((&self.delta, &kept), (&fresh, &added), norms)
        };
        let is_large = delta.len() > SMALL_DELTA.max(self.base.len() / DELTA_SHARE);
        if is_large || self.base.len() == 0 || dead.len() * DEAD_SHARE > self.base.len() {
            return (compacted(&self.base, &dead, delta), report);
        }
        let index = Self {
            base: Arc::clone(&self.base),
            delta: Arc::new(delta),
            dead: Arc::new(dead),
        };
        (index, report)
    }
}

/// One base of all living skills.
fn compacted(base: &Segment, dead: &[u32], delta: Segment) -> SearchIndex {
    let (first, second) = numbers(base, dead, &delta);
    let joined = if base.len() == dead.len() {
        Segment::new(delta.documents, delta.lexicon, delta.heads, None)
    } else {
        Segment::join((base, &first), (&delta, &second), None)
    };
    SearchIndex {
        base: Arc::new(joined),
        ..SearchIndex::default()
    }
}

/// Which skills stay, and their numbers in the next delta.
struct Numbers<'a> {
    index: &'a SearchIndex,
    new: &'a Segment,
    at: [usize; 3],
    next: u32,
    fresh: Vec<u32>,
    delta: Vec<u32>,
    kept_base: Vec<bool>,
}

impl<'a> Numbers<'a> {
    fn new(index: &'a SearchIndex, new: &'a Segment) -> Self {
        Self {
            index,
            new,
            at: [0; 3],
            next: 0,
            fresh: vec![DROPPED; new.len()],
            delta: vec![DROPPED; index.delta.len()],
            kept_base: vec![false; index.base.len()],
        }
    }

    /// The next id, in ascending order.
    fn take(&mut self, id: &str, report: &mut UpdateReport) {
        let [fresh_at, delta_at, base_at] = &mut self.at;
        let fresh = advance(self.new, fresh_at, id);
        let delta = advance(&self.index.delta, delta_at, id);
        let base = advance(&self.index.base, base_at, id)
            .filter(|position| self.index.dead.binary_search(&narrow(*position)).is_err());
        let was_there = delta.is_some() || base.is_some();
        let slot = match (fresh, delta, base) {
            (Some(position), ..) => {
                *(if was_there {
                    &mut report.changed
                } else {
                    &mut report.added
                }) += 1;
                self.fresh.get_mut(position)
            }
            (None, Some(position), _) => {
                report.kept += 1;
                self.delta.get_mut(position)
            }
            (None, None, Some(position)) => {
                report.kept += 1;
                if let Some(kept) = self.kept_base.get_mut(position) {
                    *kept = true;
                }
                return;
            }
            (None, None, None) => return,
        };
        if let Some(slot) = slot {
            *slot = self.next;
            self.next += 1;
        }
    }

    /// Positions of the base that no longer count.
    fn dead(&self) -> Vec<u32> {
        let kept = self.kept_base.iter().zip(0..);
        kept.filter(|(kept, _)| !**kept)
            .map(|(_, position)| position)
            .collect()
    }
}

/// Goes on to `id` in a segment; its position, if it is there.
fn advance(segment: &Segment, at: &mut usize, id: &str) -> Option<usize> {
    while let Some(document) = segment.documents.get(*at) {
        match (*document.id).cmp(id) {
            std::cmp::Ordering::Less => *at += 1,
            std::cmp::Ordering::Equal => return Some(*at),
            std::cmp::Ordering::Greater => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill<'a>(id: &'a str, body: &'a str, stamp: u64) -> IndexedSkill<'a> {
        IndexedSkill {
            id,
            description: "Works with files.",
            keywords: vec!["office"],
            body: Some(body),
            stamp,
            ..IndexedSkill::default()
        }
    }

    fn report(added: usize, changed: usize, removed: usize, kept: usize) -> UpdateReport {
        UpdateReport {
            added,
            changed,
            removed,
            kept,
        }
    }

    /// The same with everything in the base.
    fn whole(index: &SearchIndex) -> SearchIndex {
        compacted(&index.base, &index.dead, (*index.delta).clone())
    }

    #[test]
    fn a_difference_gives_what_a_new_index_would() {
        let before = [
            skill("a", "apples and pears", 1),
            skill("c", "cherries running", 1),
            skill("d", "dates", 1),
        ];
        let after = [
            skill("d", "dates", 1),
            skill("b/x", "bananas run", 1),
            skill("c", "cherry apples", 2),
        ];
        let (first, made) = SearchIndex::empty().update(before);
        assert_eq!(made, report(3, 0, 0, 0));
        let (second, made) = first.update(after.clone());
        assert_eq!(made, report(1, 1, 1, 1));
        assert_eq!(whole(&second), SearchIndex::empty().update(after).0);
    }

    #[test]
    fn any_sequence_of_differences_equals_a_new_index() {
        let bodies = [
            "apples run",
            "pears ran running",
            "数据库 apples",
            "",
            "a pear and an apple",
        ];
        let ids: Vec<_> = (0..40).map(|number| format!("group/{number}")).collect();
        let mut state = 3_usize;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut stamps = vec![0; ids.len()];
        let mut index = SearchIndex::empty();
        let mut with_delta = 0;
        for _ in 0..300 {
            for _ in 0..random(4) {
                stamps[random(ids.len())] = random(bodies.len() + 2);
            }
            let skills: Vec<_> = ids
                .iter()
                .zip(&stamps)
                .filter_map(|(id, stamp)| Some(skill(id, bodies.get(*stamp)?, *stamp as u64)))
                .collect();
            index = index.update(skills.clone()).0;
            with_delta += usize::from(index.delta.len() > 0);
            assert_eq!(index.len(), skills.len());
            let anew = SearchIndex::empty().update(skills).0;
            assert_eq!(whole(&index), anew);
            let ids = |index: &SearchIndex| -> Vec<String> {
                let hits = index.search("apples", 50);
                hits.iter().map(|hit| hit.id.to_owned()).collect()
            };
            let (mut found, mut expected) = (ids(&index), ids(&anew));
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
        }
        assert!(with_delta > 100, "{with_delta}");
    }

    #[test]
    fn what_did_not_change_is_shared() {
        let ids: Vec<_> = (0..100)
            .map(|number| format!("skill-{number:03}"))
            .collect();
        let skills = |changed: usize| {
            let skill = move |(number, id)| {
                let is_changed = number == changed;
                skill(id, "apples", 1 + u64::from(is_changed))
            };
            ids.iter().map(String::as_str).enumerate().map(skill)
        };
        let (first, _) = SearchIndex::empty().update(skills(usize::MAX));
        let (second, made) = first.update(skills(50));
        assert_eq!(made, report(0, 1, 0, 99));
        assert!(Arc::ptr_eq(&first.base, &second.base));
        assert_eq!(
            (second.delta.len(), second.dead.as_slice()),
            (1, [50].as_slice())
        );
        let (third, made) = second.update(skills(usize::MAX));
        assert_eq!(made, report(0, 1, 0, 99));
        assert_eq!(whole(&third), whole(&first));
    }

    #[test]
    fn several_builders_give_what_one_would() {
        let skills = [
            skill("a", "apples", 1),
            skill("b", "bananas", 1),
            skill("c", "cherries and apples", 1),
            skill("d", "dates, bananas", 1),
        ];
        // Which skills each builder gets: ranges, a turn each, and one of them twice.
        for shares in [
            vec![vec![0, 1], vec![2, 3]],
            vec![vec![], vec![0], vec![], vec![1, 2], vec![3]],
            vec![vec![0, 2], vec![1, 3]],
            vec![vec![2, 3], vec![0, 1]],
            vec![vec![0, 1, 3], vec![1, 2]],
        ] {
            let builder = |share: &Vec<usize>| {
                let mut builder = IndexBuilder::default();
                for position in share {
                    assert!(builder.add(&skills[*position]));
                    assert!(!builder.add(&skills[*position]));
                }
                builder
            };
            let ids = skills.iter().map(|skill| skill.id);
            let (index, made) = SearchIndex::empty().extend(ids, shares.iter().map(builder));
            assert_eq!(made, report(4, 0, 0, 0));
            assert_eq!(index, SearchIndex::empty().update(skills.clone()).0);
        }
    }

    #[test]
    fn unchanged_skills_are_not_read_again() {
        let (first, _) = SearchIndex::empty().update([skill("a", "apples", 1)]);
        let (second, made) = first.update([skill("a", "never looked at", 1)]);
        assert_eq!(made, report(0, 0, 0, 1));
        assert_eq!(second, first);
    }

    #[test]
    fn a_skill_without_its_body_stays_stale() {
        let mut head = skill("a", "", 1);
        head.body = None;
        let stale = |index: &SearchIndex| index.stale([("a", 1), ("b", 1)]);
        let (first, _) = SearchIndex::empty().update([head.clone()]);
        assert_eq!(stale(&first), [0, 1]);
        assert_eq!(first.search("files", 5).len(), 1);
        let (second, made) = first.update([skill("a", "apples", 1)]);
        assert_eq!(made, report(0, 1, 0, 0));
        assert_eq!(stale(&second), [1]);
        let (third, made) = second.update([head]);
        assert_eq!(made, report(0, 0, 0, 1));
        assert_eq!(third.search("apple", 5).len(), 1);
        assert_eq!(third.stale([("a", 2)]), [0]);
    }

    #[test]
    fn stale_skills_are_found_in_any_order() {
        let skills = ["a", "b", "c", "d"].map(|id| skill(id, "apples", 1));
        let (index, _) = SearchIndex::empty().update(skills);
        let stale = |asked: &[(&'static str, u64)]| index.stale(asked.iter().copied());
        assert!(stale(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)]).is_empty());
        assert!(stale(&[("d", 1), ("b", 1), ("c", 1), ("a", 1)]).is_empty());
        assert_eq!(
            stale(&[("a", 1), ("aa", 1), ("c", 2), ("d", 1), ("e", 1)]),
            [1, 2, 4]
        );
    }

    #[test]
    fn the_first_of_two_with_one_id_counts() {
        let (index, made) =
            SearchIndex::empty().update([skill("a", "apples", 1), skill("a", "pears", 2)]);
        assert_eq!(made, report(1, 0, 0, 0));
        assert_eq!(index.search("apples", 5).len(), 1);
        assert!(index.search("pears", 5).is_empty());
    }

    #[test]
    fn removed_skills_leave_nothing() {
        let (index, _) = SearchIndex::empty().update([skill("a", "apples", 1)]);
        let (index, made) = index.update([]);
        assert_eq!(made, report(0, 0, 1, 0));
        assert_eq!(index, SearchIndex::empty());
    }
}
