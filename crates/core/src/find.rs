//! Searching the skills of a catalog, with an index that keeps up with it.

use std::cell::Cell;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread::{self, JoinHandle};

use crate::descriptor::Descriptor;
use crate::id::SkillId;
use crate::join::join_all;
use crate::search::{FeatureValue, IndexBuilder, IndexedSkill, SearchIndex, SearchRequest};
use crate::signal::RankSignal;
use crate::skills::Skills;
use crate::source::Document;

/// Skills that are read at once while the index catches up.
const AT_ONCE: usize = 32;
/// Threads that split texts into words.
const MOST_THREADS: usize = 4;
/// Groups of skills that wait for a thread, so that few texts are in memory.
const WAITING: usize = 2;

/// Metadata keys whose values are words to search for.
const KEYWORDS: [&str; 4] = ["keywords", "tags", "topics", "category"];

/// A skill that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillMatch {
    /// The skill.
    pub id: SkillId,
    /// Higher is better; only good for comparison within one search.
    pub score: f32,
    /// Everything that counted.
    pub features: Vec<FeatureValue>,
    /// Skills with nearly the same text, which are not listed by themselves.
    pub similar: Vec<SkillId>,
}

impl Skills {
    /// The skills that fit a task that is described by some queries, the best first: some hundreds at most. Near copies are
    /// folded into one.
    ///
    /// Updates the index first, and asks the signals of [`Self::set_signals`].
    pub async fn find(
        &self,
        queries: &[&str],
        is_wanted: impl Fn(&SkillId) -> bool,
    ) -> Vec<SkillMatch> {
        let catalog = self.catalog();
        let mut signals = Vec::new();
        for signal in self.signals() {
            signals.extend(signal.rank(&catalog, queries).await);
        }
        let known = |id: &str| catalog.get(id).map(|skill| skill.descriptor.id.clone());
        let request = SearchRequest {
            queries,
            signals: &signals,
        };
        self.with_intact_index(|index| {
            let next = Cell::new(0);
            let found = index.find(&request, |id| {
                let mut at = next.get();
                let skill = catalog.get_after(&mut at, id);
                next.set(at);
                skill.is_some_and(|skill| is_wanted(&skill.descriptor.id))
            });
            let matches = found.into_iter().filter_map(|skill| {
                Some(SkillMatch {
                    id: known(skill.hit.id)?,
                    score: skill.hit.score,
                    features: skill.hit.features,
                    similar: skill.similar.into_iter().filter_map(known).collect(),
                })
            });
            matches.collect()
        })
        .await
    }

    /// What else ranks skills, besides their words: none unless the host sets some.
    pub fn set_signals(&self, signals: Vec<Arc<dyn RankSignal>>) {
        *self
            .signal_list()
            .write()
            .unwrap_or_else(PoisonError::into_inner) = signals;
    }

    pub(crate) fn signals(&self) -> Vec<Arc<dyn RankSignal>> {
        let signals = self
            .signal_list()
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        signals.clone()
    }

    /// The skills that fit a query, the best first.
    ///
    /// Updates the index first: only skills that changed since the last update are read.
    pub async fn search(&self, query: &str, limit: usize) -> Vec<SkillId> {
        self.with_intact_index(|index| {
            let catalog = self.catalog();
            let hits = index.search(query, limit).into_iter();
            hits.filter_map(|hit| Some(catalog.get(hit.id)?.descriptor.id.clone()))
                .collect()
        })
        .await
    }

    /// Searches the updated index; once more in another one if it turns out to be damaged.
    async fn with_intact_index<T>(&self, search: impl Fn(&SearchIndex) -> T) -> T {
        let index = self.update_index().await;
        let found = search(&index);
        if !index.is_damaged() {
            return found;
        }
        search(&*self.update_index().await)
    }

