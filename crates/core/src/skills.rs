//! The engine: a catalog that can be refreshed, and what sessions do with it.

use std::sync::{Arc, PoisonError, RwLock};

use prowess_spec::is_skill_file;
use serde::Serialize;

use crate::arguments::{has_placeholders, with_arguments_within};
use crate::catalog::Catalog;
use crate::composite::Composite;
use crate::dialect::{Dialect, Shape};
use crate::event::Event;
use crate::filter::Filter;
use crate::id::SkillId;
use crate::join::join_all;
use crate::render::render_skill;
use crate::script::ScriptRunner;
use crate::search::SearchIndex;
use crate::signal::RankSignal;
use crate::source::SourceError;
use crate::turn::Block;

/// How skills are presented, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The dialect; its limits can be changed.
    pub dialect: Dialect,
    /// Characters of the catalog.
    pub catalog_chars: usize,
    /// The meaning of `allowed-tools`.
    pub allowed_tools: Enforcement,
}

/// The meaning of `allowed-tools`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// Advice to the model.
    #[default]
    Off,
    /// While skills are active, only the tools that one of them allows.
    Enforce,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            catalog_chars: 8_000,
            allowed_tools: Enforcement::default(),
        }
    }
}

/// Bytes of the tags around a body, without the id.
const TAG_BYTES: usize = 23;

/// Skills for any number of sessions at once; a clone is another handle to the same ones.
///
/// A refresh builds a new catalog and swaps it in; readers of the old one are not affected.
#[derive(Clone)]
pub struct Skills {
    inner: Arc<Inner>,
    scripts: Option<Arc<dyn ScriptRunner>>,
}

struct Inner {
    sources: Composite,
    settings: Settings,
    preloaded: Vec<Block>,
    catalog: RwLock<Arc<Catalog>>,
    index: RwLock<Arc<SearchIndex>>,
    signals: RwLock<Vec<Arc<dyn RankSignal>>>,
}

/// Skills or sources that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", problems.join("\n"))]
pub struct IncompleteSkills {
    /// What went wrong, one line each.
    pub problems: Vec<String>,
}

/// A `SKILL.md` inside of another skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NestedSkill {
    /// The skill that it is part of.
    pub parent: SkillId,
    /// Its directory there.
    pub directory: String,
}

/// Skills whose files are listed at once.
const AT_ONCE: usize = 32;

/// A skill that a session could not start with.
#[derive(Debug, thiserror::Error)]
#[error("cannot preload `{id}`: {reason}{}", hint(nearest))]
pub struct PreloadError {
    /// The skill.
    pub id: SkillId,
    /// Why.
    pub reason: String,
    /// Similar ids.
    pub nearest: Vec<String>,
}

