//! The settings of a catalog.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::id::SkillId;

/// How the catalog is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogFormat {
    /// Elements with the id as attribute.
    #[default]
    Xml,
    /// Elements with name, description and location inside.
    XmlElements,
    /// Empty elements with attributes.
    XmlAttributes,
    /// One JSON object.
    Json,
    /// A list.
    Markdown,
}

/// The settings of the catalog.
#[derive(Clone)]
pub struct RenderOptions<'a> {
    /// The format.
    pub format: CatalogFormat,
    /// Maximum number of skills in a flat list; above it, collections are listed.
    pub inventory_threshold: usize,
    /// How many characters it may take.
    pub budget: usize,
    /// How many skills it may list.
    pub max_skills: usize,
    /// Skills whose instructions are part of the prompt.
    pub preloaded: &'a BTreeSet<SkillId>,
    /// The skills that this conversation is likely to need, the likeliest first. They get the budget; the others follow
    /// by id.
    pub likely: &'a [SkillId],
    /// The tools to search and load with, if the model has them.
    pub tools: Option<ToolNames<'a>>,
    /// The location of a skill, for formats that show it.
    pub location: Option<&'a Locate<'a>>,
}

/// The tools that a catalog refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolNames<'a> {
    /// Searches skills; the tool that loads may do that too, with `query`.
    pub search: &'a str,
    /// Loads a skill.
    pub load: &'a str,
}

/// Returns the location of a skill.
pub type Locate<'a> = dyn Fn(&SkillId) -> Option<String> + 'a;
