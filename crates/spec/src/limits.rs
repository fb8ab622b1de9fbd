//! Every bound of the format, in one place.
//!
//! | constant | bounds |
//! |---|---|
//! | [`NAME_CHARS`] | characters of a skill name |
//! | [`DESCRIPTION_CHARS`] | characters of a description |
//! | [`COMPATIBILITY_CHARS`] | characters of `compatibility` |
//! | [`BODY_LINES`], [`BODY_TOKENS`] | what a body may hold before `check` warns |
//! | [`FILE_BYTES`] | bytes of a whole file |
//! | [`LINKED_BYTES`] | bytes of a body in which Markdown links are looked for |
//! | [`FRONTMATTER_BYTES`] | bytes between the two delimiters |
//! | [`YAML_DEPTH`], [`YAML_NODES`], [`YAML_TEXT_BYTES`] | the parsed tree, aliases expanded |

/// Longest skill name, in characters.
pub const NAME_CHARS: usize = 64;
/// Longest description, in characters.
pub const DESCRIPTION_CHARS: usize = 1024;
/// Longest `compatibility`, in characters.
pub const COMPATIBILITY_CHARS: usize = 500;
/// Lines of a body above which `check` warns.
pub const BODY_LINES: usize = 500;
/// Estimated tokens of a body above which `check` warns.
pub const BODY_TOKENS: usize = 5_000;
/// Largest `SKILL.md` or `SKILL.yaml`, in bytes.
pub const FILE_BYTES: usize = 1024 * 1024;
/// Bytes of a body in which Markdown links are looked for; a longer one is reported as too long.
pub const LINKED_BYTES: usize = 128 * 1024;
/// Largest frontmatter, in bytes.
pub const FRONTMATTER_BYTES: usize = 64 * 1024;
/// Deepest nesting of YAML collections.
pub const YAML_DEPTH: usize = 64;
/// Most YAML nodes, counting each expansion of an alias.
pub const YAML_NODES: usize = 10_000;
/// Most bytes of scalar text, counting each expansion of an alias.
pub const YAML_TEXT_BYTES: usize = 1024 * 1024;
