//! Catalogs made up for tests.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use prowess_core::{
    Catalog, CatalogOptions, Descriptor, Health, Invocation, Layer, Scope, Snapshot, SourceStatus,
};

/// The tree T of the contract.
pub(crate) const TREE: &[(&str, &str)] = &[
    ("extraction/email-extractor", "Extract entities from emails"),
    (
        "extraction/fiction-extractor",
        "Extract characters from fiction",
    ),
    ("extraction/medical/diagnosis", "Diagnose"),
    ("extraction/medical/imaging/ct-scan", "Read CT scans"),
    ("formatting/markdown-output", "Write Markdown"),
    ("pdf-processing", "Process PDFs"),
];

pub(crate) fn descriptor(id: &str, description: &str) -> Descriptor {
    Descriptor {
        id: id.parse().unwrap(),
        description: description.into(),
        scope: Scope::Project,
        invocation: Invocation::Anyone,
        argument_hint: None,
        requires_capabilities: Box::default(),
        metadata: Box::default(),
        body_bytes: 0,
        stamp: 0,
    }
}

pub(crate) fn layer(name: &str, skills: &[(&str, &str)]) -> Layer {
    let mut skills: Vec<Descriptor> = skills
        .iter()
        .map(|(id, text)| descriptor(id, text))
        .collect();
    skills.sort_by(|a, b| a.id.cmp(&b.id));
    Layer {
        status: SourceStatus {
            name: name.into(),
            health: Health::Healthy,
            reason: None,
            refreshed: None,
            skills: skills.len(),
            warnings: Vec::new(),
            hidden: 0,
        },
        snapshot: Arc::new(Snapshot {
            skills,
            ..Snapshot::default()
        }),
        origin: prowess_core::Origin::Chosen,
    }
}

pub(crate) fn catalog(skills: &[(&str, &str)]) -> Catalog {
    Catalog::new(vec![layer("test", skills)], &CatalogOptions::default(), 1)
}

/// `count` skills `skill-0`, `skill-1` and so on, in `collection` or at the root.
pub(crate) fn many(collection: &str, count: usize) -> Vec<(String, String)> {
    (0..count)
        .map(|index| {
            let description = format!("Number {index}: {}", "does something useful. ".repeat(8));
            (format!("{collection}skill-{index:05}"), description)
        })
        .collect()
}

pub(crate) fn borrowed(skills: &[(String, String)]) -> Vec<(&str, &str)> {
    skills
        .iter()
        .map(|(id, text)| (id.as_str(), text.as_str()))
        .collect()
}