fn hint(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

impl Skills {
    pub(crate) async fn new(
        sources: Composite,
        settings: Settings,
        scripts: Option<Arc<dyn ScriptRunner>>,
        preload: &[SkillId],
    ) -> Result<Self, PreloadError> {
        let catalog = sources.catalog().await;
        let mut preloaded: Vec<Block> = Vec::new();
        for id in preload {
            let loaded = block(&sources, &settings, id, "", false).await;
            let LoadedBlock { block, .. } = loaded.map_err(|reason| PreloadError {
                id: id.clone(),
                reason: reason.to_string(),
                nearest: owned(catalog.nearest(id.as_str())),
            })?;
            if !preloaded.contains(&block) {
                preloaded.push(block);
            }
        }
        let inner = Inner {
            sources,
            settings,
            preloaded,
            catalog: RwLock::new(Arc::new(catalog)),
            index: RwLock::new(Arc::new(SearchIndex::empty())),
            signals: RwLock::default(),
        };
        Ok(Self {
            inner: Arc::new(inner),
            scripts,
        })
    }

    /// The same skills without one of them, for comparisons.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// use prowess_core::{MemorySource, Scope, SkillId, Skills};
    ///
    /// let mut source = MemorySource::new(Scope::Project);
    /// source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\n");
    /// source.add("limerick", "---\nname: limerick\ndescription: Writes limericks\n---\n");
    /// let skills = Skills::builder().source("mine", source).only(["*"]).build().await.unwrap();
    ///
    /// let haiku: SkillId = "haiku".parse().unwrap();
    /// let rest = skills.without(&haiku).await;
    /// assert!(rest.catalog().get("haiku").is_none() && rest.catalog().get("limerick").is_some());
    /// assert!(rest.sources().load(&haiku).await.is_err());
    /// assert!(skills.catalog().get("haiku").is_some());
    /// # });
    /// ```
    pub async fn without(&self, id: &SkillId) -> Self {
        let sources = self.inner.sources.without(id);
        let catalog = sources.catalog().await;
        let preloaded = self.inner.preloaded.iter().filter(|block| block.id != *id);
        let inner = Inner {
            settings: self.inner.settings,
            preloaded: preloaded.cloned().collect(),
            sources,
            catalog: RwLock::new(Arc::new(catalog)),
            index: RwLock::new(Arc::new(SearchIndex::empty())),
            signals: RwLock::default(),
        };
        Self {
            inner: Arc::new(inner),
            scripts: self.scripts.clone(),
        }
    }

    /// Another handle to the same skills, whose sessions run scripts with this runner: for hosts that ask each user on
    /// their own.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # use prowess_core::{MemorySource, Scope, ScriptOutput, ScriptRunner, SkillId, Skills, ToolError};
    /// # struct Sandbox;
    /// # #[async_trait::async_trait]
    /// # impl ScriptRunner for Sandbox {
    /// #     async fn run(&self, _: &SkillId, _: &prowess_spec::SkillPath, _: &[String]) -> Result<ScriptOutput, ToolError> {
    /// #         Err(ToolError::new(prowess_core::ErrorCode::Unavailable, "no sandbox"))
    /// #     }
    /// # }
    /// # let mut source = MemorySource::new(Scope::Project);
    /// # source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\n");
    /// let skills = Skills::builder().source("mine", source).build().await.unwrap();
    /// let with = skills.with_scripts(Sandbox);
    /// assert_eq!(with.session().tools().len(), skills.session().tools().len() + 1);
    ///
    /// skills.refresh().await;
    /// assert!(std::sync::Arc::ptr_eq(&with.catalog(), &skills.catalog()));
    /// # });
    /// ```
    #[must_use]
    pub fn with_scripts(&self, runner: impl ScriptRunner + 'static) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            scripts: Some(Arc::new(runner)),
        }
    }

    /// How skills are presented.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn preloaded(&self) -> &[Block] {
        &self.inner.preloaded
    }

    pub(crate) fn scripts(&self) -> Option<&dyn ScriptRunner> {
        self.scripts.as_deref()
    }

    /// The catalog as it is now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(
            &self
                .inner
                .catalog
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Queries the sources again.
    pub async fn refresh(&self) -> Arc<Catalog> {
        let catalog = Arc::new(self.inner.sources.catalog().await);
        let mut current = self
            .inner
            .catalog
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Of two refreshes at once, the one that began later counts.
        if catalog.generation() > current.generation() {
            *current = Arc::clone(&catalog);
        }
        catalog
    }

    /// Leaves other skills out than before, for every handle and session.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # use prowess_core::{Filter, MemorySource, Scope, Skills};
    /// # let mut source = MemorySource::new(Scope::Project);
    /// # source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\n");
    /// let skills = Skills::builder().source("mine", source).build().await.unwrap();
    /// skills.set_filter(Filter::new(&[], &["haiku"]).unwrap()).await;
    /// assert_eq!(skills.catalog().disabled().count(), 1);
    /// # });
    /// ```
    pub async fn set_filter(&self, filter: Filter) -> Arc<Catalog> {
        self.inner.sources.set_filter(filter);
        self.refresh().await
    }

    /// Fails if anything went wrong while the skills were collected, for programs that need all of them.
    /// [`Catalog::problems`] has the details.
    pub fn check(&self) -> Result<(), IncompleteSkills> {
        let catalog = self.catalog();
        let problems: Vec<String> = catalog.problems().map(|it| it.to_string()).collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(IncompleteSkills { problems })
    }

    /// Skills inside of other skills, which are part of those and not listed. It reads the names of all files.
    pub async fn nested(&self) -> Vec<NestedSkill> {
        let catalog = self.catalog();
        let ids: Vec<SkillId> = catalog
            .skills()
            .map(|skill| skill.descriptor.id.clone())
            .collect();
        let mut nested = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            let files = join_all(some.iter().map(|id| self.sources().files(id))).await;
            for (parent, files) in some.iter().zip(files) {
                let inside = files.unwrap_or_default().into_iter().filter_map(|file| {
                    let (directory, name) = file.path.as_str().rsplit_once('/')?;
                    is_skill_file(name).then(|| NestedSkill {
                        parent: parent.clone(),
                        directory: directory.to_owned(),
                    })
                });
                nested.extend(inside);
            }
        }
        nested
    }

    /// The sources of the catalog.
    pub fn sources(&self) -> &Composite {
        &self.inner.sources
    }

    pub(crate) fn nearest(&self, text: &str) -> Vec<String> {
        owned(self.catalog().nearest(text))
    }

    pub(crate) async fn block(
        &self,
        id: &SkillId,
        arguments: &str,
    ) -> Result<LoadedBlock, SourceError> {
        let appends = self.inner.settings.dialect.shape == Shape::Text;
        block(
            &self.inner.sources,
            &self.inner.settings,
            id,
            arguments,
            appends,
        )
        .await
    }

    /// The same with the arguments in any case.
    pub(crate) async fn whole_block(
        &self,
        id: &SkillId,
        arguments: &str,
    ) -> Result<LoadedBlock, SourceError> {
        block(
            &self.inner.sources,
            &self.inner.settings,
            id,
            arguments,
            true,
        )
        .await
    }

    pub(crate) fn index(&self) -> &RwLock<Arc<SearchIndex>> {
        &self.inner.index
    }

    pub(crate) fn signal_list(&self) -> &RwLock<Vec<Arc<dyn RankSignal>>> {
        &self.inner.signals
    }
}

