//! Every skill of every source, at one moment: immutable, sorted, complete.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use prowess_spec::nearest;
use serde::Serialize;

use crate::clash::{NamedSnapshot, label_servers};
use crate::descriptor::{Descriptor, Scope};
use crate::filter::Filter;
use crate::id::{CollectionPath, SkillId};
use crate::source::{Invalid, Origin, Snapshot};

/// Skills that are compared one after the other before a binary search.
const NEIGHBOURS: usize = 8;

/// Which of two skills with one id counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Collisions {
    /// The earlier source's.
    #[default]
    FirstWins,
    /// The later source's.
    LastWins,
}

/// How a source is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// It answered.
    Healthy,
    /// It did not respond; cached data is used.
    Degraded,
    /// It has never answered.
    Unhealthy,
    /// A project's source that the user has not accepted.
    Untrusted,
}

/// A source as the catalog saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceStatus {
    /// Its name.
    pub name: Arc<str>,
    /// Its health.
    pub health: Health,
    /// Why it is not healthy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Time of the last response, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshed: Option<u64>,
    /// How many skills it holds, used or not.
    pub skills: usize,
    /// Its warnings.
    pub warnings: Vec<String>,
    /// Hidden directories that were not searched.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden: usize,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Something that went wrong in a source or with one of its skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem<'c> {
    /// The name of the source.
    pub source: &'c str,
    /// The skill, as the source names it.
    pub path: Option<&'c str>,
    /// What went wrong.
    pub message: &'c str,
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.source)?;
        if let Some(path) = self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(self.message)
    }
}

/// One source's part in a catalog.
#[derive(Clone, Debug)]
pub struct Layer {
    /// How the source is doing, and its name.
    pub status: SourceStatus,
    /// Its snapshot.
    pub snapshot: Arc<Snapshot>,
    /// Who names its skills.
    pub origin: Origin,
}

/// The settings that select the skills of a catalog.
#[derive(Clone, Debug, Default)]
pub struct CatalogOptions {
    /// Which of two skills with one id counts.
    pub collisions: Collisions,
    /// Which skills are wanted.
    pub filter: Filter,
    /// The capabilities of the host.
    pub capabilities: BTreeSet<String>,
    /// How many skills there may be; no bound if absent.
    pub max_skills: Option<usize>,
    /// Ids that belong to built-in skills: those of a project or a remote are refused.
    pub reserved: BTreeSet<SkillId>,
}

impl CatalogOptions {
    /// Whether a skill takes the id of a built-in one and is neither built in nor the user's own.
    pub(crate) fn refuses(&self, descriptor: &Descriptor) -> bool {
        matches!(descriptor.scope, Scope::Project | Scope::Remote)
            && self.reserved.contains(&descriptor.id)
    }
}

/// Every skill of every source.
#[derive(Debug, Default)]
pub struct Catalog {
    layers: Vec<Layer>,
    skills: Vec<DescriptorIndex>,
    shadowed: Vec<(DescriptorIndex, DescriptorIndex)>,
    /// Those among them that are the same, byte for byte.
    copies: Vec<(DescriptorIndex, DescriptorIndex)>,
    /// Skills of servers with a label, each with the skill that has its bare id or would have it.
    clashes: Vec<(DescriptorIndex, DescriptorIndex)>,
    unavailable: Vec<DescriptorIndex>,
    disabled: Vec<DescriptorIndex>,
    refused: Vec<DescriptorIndex>,
    omitted: usize,
    collections: BTreeMap<CollectionPath, CollectionInfo>,
    generation: u64,
}

/// The position of a descriptor: layer and index.
#[derive(Clone, Copy, Debug)]
struct DescriptorIndex {
    layer: u16,
    index: u32,
}

impl DescriptorIndex {
    fn new(layer: usize, index: usize) -> Option<Self> {
        let (layer, index) = (u16::try_from(layer).ok()?, u32::try_from(index).ok()?);
        Some(Self { layer, index })
    }
}

#[derive(Clone, Debug, Default)]
struct CollectionInfo {
    count: usize,
    description: Option<String>,
}

/// A skill of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill<'c> {
    /// Its metadata.
    pub descriptor: &'c Descriptor,
    /// The name of its source.
    pub source: &'c Arc<str>,
    directory: Option<&'c str>,
    layer: usize,
}

