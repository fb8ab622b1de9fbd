//! The text for a model: the catalog, and the instructions of a skill.

mod catalog;
mod escape;
mod formats;
mod skill;

pub use catalog::{CatalogFormat, CatalogReport, Locate, RenderOptions, ToolNames, render_catalog};
pub use escape::{without_cut_tag, without_own_tags};
pub use skill::{RenderError, RenderedSkill, SkillReport, render_skill};
