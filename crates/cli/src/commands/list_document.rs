//! The JSON document of `prowess list`.

use prowess_core::wire::SkillStates;
use prowess_core::{Catalog, Descriptor, LevelTokens, NestedSkill, Scope, Skill, SourceStatus};
use prowess_runtime::{ManifestProblem, Manifests};
use serde::Serialize;

use crate::packages::report::{PackageState, PackageStates};

#[derive(Serialize)]
pub(super) struct Document<'c> {
    version: u32,
    skills: Vec<Row<'c>>,
    #[serde(flatten)]
    states: SkillStates<'c>,
    /// Manifests that cannot be used.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    manifests: &'c [ManifestProblem],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nested: Vec<NestedSkill>,
    sources: Vec<&'c SourceStatus>,
}

#[derive(Serialize)]
struct Row<'c> {
    #[serde(flatten)]
    descriptor: &'c Descriptor,
    name: &'c str,
    source: &'c str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<String>,
    tokens: Tokens,
    /// How it came here.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<PackageState>,
}

/// Estimated tokens of a skill.
#[derive(Serialize)]
pub(super) struct Tokens {
    catalog: usize,
    /// Unknown for a skill of a server that does not list sizes, until its instructions were fetched.
    pub(super) instructions: Option<usize>,
}

impl Tokens {
    pub(super) fn of(descriptor: &Descriptor) -> Self {
        let LevelTokens {
            catalog,
            instructions,
        } = descriptor.tokens();
        let is_known = descriptor.scope != Scope::Remote || instructions > 0;
        Self {
            catalog,
            instructions: is_known.then_some(instructions),
        }
    }
}

fn row(skill: Skill<'_>) -> Row<'_> {
    Row {
        descriptor: skill.descriptor,
        name: skill.descriptor.name(),
        source: skill.source,
        locations: Vec::new(),
        tokens: Tokens::of(skill.descriptor),
        package: None,
    }
}

/// The same with all of its locations, if there are several.
fn located<'c>(catalog: &'c Catalog, skill: Skill<'c>, packages: &PackageStates) -> Row<'c> {
    let mut row = row(skill);
    row.package = packages.of(skill.descriptor.scope, skill.descriptor.name());
    if catalog.has_copies() {
        row.locations = catalog.locations(skill.descriptor.id.as_str());
        if row.locations.len() < 2 {
            row.locations.clear();
        }
    }
    row
}

pub(super) fn document<'c>(
    catalog: &'c Catalog,
    all: bool,
    nested: Vec<NestedSkill>,
    manifests: &'c Manifests,
    packages: &PackageStates,
) -> Document<'c> {
    let states = if all {
        SkillStates::of(catalog)
    } else {
        SkillStates {
            omitted: SkillStates::omitted(catalog),
            ..SkillStates::default()
        }
    };
    Document {
        version: 1,
        skills: catalog
            .skills()
            .map(|skill| located(catalog, skill, packages))
            .collect(),
        states,
        manifests: manifests.problems(),
        nested,
        sources: catalog.sources().collect(),
    }
}
