//! Which skills the situation calls for, and why.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use prowess_core::SkillId;
use prowess_spec::manifest::{Mode, Triggers as Declared, Word};
use serde::Serialize;

use crate::language::languages_of;
use crate::project::Project;

/// What an explicit selection counts.
const EXPLICIT: u32 = 1_000;
/// What each pattern counts that matches a file.
const FILE: u32 = 100;
/// What each keyword counts.
const KEYWORD: u32 = 80;
/// What each language counts.
const LANGUAGE: u32 = 60;
/// What the mode counts.
const MODE: u32 = 40;

/// What is the case now.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The project.
    pub project: &'a Arc<Project>,
    /// The user's last message.
    pub message: &'a str,
    /// How the host is being used.
    pub mode: Mode,
    /// Skills that somebody named; they become active whatever their triggers say.
    pub explicit: &'a [String],
}

/// A skill that becomes active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Activation {
    /// The skill.
    pub id: SkillId,
    /// How much speaks for it.
    pub score: u32,
    /// What speaks for it.
    pub causes: Vec<Cause>,
}

/// What speaks for a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// Somebody named it.
    Explicit,
    /// A pattern matches a file of the project.
    File {
        /// The pattern.
        pattern: String,
        /// The first file.
        file: String,
    },
    /// A word of the message.
    Keyword {
        /// The word.
        keyword: String,
    },
    /// A language of the project.
    Language {
        /// The language.
        language: String,
    },
    /// The way in which the host is used.
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

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file pattern `{}` of `{skill}` cannot be used: {reason}", pattern.escape_debug())]
pub struct TriggerError {
    /// The skill.
    pub skill: SkillId,
    /// The pattern.
    pub pattern: String,
    /// Why.
    pub reason: String,
}

/// A skill that somebody named and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no skill `{}`{}", name.escape_debug(), meant(nearest))]
pub struct UnknownSkill {
    /// What was named.
    pub name: String,
    /// What may have been meant.
    pub nearest: Vec<String>,
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

/// The triggers of many skills, made ready for many situations.
#[derive(Debug)]
pub struct Triggers {
    skills: Vec<Skill>,
    /// Every file pattern of every skill, and whose it is.
    patterns: Vec<(usize, String)>,
    globs: GlobSet,
    /// What the patterns match in the project that was asked about last.
    last: Mutex<Option<Arc<Seen>>>,
}

#[derive(Debug)]
struct Skill {
    id: SkillId,
    /// Each keyword as it was written, and as it is compared.
    keywords: Vec<(String, String)>,
    languages: Vec<String>,
    modes: Vec<Mode>,
}

/// What was found in a project. It does not change, so it is looked through once.
#[derive(Debug)]
struct Seen {
    project: Arc<Project>,
    /// The first file for each pattern.
    first: Vec<Option<String>>,
    languages: BTreeSet<&'static str>,
}

impl Triggers {
    /// Makes triggers ready. A pattern that cannot be used is left out and reported.
    pub fn new<'d>(
        skills: impl IntoIterator<Item = (SkillId, &'d Declared)>,
    ) -> (Self, Vec<TriggerError>) {
        let mut ready = Vec::new();
        let mut patterns = Vec::new();
        let mut globs = GlobSetBuilder::new();
        let mut errors = Vec::new();
        for (id, declared) in skills {
            for pattern in &declared.files {
                // A pattern without a slash is about names, wherever they are.
                let anywhere = if pattern.contains('/') {
                    pattern.clone()
                } else {
                    format!("**/{pattern}")
                };
                let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
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
        // Each of them was built already, so together they cannot fail.
        let globs = globs.build().unwrap_or_default();
        let triggers = Self {
            skills: ready,
            patterns,
            globs,
            last: Mutex::default(),
        };
        (triggers, errors)
    }

    /// The skills that the situation calls for, the one that most speaks for first.
    ///
    /// A name in `explicit` that no skill has is an error: whoever named it should hear so.
    pub fn evaluate(&self, situation: &Situation<'_>) -> Result<Vec<Activation>, UnknownSkill> {
        for name in situation.explicit {
            if !self.skills.iter().any(|skill| skill.id.as_str() == name) {
                return Err(self.unknown(name));
            }
        }
        let seen = self.look(situation.project);
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

    fn look(&self, project: &Arc<Project>) -> Arc<Seen> {
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
                if let Some(slot) = first.get_mut(*index) {
                    slot.get_or_insert_with(|| file.to_owned());
                }
            }
        }
        let seen = Arc::new(Seen {
            project: Arc::clone(project),
            first,
            languages: languages_of(project.files()),
        });
        *last = Some(Arc::clone(&seen));
        seen
    }
}

impl Skill {
    /// What speaks for the skill besides files and being named.
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
        let modes = self
            .modes
            .contains(&mode)
            .then(|| Cause::Mode { mode: mode.word() });
        keywords.chain(languages).chain(modes).collect()
    }
}

/// The words of a text, in lower case, with one blank before, between and behind: what is found between two blanks
/// is whole words.
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
