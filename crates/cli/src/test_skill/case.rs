//! A test case of a skill.

use prowess_sdk::Phase;
use prowess_spec::SkillPath;
use prowess_spec::manifest::Mode;
use serde_json::{Map, Value};

/// A test case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// The line in its file.
    pub(super) line: usize,
    pub(super) action: Action,
    /// The files of the project that it runs in, by path.
    pub(super) files: Vec<(SkillPath, String)>,
    pub(super) expected: Expectation,
}

/// What a case does with the skill.
#[derive(Debug)]
pub(super) enum Action {
    /// Calls a tool.
    Tool {
        name: String,
        input: Map<String, Value>,
    },
    /// Runs a workflow.
    Workflow {
        name: String,
        input: Map<String, Value>,
    },
    /// Calls the handlers of a phase.
    Hook {
        phase: Phase,
        input: Map<String, Value>,
    },
    /// Runs a script on the files that its arguments name.
    Script {
        path: SkillPath,
        arguments: Vec<String>,
    },
    /// Evaluates the triggers.
    Trigger {
        active: bool,
        message: String,
        mode: Mode,
    },
    /// Runs the security rules and scanners over the files.
    Scan,
    /// Adds the skill to a system prompt.
    Prompt,
}

impl Action {
    /// Every key that names an action.
    pub(super) const KEYS: [&'static str; 7] = [
        "tool", "workflow", "hook", "script", "trigger", "scan", "prompt",
    ];

    /// The key that names it.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Tool { .. } => "tool",
            Self::Workflow { .. } => "workflow",
            Self::Hook { .. } => "hook",
            Self::Script { .. } => "script",
            Self::Trigger { .. } => "trigger",
            Self::Scan => "scan",
            Self::Prompt => "prompt",
        }
    }
}

/// What must hold of the result.
#[derive(Debug, Default)]
pub(super) struct Expectation {
    /// The whole result.
    pub(super) whole: Option<Value>,
    /// Keys and values that the result has among others.
    pub(super) part: Option<Value>,
    /// Texts that the result contains.
    pub(super) contains: Vec<String>,
    /// A text that the error contains.
    pub(super) error: Option<String>,
    /// The exit code of a script; 0 without an expected error.
    pub(super) exit_code: Option<i64>,
    /// Files afterwards, by path.
    pub(super) files: Vec<(SkillPath, String)>,
}
