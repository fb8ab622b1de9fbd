//! Level one: the list of skills, within a budget.

use std::collections::BTreeSet;
use std::fmt::Write;

use prowess_spec::estimate_tokens;
use serde::Serialize;

use crate::catalog::{Catalog, Collection, Skill};
use crate::id::SkillId;

use super::escape::{plain_line, without_cut_tag, without_own_tags, xml_line};

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
    /// Skills whose instructions the model has already.
    pub active: &'a BTreeSet<SkillId>,
    /// The names of the tools that browse and load, if the model has them.
    pub tools: Option<(&'a str, &'a str)>,
    /// The location of a skill, for formats that show it.
    pub location: Option<&'a Locate<'a>>,
}

/// Returns the location of a skill.
pub type Locate<'a> = dyn Fn(&SkillId) -> Option<String> + 'a;

/// The effect of the budget on the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CatalogReport {
    /// Skills that a model may choose.
    pub total: usize,
    /// Skills that are listed one by one.
    pub shown: usize,
    /// Skills whose description was shortened or left out.
    pub shortened: usize,
    /// Skills that are not listed; collections or search lead to them.
    pub omitted: usize,
    /// Estimated tokens of the whole list.
    pub tokens_before: usize,
    /// Estimated tokens of what was written.
    pub tokens_after: usize,
}

/// Shortest description that is still worth its place.
const SHORTEST: usize = 20;

/// The catalog as a model sees it, and what had to be left out. No skills: an empty text.
pub fn render_catalog(catalog: &Catalog, options: &RenderOptions<'_>) -> (String, CatalogReport) {
    let writer = Writer { options };
    let skills: Vec<Skill<'_>> = catalog
        .skills()
        .filter(|skill| skill.descriptor.invocation.by_model())
        .collect();
    if skills.is_empty() {
        return (String::new(), CatalogReport::default());
    }
    let entries: Vec<CatalogEntry> = skills.iter().map(|skill| writer.entry(skill)).collect();
    let mut report = CatalogReport {
        total: entries.len(),
        tokens_before: entries.iter().map(|entry| entry.tokens).sum(),
        ..CatalogReport::default()
    };
    let by_collection = entries.len() > options.inventory_threshold;
    let text = if by_collection {
        let collections: Vec<Collection> = catalog.browse(None).subcollections;
        let at_root = |entry: &&CatalogEntry| !entry.id.as_str().contains('/');
        let root: Vec<&CatalogEntry> = entries.iter().filter(at_root).collect();
        writer.fit(&root, &collections, Mode::Collections, &mut report)
    } else {
        let all: Vec<&CatalogEntry> = entries.iter().collect();
        writer.fit(&all, &[], Mode::Flat, &mut report)
    };
    report.omitted = report.total - report.shown;
    report.tokens_after = estimate_tokens(&text);
    (text, report)
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Collections,
}

/// A skill with its description ready to be cut.
struct CatalogEntry {
    id: SkillId,
    description: String,
    description_chars: usize,
    location: Option<String>,
    active: bool,
    tokens: usize,
}

struct Writer<'a> {
    options: &'a RenderOptions<'a>,
}

