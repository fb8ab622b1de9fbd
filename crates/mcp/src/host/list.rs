//! Everything that a server lists, and what of it can be used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess_core::{Invalid, SkillId, Snapshot};
use serde_json::Value;

use super::listed_skill::ListedSkill;
use crate::digest::Digest;

/// A server's skills at one moment.
#[derive(Default)]
pub(super) struct List {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) skills: BTreeMap<SkillId, Arc<ListedSkill>>,
}

impl List {
    /// Processes the entries one by one; invalid ones are recorded with the reason.
    pub(super) fn new(label: &str, entries: &[Value]) -> Self {
        let mut skills: BTreeMap<SkillId, Arc<ListedSkill>> = BTreeMap::new();
        let mut invalid = Vec::new();
        for entry in entries {
            let address = entry
                .get("uri")
                .and_then(Value::as_str)
                .unwrap_or("an entry");
            let address: String = address.escape_debug().take(200).collect();
            let reject = |problem: String| Invalid {
                problem: Some(problem),
                ..Invalid::new(&*address, Vec::new())
            };
            match ListedSkill::new(label, entry.clone()) {
                Ok(listed) => {
                    let id = listed.descriptor.id.clone();
                    if let Some(first) = skills.get(&id) {
                        invalid.push(reject(format!(
                            "duplicate id `{id}`, also used by `{}`",
                            first.uri
                        )));
                    } else {
                        skills.insert(id, Arc::new(listed));
                    }
                }
                Err(problem) => invalid.push(reject(problem.to_string())),
            }
        }
        let descriptors = skills.values().map(|listed| listed.descriptor.clone());
        let snapshot = Snapshot {
            skills: descriptors.collect(),
            invalid,
            ..Snapshot::default()
        };
        Self {
            snapshot: Arc::new(snapshot),
            skills,
        }
    }

    /// The digests of all files.
    pub(super) fn digests(&self) -> BTreeSet<Digest> {
        let files = self
            .skills
            .values()
            .flat_map(|listed| listed.files.values());
        files.map(|file| file.digest).collect()
    }
}