impl Skill<'_> {
    /// The index of its source's layer.
    pub fn layer(&self) -> usize {
        self.layer
    }

    /// Its source and its directory there: `~/.agents/skills/pdf`.
    pub fn path(&self) -> String {
        match self.directory {
            Some(directory) => format!("{}/{directory}", self.source),
            None => self.source.to_string(),
        }
    }
}

/// A skill that another one hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadowed<'c> {
    /// The one that counts.
    pub winner: Skill<'c>,
    /// The one that does not.
    pub loser: Skill<'c>,
}

/// A skill of a server that got a label, and the skill whose id it has without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash<'c> {
    /// The server's skill, such as `company:pdf`.
    pub labelled: Skill<'c>,
    /// The skill with the bare id; one with the label of another server if no source but servers has it.
    pub other: Skill<'c>,
}

impl fmt::Display for Clash<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { labelled, other } = self;
        let (id, bare) = (&labelled.descriptor.id, labelled.descriptor.id.bare());
        let (server, place) = (labelled.source, other.path());
        write!(
            f,
            "`{bare}` is in {place} and on the server `{server}`, whose skill is `{id}`"
        )
    }
}

/// A collection, with everything below it counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collection {
    /// Its path.
    pub path: CollectionPath,
    /// The text of `COLLECTION.md`, or the number of skills.
    pub description: String,
    /// Skills in it and below it.
    pub count: usize,
}

/// The direct contents of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing<'c> {
    /// Collections one level down.
    pub subcollections: Vec<Collection>,
    /// Skills at this level.
    pub skills: Vec<Skill<'c>>,
}

impl Catalog {
    /// Merges layers, the most important first.
    pub fn new(mut layers: Vec<Layer>, options: &CatalogOptions, generation: u64) -> Self {
        let mut catalog = Self {
            clashes: label(&mut layers, options),
            layers,
            generation,
            ..Self::default()
        };
        let mut skills: Vec<DescriptorIndex> = Vec::new();
        for (layer, content) in catalog.layers.iter().enumerate() {
            for (index, descriptor) in content.snapshot.skills.iter().enumerate() {
                let Some(position) = DescriptorIndex::new(layer, index) else {
                    continue;
                };
                if !options.filter.accepts(&descriptor.id) {
                    catalog.disabled.push(position);
                } else if options.refuses(descriptor) {
                    catalog.refused.push(position);
                } else if has_all(&options.capabilities, descriptor) {
                    skills.push(position);
                } else {
                    catalog.unavailable.push(position);
                }
            }
        }
        let single = catalog.layers.len() < 2;
        if !single {
            skills.sort_by(|a, b| {
                let ids = catalog
                    .descriptor(*a)
                    .map(|d| &d.id)
                    .cmp(&catalog.descriptor(*b).map(|d| &d.id));
                ids.then_with(|| match options.collisions {
                    Collisions::FirstWins => a.layer.cmp(&b.layer),
                    Collisions::LastWins => b.layer.cmp(&a.layer),
                })
            });
        }
        for position in skills {
            let winner = catalog.skills.last().copied();
            let same = winner.filter(|winner| {
                catalog.descriptor(*winner).map(|d| &d.id)
                    == catalog.descriptor(position).map(|d| &d.id)
            });
            match same {
                Some(winner) => catalog.shadowed.push((winner, position)),
                None => catalog.skills.push(position),
            }
        }
        let limit = options.max_skills.unwrap_or(usize::MAX);
        catalog.omitted = catalog.skills.len().saturating_sub(limit);
        catalog.skills.truncate(limit);
        catalog.collections = catalog.derive_collections();
        catalog
    }

