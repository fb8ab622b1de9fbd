//! What `prowess run` can run of a skill.

use std::fmt::Write as _;

use prowess_core::SkillId;
use prowess_runtime::SkillContent;
use serde::Serialize;
use serde_json::Value;

use super::print_json;
use crate::code_skills::OpenedRuntime;
use crate::error::Result;
use crate::exit::Exit;
use crate::terminal;

#[derive(Serialize)]
struct Listing {
    skill: SkillId,
    tools: Vec<ToolRow>,
    workflows: Vec<String>,
    scripts: Vec<String>,
    /// Why tools and workflows are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_active: Option<String>,
}

#[derive(Serialize)]
struct ToolRow {
    name: String,
    description: String,
    input_schema: Value,
}

/// Lists the tools, workflows and scripts of a skill with their arguments.
pub(super) async fn list(opened: &OpenedRuntime, id: &SkillId, json: bool) -> Result<Exit> {
    let content = SkillContent::read(opened.runtime.skills(), id).await?;
    let paths = content.files().map(|(path, _)| path.as_str());
    let scripts = paths.filter(|path| path.starts_with("scripts/"));
    let scripts: Vec<String> = scripts.map(str::to_owned).collect();
    let runtime = &opened.runtime;
    let not_active = if let Some(error) = opened.manifests.error(id) {
        Some(error.to_owned())
    } else if opened.manifests.get(id).is_some() {
        runtime
            .activate(id)
            .await
            .err()
            .map(|error| error.to_string())
    } else {
        None
    };
    let own = |name: &str| runtime.owner_of(name).as_ref() == Some(id);
    let tools = runtime.tools().into_iter().filter(|tool| own(&tool.name));
    let workflows = runtime.workflows().into_iter();
    let listing = Listing {
        skill: id.clone(),
        tools: tools
            .map(|tool| ToolRow {
                name: tool.name,
                description: tool.description,
                input_schema: tool.input_schema,
            })
            .collect(),
        workflows: workflows
            .filter_map(|(of, name)| (of == *id).then_some(name))
            .collect(),
        scripts,
        not_active,
    };
    if json {
        print_json(&listing)?;
    } else {
        terminal::print(&terminal::printable(&text(&listing)))?;
    }
    Ok(match listing.not_active {
        Some(_) => Exit::Failure,
        None => Exit::Success,
    })
}

fn text(listing: &Listing) -> String {
    let id = &listing.skill;
    let mut text = String::new();
    for tool in &listing.tools {
        let arguments = arguments(&tool.input_schema);
        let _ = writeln!(text, "tool      prowess run {id}/{}{arguments}", tool.name);
        if let Some(line) = tool.description.lines().next() {
            let _ = writeln!(text, "          {line}");
        }
    }
    for name in &listing.workflows {
        let _ = writeln!(text, "workflow  prowess run {id}/{name} --arg KEY=VALUE");
    }
    for path in &listing.scripts {
        let _ = writeln!(text, "script    prowess run {id}/{path} -- ARGUMENTS");
    }
    if let Some(reason) = &listing.not_active {
        let _ = writeln!(text, "its tools and workflows are not known: {reason}");
    } else if text.is_empty() {
        let _ = writeln!(
            text,
            "{id} has instructions only: no tools, workflows or scripts"
        );
    }
    text
}

/// The arguments of a tool; optional ones in brackets.
fn arguments(schema: &Value) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut text = String::new();
    for (name, property) in properties.into_iter().flatten() {
        let kind = property.get("type").and_then(Value::as_str);
        let kind = kind.unwrap_or("value").to_uppercase();
        let _ = if is_required(name) {
            write!(text, " --arg {name}={kind}")
        } else {
            write!(text, " [--arg {name}={kind}]")
        };
    }
    text
}
