//! Triggers: which skills to activate, and why.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use prowess_core::SkillId;
use prowess_spec::manifest::{Keyword, Mode, Triggers as Declared, file_glob, is_hidden_from};
use serde::Serialize;

use crate::project::Project;

/// Score of a named skill.
const EXPLICIT: u32 = 1_000;
/// Score of each file pattern that matches.
const FILE: u32 = 100;
/// Score of each keyword.
const KEYWORD: u32 = 80;
/// Score of each language.
const LANGUAGE: u32 = 60;
/// Score of the mode.
const MODE: u32 = 40;

/// The input of triggers.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The project.
    pub project: &'a Arc<Project>,
    /// The user's last message.
    pub message: &'a str,
    /// How the host is used.
    pub mode: Mode,
    /// Skills that are activated whatever their triggers say.
    pub explicit: &'a [String],
}

/// A skill to activate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Activation {
    /// The skill.
    pub id: SkillId,
    /// The sum of the scores of its causes.
    pub score: u32,
    /// Why it is activated.
    pub causes: Vec<Cause>,
}

/// Why a skill is activated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// It was named.
    Explicit,
    /// A pattern matches a file of the project.
    File {
        /// The pattern.
        pattern: String,
        /// The first matching file.
        file: String,
    },
    /// The message contains a keyword.
    Keyword {
        /// The keyword.
        keyword: String,
    },
    /// The project contains a language.
    Language {
        /// The language.
        language: String,
    },
    /// The mode of the host.
    Mode {
        /// The mode.
        mode: &'static str,
    },
}

impl Cause {
    fn score(&self) -> u32 {
        match self {
            Self::Explicit => EXPLICIT,
            Self::File { .. } => FILE,
            Self::Keyword { .. } => KEYWORD,
            Self::Language { .. } => LANGUAGE,
            Self::Mode { .. } => MODE,
        }
    }
}

/// An invalid file pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid file pattern `{}` of `{skill}`: {reason}", pattern.escape_debug())]
pub struct TriggerError {
    /// The skill.
    pub skill: SkillId,
    /// The pattern.
    pub pattern: String,
    /// Why.
    pub reason: String,
}

/// A named skill does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown skill `{}`{}", name.escape_debug(), suggestions(nearest))]
pub struct UnknownSkill {
    /// The name.
    pub name: String,
    /// Similar ids.
    pub nearest: Vec<String>,
}

