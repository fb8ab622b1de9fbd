//! The formats of a catalog.

use std::fmt::Write;

use serde::Serialize;

use crate::catalog::{Collection, Skill};
use crate::id::SkillId;

use super::escape::{plain_line, without_cut_tag, without_own_tags, xml_line};
use super::options::{CatalogFormat, RenderOptions, ToolNames};

/// How to write queries, in a few words; the schema of the tool says more.
const HOW_TO_ASK: &str =
    "up to three `queries`: technical terms, tools, formats and synonyms, the most specific first";

/// A skill with its description ready to be cut.
pub(super) struct CatalogEntry {
    pub(super) id: SkillId,
    pub(super) description_chars: usize,
    description: String,
    location: Option<String>,
    preloaded: bool,
}

impl CatalogEntry {
    pub(super) fn new(skill: &Skill<'_>, options: &RenderOptions<'_>) -> Self {
        let descriptor = skill.descriptor;
        let description = match options.format {
            CatalogFormat::Json | CatalogFormat::Markdown => plain_line(&descriptor.description),
            _ => xml_line(&descriptor.description),
        };
        Self {
            id: descriptor.id.clone(),
            description_chars: description.chars().count(),
            description,
            location: options
                .location
                .and_then(|location| location(&descriptor.id)),
            preloaded: options.preloaded.contains(&descriptor.id),
        }
    }

    /// The description in at most `length` characters, cut with an ellipsis and never inside an entity.
    fn shortened(&self, length: usize) -> String {
        if self.description_chars <= length {
            return self.description.clone();
        }
        if length == 0 {
            return String::new();
        }
        let end = self
            .description
            .char_indices()
            .nth(length - 1)
            .map_or(0, |(at, _)| at);
        let mut kept = self.description.get(..end).unwrap_or_default();
        if let Some(entity) = kept.rfind('&')
            && !kept.get(entity..).is_some_and(|tail| tail.contains(';'))
        {
            kept = kept.get(..entity).unwrap_or_default();
        }
        format!("{}…", without_cut_tag(kept).trim_end())
    }
}

/// What a catalog lists.
pub(super) struct Page<'p> {
    pub(super) entries: &'p [CatalogEntry],
    /// Characters of a description; 0 means none.
    pub(super) length: usize,
    /// Whether skills in collections are listed by their collection.
    pub(super) by_collection: bool,
    pub(super) collections: &'p [Collection],
    /// Skills that are not listed and in no collection of the list.
    pub(super) unlisted: usize,
    /// Collections that are not listed.
    pub(super) unlisted_collections: usize,
}

