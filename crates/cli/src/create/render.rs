//! The files of a new skill, out of templates.
//!
//! A template is the file itself, with two additions: `{{word}}` is replaced by a text, and the lines between `{{if
//! word word}}` and the next `{{end}}` are included only if the skill has one of those types or languages.

use include_dir::{Dir, DirEntry, include_dir};
use prowess_spec::manifest::Keyword;
use prowess_spec::quote;

use super::recipe::{Code, Recipe};

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/create/templates");

/// The suffix that distinguishes a template from the real file.
const SUFFIX: &str = ".template";

/// A file of a new skill.
#[derive(Debug)]
pub(super) struct File {
    /// Inside the skill, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

/// The files of a new skill, by path.
pub(super) fn files(recipe: &Recipe) -> Vec<File> {
    let mut files = Vec::new();
    let mut take = |directory: &str, wanted: &dyn Fn(&str) -> bool| {
        if let Some(found) = TEMPLATES.get_dir(directory) {
            collect(found, &format!("{directory}/"), &mut |path, text| {
                if wanted(path) {
                    files.push(File {
                        path: path.to_owned(),
                        text: fill(text, recipe),
                    });
                }
            });
        }
    };
    if recipe.types.is_empty() {
        take("instructions", &|_| true);
    } else {
        let has_prompt = recipe.words().contains(&"prompt");
        take("code-skill", &|path| path != "prompt.md" || has_prompt);
    }
    if let Some(code) = recipe.code {
        take(code.as_str(), &|_| true);
    }
    if recipe.code == Some(Code::Plugin) {
        collect(&prowess_sdk::SOURCE, "", &mut |path, text| {
            files.push(File {
                path: format!("sdk/src/{path}"),
                text: text.to_owned(),
            });
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Visits every text below a directory, with its path after `prefix`.
fn collect(directory: &Dir<'_>, prefix: &str, take: &mut dyn FnMut(&str, &str)) {
    for entry in directory.entries() {
        match entry {
            DirEntry::Dir(below) => collect(below, prefix, take),
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                let path = path.strip_prefix(prefix).unwrap_or(&path);
                let path = path.strip_suffix(SUFFIX).unwrap_or(path);
                if let Some(text) = file.contents_utf8() {
                    take(path, text);
                }
            }
        }
    }
}

fn fill(template: &str, recipe: &Recipe) -> String {
    let words = recipe.words();
    let mut text = String::with_capacity(template.len());
    let mut shown = true;
    for line in template.lines() {
        let condition = line
            .strip_prefix("{{if ")
            .and_then(|it| it.strip_suffix("}}"));
        if let Some(condition) = condition {
            shown = condition.split(' ').any(|word| words.contains(&word));
        } else if line == "{{end}}" {
            shown = true;
        } else if shown {
            text.push_str(line);
            text.push('\n');
        }
    }
    let types: Vec<&str> = recipe.types.iter().map(|kind| kind.as_str()).collect();
    // The description is inserted last, so that its content is not expanded.
    let text = text
        .replace("{{name}}", recipe.name.as_str())
        .replace("{{types}}", &types.join(", "))
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{description}}", &quote(&recipe.description));
    format!("{}\n", text.trim_end())
}