fn suggestions(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

/// The compiled triggers of skills.
#[derive(Debug)]
pub struct Triggers {
    skills: Vec<Skill>,
    /// Every file pattern with the index of its skill.
    patterns: Vec<(usize, String)>,
    globs: GlobSet,
    /// The matches in the last project.
    last: Mutex<Option<Arc<ProjectMatches>>>,
}

#[derive(Debug)]
struct Skill {
    id: SkillId,
    /// Each keyword as written, and normalised for comparison.
    keywords: Vec<(String, String)>,
    languages: Vec<String>,
    modes: Vec<Mode>,
}

/// The matches in a project, which is immutable and searched once.
#[derive(Debug)]
struct ProjectMatches {
    project: Arc<Project>,
    /// The first file for each pattern.
    first: Vec<Option<String>>,
    languages: BTreeSet<&'static str>,
}

impl Triggers {
    /// Compiles triggers. Invalid patterns are ignored and returned as errors.
    pub fn new<'d>(
        skills: impl IntoIterator<Item = (SkillId, &'d Declared)>,
    ) -> (Self, Vec<TriggerError>) {
        let mut ready = Vec::new();
        let mut patterns = Vec::new();
        let mut globs = GlobSetBuilder::new();
        let mut errors = Vec::new();
        for (id, declared) in skills {
            for pattern in &declared.files {
                let glob = GlobBuilder::new(&file_glob(pattern))
                    .literal_separator(true)
                    .build();
                match glob {
                    Ok(glob) => {
                        globs.add(glob);
                        patterns.push((ready.len(), pattern.clone()));
                    }
                    Err(error) => errors.push(TriggerError {
                        skill: id.clone(),
                        pattern: pattern.clone(),
                        reason: error.kind().to_string(),
                    }),
                }
            }
            let compared = |keyword: &String| (keyword.clone(), words(keyword));
            ready.push(Skill {
                id,
                keywords: declared.keywords.iter().map(compared).collect(),
                languages: declared.languages.clone(),
                modes: declared.modes.clone(),
            });
        }
        // Each glob was valid on its own, so the set is valid.
        let globs = globs.build().unwrap_or_default();
        let triggers = Self {
            skills: ready,
            patterns,
            globs,
            last: Mutex::default(),
        };
        (triggers, errors)
    }

    /// Returns the triggered skills, highest score first.
    ///
    /// An unknown name in `explicit` is an error.
    pub fn evaluate(&self, situation: &Situation<'_>) -> Result<Vec<Activation>, UnknownSkill> {
        for name in situation.explicit {
            if !self.skills.iter().any(|skill| skill.id.as_str() == name) {
                return Err(self.unknown(name));
            }
        }
        let seen = self.matches(situation.project);
        let mut causes: Vec<Vec<Cause>> = vec![Vec::new(); self.skills.len()];
        for ((owner, pattern), first) in self.patterns.iter().zip(&seen.first) {
            if let (Some(file), Some(causes)) = (first, causes.get_mut(*owner)) {
                causes.push(Cause::File {
                    pattern: pattern.clone(),
                    file: file.clone(),
                });
            }
        }
        let message = words(situation.message);
        let found = self
            .skills
            .iter()
            .zip(causes)
            .filter_map(|(skill, mut causes)| {
                if situation
                    .explicit
                    .iter()
                    .any(|name| name == skill.id.as_str())
                {
                    causes.insert(0, Cause::Explicit);
                }
                causes.extend(skill.others(&message, &seen.languages, situation.mode));
                let score = causes.iter().map(Cause::score).sum();
                (!causes.is_empty()).then(|| Activation {
                    id: skill.id.clone(),
                    score,
                    causes,
                })
            });
        let mut found: Vec<Activation> = found.collect();
        found.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        Ok(found)
    }

    fn unknown(&self, name: &str) -> UnknownSkill {
        let ids = self.skills.iter().map(|skill| skill.id.as_str());
        let nearest = prowess_spec::nearest(name, ids).into_iter();
        UnknownSkill {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned).collect(),
        }
    }

    fn matches(&self, project: &Arc<Project>) -> Arc<ProjectMatches> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = &*last
            && Arc::ptr_eq(&seen.project, project)
        {
            return Arc::clone(seen);
        }
        let mut first: Vec<Option<String>> = vec![None; self.patterns.len()];
        let mut matches = Vec::new();
        for file in project.files() {
            self.globs.matches_into(file, &mut matches);
            for index in &matches {
                if let (Some(slot @ None), Some((_, pattern))) =
                    (first.get_mut(*index), self.patterns.get(*index))
                    && !is_hidden_from(file, pattern)
                {
                    *slot = Some(file.to_owned());
                }
            }
        }
        let seen = Arc::new(ProjectMatches {
            project: Arc::clone(project),
            first,
            languages: project.languages(),
        });
        *last = Some(Arc::clone(&seen));
        seen
    }
}

impl Skill {
    /// The causes besides files and names.
    fn others(&self, message: &str, languages: &BTreeSet<&'static str>, mode: Mode) -> Vec<Cause> {
        let keywords = self.keywords.iter().filter_map(|(written, compared)| {
            let there = !compared.trim().is_empty() && message.contains(compared.as_str());
            there.then(|| Cause::Keyword {
                keyword: written.clone(),
            })
        });
        let spoken = self.languages.iter().filter(|language| {
            let language = language.to_lowercase();
            languages.contains(language.as_str())
        });
        let languages = spoken.map(|language| Cause::Language {
            language: language.clone(),
        });
        let modes = self.modes.contains(&mode).then(|| Cause::Mode {
            mode: mode.as_str(),
        });
        keywords.chain(languages).chain(modes).collect()
    }
}

/// Normalises a text to lower-case words with one blank around each, so that a substring match finds whole words.
fn words(text: &str) -> String {
    let mut out = String::from(" ");
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        out.extend(word.chars().flat_map(char::to_lowercase));
        out.push(' ');
    }
    out
}