fn owned(ids: Vec<&str>) -> Vec<String> {
    ids.into_iter().map(str::to_owned).collect()
}

/// A block, and what became of the arguments.
pub(crate) struct LoadedBlock {
    pub(crate) block: Block,
    pub(crate) event: Event,
    /// Whether the arguments are in the block.
    pub(crate) has_arguments: bool,
}

/// A skill's instructions as the model gets them. Arguments are part of them where the body has a place for them, or if
/// they are appended.
async fn block(
    sources: &Composite,
    settings: &Settings,
    id: &SkillId,
    arguments: &str,
    appends: bool,
) -> Result<LoadedBlock, SourceError> {
    let document = sources.load(id).await?;
    let takes = appends || has_placeholders(&document.body);
    let arguments = if takes { arguments } else { "" };
    let limit = settings.dialect.limits.skill_bytes;
    let room = limit.saturating_sub(TAG_BYTES + id.as_str().len());
    let body = with_arguments_within(&document.body, arguments, room);
    let rendered = render_skill(id, &body, limit);
    let rendered = rendered.map_err(|error| SourceError::Invalid {
        id: id.clone(),
        reason: error.to_string(),
    })?;
    let event = Event::Activated {
        id: id.clone(),
        bytes: rendered.text.len(),
        dropped_bytes: rendered.report.dropped_bytes,
    };
    let block = Block {
        id: id.clone(),
        text: rendered.text,
    };
    Ok(LoadedBlock {
        block,
        event,
        has_arguments: !arguments.trim().is_empty(),
    })
}
