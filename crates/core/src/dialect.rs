//! The conventions of a host: names, shapes, places and limits, as data.

use crate::catalog::Collisions;
use crate::render::CatalogFormat;

/// A way of presenting skills to a model. One engine serves them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Its name in a configuration.
    pub name: &'static str,
    /// The tools that it offers.
    pub tools: &'static [ToolSpec],
    /// What the model is told before the catalog, if it has tools.
    pub instructions: &'static str,
    /// How results look.
    pub shape: Shape,
    /// How the catalog is written.
    pub catalog: CatalogFormat,
    /// Where the catalog is placed.
    pub catalog_placement: CatalogPlacement,
    /// Whether the catalog contains the locations of skills.
    pub locations: Locations,
    /// Which of two skills with one id counts.
    pub collisions: Collisions,
    /// How much is handed out.
    pub limits: DialectLimits,
}

/// How much a dialect hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialectLimits {
    /// Maximum number of skills.
    pub skills: usize,
    /// Bytes of a skill's instructions.
    pub skill_bytes: usize,
    /// Bytes of a file.
    pub file_bytes: usize,
    /// Maximum number of skills in a flat list; above it, collections are listed.
    pub inventory_threshold: usize,
    /// Which files a model may read.
    pub files: Files,
}

/// Which files of a skill a model may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Any, at any depth.
    All,
    /// Those directly in `scripts`, `references` and `assets`.
    OneLevel,
}

/// Where the catalog is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogPlacement {
    /// In the system prompt.
    SystemPrompt,
    /// In a system message before the last message of the user.
    BeforeLastUserMessage,
    /// In the description of the tool that loads skills.
    ToolDescription,
}

/// Whether the catalog contains the locations of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locations {
    /// It does.
    Shown,
    /// It never does.
    Hidden,
}

/// How results look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Objects with the result; errors as `{"error": {...}}`.
    Prowess,
    /// Plain objects; notices report truncation.
    Plain,
    /// `{ok, tool_name, data, warnings, errors}` with codes in capitals.
    Envelope,
    /// `{success, ...}` or `{success: false, error}`.
    Success,
    /// Text for the model to read.
    Text,
}

/// The operation of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Looks into collections, or searches.
    Browse,
    /// Lists every skill.
    List,
    /// Hands out instructions.
    Load,
    /// Reads a file.
    Read,
    /// Runs a script.
    Run,
}

/// A tool of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// The operation.
    pub operation: Operation,
    /// Its name.
    pub name: &'static str,
    /// The name of the parameter that holds the skill's id.
    pub id: &'static str,
    /// The name of the parameter that holds a path; loading with it reads that file.
    pub path: Option<&'static str>,
    /// The description for the model.
    pub description: &'static str,
}

impl ToolSpec {
    /// A tool that the dialect does not have.
    pub(crate) const NONE: Self = tool(Operation::List, "", "", None, "");
}

const fn tool(
    operation: Operation,
    name: &'static str,
    id: &'static str,
    path: Option<&'static str>,
    description: &'static str,
) -> ToolSpec {
    ToolSpec {
        operation,
        name,
        id,
        path,
        description,
    }
}

const BROWSE: ToolSpec = tool(
    Operation::Browse,
    "browse_skills",
    "path",
    None,
    "Searches all skills with `queries`, or lists the skills and subcollections of a collection. Search before you decide \
     that no skill fits.",
);
const LOAD: ToolSpec = tool(
    Operation::Load,
    "load_skill",
    "id",
    None,
    "Loads the instructions of a skill. Call it before you work on a task that a skill covers.",
);
const READ: ToolSpec = tool(
    Operation::Read,
    "read_skill_file",
    "id",
    Some("path"),
    "Reads a file of a skill that its instructions refer to.",
);
const RUN: ToolSpec = tool(
    Operation::Run,
    "run_skill_script",
    "id",
    Some("path"),
    "Runs a script of a skill in a sandbox and returns its output. It starts in a scratch directory, whose files the result lists; the project is readable at /project.",
);

const LIMITS: DialectLimits = DialectLimits {
    skills: usize::MAX,
    skill_bytes: 32 * 1024,
    file_bytes: 2_000_000,
    inventory_threshold: 12,
    files: Files::All,
};

impl Dialect {
    /// The default.
    pub const PROWESS: Self = Self {
        name: "prowess",
        tools: &[BROWSE, LOAD, READ, RUN],
        instructions: "",
        shape: Shape::Prowess,
        catalog: CatalogFormat::Xml,
        catalog_placement: CatalogPlacement::SystemPrompt,
        locations: Locations::Hidden,
        collisions: Collisions::FirstWins,
        limits: LIMITS,
    };

    /// As the default, without files and scripts.
    pub const MEERKAT: Self = Self {
        name: "meerkat",
        tools: &[BROWSE, LOAD],
        ..Self::PROWESS
    };

