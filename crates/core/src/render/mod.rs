//! The text for a model: the catalog, and the instructions of a skill.

mod catalog;
mod escape;
mod formats;
mod options;
mod skill;

pub use catalog::{CatalogReport, render_catalog};
pub use escape::{without_cut_tag, without_own_tags};
pub use options::{CatalogFormat, Locate, RenderOptions, ToolNames};
pub use skill::{RenderError, RenderedSkill, SkillReport, render_skill};
