//! Skills of servers whose id belongs to another skill.
//!
//! A server can list any name at any time, and none of them may change what another name means. So a skill of a server has
//! its bare id only while no other source has that id, wherever the sources are in the configuration.

use std::sync::Arc;

use crate::descriptor::Descriptor;
use crate::id::SkillId;
use crate::source::{Origin, Snapshot};

/// A source of a catalog that is being made.
pub(crate) struct NamedSnapshot<'l> {
    pub(crate) name: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) snapshot: &'l mut Arc<Snapshot>,
}

/// Where a skill is: its source, and its position there.
pub(crate) type Position = (usize, usize);

/// Puts labels on the skills of servers whose ids other sources have; returns each with such a skill.
///
/// What is refused anyway has no need of another id.
pub(crate) fn label_servers(
    sources: &mut [NamedSnapshot<'_>],
    is_refused: impl Fn(&Descriptor) -> bool,
) -> Vec<(Position, Position)> {
    let mut found = Vec::new();
    let mut labelled = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        if source.origin == Origin::Chosen {
            continue;
        }
        let skills = source.snapshot.skills.iter();
        let taken = skills.map(|skill| {
            let other = (!is_refused(skill)).then(|| other_with(sources, at, &skill.id));
            other.flatten()
        });
        let taken: Vec<Option<usize>> = taken.collect();
        if taken.iter().all(Option::is_none) {
            continue;
        }
        let mut snapshot = Snapshot::clone(source.snapshot);
        for (skill, other) in snapshot.skills.iter_mut().zip(taken) {
            if let Some(other) = other {
                let id = skill.id.labelled(&source.name);
                let bare = std::mem::replace(&mut skill.id, id.clone());
                found.push((at, id, other, bare));
            }
        }
        labelled.push((at, Arc::new(snapshot.sorted())));
    }
    for (at, snapshot) in labelled {
        if let Some(source) = sources.get_mut(at) {
            *source.snapshot = snapshot;
        }
    }
    let position = |at: usize, id: &SkillId| {
        let source = sources.get(at)?;
        Some((at, source.snapshot.position(id)?))
    };
    let pairs = found.iter().filter_map(|(server, id, other, bare)| {
        let name = &sources.get(*other)?.name;
        let other = position(*other, bare).or_else(|| position(*other, &bare.labelled(name)))?;
        Some((position(*server, id)?, other))
    });
    pairs.collect()
}

/// The source besides `server` that has a skill with this id: a server only if no other one has.
fn other_with(sources: &[NamedSnapshot<'_>], server: usize, id: &SkillId) -> Option<usize> {
    let having = |origin: Origin| {
        sources.iter().enumerate().position(|(at, source)| {
            at != server && source.origin == origin && source.snapshot.position(id).is_some()
        })
    };
    having(Origin::Chosen).or_else(|| having(Origin::Server))
}
