//! The JSON document of `prowess list`.

use prowess_core::{Catalog, Descriptor, LevelTokens, NestedSkill, Scope, Skill, SourceStatus};
use prowess_runtime::{ManifestProblem, Manifests};
use serde::Serialize;

/// The setting that limits the number of skills.
pub(super) const MAX_SKILLS: &str = "skills.max_skills";

/// Why a skill with the id of a built-in one is refused.
pub(super) const RESERVED_ID: &str = "reserved-id";

#[derive(Serialize)]
pub(super) struct Document<'c> {
    version: u32,
    skills: Vec<Row<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<Row<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedRow<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shadowed: Vec<ShadowedRow<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invalid: Vec<InvalidRow<'c>>,
    /// Manifests that cannot be used.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    manifests: &'c [ManifestProblem],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nested: Vec<NestedSkill>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<OmittedRow>,
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

/// Skills beyond the limit, and the setting that raises it.
#[derive(Serialize)]
struct OmittedRow {
    count: usize,
    setting: &'static str,
}

#[derive(Serialize)]
struct RefusedRow<'c> {
    id: &'c str,
    source: &'c str,
    reason: &'static str,
}

#[derive(Serialize)]
struct ShadowedRow<'c> {
    id: &'c str,
    source: &'c str,
    path: String,
    winner: &'c str,
    winner_path: String,
}

#[derive(Serialize)]
struct InvalidRow<'c> {
    path: &'c str,
    source: &'c str,
    reasons: Vec<&'c str>,
}

fn row(skill: Skill<'_>) -> Row<'_> {
    Row {
        descriptor: skill.descriptor,
        name: skill.descriptor.name(),
        source: skill.source,
        locations: Vec::new(),
        tokens: Tokens::of(skill.descriptor),
    }
}

/// The same with all of its locations, if there are several.
fn located<'c>(catalog: &'c Catalog, skill: Skill<'c>) -> Row<'c> {
    let mut row = row(skill);
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
) -> Document<'c> {
    let mut document = Document {
        nested,
        omitted: (catalog.omitted() > 0).then(|| OmittedRow {
            count: catalog.omitted(),
            setting: MAX_SKILLS,
        }),
        version: 1,
        skills: catalog
            .skills()
            .map(|skill| located(catalog, skill))
            .collect(),
        unavailable: Vec::new(),
        refused: Vec::new(),
        shadowed: Vec::new(),
        invalid: Vec::new(),
        manifests: manifests.problems(),
        sources: catalog.sources().collect(),
    };
    if all {
        document.unavailable = catalog.unavailable().map(row).collect();
        let refused = catalog.refused().map(|skill| RefusedRow {
            id: skill.descriptor.id.as_str(),
            source: skill.source,
            reason: RESERVED_ID,
        });
        document.refused = refused.collect();
        document.shadowed = catalog
            .shadowed()
            .map(|shadowed| ShadowedRow {
                id: shadowed.loser.descriptor.id.as_str(),
                source: shadowed.loser.source,
                path: shadowed.loser.path(),
                winner: shadowed.winner.source,
                winner_path: shadowed.winner.path(),
            })
            .collect();
        document.invalid = catalog
            .invalid()
            .map(|(source, invalid)| InvalidRow {
                path: &invalid.path,
                source,
                reasons: invalid.reasons().collect(),
            })
            .collect();
    }
    document
}
