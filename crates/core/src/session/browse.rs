//! Lists and searches skills for a model.

use prowess_spec::estimate_tokens;

use crate::catalog::Skill;
use crate::dialect::ToolSpec;
use crate::find::SkillMatch;
use crate::id::CollectionPath;
use crate::skills::Skills;
use crate::tools::{LISTED_SKILLS, SkillSummary, ToolOutput};

use super::call::Outcome;
use super::state::Session;
use super::tool_arguments::Arguments;

/// Skills of a collection in one answer.
const PAGE: usize = 20;
/// Skills that were found in one answer.
const FOUND_PAGE: usize = 10;
/// Tokens of their descriptions together; longer ones are shortened evenly.
const FOUND_TOKENS: usize = 1_200;
/// Near copies whose ids are given.
const NAMED_COPIES: usize = 3;

impl Skills {
    pub(super) async fn browse(
        &self,
        session: &Session,
        tool: &ToolSpec,
        arguments: &Arguments<'_>,
    ) -> Outcome {
        let start = arguments.cursor()?;
        let queries = arguments.queries()?;
        if !queries.is_empty() {
            session.note_queries(&queries);
            return Ok(self.found(queries, start).await);
        }
        let catalog = self.catalog();
        let text = arguments.text(tool.id)?.unwrap_or_default();
        let path: Option<CollectionPath> = match text.trim_matches('/') {
            "" => None,
            text => match text.parse() {
                Ok(path) => Some(path),
                // Not a path that could exist: empty, like any other that does not.
                Err(_) => {
                    return Ok(ToolOutput::Listing {
                        path: text.to_owned(),
                        subcollections: Vec::new(),
                        skills: Vec::new(),
                        next: None,
                    });
                }
            },
        };
        let listing = catalog.browse(path.as_ref());
        let skills = listing.skills.into_iter().filter(is_for_models);
        let (skills, next) = page(skills, start, PAGE);
        Ok(ToolOutput::Listing {
            path: path.map(|path| path.to_string()).unwrap_or_default(),
            subcollections: if start == 0 {
                listing.subcollections
            } else {
                Vec::new()
            },
            skills,
            next,
        })
    }

    async fn found(&self, queries: Vec<String>, start: usize) -> ToolOutput {
        let catalog = self.catalog();
        let asked: Vec<&str> = queries.iter().map(String::as_str).collect();
        let is_wanted = |id: &crate::SkillId| {
            let skill = catalog.get(id.as_str());
            skill.is_some_and(|skill| is_for_models(&skill))
        };
        let found = self.find(&asked, is_wanted).await;
        let on_page = found.iter().skip(start).take(FOUND_PAGE);
        let mut skills: Vec<SkillSummary> = on_page
            .filter_map(|found| {
                let skill = catalog.get(found.id.as_str())?;
                Some(SkillSummary {
                    similar: similar(found),
                    ..summary(skill)
                })
            })
            .collect();
        shorten(&mut skills);
        let end = start.saturating_add(FOUND_PAGE);
        ToolOutput::Search {
            queries,
            skills,
            next: (found.len() > end).then(|| end.to_string()),
        }
    }

    pub(super) fn list_all(&self, arguments: &Arguments<'_>) -> Outcome {
        let catalog = self.catalog();
        let skills = catalog.skills().filter(is_for_models);
        let (skills, next) = page(skills, arguments.cursor()?, LISTED_SKILLS);
        Ok(ToolOutput::Listing {
            path: String::new(),
            subcollections: Vec::new(),
            skills,
            next,
        })
    }
}

fn page<'c>(
    skills: impl Iterator<Item = Skill<'c>>,
    start: usize,
    length: usize,
) -> (Vec<SkillSummary>, Option<String>) {
    let mut skills: Vec<SkillSummary> = skills
        .skip(start)
        .take(length.saturating_add(1))
        .map(summary)
        .collect();
    let more = skills.len() > length;
    skills.truncate(length);
    (
        skills,
        more.then(|| start.saturating_add(length).to_string()),
    )
}

fn summary(skill: Skill<'_>) -> SkillSummary {
    SkillSummary {
        id: skill.descriptor.id.clone(),
        name: skill.descriptor.name().to_owned(),
        description: skill.descriptor.description.to_string(),
        source: skill.source.to_string(),
        similar: None,
    }
}

/// Near copies in one line: `3 similar: a/pdf, b/pdf, c/pdf`.
fn similar(found: &SkillMatch) -> Option<String> {
    let copies = found.similar.len();
    let named = found.similar.iter().take(NAMED_COPIES);
    let ids: Vec<&str> = named.map(crate::SkillId::as_str).collect();
    (copies > 0).then(|| format!("{copies} similar: {}", ids.join(", ")))
}

/// Shortens the longest descriptions until all fit.
fn shorten(skills: &mut [SkillSummary]) {
    let tokens = |skills: &[SkillSummary]| -> usize {
        let texts = skills
            .iter()
            .map(|skill| estimate_tokens(&skill.description));
        texts.sum()
    };
    let mut longest = skills
        .iter()
        .map(|skill| skill.description.len())
        .max()
        .unwrap_or(0);
    while tokens(skills) > FOUND_TOKENS && longest > 80 {
        longest -= longest / 8;
        for skill in skills.iter_mut() {
            if skill.description.len() > longest {
                let end = skill.description.floor_char_boundary(longest);
                skill.description.truncate(end);
                skill.description.push('…');
            }
        }
    }
}

/// Whether a model may choose the skill.
pub(super) fn is_for_models(skill: &Skill<'_>) -> bool {
    skill.descriptor.invocation.by_model()
}
