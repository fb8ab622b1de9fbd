//! Level one: the list of skills, within a budget.

use std::collections::BTreeSet;

use prowess_spec::estimate_tokens;
use serde::Serialize;

use crate::catalog::{Catalog, Collection, Skill};
use crate::id::SkillId;

use super::formats::{CatalogEntry, Page, write};
use super::options::RenderOptions;

/// The effect of the budget on the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogReport {
    /// Skills that a model may choose.
    pub total: usize,
    /// Skills that are listed one by one.
    pub shown: usize,
    /// Skills whose description was shortened.
    pub shortened: usize,
    /// Skills that are listed without a description.
    pub undescribed: usize,
    /// Skills that are not listed; collections or search lead to them.
    pub omitted: usize,
    /// Estimated tokens of the whole list.
    pub tokens_before: usize,
    /// Estimated tokens of what was written.
    pub tokens_after: usize,
}

/// Characters of a description that are enough to choose by.
const DESCRIBED: usize = 80;
/// Skills with a description that are worth more than any number of names.
const FEWEST_DESCRIBED: usize = 10;
/// The least that an entry takes besides its id and description.
const ENTRY_CHARS: usize = 4;

/// The catalog as a model sees it, and what had to be left out. No skills: an empty text.
pub fn render_catalog(catalog: &Catalog, options: &RenderOptions<'_>) -> (String, CatalogReport) {
    let for_models = || {
        let skills = catalog.skills();
        skills.filter(|skill| skill.descriptor.invocation.by_model())
    };
    let mut report = CatalogReport::default();
    for skill in for_models() {
        report.total += 1;
        report.tokens_before += skill.descriptor.tokens().catalog;
    }
    if report.total == 0 {
        return (String::new(), report);
    }
    let by_collection = report.total > options.inventory_threshold;
    let named: BTreeSet<&SkillId> = options.likely.iter().collect();
    let likely = options.likely.iter();
    let likely = likely
        .filter_map(|id| catalog.get(id.as_str()))
        .filter(|skill| skill.descriptor.invocation.by_model());
    let others = for_models().filter(|skill| {
        let id = &skill.descriptor.id;
        !(named.contains(id) || by_collection && id.as_str().contains('/'))
    });
    let fitting = Fitting {
        options,
        skills: likely.chain(others).collect(),
        collections: by_collection.then(|| catalog.browse(None).subcollections),
    };
    let text = fitting.text(&mut report);
    report.omitted = report.total - report.shown;
    report.tokens_after = estimate_tokens(&text);
    (text, report)
}

/// Skills and collections that may be listed, the likeliest first.
struct Fitting<'a> {
    options: &'a RenderOptions<'a>,
    skills: Vec<Skill<'a>>,
    collections: Option<Vec<Collection>>,
}

impl Fitting<'_> {
    /// As much as the budget allows: everything, shorter descriptions, fewer skills, names.
    fn text(&self, report: &mut CatalogReport) -> String {
        let described = |entry: &CatalogEntry| entry.description_chars.min(DESCRIBED);
        let mut entries = self.entries(described);
        // The catalog of a small budget is a list of collections; half of it is for skills.
        let most = if entries.is_empty() { 1 } else { 2 };
        let collections = self.collections_within(self.options.budget / most);
        let most = entries.len().min(self.options.max_skills);
        let count = self.largest(most, |count| {
            self.page(&entries, count, DESCRIBED, collections)
        });
        if let Some(count) = count.filter(|count| *count >= FEWEST_DESCRIBED.min(most)) {
            if count == self.skills.len() {
                // All of them: in the order of their ids.
                entries.sort_by(|a, b| a.id.cmp(&b.id));
            }
            let shown = entries.get(..count).unwrap_or_default();
            let longest = shown.iter().map(|entry| entry.description_chars).max();
            let room = longest.unwrap_or(0).saturating_sub(DESCRIBED);
            let more = self.largest(room, |more| {
                self.page(&entries, count, DESCRIBED + more, collections)
            });
            let length = DESCRIBED + more.unwrap_or(0);
            let is_cut = |entry: &&CatalogEntry| entry.description_chars > length;
            report.shown = count;
            report.shortened = shown.iter().filter(is_cut).count();
            return write(
                self.options,
                &self.page(&entries, count, length, collections),
            );
        }
        let entries = self.entries(|_| 0);
        let collections = self.collections_within(self.options.budget);
        let names = |count| self.page(&entries, count, 0, collections);
        if let Some(count) = self.largest(most, names) {
            report.shown = count;
            report.undescribed = count;
            return write(self.options, &names(count));
        }
        // A budget below the frame itself leaves only the way to search, or nothing.
        let few = |count| self.page(&[], 0, 0, collections.get(..count).unwrap_or_default());
        let count = self.largest(collections.len(), few);
        count.map_or_else(String::new, |count| write(self.options, &few(count)))
    }

    /// Entries in their order, as many as can fit at all if each takes `minimum` characters besides its id.
    fn entries(&self, minimum: impl Fn(&CatalogEntry) -> usize) -> Vec<CatalogEntry> {
        let mut left = self.options.budget;
        let mut entries = Vec::new();
        for skill in &self.skills {
            let entry = CatalogEntry::new(skill, self.options);
            let chars = entry.id.as_str().len() + minimum(&entry) + ENTRY_CHARS;
            entries.push(entry);
            let Some(rest) = left.checked_sub(chars) else {
                break;
            };
            left = rest;
        }
        entries
    }

    /// The first collections, whose lines take at most `budget` characters.
    fn collections_within(&self, budget: usize) -> &[Collection] {
        let all = self.collections.as_deref().unwrap_or_default();
        let count = self.largest_within(budget, all.len(), |count| {
            self.page(&[], 0, 0, all.get(..count).unwrap_or_default())
        });
        all.get(..count.unwrap_or(0)).unwrap_or_default()
    }

    fn page<'p>(
        &self,
        entries: &'p [CatalogEntry],
        count: usize,
        length: usize,
        collections: &'p [Collection],
    ) -> Page<'p> {
        let all = self.collections.as_ref().map(Vec::len);
        Page {
            entries: entries.get(..count).unwrap_or_default(),
            length,
            by_collection: all.is_some(),
            collections,
            unlisted: self.skills.len() - count,
            unlisted_collections: all.unwrap_or(0) - collections.len(),
        }
    }

    /// The largest number up to `most` whose page fits into the budget, if any does.
    fn largest<'p>(&self, most: usize, page: impl Fn(usize) -> Page<'p>) -> Option<usize> {
        self.largest_within(self.options.budget, most, page)
    }

    fn largest_within<'p>(
        &self,
        budget: usize,
        most: usize,
        page: impl Fn(usize) -> Page<'p>,
    ) -> Option<usize> {
        let fits = |number| write(self.options, &page(number)).chars().count() <= budget;
        if fits(most) {
            return Some(most);
        }
        // The smallest that does not fit lies above `fitting` and at or below `most`.
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }
}
