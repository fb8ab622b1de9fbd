//! The complete list, built once for each catalog: it is the most frequent request.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::Catalog;
use prowess_core::wire::{CollectionList, SkillEntry, SkillList};

use crate::answer::Payload;
use crate::error::Failure;

/// The most frequent responses, serialized.
pub(crate) struct Lists {
    generation: u64,
    pub(crate) skills: Payload,
    pub(crate) collections: Payload,
}

/// The lists of the last catalog.
#[derive(Default)]
pub(crate) struct LastLists(Mutex<Option<Arc<Lists>>>);

impl LastLists {
    pub(crate) fn of(&self, catalog: &Catalog) -> Result<Arc<Lists>, Failure> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = lock().clone();
        if let Some(last) = last.filter(|last| last.generation == catalog.generation()) {
            return Ok(last);
        }
        // Not under the lock: a concurrent request computes the same value instead of waiting.
        let lists = Arc::new(Lists::new(catalog)?);
        *lock() = Some(Arc::clone(&lists));
        Ok(lists)
    }
}

impl Lists {
    fn new(catalog: &Catalog) -> Result<Self, Failure> {
        let collections: Vec<_> = catalog.collections().collect();
        let skills = catalog
            .skills()
            .map(|skill| SkillEntry::from(skill.descriptor));
        let list = SkillList {
            skills: skills.collect(),
            collections: Some(collections.clone()),
            next: None,
        };
        Ok(Self {
            generation: catalog.generation(),
            skills: Payload::json(&list)?,
            collections: Payload::json(&CollectionList { collections })?,
        })
    }
}