    fn derive_collections(&self) -> BTreeMap<CollectionPath, CollectionInfo> {
        let mut collections: BTreeMap<CollectionPath, CollectionInfo> = BTreeMap::new();
        // Skills are sorted, so those of one collection come together.
        let mut run: Option<(CollectionPath, usize)> = None;
        let mut add = |path: &CollectionPath, count: usize| {
            for path in path.ancestors() {
                collections.entry(path).or_default().count += count;
            }
        };
        for skill in self.skills() {
            let id = &skill.descriptor.id;
            match (id.collection_text(), &mut run) {
                (Some(path), Some((current, count))) if path == current.as_str() => *count += 1,
                _ => {
                    if let Some((current, count)) = run.take() {
                        add(&current, count);
                    }
                    run = id.collection().map(|path| (path, 1));
                }
            }
        }
        if let Some((current, count)) = run {
            add(&current, count);
        }
        for layer in &self.layers {
            for (path, description) in &layer.snapshot.collections {
                if let Some(info) = collections.get_mut(path) {
                    info.description.get_or_insert_with(|| description.clone());
                }
            }
        }
        collections
    }

    fn descriptor(&self, position: DescriptorIndex) -> Option<&Descriptor> {
        let layer = self.layers.get(usize::from(position.layer))?;
        layer.snapshot.skills.get(position.index as usize)
    }

