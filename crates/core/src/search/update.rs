//! From one index to the next, by difference.

use std::collections::HashMap;
use std::sync::Arc;

use super::index::{Document, Extent, IndexedSkill, SearchIndex, UpdateReport};
use super::lexicon::{Lexicon, LexiconEntry, Prominence};
use super::postings::{Counts, Field, Posting, Postings, Writer};
use super::stop::is_stop;
use super::tokenize::{stem, tokenize};

/// In the place of a new number: the skill was removed, or its postings must be rebuilt.
const DROPPED: u32 = u32::MAX;

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

        let mut report = UpdateReport::default();
        let mut fresh = Fresh::default();
        let mut documents = Vec::with_capacity(skills.len());
        // Both sides are sorted by id, so the new numbers of unchanged skills ascend with the old ones.
        let mut numbers = vec![DROPPED; self.documents.len()];
        let mut old = self.documents.iter().zip(&mut numbers).peekable();
        for (skill, number) in skills.iter().zip(0..DROPPED) {
            while old
                .next_if(|(document, _)| *document.id < *skill.id)
                .is_some()
            {
                report.removed += 1;
            }
            match old.next_if(|(document, _)| *document.id == *skill.id) {
                Some((document, kept)) if document.covers(skill) => {
                    report.kept += 1;
                    *kept = number;
                    documents.push(document.clone());
                    continue;
                }
                Some(_) => report.changed += 1,
                None => report.added += 1,
            }
            documents.push(fresh.read(number, skill));
        }
        report.removed += old.count();
        if !report.is_change() {
            return (self.clone(), report);
        }
        let lexicon = merge(&self.lexicon, &numbers, &fresh.into_sorted());
        (Self::new(documents, lexicon), report)
    }
}

/// Words of the skills that had to be read.
#[derive(Default)]
struct Fresh {
    numbers: HashMap<Box<str>, usize>,
    lists: Vec<Vec<Posting>>,
}

struct FreshWord {
    stem: Box<str>,
    word: Box<str>,
    postings: Vec<Posting>,
}

impl Fresh {
    fn read(&mut self, document: u32, skill: &IndexedSkill<'_>) -> Document {
        let lengths = Field::ALL.map(|field| match field {
            Field::Name => self.read_field(document, field, skill.id),
            Field::Description => self.read_field(document, field, skill.description),
            Field::Keywords => skill
                .keywords
                .iter()
                .map(|keyword| self.read_field(document, field, keyword))
                .sum(),
            Field::Body => self.read_field(document, field, skill.body.unwrap_or_default()),
        });
        Document {
            id: Arc::from(skill.id),
            stamp: skill.stamp,
            extent: skill.body.map_or(Extent::Head, |_| Extent::Whole),
            lengths,
        }
    }

    /// Returns how many words there were.
    fn read_field(&mut self, document: u32, field: Field, text: &str) -> u32 {
        let mut words = 0;
        tokenize(text, |word| {
            if field == Field::Name || !is_stop(word) {
                words += 1;
                self.add(document, field, word);
            }
        });
        words
    }

    fn add(&mut self, document: u32, field: Field, word: &str) {
        let number = self.numbers.get(word).copied().unwrap_or_else(|| {
            self.numbers.insert(word.into(), self.lists.len());
            self.lists.push(Vec::new());
            self.lists.len() - 1
        });
        let Some(list) = self.lists.get_mut(number) else {
            return;
        };
        if let Some(known) = list.last_mut().filter(|known| known.document == document) {
            known.counts.add(field);
        } else {
            let mut counts = Counts::default();
            counts.add(field);
            list.push(Posting { document, counts });
        }
    }

    fn into_sorted(self) -> Vec<FreshWord> {
        let mut words: Vec<_> = self
            .numbers
            .into_iter()
            .map(|(word, number)| (stem(&word).into(), word, number))
            .collect();
        words.sort_unstable();
        let mut lists = self.lists;
        words
            .into_iter()
            .filter_map(|(stem, word, number)| {
                Some(FreshWord {
                    stem,
                    word,
                    postings: std::mem::take(lists.get_mut(number)?),
                })
            })
            .collect()
    }
}

/// The old words under their new numbers, together with the fresh ones.
fn merge(old: &Lexicon, numbers: &[u32], fresh: &[FreshWord]) -> Lexicon {
    let mut merged = Lexicon::default();
    let mut fresh = fresh.iter().peekable();
    let mut add = |stem: &str, word: &str, old: &[u8], new: &[Posting]| {
        merged.push(stem, word, |bytes| write(bytes, old, numbers, new));
    };
    for LexiconEntry {
        stem,
        word,
        postings,
        ..
    } in old.entries()
    {
        while let Some(new) = fresh.next_if(|new| (&*new.stem, &*new.word) < (stem, word)) {
            add(&new.stem, &new.word, &[], &new.postings);
        }
        let new = fresh.next_if(|new| *new.word == *word);
        add(stem, word, postings, new.map_or(&[], |new| &new.postings));
    }
    for new in fresh {
        add(&new.stem, &new.word, &[], &new.postings);
    }
    merged
}

/// Appends both lists as one, in order, and returns the field with the highest weight.
fn write(bytes: &mut Vec<u8>, old: &[u8], numbers: &[u32], new: &[Posting]) -> Prominence {
    let mut writer = Writer::new(bytes);
    let mut prominence = Prominence::Elsewhere;
    let mut push = |posting: Posting| {
        prominence = prominence.min(Prominence::of(posting.counts));
        writer.push(posting);
    };
    let mut new = new.iter().peekable();
    for Posting { document, counts } in Postings::new(old) {
        let number = usize::try_from(document)
            .ok()
            .and_then(|at| numbers.get(at));
        let Some(&document) = number.filter(|number| **number != DROPPED) else {
            continue;
        };
        while let Some(before) = new.next_if(|new| new.document < document) {
            push(*before);
        }
        push(Posting { document, counts });
    }
    for posting in new {
        push(*posting);
    }
    prominence
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
        assert_eq!(second, SearchIndex::empty().update(after).0);
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
        let ids: Vec<_> = (0..12).map(|number| format!("group/{number}")).collect();
        let mut state = 3_usize;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut index = SearchIndex::empty();
        for _ in 0..300 {
            let mut skills = Vec::new();
            for id in &ids {
                let stamp = random(bodies.len() + 3);
                if let Some(body) = bodies.get(stamp) {
                    skills.push(skill(id, body, stamp as u64));
                }
            }
            index = index.update(skills.clone()).0;
            assert_eq!(index, SearchIndex::empty().update(skills).0);
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