    /// The current index, to be cached for the next start.
    pub fn search_index(&self) -> Arc<SearchIndex> {
        Arc::clone(&self.index().read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a cached index; [`Self::search`] updates stale entries.
    pub fn set_search_index(&self, index: SearchIndex) {
        *self.index().write().unwrap_or_else(PoisonError::into_inner) = Arc::new(index);
    }

    async fn update_index(&self) -> Arc<SearchIndex> {
        self.update_search_index(&|_, _| {}).await
    }

    /// Reads the skills that changed since the last update, so that the next search does not have to; `progress` gets the
    /// number of those that were read, and of all that will be.
    pub async fn update_search_index(
        &self,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Arc<SearchIndex> {
        let index = self.search_index();
        let updated = if index.is_damaged() {
            self.updated(Arc::default(), progress).await
        } else {
            let updated = self.updated(Arc::clone(&index), progress).await;
            // Postings are read from a file when they are needed, perhaps only now.
            if index.is_damaged() {
                self.updated(Arc::default(), progress).await
            } else {
                updated
            }
        };
        if !Arc::ptr_eq(&index, &updated) {
            *self.index().write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&updated);
        }
        updated
    }

    async fn updated(
        &self,
        index: Arc<SearchIndex>,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Arc<SearchIndex> {
        let catalog = self.catalog();
        let stamps = catalog
            .skills()
            .map(|skill| (skill.descriptor.id.as_str(), skill.descriptor.stamp));
        let stale = index.stale(stamps);
        if stale.is_empty() && index.len() == catalog.len() {
            return index;
        }
        let mut readers = Readers::new(stale.len());
        // Each thread gets a range of ids, because ranges are joined fast. All ranges are read at the same pace.
        let size = |position: &usize| {
            let skill = catalog.at(*position);
            skill.map_or(0, |skill| u64::from(skill.descriptor.body_bytes))
        };
        let ranges = ranges(&stale, readers.count(), size);
        let rounds = stale.len().div_ceil(AT_ONCE * ranges.len().max(1));
        let mut done = 0;
        for round in 0..rounds {
            for (reader, range) in ranges.iter().enumerate() {
                let at = |round: usize| range.len() * round / rounds;
                let positions = range.get(at(round)..at(round + 1)).unwrap_or_default();
                let load = |position: usize| {
                    let skill = catalog.at(position);
                    let descriptor = skill.map(|skill| skill.descriptor.clone());
                    async move {
                        let descriptor = descriptor?;
                        let document = self.sources().load(&descriptor.id).await.ok();
                        Some(ReadSkill::new(&descriptor, document))
                    }
                };
                let read = join_all(positions.iter().copied().map(load)).await;
                readers.send(reader, read.into_iter().flatten().collect());
                done += positions.len();
                progress(done, stale.len());
            }
        }
        let ids = catalog.skills().map(|skill| skill.descriptor.id.as_str());
        let (updated, _) = index.extend(ids, readers.finish());
        Arc::new(updated)
    }
}

/// The positions in `count` ranges of about the same size in bytes; fewer if there are not enough.
fn ranges(positions: &[usize], count: usize, size: impl Fn(&usize) -> u64) -> Vec<&[usize]> {
    // What a skill takes whatever its length.
    let size = |position: &usize| size(position).saturating_add(1_000);
    let share = positions
        .iter()
        .map(size)
        .sum::<u64>()
        .div_ceil(count.max(1) as u64);
    let mut ranges = Vec::new();
    let mut rest = positions;
    while !rest.is_empty() {
        let mut taken = 0;
        let is_last = ranges.len() + 1 >= count;
        let length = rest.iter().position(|position| {
            let is_full = taken >= share && !is_last;
            taken += size(position);
            is_full
        });
        let (range, after) = rest.split_at(length.unwrap_or(rest.len()).min(rest.len()));
        ranges.push(range);
        rest = after;
    }
    ranges
}

/// A skill with its text, on the way to the index.
struct ReadSkill {
    id: SkillId,
    description: String,
    keywords: Vec<String>,
    when_to_use: Option<String>,
    body: String,
    stamp: u64,
}

impl ReadSkill {
    /// A skill that could not be read is found by its description, and not read again until it changes.
    fn new(descriptor: &Descriptor, document: Option<Document>) -> Self {
        let metadata = descriptor.metadata.iter();
        let keywords = metadata.filter(|(key, _)| KEYWORDS.contains(&&**key));
        let (when_to_use, body) = match document {
            Some(document) => (document.skill.client.when_to_use, document.body),
            None => (None, String::new()),
        };
        Self {
            id: descriptor.id.clone(),
            description: descriptor.description.to_string(),
            keywords: keywords.map(|(_, value)| value.to_string()).collect(),
            when_to_use,
            body,
            stamp: descriptor.stamp,
        }
    }

    fn add_to(&self, builder: &mut IndexBuilder) {
        builder.add(&IndexedSkill {
            id: self.id.as_str(),
            description: &self.description,
            keywords: self.keywords.iter().map(String::as_str).collect(),
            when_to_use: self.when_to_use.as_deref(),
            body: Some(&self.body),
            stamp: self.stamp,
        });
    }
}

/// Threads that split texts into words while others are read from the disk; none for a few skills.
enum Readers {
    Here(IndexBuilder),
    Threads(Vec<(SyncSender<Vec<ReadSkill>>, JoinHandle<IndexBuilder>)>),
}

impl Readers {
    fn new(skills: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        if skills <= AT_ONCE || cores == 1 {
            return Self::Here(IndexBuilder::default());
        }
        let reader = |_| {
            let (sender, receiver) = sync_channel::<Vec<ReadSkill>>(WAITING);
            let work = move || {
                let mut builder = IndexBuilder::default();
                for skills in receiver {
                    for skill in &skills {
                        skill.add_to(&mut builder);
                    }
                }
                builder
            };
            (sender, thread::spawn(work))
        };
        Self::Threads((0..cores.min(MOST_THREADS)).map(reader).collect())
    }

    fn count(&self) -> usize {
        match self {
            Self::Here(_) => 1,
            Self::Threads(threads) => threads.len(),
        }
    }

    /// Skills in ascending order of id, for one of the threads.
    fn send(&mut self, reader: usize, skills: Vec<ReadSkill>) {
        match self {
            Self::Here(builder) => {
                for skill in &skills {
                    skill.add_to(builder);
                }
            }
            Self::Threads(threads) => {
                if let Some((sender, _)) = threads.get(reader) {
                    // A thread that is gone loses its skills; they stay stale.
                    let _ = sender.send(skills);
                }
            }
        }
    }

    fn finish(self) -> Vec<IndexBuilder> {
        match self {
            Self::Here(builder) => vec![builder],
            Self::Threads(threads) => {
                let done = threads.into_iter().map(|(sender, thread)| {
                    drop(sender);
                    thread.join()
                });
                done.filter_map(Result::ok).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::descriptor::Scope;
    use crate::memory::MemorySource;
    use crate::search::IndexFile;

    struct Bytes(Vec<u8>);

    impl IndexFile for Bytes {
        fn read_exact_at(&self, bytes: &mut [u8], start: u64) -> io::Result<()> {
            let start = usize::try_from(start).unwrap();
            let found = self.0.get(start..start + bytes.len());
            bytes.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    #[test]
    fn an_index_whose_file_is_damaged_is_built_again() {
        pollster::block_on(async {
            let mut source = MemorySource::new(Scope::User);
            let text = "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n";
            source.add("haiku", text);
            let skills = Skills::builder().source("mine", source).build().await;
            let skills = skills.unwrap();
            skills.update_search_index(&|_, _| {}).await;
            let intact = skills.search_index().base_bytes();
            let open = |damage: u8| {
                let mut bytes = intact.clone();
                bytes[0] ^= damage;
                let length = bytes.len() as u64;
                let index = SearchIndex::from_file(Bytes(bytes), length, None).unwrap();
                skills.set_search_index(index);
                skills.search_index()
            };
            for damage in [0, 1] {
                let opened = open(damage);
                let found = skills.find(&["write haiku"], |_| true).await;
                assert_eq!(found.len(), 1, "{damage}");
                let is_kept = Arc::ptr_eq(&opened, &skills.search_index());
                assert_eq!(is_kept, damage == 0);

                open(damage);
                assert_eq!(skills.search("write haiku", 9).await.len(), 1, "{damage}");
                assert!(!skills.search_index().is_damaged());
            }
        });
    }

    #[test]
    fn ranges_have_every_skill_once_and_about_the_same_size() {
        let positions: Vec<usize> = (0..1_000).collect();
        let size = |position: &usize| if *position < 100 { 90_000 } else { 9_000 };
        for count in [1, 2, 3, 4] {
            let ranges = ranges(&positions, count, size);
            assert_eq!(ranges.concat(), positions);
            assert_eq!(ranges.len(), count);
            let bytes = |range: &&[usize]| range.iter().map(|it| size(it) + 1_000).sum::<u64>();
            let bytes: Vec<u64> = ranges.iter().map(bytes).collect();
            let (least, most) = (bytes.iter().min().unwrap(), bytes.iter().max().unwrap());
            assert!(most - least < 400_000, "{bytes:?}");
        }
        assert_eq!(ranges(&[7], 4, size), [&[7]]);
        assert!(ranges(&[], 4, size).is_empty());
    }
}