    fn skill(&self, position: DescriptorIndex) -> Option<Skill<'_>> {
        let layer = self.layers.get(usize::from(position.layer))?;
        Some(Skill {
            descriptor: layer.snapshot.skills.get(position.index as usize)?,
            source: &layer.status.name,
            directory: layer
                .snapshot
                .directories
                .get(position.index as usize)
                .map(|directory| &**directory)
                .filter(|directory| !directory.is_empty()),
            layer: usize::from(position.layer),
        })
    }

    /// Every skill, sorted by id.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Skill<'_>> + Clone {
        Skills {
            catalog: self,
            places: self.skills.iter(),
        }
    }

    /// The number of skills.
    pub fn len(&self) -> usize {
        self.skills.len()
    }

    /// Whether it has no skills.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// The skill with this id.
    pub fn get(&self, id: &str) -> Option<Skill<'_>> {
        let id_of =
            |position: &DescriptorIndex| self.descriptor(*position).map_or("", |d| d.id.as_str());
        let index = self
            .skills
            .binary_search_by(|position| id_of(position).cmp(id))
            .ok()?;
        self.skill(*self.skills.get(index)?)
    }

    /// The same for ids that come in ascending order, nearly always; `next` is where the last one was found, 0 at first.
    ///
    /// Among the ids that a search asks for, many are neighbours, and each step of a binary search waits for memory.
    pub(crate) fn get_after(&self, next: &mut usize, id: &str) -> Option<Skill<'_>> {
        let rest = self.skills.get(*next..).unwrap_or_default();
        let order = |position: &DescriptorIndex| {
            let descriptor = self.descriptor(*position);
            descriptor.map_or("", |it| it.id.as_str()).cmp(id)
        };
        for (steps, position) in rest.iter().take(NEIGHBOURS).enumerate() {
            match order(position) {
                Ordering::Less => {}
                Ordering::Equal => {
                    *next += steps;
                    return self.skill(*position);
                }
                Ordering::Greater => break,
            }
        }
        let index = self.skills.binary_search_by(order).ok()?;
        *next = index;
        self.skill(*self.skills.get(index)?)
    }

    /// The skill at this position of [`Self::skills`].
    pub fn at(&self, index: usize) -> Option<Skill<'_>> {
        self.skill(*self.skills.get(index)?)
    }

    /// Skills in a collection and below it.
    pub fn within(&self, collection: &CollectionPath) -> impl Iterator<Item = Skill<'_>> {
        // Ids sort by bytes, and `/` sorts before letters and digits but after `-`.
        let start = self.skills.partition_point(|position| {
            self.descriptor(*position)
                .is_some_and(|d| d.id.as_str() < collection.as_str())
        });
        let rest = self.skills.get(start..).unwrap_or_default();
        let below = rest.iter().filter_map(|position| self.skill(*position));
        let prefix = collection.as_str();
        below
            .take_while(move |skill| skill.descriptor.id.as_str().starts_with(prefix))
            .filter(move |skill| skill.descriptor.id.is_within(collection))
    }

    /// Skills that others hide, with both sources.
    pub fn shadowed(&self) -> impl Iterator<Item = Shadowed<'_>> {
        self.shadowed.iter().filter_map(|(winner, loser)| {
            Some(Shadowed {
                winner: self.skill(*winner)?,
                loser: self.skill(*loser)?,
            })
        })
    }

    /// Skills of servers that got a label because their id belongs to another skill.
    pub fn clashes(&self) -> impl Iterator<Item = Clash<'_>> {
        self.clashes.iter().filter_map(|(labelled, other)| {
            Some(Clash {
                labelled: self.skill(*labelled)?,
                other: self.skill(*other)?,
            })
        })
    }

    /// Where a skill is, with its copies in other sources; the first counts.
    pub fn locations(&self, id: &str) -> Vec<String> {
        let winner = self.get(id).into_iter().map(|skill| skill.path());
        // They are in the order of ids.
        let id_of = |index: DescriptorIndex| self.descriptor(index).map_or("", |d| d.id.as_str());
        let start = self.copies.partition_point(|(of, _)| id_of(*of) < id);
        let copies = self.copies.get(start..).unwrap_or_default().iter();
        let copies = copies
            .take_while(|(of, _)| id_of(*of) == id)
            .filter_map(|(_, copy)| Some(self.skill(*copy)?.path()));
        winner.chain(copies).collect()
    }

    /// Whether any skill has copies.
    pub fn has_copies(&self) -> bool {
        !self.copies.is_empty()
    }

    /// Takes the pairs out of the shadowed skills that are copies.
    pub(crate) fn set_copies(&mut self, are_copies: &[bool]) {
        let mut are_copies = are_copies.iter();
        let copies = self
            .shadowed
            .extract_if(.., |_| are_copies.next() == Some(&true));
        self.copies = copies.collect();
    }

    /// The number of skills omitted by the limit.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Skills that need what the host cannot do.
    pub fn unavailable(&self) -> impl Iterator<Item = Skill<'_>> {
        self.unavailable
            .iter()
            .filter_map(|position| self.skill(*position))
    }

    /// Skills that the settings leave out.
    pub fn disabled(&self) -> impl Iterator<Item = Skill<'_>> {
        self.disabled
            .iter()
            .filter_map(|position| self.skill(*position))
    }

    /// Skills of a project or a remote that take the id of a built-in one.
    pub fn refused(&self) -> impl Iterator<Item = Skill<'_>> {
        self.refused
            .iter()
            .filter_map(|position| self.skill(*position))
    }

    /// Invalid skills, with the name of their source.
    pub fn invalid(&self) -> impl Iterator<Item = (&Arc<str>, &Invalid)> {
        self.layers.iter().flat_map(|layer| {
            layer
                .snapshot
                .invalid
                .iter()
                .map(|invalid| (&layer.status.name, invalid))
        })
    }

    /// Everything that went wrong while skills were collected: sources that failed, their warnings, invalid skills.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use prowess_core::{MemorySource, Scope, Skills};
    ///
    /// let mut source = MemorySource::new(Scope::Project);
    /// source.add("haiku", "no frontmatter");
    /// let skills = Skills::builder().source("mine", source).build().await.unwrap();
    /// let catalog = skills.catalog();
    /// let problem = catalog.problems().next().unwrap();
    /// assert!(problem.to_string().starts_with("mine: haiku"), "{problem}");
    /// # });
    /// ```
    pub fn problems(&self) -> impl Iterator<Item = Problem<'_>> {
        let of_sources = self.sources().flat_map(|status| {
            let messages = status.reason.iter().chain(&status.warnings);
            messages.map(|message| Problem {
                source: &status.name,
                path: None,
                message,
            })
        });
        let of_skills = self.invalid().map(|(source, invalid)| Problem {
            source,
            path: Some(&invalid.path),
            message: invalid.reasons().next().unwrap_or("invalid"),
        });
        of_sources.chain(of_skills)
    }

    /// The sources, the most important first.
    pub fn sources(&self) -> impl Iterator<Item = &SourceStatus> {
        self.layers.iter().map(|layer| &layer.status)
    }

    /// Which catalog this is; a later one has a larger number.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Every collection, sorted by path.
    pub fn collections(&self) -> impl Iterator<Item = Collection> {
        self.collections
            .iter()
            .map(|(path, info)| collection(path, info))
    }

    /// The direct contents of `path`, or of the root. A path that does not exist is empty.
    pub fn browse(&self, path: Option<&CollectionPath>) -> Listing<'_> {
        let is_child = |candidate: &CollectionPath| candidate.parent().as_ref() == path;
        let is_here = |skill: &Skill<'_>| skill.descriptor.id.collection().as_ref() == path;
        let subcollections = self
            .collections
            .iter()
            .filter(|(candidate, _)| is_child(candidate));
        let skills = match path {
            Some(path) => self.within(path).filter(is_here).collect(),
            None => self.skills().filter(is_here).collect(),
        };
        Listing {
            subcollections: subcollections
                .map(|(path, info)| collection(path, info))
                .collect(),
            skills,
        }
    }

    /// Up to three ids similar to `text`.
    pub fn nearest(&self, text: &str) -> Vec<&str> {
        let ids = self.skills().map(|skill| skill.descriptor.id.as_str());
        let by_id = nearest(text, ids.clone());
        if !by_id.is_empty() {
            return by_id;
        }
        // The collection can be omitted.
        let name = text.rsplit('/').next().unwrap_or(text);
        let near: Vec<&str> = nearest(name, self.skills().map(|skill| skill.descriptor.name()));
        ids.filter(|id| near.contains(&id.rsplit('/').next().unwrap_or(id)))
            .take(3)
            .collect()
    }
}

