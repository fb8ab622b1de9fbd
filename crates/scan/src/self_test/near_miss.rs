//! Harmless skills that look like attacks.

use super::SkillFiles;

/// A harmless skill.
#[derive(Clone, Debug)]
pub struct NearMiss {
    /// Its name.
    pub name: String,
    /// The skill.
    pub files: SkillFiles,
}

/// Entries follow each other: `=== PATH`, then the content of a file.
const DATA: &str = include_str!("near_misses.txt");

/// Every near miss.
pub fn near_misses() -> Vec<NearMiss> {
    DATA.split("\n=== ")
        .skip(1)
        .enumerate()
        .filter_map(|(index, entry)| {
            let (path, text) = entry.split_once('\n')?;
            let name = format!("near-miss-{}", index + 1);
            let text = format!("{}\n", text.trim_end());
            let head = format!("---\nname: {name}\ndescription: Helps with the task that its files are about. Use it when a user asks for that.\n---\n\n");
            let files = if path == "SKILL.md" {
                vec![("SKILL.md".to_owned(), format!("{head}{text}").into_bytes())]
            } else {
                let body = format!("{head}Run `{path}`.\n");
                vec![
                    ("SKILL.md".to_owned(), body.into_bytes()),
                    (path.to_owned(), text.into_bytes()),
                ]
            };
            Some(NearMiss { name, files })
        })
        .collect()
}
