//! Files that make a plugin of a skill.
//!
//! Agents take a directory with a plugin's manifest for a plugin wherever they find it, also among their skills, and run
//! its hooks and servers. So what makes a plugin is no part of a skill, and is written to no directory of skills.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fold::fold;

/// Directories with the manifest of a plugin, each for some agents.
const MANIFESTS: [&[&str]; 5] = [
    &[".claude-plugin"],
    &[".codex-plugin"],
    &[".cursor-plugin"],
    &[".plugin"],
    &[".github", "plugin"],
];
/// The manifest that needs no directory.
const ROOT_MANIFEST: &str = "plugin.json";
/// How the `$schema` of [`ROOT_MANIFEST`] begins; other programs have files of this name.
const SCHEMA: &str = "https://agent-plugins.org/schemas/";
/// What agents load from the root of a plugin, beside its skills. A skill that is no plugin may have such files.
const PARTS: [&str; 4] = ["hooks", ".mcp.json", "settings.json", "bin"];

/// Those of the paths of a skill that are files of a plugin. `read` returns the content of a path.
///
/// ```
/// let paths = ["SKILL.md", "bin/tool", ".claude-plugin/plugin.json"];
/// let found = prowess_archive::plugin_files(paths, |_| None);
/// assert_eq!(found.into_iter().collect::<Vec<_>>(), [".claude-plugin/plugin.json", "bin/tool"]);
/// assert!(prowess_archive::plugin_files(["SKILL.md", "bin/tool"], |_| None).is_empty());
/// ```
pub fn plugin_files<'p>(
    paths: impl IntoIterator<Item = &'p str>,
    read: impl Fn(&'p str) -> Option<Vec<u8>>,
) -> BTreeSet<&'p str> {
    let mut found = BTreeSet::new();
    let mut parts_of_root = Vec::new();
    let mut is_plugin = false;
    for path in paths {
        // Windows writes the name before the `:` of a stream.
        let names = path.split(['/', '\\']);
        let names = names.map(|name| fold(name.split(':').next().unwrap_or_default()));
        let names: Vec<_> = names.collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let at_root = MANIFESTS.iter().any(|manifest| names.starts_with(manifest));
        let is_manifest = |window: &[&str]| MANIFESTS.contains(&window);
        if at_root || names.windows(1).any(is_manifest) || names.windows(2).any(is_manifest) {
            found.insert(path);
            is_plugin |= at_root;
        } else if names == [ROOT_MANIFEST] && read(path).is_some_and(|it| is_agent_plugin(&it)) {
            found.insert(path);
            is_plugin = true;
        } else if names.first().is_some_and(|name| PARTS.contains(name)) {
            parts_of_root.push(path);
        }
    }
    if is_plugin {
        found.extend(parts_of_root);
    }
    found
}

/// Whether a `plugin.json` is that of the Agent Plugins specification, whatever its version.
fn is_agent_plugin(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(manifest) => {
            let schema = manifest.get("$schema").and_then(Value::as_str);
            schema.is_some_and(|schema| schema.starts_with(SCHEMA))
        }
        // A reader that is less strict may take it.
        Err(_) => text.contains(SCHEMA),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT_PLUGIN: &str =
        r#"{"$schema": "https:\/\/agent-plugins.org/schemas/2.0.0/x.json", "name": "x"}"#;

    fn check(paths: &[&str], manifest: &str, expected: &[&str]) {
        let found = plugin_files(paths.iter().copied(), |_| Some(manifest.into()));
        let expected: BTreeSet<&str> = expected.iter().copied().collect();
        assert_eq!(found, expected, "{paths:?}");
    }

    #[test]
    fn q52_manifests_are_found_at_any_depth_and_in_any_spelling() {
        for path in [
            ".claude-plugin/plugin.json",
            ".codex-plugin/plugin.json",
            ".cursor-plugin/plugin.json",
            ".plugin/plugin.json",
            ".github/plugin/plugin.json",
            "a/b/.claude-plugin/marketplace.json",
            "a/.github/plugin/x/y",
            ".Claude-Plugin/plugin.json",
            ".CLAUDE\u{2d}PLUGIN/x",
            ".GitHub/PLUGIN/x",
            ".c\u{200d}laude-plugin/x",
            ".claude-plugin./x",
            ".claude-plugin::$INDEX_ALLOCATION/x",
            "a\\.plugin\\plugin.json",
            ".plugin",
        ] {
            check(&["SKILL.md", path], "", &[path]);
        }
        for path in [
            ".github/workflows/plugin.yml",
            "github/plugin/x",
            ".github/x/plugin/y",
            "claude-plugin/x",
            "plugin/plugin.json",
            "references/plugin.json",
        ] {
            check(&["SKILL.md", path], AGENT_PLUGIN, &[]);
        }
    }

    #[test]
    fn q52_parts_are_left_out_beside_a_manifest_only() {
        let parts = [
            "Hooks/hooks.json",
            ".mcp.json",
            "settings.json",
            "bin/tool",
            "hooks",
        ];
        let kept = ["SKILL.md", "scripts/bin/x", "a/hooks/x", "a/settings.json"];
        let with = |more: &[&'static str]| [&parts[..], &kept[..], more].concat();
        check(&with(&[]), "", &[]);
        check(
            &with(&["a/.plugin/plugin.json"]),
            "",
            &["a/.plugin/plugin.json"],
        );
        for manifest in [".plugin/plugin.json", ".github/plugin/x", "Plugin.json"] {
            let expected = [&parts[..], &[manifest]].concat();
            check(&with(&[manifest]), AGENT_PLUGIN, &expected);
        }
    }

    #[test]
    fn q52_plugin_json_of_other_programs_is_no_manifest() {
        for (manifest, is_plugin) in [
            (AGENT_PLUGIN.to_owned(), true),
            (format!("\u{feff}{AGENT_PLUGIN}"), true),
            (
                format!("// x\n{{\"$schema\": \"{SCHEMA}1.0.0/p.json\",}}"),
                true,
            ),
            (format!("{{\"description\": \"{SCHEMA}\"}}"), false),
            (
                "{\"type\": \"panel\", \"name\": \"grafana\"}".to_owned(),
                false,
            ),
            (
                "{\"$schema\": \"https://example.com/x.json\"}".to_owned(),
                false,
            ),
            ("{\"$schema\": 1}".to_owned(), false),
            (String::new(), false),
        ] {
            let expected: &[&str] = if is_plugin {
                &["bin/x", "plugin.json"]
            } else {
                &[]
            };
            check(&["SKILL.md", "bin/x", "plugin.json"], &manifest, expected);
        }
    }
}