impl Writer<'_> {
    fn entry(&self, skill: &Skill<'_>) -> CatalogEntry {
        let descriptor = skill.descriptor;
        let description = match self.options.format {
            CatalogFormat::Json | CatalogFormat::Markdown => plain_line(&descriptor.description),
            _ => xml_line(&descriptor.description),
        };
        CatalogEntry {
            id: descriptor.id.clone(),
            description_chars: description.chars().count(),
            description,
            location: self
                .options
                .location
                .and_then(|location| location(&descriptor.id)),
            active: self.options.active.contains(&descriptor.id),
            tokens: descriptor.tokens().catalog,
        }
    }

    /// Writes as much as the budget allows: all, shorter descriptions, names, some names.
    fn fit(
        &self,
        entries: &[&CatalogEntry],
        collections: &[Collection],
        mode: Mode,
        report: &mut CatalogReport,
    ) -> String {
        let whole = self.write(entries, collections, mode, usize::MAX, 0);
        report.shown = entries.len();
        let excess = whole.chars().count().saturating_sub(self.options.budget);
        if excess == 0 {
            return whole;
        }
        if let Some(length) = even_length(entries, excess) {
            report.shortened = entries
                .iter()
                .filter(|entry| entry.description_chars > length)
                .count();
            return self.write(entries, collections, mode, length, 0);
        }
        report.shortened = entries.len();
        let names = self.write(entries, collections, mode, 0, 0);
        if names.chars().count() <= self.options.budget {
            return names;
        }
        // Not even the names fit: as many as do, and where to find the others.
        let mut few = 0;
        let mut many = entries.len();
        while few < many {
            let middle = few + (many - few).div_ceil(2);
            let part = entries.get(..middle).unwrap_or_default();
            let text = self.write(part, collections, mode, 0, entries.len() - middle);
            if text.chars().count() <= self.options.budget {
                few = middle;
            } else {
                many = middle - 1;
            }
        }
        let part = entries.get(..few).unwrap_or_default();
        report.shown = few;
        report.shortened = few;
        let text = self.write(part, collections, mode, 0, entries.len() - few);
        if text.chars().count() <= self.options.budget {
            return text;
        }
        // A budget below the frame itself leaves only the way to search.
        report.shown = 0;
        report.shortened = 0;
        let fitting = (0..collections.len())
            .rev()
            .map(|count| collections.get(..count).unwrap_or_default());
        fitting
            .map(|some| self.write(&[], some, mode, 0, entries.len()))
            .find(|text| text.chars().count() <= self.options.budget)
            .unwrap_or_default()
    }

    /// The whole text with descriptions of at most `length` characters; 0 means none.
    fn write(
        &self,
        entries: &[&CatalogEntry],
        collections: &[Collection],
        mode: Mode,
        length: usize,
        unlisted: usize,
    ) -> String {
        match self.options.format {
            CatalogFormat::Json => json_text(entries, collections, length, unlisted),
            CatalogFormat::Markdown => self.markdown(entries, collections, length, unlisted),
            CatalogFormat::Xml | CatalogFormat::XmlElements | CatalogFormat::XmlAttributes => {
                self.xml(entries, collections, mode, length, unlisted)
            }
        }
    }

    fn xml(
        &self,
        entries: &[&CatalogEntry],
        collections: &[Collection],
        mode: Mode,
        length: usize,
        unlisted: usize,
    ) -> String {
        let mut out = String::with_capacity(entries.len() * 120);
        out.push_str(match mode {
            Mode::Flat => "<available_skills>\n",
            Mode::Collections => "<available_skills mode=\"collections\">\n",
        });
        for Collection {
            path,
            description,
            count,
        } in collections
        {
            let description = xml_line(description);
            let _ = writeln!(
                out,
                "  <collection path=\"{path}\" count=\"{count}\">{description}</collection>"
            );
        }
        for entry in entries {
            self.xml_entry(entry, length, &mut out);
        }
        if let Some((browse, load)) = self.options.tools {
            if mode == Mode::Collections || unlisted > 0 {
                let others = if unlisted > 0 {
                    format!(" ({unlisted} skills are not listed here)")
                } else {
                    String::new()
                };
                let _ = writeln!(
                    out,
                    "  Use the {browse} tool to list skills in a collection or to search{others}."
                );
                let _ = writeln!(
                    out,
                    "  Use the {load} tool or /collection/skill-name to activate a skill."
                );
            }
        } else if unlisted > 0 {
            let _ = writeln!(out, "  {unlisted} skills are not listed here.");
        }
        out.push_str("</available_skills>");
        out
    }

    fn xml_entry(&self, entry: &CatalogEntry, length: usize, out: &mut String) {
        let description = shortened(entry, length);
        let active = if entry.active { " active=\"true\"" } else { "" };
        let _ = match (self.options.format, description) {
            (CatalogFormat::XmlElements, description) => {
                let _ = writeln!(out, "  <skill{active}>\n    <name>{}</name>", entry.id);
                if !description.is_empty() {
                    let _ = writeln!(out, "    <description>{description}</description>");
                }
                if let Some(location) = &entry.location {
                    let _ = writeln!(out, "    <location>{}</location>", xml_line(location));
                }
                writeln!(out, "  </skill>")
            }
            (CatalogFormat::XmlAttributes, description) => {
                let _ = write!(out, "  <skill name=\"{}\"", entry.id);
                if !description.is_empty() {
                    let _ = write!(out, " description=\"{description}\"");
                }
                if let Some(location) = &entry.location {
                    let _ = write!(out, " location=\"{}\"", xml_line(location));
                }
                writeln!(out, "{active} />")
            }
            (_, description) if description.is_empty() => {
                writeln!(out, "  <skill id=\"{}\"{active} />", entry.id)
            }
            (_, description) => writeln!(
                out,
                "  <skill id=\"{}\"{active}>\n    <description>{description}</description>\n  </skill>",
                entry.id
            ),
        };
    }

    fn markdown(
        &self,
        entries: &[&CatalogEntry],
        collections: &[Collection],
        length: usize,
        unlisted: usize,
    ) -> String {
        let mut out = String::from("Available skills:\n");
        for collection in collections {
            let description = plain_line(&collection.description);
            let _ = write!(
                out,
                "\n- `{}/` ({} skills): {description}",
                collection.path, collection.count
            );
        }
        for entry in entries {
            let _ = write!(out, "\n- `{}`", entry.id);
            let description = shortened(entry, length);
            if !description.is_empty() {
                let _ = write!(out, ": {description}");
            }
            if entry.active {
                out.push_str(" (active)");
            }
        }
        if unlisted > 0 {
            let _ = write!(out, "\n- {unlisted} more, not listed here");
        }
        if let Some((browse, load)) = self.options.tools {
            let _ = write!(
                out,
                "\n\nUse {browse} to look into a collection or to search, {load} to activate a skill."
            );
        }
        out
    }
}