fn label(
    layers: &mut [Layer],
    options: &CatalogOptions,
) -> Vec<(DescriptorIndex, DescriptorIndex)> {
    if layers.iter().all(|layer| layer.origin == Origin::Chosen) {
        return Vec::new();
    }
    let named = layers.iter_mut().map(|layer| NamedSnapshot {
        name: Arc::clone(&layer.status.name),
        origin: layer.origin,
        snapshot: &mut layer.snapshot,
    });
    let mut named: Vec<NamedSnapshot<'_>> = named.collect();
    let pairs = label_servers(&mut named, |descriptor| options.refuses(descriptor));
    let index = |(layer, index)| DescriptorIndex::new(layer, index);
    let pairs = pairs.into_iter();
    pairs
        .filter_map(|(labelled, other)| Some((index(labelled)?, index(other)?)))
        .collect()
}

fn collection(path: &CollectionPath, info: &CollectionInfo) -> Collection {
    let counted = || match info.count {
        1 => "1 skill".to_owned(),
        count => format!("{count} skills"),
    };
    Collection {
        path: path.clone(),
        description: info.description.clone().unwrap_or_else(counted),
        count: info.count,
    }
}

fn has_all(capabilities: &BTreeSet<String>, descriptor: &Descriptor) -> bool {
    descriptor
        .requires_capabilities
        .iter()
        .all(|needed| capabilities.contains(&**needed))
}

#[derive(Clone)]
struct Skills<'c> {
    catalog: &'c Catalog,
    places: std::slice::Iter<'c, DescriptorIndex>,
}

impl<'c> Iterator for Skills<'c> {
    type Item = Skill<'c>;

    fn next(&mut self) -> Option<Skill<'c>> {
        self.places
            .next()
            .and_then(|position| self.catalog.skill(*position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl ExactSizeIterator for Skills<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemorySource;
    use crate::skills::Skills;

    #[test]
    fn ids_are_found_in_any_order() {
        let mut source = MemorySource::new(Scope::User);
        let ids: Vec<String> = (10..60).map(|number| format!("skill-{number}")).collect();
        for id in &ids {
            let text = format!("---\nname: {id}\ndescription: Works\n---\n");
            source.add(id, &text);
        }
        let skills = pollster::block_on(Skills::builder().source("mine", source).build());
        let catalog = skills.unwrap().catalog();
        let far = (0..50).step_by(NEIGHBOURS + 1);
        let back = (0..50).rev();
        let mut next = 0;
        for position in (0..50).chain(far).chain(back) {
            let unknown = ["skill-0", "skill-35x", "z"].map(str::to_owned);
            for id in unknown.iter().chain([&ids[position], &ids[position]]) {
                let found = catalog.get_after(&mut next, id);
                assert_eq!(found, catalog.get(id), "{id}");
                assert_eq!(found.is_some(), ids.contains(id), "{id}");
            }
        }
        next = usize::MAX;
        assert!(catalog.get_after(&mut next, "skill-10").is_some());
    }
}
