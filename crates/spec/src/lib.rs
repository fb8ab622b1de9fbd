//! The Agent Skills format: `SKILL.md` and `SKILL.yaml`, from bytes to typed values.
//!
//! Everything here is pure: bytes in, values and [`Diagnostic`]s out. Parsing never fails and never panics on any
//! input; missing values are `None`, and a diagnostic says why and where.
//!
//! [`parse`] reads a `SKILL.md`, [`head`] only its name and description, [`manifest::parse`] a
//! `SKILL.yaml`. One set of diagnostics serves two readers: [`Profile::Load`] for agents, who want the skill if it can
//! be loaded at all, and [`Profile::Check`] for authors, who want all diagnostics.

mod advice;
mod agents;
mod body;
mod code;
mod code_info;
mod code_table;
mod diagnostic;
mod entry;
mod field;
mod fields;
mod files;
mod fix;
mod frame;
mod frame_end;
mod frontmatter;
mod head;
mod hidden;
mod levels;
pub mod limits;
pub mod manifest;
mod name;
mod offsets;
mod path;
mod plain;
mod quote;
mod render;
mod repair;
mod skill;
mod span;
mod structure;
mod suggest;
mod tools;
mod tree;
mod value;
mod yaml;

#[doc(hidden)]
pub use serde;

pub use advice::advise;
pub use agents::agents_skills;
pub use body::{Reference, estimate_tokens, references};
pub use code::Code;
pub use code_info::{CodeInfo, Content, Example};
pub use diagnostic::{Diagnostic, Edit};
pub use fields::{ClientFields, Skill};
pub use files::{MANIFEST_FILE, SKILL_FILE, choose_skill_file, is_skill_file};
pub use fix::{Fixed, fix};
pub use head::{Head, head, head_of_start, head_with_diagnostics};
pub use hidden::is_hidden;
pub use levels::{Levels, Profile, Severity};
pub use name::{NameRule, SkillName};
pub use offsets::apply_edits;
pub use path::{PathProblem, SkillPath};
pub use quote::quote;
pub use render::render_frontmatter;
pub use skill::{Context, Parsed, is_valid, parse};
pub use span::{LineIndex, Position, Span};
pub use suggest::nearest;
pub use value::{Mapping, MappingEntry, Node, Resolved, Scalar, Style, Value};
