//! Scenes: skills, configuration, what is said and called, and where surfaces differ.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use prowess_core::Dialect;
use prowess_testing::repository;
use serde::Deserialize;
use serde_json::Value;

use crate::support::TestProject;

/// A road to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Surface {
    Library,
    Chat,
    WebChat,
    Session,
    McpStdio,
    McpHttp,
}

impl Surface {
    pub(crate) const ALL: [Self; 6] = [
        Self::Library,
        Self::Chat,
        Self::WebChat,
        Self::Session,
        Self::McpStdio,
        Self::McpHttp,
    ];

    pub(crate) fn short(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Chat => "chat",
            Self::WebChat => "web chat",
            Self::Session => "session",
            Self::McpStdio => "mcp stdio",
            Self::McpHttp => "mcp http",
        }
    }

    pub(crate) fn is_mcp(self) -> bool {
        matches!(self, Self::McpStdio | Self::McpHttp)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    /// The row of the contract, and what happens.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) surfaces: Vec<Surface>,
    #[serde(skip)]
    pub(crate) dialect: String,
    /// One scene for each of them; ours, if there is none.
    #[serde(default)]
    dialects: Vec<String>,
    /// Files below the project.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// The same with bytes that are no text.
    #[serde(default)]
    bytes: BTreeMap<String, Vec<u8>>,
    /// Links and what they lead to.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// One scene for each number of skills that are alike.
    #[serde(default)]
    counts: Vec<usize>,
    #[serde(skip)]
    count: usize,
    #[serde(default)]
    pub(crate) preload: Vec<String>,
    #[serde(default, rename = "do")]
    pub(crate) steps: Vec<Step>,
    #[serde(default)]
    pub(crate) expect: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) differs: BTreeMap<Surface, Difference>,
}

/// What a person says, or a model calls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
pub(crate) enum Step {
    Say { say: String },
    Call { call: String, input: Value },
}

/// Where a surface is known to differ from the library.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    pub(crate) fields: Vec<String>,
    #[allow(dead_code, reason = "for readers")]
    why: String,
}

/// A message, and the calls that follow it.
pub(crate) struct SceneTurn<'s> {
    pub(crate) say: &'s str,
    pub(crate) calls: Vec<(&'s str, &'s Value)>,
}

impl Scene {
    pub(crate) fn all() -> Vec<Self> {
        let directory = repository().join("crates/cli/tests/surfaces/scenarios");
        let mut paths: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        paths.iter().flat_map(|path| Self::read(path)).collect()
    }

    fn read(path: &Path) -> Vec<Self> {
        let text = fs::read_to_string(path).unwrap();
        let scene: Self =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut scenes = Vec::new();
        let ours = [Dialect::PROWESS.name.to_owned()];
        let is_plain = scene.dialects.is_empty();
        let dialects = if is_plain { &ours[..] } else { &scene.dialects };
        let counts = if scene.counts.is_empty() {
            &[0]
        } else {
            &scene.counts[..]
        };
        for dialect in dialects {
            for count in counts {
                let mut one = scene.clone();
                one.name.clone_from(&stem);
                if !is_plain {
                    one.name = format!("{} {dialect}", one.name);
                }
                if *count > 0 {
                    one.name = format!("{} {count}", one.name);
                }
                one.dialect.clone_from(dialect);
                one.count = *count;
                scenes.push(one);
            }
        }
        scenes
    }

    /// A new project with its skills; the configuration of the user has no skills of ours.
    pub(crate) fn project(&self) -> TestProject {
        let project = TestProject::new();
        project.write(".git/HEAD", "ref: refs/heads/main\n");
        for (path, text) in &self.files {
            project.write(path, text);
        }
        for (path, bytes) in &self.bytes {
            project.write(path, bytes);
        }
        for (path, target) in &self.links {
            symlink(target, project.path(path)).unwrap();
        }
        for number in 0..self.count {
            project.write(
                &format!(".agents/skills/skill-{number:05}/SKILL.md"),
                format!("---\nname: skill-{number:05}\ndescription: Does thing {number} with tables. Use when thing {number} is asked for.\n---\nDo thing {number}.\n"),
            );
        }
        project
    }

    pub(crate) fn configuration(&self) -> String {
        format!(
            "[skills]\nbuiltin = false\nscripts = \"off\"\ndialect = \"{}\"\n",
            self.dialect
        )
    }

    /// The steps by message; calls before the first one belong to a message of no meaning.
    pub(crate) fn turns(&self) -> Vec<SceneTurn<'_>> {
        let mut turns: Vec<SceneTurn<'_>> = Vec::new();
        for step in &self.steps {
            match step {
                Step::Say { say } => turns.push(SceneTurn {
                    say,
                    calls: Vec::new(),
                }),
                Step::Call { call, input } => {
                    if turns.is_empty() {
                        turns.push(SceneTurn {
                            say: "go on",
                            calls: Vec::new(),
                        });
                    }
                    turns.last_mut().unwrap().calls.push((call, input));
                }
            }
        }
        if turns.is_empty() {
            turns.push(SceneTurn {
                say: "go on",
                calls: Vec::new(),
            });
        }
        turns
    }
}
