//! `prowess run`: a workflow, a tool or a script of a skill, by name.

use clap::Args;
use prowess_core::{Catalog, SkillId};
use prowess_runtime::ToolResult;
use prowess_spec::SkillPath;
use serde_json::{Map, Value, json};

use super::print_json;
use super::run_listing::list;
use super::run_script::{ScriptTarget, run_script};
use crate::arguments::Global;
use crate::code_skills::{self, CodeSkillArguments, OpenedRuntime, PathOrigin, split_path};
use crate::completer::skill_ids;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal;

const HELP: &str = "\
Examples:
  prowess run rfc-writer/draft --arg title=\"Faster scans\"
  prowess run core-tools/find_files --arg pattern='*.rs'
  prowess run pdf-forms/scripts/fill.py --write -- form.pdf --flat
  prowess run ./my-skill/scripts/fill.py -- form.pdf
  prowess run pdf-forms                  list its tools, workflows and scripts
  prowess run kubernetes/pods --input '{\"namespace\": \"web\"}'

A script runs in a sandbox, without standard input. It sees copies of the files of this directory \
that its arguments name, other files that they name read-only, and, if you approve that, the \
project read-only at /project. Its exit code is the exit code of the command. With --write, and if \
it succeeds, the files that it makes or changes are written to the current directory; files whose \
names begin with a dot only if an argument names them.

A skill that you name by its directory is approved for this run, in a sandbox with the skill and \
scratch only; more than that is asked about, and `prowess trust --work-on` stores the answer for a \
day. In a terminal, the command asks once for each version of any other skill before its code runs. Without a \
terminal, only the skills of --approve-skills and of [permissions.approved] in your own \
prowess.toml are approved.

Exit codes:
  0  success
  1  the workflow or tool failed; a script has its own exit code
  2  invalid arguments
  4  not approved";

/// Arguments of `run`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct RunArguments {
    /// Id or directory (./dir) of a skill, a slash, and the name of a workflow or tool or the path of a script; the skill alone lists them
    #[arg(value_name = "SKILL[/NAME]", add = skill_ids())]
    pub(crate) target: String,
    /// Input value, as JSON or text (repeatable)
    #[arg(long = "arg", value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Whole input, as a JSON object [default: {}]
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Write files that a script makes or changes to the current directory
    #[arg(long)]
    pub(crate) write: bool,
    /// With --write, replace existing files that no argument names
    #[arg(long, requires = "write")]
    pub(crate) force: bool,
    /// Arguments of a script
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) script: Vec<String>,
    #[command(flatten)]
    pub(crate) code_skills: CodeSkillArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &RunArguments, global: &Global) -> Result<Exit> {
    code_skills::block_on(async {
        let skills = &arguments.code_skills;
        let (opened, target) = match split_path(&arguments.target) {
            Some((directory, name)) => {
                let (opened, id) = code_skills::open_path(skills, &directory, global).await?;
                (
                    opened,
                    Target {
                        id,
                        name,
                        origin: PathOrigin::User,
                    },
                )
            }
            None if arguments.target.starts_with('.') => {
                let target = &arguments.target;
                let message = format!(
                    "no skill at `{target}`: neither it nor a directory above it has a SKILL.md"
                );
                return Err(CommandError::failure(message));
            }
            None => {
                let opened = code_skills::open(skills, global).await?;
                let (id, name) = split(&opened.runtime.skills().catalog(), &arguments.target)?;
                (
                    opened,
                    Target {
                        id,
                        name,
                        origin: PathOrigin::Default,
                    },
                )
            }
        };
        let exit = start(arguments, global, &opened, target).await;
        opened.runtime.shut_down().await;
        exit
    })
}

/// What to run.
struct Target {
    id: SkillId,
    /// A workflow, a tool, or the path of a script; empty for a list of them.
    name: String,
    origin: PathOrigin,
}

async fn start(
    arguments: &RunArguments,
    global: &Global,
    opened: &OpenedRuntime,
    target: Target,
) -> Result<Exit> {
    let runtime = &opened.runtime;
    let Target { id, name, origin } = target;
    if let Ok(path) = SkillPath::parse(&name)
        && name.contains('/')
    {
        let (id, path) = (&id, &path);
        let target = ScriptTarget { id, path, origin };
        return run_script(arguments, global, opened, target).await;
    }
    if name.is_empty() {
        return list(opened, &id, arguments.json).await;
    }
    let input = input(arguments)?;
    for named in &opened.explicit {
        if let Ok(other) = named.parse::<SkillId>()
            && other != id
            && opened.manifests.get(&other).is_some()
        {
            runtime.activate(&other).await?;
        }
    }
    runtime.activate(&id).await?;
    let workflows: Vec<String> = runtime
        .workflows()
        .into_iter()
        .filter_map(|(of, name)| (of == id).then_some(name))
        .collect();
    let result = if workflows.contains(&name) {
        let output = runtime.run_workflow(&id, &name, input).await?;
        ToolResult {
            content: output.content,
            is_error: output.is_error,
            ..ToolResult::default()
        }
    } else if runtime.tools().iter().any(|tool| tool.name == name) {
        runtime.call_tool(&name, input).await?
    } else {
        let tools = runtime.tools().into_iter().map(|tool| tool.name);
        let names: Vec<String> = workflows.into_iter().chain(tools).collect();
        let message = format!("`{id}` has no workflow or tool `{name}`");
        let hint = match names.as_slice() {
            [] => "it has no workflows and no tools".to_owned(),
            names => format!("expected one of: {}", names.join(", ")),
        };
        return Err(CommandError::failure(message).hint(hint));
    };
    if arguments.json {
        print_json(&json!({"content": result.content, "is_error": result.is_error}))?;
    } else if result.is_error {
        terminal::print_problem(&result.content, None);
    } else if !result.content.is_empty() {
        let end = if result.content.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        terminal::print(&terminal::printable(&format!("{}{end}", result.content)))?;
    }
    Ok(if result.is_error {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// The skill, and what of it: ids have slashes too, so the longest one that exists counts.
fn split(catalog: &Catalog, target: &str) -> Result<(SkillId, String)> {
    let target = target.trim_matches('/');
    let ends = target
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([target.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    for end in ends {
        let (id, rest) = target.split_at(end);
        if catalog.get(id).is_some() {
            let id = id.parse()?;
            return Ok((id, rest.trim_start_matches('/').to_owned()));
        }
    }
    let first = target.split('/').next().unwrap_or(target);
    let near = catalog.nearest(first).join(", ");
    let hint = match near.as_str() {
        "" => "run `prowess list` to list skills".to_owned(),
        near => format!("did you mean {near}?"),
    };
    Err(CommandError::failure(format!("unknown skill `{first}`")).hint(hint))
}

/// The input: a JSON object, then single keys.
fn input(arguments: &RunArguments) -> Result<Value> {
    let mut input = match &arguments.input {
        Some(text) => {
            serde_json::from_str(text).context("invalid `--input`: expected a JSON object")?
        }
        None => Map::new(),
    };
    for argument in &arguments.arguments {
        let (key, value) = argument
            .split_once('=')
            .with_context(|| format!("invalid `--arg {argument}`: expected `--arg key=value`"))?;
        // Valid JSON is read as JSON, everything else as text.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        input.insert(key.to_owned(), value);
    }
    Ok(Value::Object(input))
}
