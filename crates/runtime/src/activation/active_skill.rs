//! An active skill and its contributions.

use std::sync::Arc;

use prowess_core::SkillId;
use prowess_scan::PatternRule;
use prowess_sdk::Phase;
use prowess_sdk::wire::{Registration, Tool, any_object};
use prowess_spec::manifest::{Backend as Kind, InputSchema, Keyword, SkillType, WikiSection};
use serde_json::Value;

use crate::backend::Backend;
use crate::code_skill::CodeSkill;
use crate::event::RuntimeEvent;
use crate::gate::Gate;
use crate::hooks::{Handler, Payload, dispatch};
use crate::input;
use crate::prompt::{Fragment, fragment};

/// The name of the tool that runs a workflow of an active skill. No skill may have a tool of this name.
pub const WORKFLOW_TOOL: &str = "run_skill_workflow";

/// An active skill.
pub(crate) struct ActiveSkill {
    pub(crate) skill: CodeSkill,
    pub(crate) gate: Arc<Gate>,
    pub(crate) backend: Option<Arc<dyn Backend>>,
    pub(crate) contributions: Contributions,
}

/// What a skill contributes while it is active.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contributions {
    pub(crate) tools: Vec<Tool>,
    /// The schema of each tool, in the same order.
    pub(crate) inputs: Arc<[input::InputSchema]>,
    pub(crate) hooks: Vec<Phase>,
    pub(crate) workflows: Vec<String>,
    pub(crate) scanners: Vec<String>,
    pub(crate) rules: Vec<PatternRule>,
    pub(crate) fragment: Option<Fragment>,
    /// Tokens that the skill's own limit cut off the fragment.
    pub(crate) fragment_lost: usize,
    pub(crate) wiki: Vec<WikiSection>,
}

impl ActiveSkill {
    pub(crate) fn id(&self) -> &SkillId {
        self.skill.id()
    }

    /// Runs the skill's own handler for its activation or deactivation, and returns the events of the call.
    pub(super) async fn run_own_hook(&self, phase: Phase) -> Vec<RuntimeEvent> {
        let Some(backend) = &self.backend else {
            return Vec::new();
        };
        if !self.contributions.hooks.contains(&phase) {
            return Vec::new();
        }
        let handler = Handler {
            skill: self.id().clone(),
            backend: Arc::clone(backend),
            gate: None,
        };
        let mut payload = Payload::new();
        payload.insert("skill".to_owned(), self.id().as_str().into());
        let dispatched = dispatch(phase, payload, &[handler], None, 0).await;
        dispatched.events
    }

    /// Ends the code of the skill.
    pub(super) async fn unload(&self) {
        if let Some(backend) = &self.backend {
            let _ = backend.unload().await;
        }
    }
}

/// Whether models accept this as the name of a tool.
fn is_tool_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

impl Contributions {
    /// Whether a tool is among them.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// What is wrong with the input of a tool.
    pub(crate) fn input_problem(&self, tool: &str, input: &Value) -> Option<String> {
        let at = self.tools.iter().position(|known| known.name == tool)?;
        self.inputs.get(at)?.problem(input)
    }

    /// Combines the manifest of a skill with what its code registers.
    pub(super) fn new(skill: &CodeSkill, registration: &Registration) -> Result<Self, String> {
        let manifest = &skill.manifest;
        let has = |wanted: SkillType| manifest.types.contains(&wanted);
        let need = |wanted: SkillType, what: String| {
            if has(wanted) {
                return Ok(());
            }
            let wanted = wanted.as_str();
            Err(format!(
                "its code registers {what}, but `types` does not name `{wanted}`"
            ))
        };
        for tool in &registration.tools {
            need(SkillType::Tool, format!("the tool `{}`", tool.name))?;
        }
        for workflow in &registration.workflows {
            need(SkillType::Workflow, format!("the workflow `{workflow}`"))?;
        }
        for scanner in &registration.scanners {
            need(SkillType::SecurityRule, format!("the scanner `{scanner}`"))?;
        }
        if registration.hooks.contains(&Phase::AfterResponse) {
            need(
                SkillType::Transform,
                format!("a handler for {}", Phase::AfterResponse),
            )?;
        }
        for scanner in &manifest.security_rules.scanners {
            if !registration.scanners.contains(scanner) {
                return Err(format!("no code registers the scanner `{scanner}`"));
            }
        }
        let (fragment, fragment_lost) = match fragment(skill)? {
            Some((fragment, lost)) if has(SkillType::Prompt) => (Some(fragment), lost),
            _ => (None, 0),
        };
        let rules = manifest.security_rules.rules.iter();
        let rules: Result<Vec<PatternRule>, _> = rules.map(PatternRule::parse).collect();
        let tools = tools(skill, registration)?;
        Ok(Self {
            inputs: inputs(&tools)?,
            tools,
            hooks: registration.hooks.clone(),
            workflows: registration.workflows.clone(),
            scanners: registration.scanners.clone(),
            rules: rules.map_err(|error| error.to_string())?,
            fragment,
            fragment_lost,
            wiki: manifest.wiki.clone(),
        })
    }
}

fn inputs(tools: &[Tool]) -> Result<Arc<[input::InputSchema]>, String> {
    let schema = |tool: &Tool| {
        let wrong = |why| format!("the input schema of `{}` is invalid: {why}", tool.name);
        input::InputSchema::new(&tool.input_schema).map_err(wrong)
    };
    tools.iter().map(schema).collect()
}

/// The tools of the code, with the descriptions and schemas of the manifest.
fn tools(skill: &CodeSkill, registration: &Registration) -> Result<Vec<Tool>, String> {
    let mut tools = registration.tools.clone();
    let starlark = skill
        .manifest
        .implementation
        .as_ref()
        .is_some_and(|implementation| implementation.backend == Kind::Starlark);
    for declared in &skill.manifest.tools {
        let input_schema = match &declared.input_schema {
            None => None,
            Some(InputSchema::Inline(mapping)) => Some(input::schema_of(mapping)),
            Some(InputSchema::File(path)) => {
                let bytes = skill
                    .content
                    .file(path)
                    .ok_or_else(|| format!("missing file `{path}`"))?;
                let schema = serde_json::from_slice(bytes);
                Some(schema.map_err(|error| format!("`{path}` is not JSON: {error}"))?)
            }
        };
        match tools.iter_mut().find(|tool| tool.name == declared.name) {
            Some(tool) => {
                tool.description.clone_from(&declared.description);
                tool.input_schema = input_schema.unwrap_or(tool.input_schema.take());
            }
            None if starlark => {
                let name = &declared.name;
                return Err(format!("no code registers the tool `{name}`"));
            }
            None => tools.push(Tool {
                name: declared.name.clone(),
                description: declared.description.clone(),
                input_schema: input_schema.unwrap_or_else(any_object),
            }),
        }
    }
    for tool in &tools {
        if !is_tool_name(&tool.name) {
            return Err(format!(
                "invalid tool name `{}`: expected 1 to 64 letters, digits, `_`, `-` or `.`",
                tool.name.escape_debug()
            ));
        }
        if tool.name == WORKFLOW_TOOL {
            return Err(format!("the tool name `{WORKFLOW_TOOL}` is reserved"));
        }
        if !tool.input_schema.is_object() {
            let name = &tool.name;
            return Err(format!("the input schema of `{name}` is not an object"));
        }
    }
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    if let Some([twice, _]) = names.array_windows().find(|[a, b]| a == b) {
        return Err(format!("the tool `{twice}` is registered twice"));
    }
    Ok(tools)
}
