//! From a few words of a program to skills that work.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::CatalogOptions;
use crate::composite::Composite;
use crate::dialect::Dialect;
use crate::filter::{Filter, FilterError};
use crate::id::{InvalidId, SkillId};
use crate::render::CatalogFormat;
use crate::script::ScriptRunner;
use crate::skills::{Enforcement, PreloadError, Settings, Skills};
use crate::source::Source;

/// The share of a context window that the catalog may take.
const CONTEXT_SHARE: f64 = 0.02;

/// Collects what [`Skills`] are made of.
///
/// ```
/// # pollster::block_on(async {
/// use prowess_core::{MemorySource, Scope, Skills};
///
/// let mut source = MemorySource::new(Scope::Project);
/// source.add("haiku", "---\nname: haiku\ndescription: Writes haiku\n---\nFive, seven, five.\n");
/// let skills = Skills::builder().source("mine", source).build().await.unwrap();
///
/// let session = skills.session();
/// assert!(session.prompt().text.contains("Writes haiku"));
/// let turn = session.turn("/haiku about rain").await;
/// assert!(turn.content().contains("Five, seven, five."));
/// # });
/// ```
#[derive(Default)]
pub struct SkillsBuilder {
    sources: Vec<(String, Arc<dyn Source>)>,
    only: Vec<String>,
    except: Vec<String>,
    preload: Vec<String>,
    capabilities: BTreeSet<String>,
    max_skills: Option<usize>,
    reserved: BTreeSet<SkillId>,
    context_share: Option<f64>,
    settings: Settings,
    scripts: Option<Arc<dyn ScriptRunner>>,
}

/// Why skills could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The filters are invalid.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A skill to preload has no id.
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// A skill to preload cannot be loaded.
    #[error(transparent)]
    Preload(#[from] PreloadError),
}

impl Skills {
    /// Collects what skills are made of.
    pub fn builder() -> SkillsBuilder {
        SkillsBuilder::default()
    }
}

impl SkillsBuilder {
    /// Adds a source below those that are there.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>, source: impl Source + 'static) -> Self {
        self.sources.push((name.into(), Arc::new(source)));
        self
    }

    /// Adds a source on top of those that are there: on the same id, the later call wins.
    #[must_use]
    pub fn with_skills(mut self, name: impl Into<String>, source: impl Source + 'static) -> Self {
        self.sources.insert(0, (name.into(), Arc::new(source)));
        self
    }

    /// The names of the sources, the most important first.
    pub fn source_names(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|(name, _)| name.as_str())
    }

    /// Takes only these skills, by id or pattern.
    #[must_use]
    pub fn only<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.only.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Leaves these skills out, by id or pattern.
    #[must_use]
    pub fn except<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.except.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Gives every session these skills from the beginning; one that is missing fails the build.
    #[must_use]
    pub fn preload<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.preload.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Sets the capabilities of the host, for skills that require them.
    #[must_use]
    pub fn capability(mut self, name: impl Into<String>) -> Self {
        self.capabilities.insert(name.into());
        self
    }

    /// Uses the dialect of another host.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.settings.dialect = dialect;
        self
    }

    /// Writes the catalog in another way than the dialect's.
    #[must_use]
    pub fn catalog_format(mut self, format: CatalogFormat) -> Self {
        self.settings.dialect.catalog = format;
        self
    }

    /// Bounds the catalog, in characters.
    #[must_use]
    pub fn catalog_chars(mut self, chars: usize) -> Self {
        self.settings.catalog_chars = chars;
        self
    }

    /// Bounds the catalog, in tokens of four characters.
    #[must_use]
    pub fn catalog_tokens(self, tokens: usize) -> Self {
        self.catalog_chars(tokens.saturating_mul(4))
    }

    /// Bounds the catalog to a share of a context window of that many tokens.
    #[must_use]
    pub fn context_window(self, tokens: usize) -> Self {
        let share = self.context_share.unwrap_or(CONTEXT_SHARE);
        // Four characters per token; a window too large for a float is unlimited.
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a bound, not a count"
        )]
        let chars = (tokens as f64 * share * 4.0) as usize;
        self.catalog_chars(chars)
    }

    /// Sets the share for [`Self::context_window`], which is 2% otherwise.
    #[must_use]
    pub fn context_share(mut self, share: f64) -> Self {
        self.context_share = Some(share);
        self
    }

    /// Limits the number of skills; the first ones by id are used.
    #[must_use]
    pub fn max_skills(mut self, count: usize) -> Self {
        self.max_skills = Some(count);
        self
    }

    /// Reserves ids for skills that are built in or the user's own: one of a project or a remote is refused.
    #[must_use]
    pub fn reserve(mut self, ids: impl IntoIterator<Item = SkillId>) -> Self {
        self.reserved.extend(ids);
        self
    }

    /// Enforces `allowed-tools`.
    #[must_use]
    pub fn enforce_allowed_tools(mut self) -> Self {
        self.settings.allowed_tools = Enforcement::Enforce;
        self
    }

    /// Lets skills run scripts.
    #[must_use]
    pub fn scripts(mut self, runner: impl ScriptRunner + 'static) -> Self {
        self.scripts = Some(Arc::new(runner));
        self
    }

    /// Queries the sources, and preloads skills.
    pub async fn build(self) -> Result<Skills, BuildError> {
        let options = CatalogOptions {
            collisions: self.settings.dialect.collisions,
            filter: Filter::new(&self.only, &self.except)?,
            capabilities: self.capabilities,
            max_skills: self.max_skills,
            reserved: self.reserved,
        };
        let ids: Vec<SkillId> = self
            .preload
            .iter()
            .map(|id| id.parse())
            .collect::<Result<_, _>>()?;
        let mut sources = Composite::new(options);
        for (name, source) in self.sources {
            sources.push(&name, source);
        }
        Ok(Skills::new(sources, self.settings, self.scripts, &ids).await?)
    }
}