    /// Skills by name, as JSON in the system prompt.
    pub const REMCOCHAT: Self = Self {
        name: "remcochat",
        tools: &[
            tool(
                Operation::Load,
                "skills.activate",
                "name",
                None,
                "Activates a skill and returns its instructions. Call it before you follow a skill.",
            ),
            tool(
                Operation::Read,
                "skills.readResource",
                "name",
                Some("path"),
                "Reads a text file of a skill. Call it only if the instructions of the skill refer to the file.",
            ),
        ],
        instructions: "Skills are instructions for special tasks. If a skill fits the task, activate it with \
            skills.activate before you use it, one at a time; do not ask for instructions that you do not need. Read \
            other files of a skill with skills.readResource, and only those that its instructions refer to. If a \
            message begins with / and the name of a skill, the user asks for that skill: activate it before you answer.",
        shape: Shape::Plain,
        catalog: CatalogFormat::Json,
        limits: DialectLimits {
            skills: 200,
            skill_bytes: 200_000,
            inventory_threshold: usize::MAX,
            ..LIMITS
        },
        ..Self::PROWESS
    };

    /// Four tools with an envelope around every result.
    pub const VIBE_TAVERN: Self = Self {
        name: "vibe-tavern",
        tools: &[
            tool(
                Operation::List,
                "skills_list",
                "name",
                None,
                "Lists the available skills.",
            ),
            tool(
                Operation::Load,
                "skills_load",
                "name",
                None,
                "Loads the instructions of a skill.",
            ),
            tool(
                Operation::Read,
                "skills_read_file",
                "name",
                Some("path"),
                "Reads a file under `scripts`, `references` or `assets` of a skill.",
            ),
            tool(
                Operation::Run,
                "skills_run_script",
                "name",
                Some("path"),
                "Runs a script of a skill.",
            ),
        ],
        instructions: "If one of these skills fits the task, load its instructions with skills_load, one skill at a time, \
            and follow them. Read its files with skills_read_file, and only those that its instructions refer to.",
        shape: Shape::Envelope,
        catalog: CatalogFormat::XmlAttributes,
        catalog_placement: CatalogPlacement::BeforeLastUserMessage,
        limits: DialectLimits {
            skill_bytes: 200_000,
            file_bytes: 200_000,
            inventory_threshold: usize::MAX,
            files: Files::OneLevel,
            ..LIMITS
        },
        ..Self::PROWESS
    };

    /// One tool whose description is the catalog.
    pub const RUBY_LLM: Self = Self {
        name: "ruby-llm",
        tools: &[tool(
            Operation::Load,
            "skill",
            "command",
            Some("resource"),
            "Loads the instructions of a skill for a specialised task, or one of its files. Call it when a task needs \
             one of the skills listed below, one at a time; `command` is the name of the skill. Read only the files that \
             its instructions refer to.",
        )],
        instructions: "",
        shape: Shape::Success,
        catalog: CatalogFormat::XmlElements,
        catalog_placement: CatalogPlacement::ToolDescription,
        locations: Locations::Shown,
        collisions: Collisions::LastWins,
        limits: DialectLimits {
            inventory_threshold: usize::MAX,
            ..LIMITS
        },
    };

    /// One tool that answers with text, the skill's directory first.
    pub const CLAUDE_CODE: Self = Self {
        name: "claude-code",
        tools: &[tool(
            Operation::Load,
            "Skill",
            "command",
            None,
            "Loads a skill for the task at hand.",
        )],
        shape: Shape::Text,
        catalog: CatalogFormat::XmlElements,
        catalog_placement: CatalogPlacement::ToolDescription,
        locations: Locations::Hidden,
        limits: DialectLimits {
            inventory_threshold: usize::MAX,
            ..LIMITS
        },
        ..Self::PROWESS
    };

    /// Every preset.
    pub const ALL: [Self; 6] = [
        Self::PROWESS,
        Self::MEERKAT,
        Self::REMCOCHAT,
        Self::VIBE_TAVERN,
        Self::RUBY_LLM,
        Self::CLAUDE_CODE,
    ];

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// The tool that a model calls by `name`; providers that refuse dots see `_` in their place.
    pub fn tool(&self, name: &str) -> Option<&'static ToolSpec> {
        let same = |tool: &&ToolSpec| tool.name == name || provider_name(tool.name) == name;
        self.tools.iter().find(same)
    }

    /// The tool that lists or searches skills; without one, the tool that loads takes a `query`.
    pub(crate) fn search_tool(&self) -> Option<&'static str> {
        let browse = self.name_of(Operation::Browse);
        browse.or(self.name_of(Operation::List))
    }

    pub(crate) fn name_of(&self, operation: Operation) -> Option<&'static str> {
        let tool = self.tools.iter().find(|tool| tool.operation == operation);
        tool.map(|tool| tool.name)
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::PROWESS
    }
}

/// The name of a tool for providers that refuse dots.
pub fn provider_name(name: &str) -> String {
    name.replace('.', "_")
}
