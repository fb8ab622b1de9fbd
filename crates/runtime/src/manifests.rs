//! The manifests of all skills, for triggers.

use std::collections::{BTreeMap, BTreeSet};

use prowess_core::{Scope, SkillId, Skills, SourceError};
use prowess_spec::limits::FRONTMATTER_BYTES;
use prowess_spec::manifest::{Manifest, Triggers as Declared, check_dependencies, is_foreign};
use prowess_spec::{Context, MANIFEST_FILE, Profile, Severity, SkillPath};

use serde::Serialize;

use crate::code_skill::{CodeSkillError, parse};
use crate::triggers::{TriggerError, Triggers};

/// The skills of a catalog with their manifests.
///
/// Remote skills are listed without their manifests: only their name activates them, and reading the manifests would
/// take a request for each.
#[derive(Debug, Default)]
pub struct Manifests {
    found: BTreeMap<SkillId, Option<Box<Manifest>>>,
    problems: Vec<ManifestProblem>,
}

/// Why the code of a skill cannot be activated, or a note about its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestProblem {
    /// The skill.
    pub id: SkillId,
    /// What is wrong.
    pub reason: String,
    /// A warning leaves the skill as its author meant it.
    pub severity: Severity,
}

impl Manifests {
    /// Reads the manifests of local skills.
    pub async fn read(skills: &Skills) -> Self {
        let Ok(path) = SkillPath::parse(MANIFEST_FILE) else {
            return Self::default();
        };
        let catalog = skills.catalog();
        let mut all = Self::default();
        let mut remote = BTreeSet::new();
        for entry in catalog.skills() {
            let descriptor = &entry.descriptor;
            let id = &descriptor.id;
            all.found.insert(id.clone(), None);
            if descriptor.scope == Scope::Remote {
                remote.insert(descriptor.name().to_owned());
                continue;
            }
            let limit = FRONTMATTER_BYTES + 1;
            let part = skills.sources().read(id, &path, 0, limit).await;
            let parsed = match part {
                // Every skill of a catalog that has such a file also has a `SKILL.md`.
                Ok(part) if is_foreign(&part.bytes) => {
                    let reason = format!("{MANIFEST_FILE} is not a manifest and is ignored");
                    all.add_problem(id, reason, Severity::Warning);
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
                Err(error) => all.add_problem(id, error.to_string(), Severity::Error),
            }
        }
        all.ignore_unmet(&remote);
        all
    }

    fn add_problem(&mut self, id: &SkillId, reason: String, severity: Severity) {
        let id = id.clone();
        self.problems.push(ManifestProblem {
            id,
            reason,
            severity,
        });
    }

    /// Ignores the manifests of skills with unmet dependencies, so that no trigger activates them. The dependencies of
    /// remote skills are known when they are activated.
    fn ignore_unmet(&mut self, remote: &BTreeSet<String>) {
        let local = |manifest: &Manifest| {
            let mut manifest = manifest.clone();
            let dependencies = &mut manifest.dependencies;
            dependencies.retain(|it| !remote.contains(it.name.as_str()));
            manifest
        };
        let (ids, manifests): (Vec<&SkillId>, Vec<Manifest>) = self
            .iter()
            .map(|(id, manifest)| (id, local(manifest)))
            .unzip();
        let errors = check_dependencies(&manifests.iter().collect::<Vec<_>>());
        let unmet: Vec<(SkillId, String)> = errors
            .into_iter()
            .filter(|(_, found)| found.severity(Profile::Load) == Some(Severity::Error))
            .filter_map(|(index, found)| Some(((*ids.get(index)?).clone(), found.message)))
            .collect();
        for (id, reason) in unmet {
            self.found.insert(id.clone(), None);
            self.add_problem(&id, reason, Severity::Error);
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
    pub fn problems(&self) -> &[ManifestProblem] {
        &self.problems
    }

    /// Why the code of a skill cannot be activated.
    pub fn error(&self, id: &SkillId) -> Option<&str> {
        let errors = self
            .problems
            .iter()
            .filter(|it| it.severity == Severity::Error);
        errors
            .into_iter()
            .find(|it| it.id == *id)
            .map(|it| it.reason.as_str())
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
