//! What a model sees: the catalog, and a skill's instructions.

mod catalog;
mod escape;
mod skill;

pub use catalog::{CatalogFormat, CatalogReport, Locate, RenderOptions, render_catalog};
pub use escape::without_own_tags;
pub use skill::{RenderError, RenderedSkill, SkillReport, render_skill};