/// The catalog as JSON, in the order in which a reader wants it.
#[derive(Serialize)]
struct JsonCatalog<'e> {
    available_skills: Vec<JsonSkill<'e>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collections: Vec<Collection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_listed: Option<usize>,
}

#[derive(Serialize)]
struct JsonSkill<'e> {
    name: &'e SkillId,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
}

fn json_text(
    entries: &[&CatalogEntry],
    collections: &[Collection],
    length: usize,
    unlisted: usize,
) -> String {
    let catalog = JsonCatalog {
        available_skills: entries
            .iter()
            .map(|entry| JsonSkill {
                name: &entry.id,
                description: shortened(entry, length),
            })
            .collect(),
        collections: collections.iter().cloned().map(inert).collect(),
        not_listed: (unlisted > 0).then_some(unlisted),
    };
    serde_json::to_string(&catalog).unwrap_or_default()
}

fn inert(mut collection: Collection) -> Collection {
    collection.description = without_own_tags(&collection.description).into_owned();
    collection
}

/// The length at which descriptions must be cut to save `excess` characters, if it is worth while.
fn even_length(entries: &[&CatalogEntry], excess: usize) -> Option<usize> {
    let saved = |length: usize| -> usize {
        entries
            .iter()
            .map(|entry| entry.description_chars.saturating_sub(length))
            .sum()
    };
    if saved(SHORTEST) < excess {
        return None;
    }
    let (mut short, mut long) = (
        SHORTEST,
        entries.iter().map(|entry| entry.description_chars).max()?,
    );
    while short < long {
        let middle = short + (long - short).div_ceil(2);
        if saved(middle) >= excess {
            short = middle;
        } else {
            long = middle - 1;
        }
    }
    Some(short)
}

/// The description in at most `length` characters, cut with an ellipsis and never inside an entity.
fn shortened(entry: &CatalogEntry, length: usize) -> String {
    if entry.description_chars <= length {
        return entry.description.clone();
    }
    if length == 0 {
        return String::new();
    }
    let end = entry
        .description
        .char_indices()
        .nth(length - 1)
        .map_or(0, |(at, _)| at);
    let mut kept = entry.description.get(..end).unwrap_or_default();
    if let Some(entity) = kept.rfind('&')
        && !kept.get(entity..).is_some_and(|tail| tail.contains(';'))
    {
        kept = kept.get(..entity).unwrap_or_default();
    }
    format!("{}…", without_cut_tag(kept).trim_end())
}
