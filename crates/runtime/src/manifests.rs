//! The manifests of all skills, for triggers.

use std::collections::BTreeMap;

use prowess_core::{Scope, SkillId, Skills, SourceError};
use prowess_spec::limits::FRONTMATTER_BYTES;
use prowess_spec::manifest::{Manifest, Triggers as Declared, check_dependencies, is_foreign};
use prowess_spec::{Context, MANIFEST_FILE, Profile, Severity, SkillPath};

use crate::code_skill::{CodeSkillError, parse};
use crate::triggers::{TriggerError, Triggers};

/// The skills of a catalog with their manifests.
///
/// Remote skills are listed without their manifests: only their name activates them, and reading the manifests would
/// take a request for each.
#[derive(Debug, Default)]
pub struct Manifests {
    found: BTreeMap<SkillId, Option<Box<Manifest>>>,
    problems: Vec<(SkillId, String)>,
}

impl Manifests {
    /// Reads the manifests of local skills.
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
                // Every skill of a catalog that has such a file also has a `SKILL.md`.
                Ok(part) if is_foreign(&part.bytes) => {
                    let reason = format!("{MANIFEST_FILE} is not a manifest and is ignored");
                    all.problems.push((id.clone(), reason));
                    continue;
                }
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
        all.ignore_unmet();
        all
    }

    /// Ignores the manifests of skills with unmet dependencies, so that no trigger activates them.
    fn ignore_unmet(&mut self) {
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

    /// The skills with a manifest.
    pub fn iter(&self) -> impl Iterator<Item = (&SkillId, &Manifest)> {
        self.found
            .iter()
            .filter_map(|(id, manifest)| Some((id, manifest.as_deref()?)))
    }

    /// The manifest of a skill.
    pub fn get(&self, id: &SkillId) -> Option<&Manifest> {
        self.found.get(id)?.as_deref()
    }

    /// The id of the first skill with this name.
    pub fn named(&self, name: &str) -> Option<&SkillId> {
        self.found.keys().find(|id| id.name() == name)
    }

    /// Skills with an unusable manifest, and the reasons.
    pub fn problems(&self) -> &[(SkillId, String)] {
        &self.problems
    }

    /// Compiles the triggers. Skills without triggers are activated only by name.
    pub fn triggers(&self) -> (Triggers, Vec<TriggerError>) {
        let none = Declared::default();
        let declared = self.found.iter().map(|(id, manifest)| {
            let declared = manifest.as_ref().map(|manifest| &manifest.triggers);
            (id.clone(), declared.unwrap_or(&none))
        });
        Triggers::new(declared)
    }
}
