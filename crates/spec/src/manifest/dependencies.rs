//! Dependencies over a set of skills.

use std::collections::{BTreeMap, BTreeSet};

use super::types::{Dependency, Manifest};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::levels::{Levels, Severity};
use crate::name::SkillName;
use crate::suggest::did_you_mean;

/// Checks the dependencies among `manifests`: returns each diagnostic with the index of its skill. A skill with an
/// error is invalid; the others are not affected.
pub fn check_dependencies(manifests: &[&Manifest]) -> Vec<(usize, Diagnostic)> {
    let by_name: BTreeMap<&SkillName, &Manifest> = manifests
        .iter()
        .rev()
        .map(|manifest| (&manifest.name, *manifest))
        .collect();
    let mut found = Vec::new();
    for (index, manifest) in manifests.iter().enumerate() {
        for dependency in &manifest.dependencies {
            found.extend(unmet(dependency, &by_name).map(|diagnostic| (index, diagnostic)));
            found.extend(
                cycle(manifest, dependency, &by_name).map(|diagnostic| (index, diagnostic)),
            );
        }
    }
    found
}

fn unmet(dependency: &Dependency, by_name: &BTreeMap<&SkillName, &Manifest>) -> Option<Diagnostic> {
    let Dependency { name, version, .. } = dependency;
    let (levels, message, help) = match by_name.get(name) {
        None => {
            let near = did_you_mean(name.as_str(), by_name.keys().map(|name| name.as_str()));
            let help = near.unwrap_or_else(|| format!("install `{name}`"));
            (ABSENT, format!("missing dependency `{name}`"), help)
        }
        Some(present) if !version.matches(&present.version) => (
            Levels::FATAL,
            format!(
                "`{name}` must have version {version}, found {}",
                present.version
            ),
            format!("update `{name}`, or widen the range"),
        ),
        Some(_) => return None,
    };
    let levels = if dependency.optional {
        Levels::WARNING
    } else {
        levels
    };
    let diagnostic = Diagnostic::new(Code::MissingDependency, dependency.span, message);
    Some(diagnostic.help(help).levels(levels))
}

/// A loader knows all skills; a checker knows some of them.
const ABSENT: Levels = Levels {
    load: Some(Severity::Error),
    check: Some(Severity::Warning),
};

/// The shortest way from the dependency back to the skill that declares it.
fn cycle(
    manifest: &Manifest,
    dependency: &Dependency,
    by_name: &BTreeMap<&SkillName, &Manifest>,
) -> Option<Diagnostic> {
    let mut seen = BTreeSet::from([&dependency.name]);
    let mut paths = vec![vec![&dependency.name]];
    while let Some(path) = paths.pop() {
        let last = *path.last()?;
        if *last == manifest.name {
            let mut names = vec![manifest.name.as_str()];
            names.extend(path.iter().map(|name| name.as_str()));
            let message = format!("cyclic dependency: {}", names.join(" -> "));
            return Some(
                Diagnostic::new(Code::DependencyCycle, dependency.span, message)
                    .help("remove one of these dependencies"),
            );
        }
        let next = by_name
            .get(last)
            .map(|manifest| manifest.dependencies.as_slice());
        for dependency in next.unwrap_or_default() {
            if seen.insert(&dependency.name) {
                let longer = path.iter().copied().chain([&dependency.name]).collect();
                paths.insert(0, longer);
            }
        }
    }
    None
}
