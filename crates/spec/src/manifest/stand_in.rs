//! A skill that consists of a manifest alone.

use super::parse::parse;
use crate::diagnostic::Diagnostic;
use crate::quote::quote;
use crate::skill::Context;

/// The `SKILL.md` that a skill would have if it had one: name and description of its manifest, and no instructions.
///
/// ```
/// use prowess_spec::{Context, manifest};
///
/// let file = b"name: lint\nversion: 1.0.0\ndescription: d\ntypes: [prompt]\n";
/// let text = manifest::stand_in(file, &Context::default()).unwrap();
/// assert_eq!(text, "---\nname: \"lint\"\ndescription: \"d\"\n---\n");
/// ```
pub fn stand_in(bytes: &[u8], context: &Context<'_>) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(bytes, context, None);
    let Some(manifest) = parsed.manifest else {
        return Err(parsed.diagnostics);
    };
    let mut fields = vec![
        ("name", manifest.name.as_str()),
        ("description", &manifest.description),
    ];
    fields.extend(manifest.license.as_deref().map(|it| ("license", it)));
    let lines = fields
        .iter()
        .map(|(key, value)| format!("{key}: {}\n", quote(value)));
    Ok(format!("---\n{}---\n", lines.collect::<String>()))
}