impl Page<'_> {
    /// What is not listed; nothing if that is nothing.
    fn unlisted(&self) -> Option<String> {
        let count = |count: usize, noun: &str| match count {
            0 => None,
            1 => Some(format!("1 {noun}")),
            count => Some(format!("{count} {noun}s")),
        };
        let parts = [
            count(self.unlisted_collections, "collection"),
            count(self.unlisted, "skill"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// How to reach what is not listed.
    fn search_hint(&self, tools: Option<ToolNames<'_>>) -> Option<String> {
        let unlisted = self.unlisted();
        match (tools, unlisted) {
            (Some(ToolNames { search, load }), unlisted) if search == load => {
                let unlisted = unlisted?;
                Some(format!(
                    "Not listed here: {unlisted}. Call {load} to search all skills with {HOW_TO_ASK}."
                ))
            }
            (Some(ToolNames { search, .. }), Some(unlisted)) => Some(format!(
                "Not listed here: {unlisted}. Use the {search} tool to list a collection, or to search all skills with {HOW_TO_ASK}."
            )),
            (Some(ToolNames { search, .. }), None) if self.by_collection => Some(format!(
                "Use the {search} tool to list skills in a collection, or to search with {HOW_TO_ASK}."
            )),
            (None, Some(unlisted)) => Some(format!("Not listed here: {unlisted}.")),
            _ => None,
        }
    }
}

pub(super) fn write(options: &RenderOptions<'_>, page: &Page<'_>) -> String {
    match options.format {
        CatalogFormat::Json => json(options, page),
        CatalogFormat::Markdown => markdown(options, page),
        CatalogFormat::Xml | CatalogFormat::XmlElements | CatalogFormat::XmlAttributes => {
            xml(options, page)
        }
    }
}

fn xml(options: &RenderOptions<'_>, page: &Page<'_>) -> String {
    let mut out = String::with_capacity(page.entries.len() * 120);
    out.push_str(if page.by_collection {
        "<available_skills mode=\"collections\">\n"
    } else {
        "<available_skills>\n"
    });
    for collection in page.collections {
        let (path, count) = (&collection.path, collection.count);
        let description = xml_line(&collection.description);
        let _ = writeln!(
            out,
            "  <collection path=\"{path}\" count=\"{count}\">{description}</collection>"
        );
    }
    for entry in page.entries {
        xml_entry(options.format, entry, page.length, &mut out);
    }
    if let Some(hint) = page.search_hint(options.tools) {
        let _ = writeln!(out, "  {hint}");
    }
    if let Some(ToolNames { load, .. }) = options.tools.filter(|_| page.by_collection) {
        let _ = writeln!(
            out,
            "  Use the {load} tool or /collection/skill-name to activate a skill."
        );
    }
    out.push_str("</available_skills>");
    out
}

fn xml_entry(format: CatalogFormat, entry: &CatalogEntry, length: usize, out: &mut String) {
    let description = entry.shortened(length);
    let active = if entry.preloaded {
        " active=\"true\""
    } else {
        ""
    };
    let id = &entry.id;
    let _ = match format {
        CatalogFormat::XmlElements => {
            let _ = writeln!(out, "  <skill{active}>\n    <name>{id}</name>");
            if !description.is_empty() {
                let _ = writeln!(out, "    <description>{description}</description>");
            }
            if let Some(location) = &entry.location {
                let _ = writeln!(out, "    <location>{}</location>", xml_line(location));
            }
            writeln!(out, "  </skill>")
        }
        CatalogFormat::XmlAttributes => {
            let _ = write!(out, "  <skill name=\"{id}\"");
            if !description.is_empty() {
                let _ = write!(out, " description=\"{description}\"");
            }
            if let Some(location) = &entry.location {
                let _ = write!(out, " location=\"{}\"", xml_line(location));
            }
            writeln!(out, "{active} />")
        }
        _ if description.is_empty() => writeln!(out, "  <skill id=\"{id}\"{active} />"),
        _ => writeln!(
            out,
            "  <skill id=\"{id}\"{active}>\n    <description>{description}</description>\n  </skill>"
        ),
    };
}

fn markdown(options: &RenderOptions<'_>, page: &Page<'_>) -> String {
    let mut out = String::from("Available skills:\n");
    for collection in page.collections {
        let description = plain_line(&collection.description);
        let _ = write!(
            out,
            "\n- `{}/` ({} skills): {description}",
            collection.path, collection.count
        );
    }
    for entry in page.entries {
        let _ = write!(out, "\n- `{}`", entry.id);
        let description = entry.shortened(page.length);
        if !description.is_empty() {
            let _ = write!(out, ": {description}");
        }
        if entry.preloaded {
            out.push_str(" (active)");
        }
    }
    if let Some(hint) = page.search_hint(options.tools) {
        let _ = write!(out, "\n\n{hint}");
    }
    if let Some(ToolNames { load, .. }) = options.tools {
        let _ = write!(out, "\n\nUse the {load} tool to activate a skill.");
    }
    out
}

/// The catalog as JSON, in the order in which a reader wants it.
#[derive(Serialize)]
struct JsonCatalog<'e> {
    available_skills: Vec<JsonSkill<'e>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<Collection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_listed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
struct JsonSkill<'e> {
    name: &'e SkillId,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
}

fn json(options: &RenderOptions<'_>, page: &Page<'_>) -> String {
    let inert = |collection: &Collection| Collection {
        description: without_own_tags(&collection.description).into_owned(),
        ..collection.clone()
    };
    let catalog = JsonCatalog {
        available_skills: page
            .entries
            .iter()
            .map(|entry| JsonSkill {
                name: &entry.id,
                description: entry.shortened(page.length),
            })
            .collect(),
        collections: page.collections.iter().map(inert).collect(),
        not_listed: (page.unlisted > 0).then_some(page.unlisted),
        note: page.search_hint(options.tools),
    };
    serde_json::to_string(&catalog).unwrap_or_default()
}
