//! The manifests of all skills at once, for triggers.

use std::collections::BTreeMap;

use prowess_core::{Scope, SkillId, Skills, SourceError};
use prowess_spec::limits::FRONTMATTER_BYTES;
use prowess_spec::manifest::{Manifest, Triggers as Declared, check_dependencies};
use prowess_spec::{Context, MANIFEST_FILE, Profile, Severity, SkillPath};

use crate::code_skill::{CodeSkillError, parse};
use crate::triggers::{TriggerError, Triggers};

/// Every skill of a catalog, and the manifests of those that have one.
///
/// Skills from other machines are listed without their manifest: they become active by being named, never by
/// themselves, and nobody asks a server for a thousand files to find that out.
#[derive(Debug, Default)]
pub struct Manifests {
    found: BTreeMap<SkillId, Option<Box<Manifest>>>,
    problems: Vec<(SkillId, String)>,
}

impl Manifests {
    /// Reads them.
    pub async fn read(skills: &Skills) -> Self {
        let Ok(path) = SkillPath::parse(MANIFEST_FILE) else {
            return Self::default();
        };
        let catalog = skills.catalog();
        let mut all = Self::default();
        for entry in catalog.skills() {
            let descriptor = &entry.descriptor;
            let id = &descriptor.id;
            all.found.insert(id.clone(), None);
            if descriptor.scope == Scope::Remote {
                continue;
            }
            let limit = FRONTMATTER_BYTES + 1;
            let part = skills.sources().read(id, &path, 0, limit).await;
            let parsed = match part {
                Ok(part) => parse(id, &part.bytes, &Context::default(), None),
                Err(SourceError::FileNotFound { .. }) => continue,
                Err(error) => Err(CodeSkillError::Content(error.into())),
            };
            match parsed {
                Ok(manifest) => {
                    all.found.insert(id.clone(), Some(Box::new(manifest)));
                }
                Err(error) => all.problems.push((id.clone(), error.to_string())),
            }
        }
        all.leave_out_unmet();
        all
    }

    /// A skill that needs what is not there does not become active by itself.
    fn leave_out_unmet(&mut self) {
        let (ids, manifests): (Vec<&SkillId>, Vec<&Manifest>) = self.iter().unzip();
        let errors = check_dependencies(&manifests);
        let unmet: Vec<(SkillId, String)> = errors
            .into_iter()
            .filter(|(_, found)| found.severity(Profile::Load) == Some(Severity::Error))
            .filter_map(|(index, found)| Some(((*ids.get(index)?).clone(), found.message)))
            .collect();
        for (id, reason) in unmet {
            self.found.insert(id.clone(), None);
            self.problems.push((id, reason));
        }
    }

    /// The skills that have one.
    pub fn iter(&self) -> impl Iterator<Item = (&SkillId, &Manifest)> {
        self.found
            .iter()
            .filter_map(|(id, manifest)| Some((id, manifest.as_deref()?)))
    }

    /// The manifest of a skill.
    pub fn get(&self, id: &SkillId) -> Option<&Manifest> {
        self.found.get(id)?.as_deref()
    }

    /// The id of the skill with that name; the first, if collections share it.
    pub fn named(&self, name: &str) -> Option<&SkillId> {
        self.found.keys().find(|id| id.name() == name)
    }

    /// Skills whose manifest cannot be used, and why.
    pub fn problems(&self) -> &[(SkillId, String)] {
        &self.problems
    }

    /// Their triggers, made ready. Skills without any become active when they are named.
    pub fn triggers(&self) -> (Triggers, Vec<TriggerError>) {
        let none = Declared::default();
        let declared = self.found.iter().map(|(id, manifest)| {
            let declared = manifest.as_ref().map(|manifest| &manifest.triggers);
            (id.clone(), declared.unwrap_or(&none))
        });
        Triggers::new(declared)
    }
}
