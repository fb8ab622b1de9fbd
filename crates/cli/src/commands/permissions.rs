//! `prowess permissions`: what was approved, and taking it back.

use clap::Args;
use prowess_core::Skills;
use prowess_policy::{CommandPattern, CommandReach, Contents, Effect, Right};
use prowess_runtime::SkillContent;
use prowess_spec::manifest::{Keyword, Permission};
use prowess_store::{Store, StoredGrant};
use serde::Serialize;

use crate::arguments::{Global, SourceArguments};
use crate::completer::skill_ids;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::{code_skills, configuration, open, terminal};

const HELP: &str = "\
Examples:
  prowess permissions                        list all stored approvals
  prowess permissions kubernetes             list those of one skill
  prowess permissions kubernetes --revoke    revoke all of them
  prowess permissions kubernetes --revoke shell:exec";

/// Arguments of `permissions`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct PermissionsArguments {
    /// Id of a skill [default: all skills]
    #[arg(add = skill_ids())]
    pub(crate) skill: Option<String>,
    /// Revoke one approved permission of the skill [default: all]
    #[arg(long, value_name = "PERMISSION", num_args = 0..=1, requires = "skill", default_missing_value = "all")]
    pub(crate) revoke: Option<String>,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Row {
    skill: String,
    permission: String,
    effect: &'static str,
    /// The real path of the project that it counts in; none for everywhere.
    project: Option<String>,
    contents: String,
    current: Option<bool>,
}

pub(crate) fn run(arguments: &PermissionsArguments, global: &Global) -> Result<Exit> {
    code_skills::block_on(permissions(arguments, global))
}

async fn permissions(arguments: &PermissionsArguments, global: &Global) -> Result<Exit> {
    let config = configuration::load(global)?;
    let store = code_skills::open_store(&config).await?;
    if let Some(revoked) = &arguments.revoke {
        let skill = arguments.skill.as_deref().unwrap_or_default();
        let count = match revoked.as_str() {
            "all" => store.forget(skill).await?,
            word => {
                let right = Right::parse(word).with_context(|| {
                    let all = Permission::names();
                    format!(
                        "unknown permission `{word}`; expected one of: run, {}",
                        all.join(", ")
                    )
                })?;
                store.revoke(skill, right).await?
            }
        };
        if count == 0 {
            return Err(
                CommandError::failure(format!("no stored approvals of `{skill}`"))
                    .hint("run `prowess permissions` to list stored approvals"),
            );
        }
        if !global.quiet {
            let noun = if count == 1 { "approval" } else { "approvals" };
            terminal::note(&terminal::printable(&format!(
                "revoked {count} {noun} of `{skill}`"
            )));
        }
        return Ok(Exit::Success);
    }
    let skills = open::skills(&arguments.sources, global)?;
    let rows = rows(&store, &skills, arguments.skill.as_ref()).await?;
    if arguments.json {
        super::print_json(&serde_json::json!({"permissions": rows}))?;
        return Ok(Exit::Success);
    }
    if rows.is_empty() {
        if !global.quiet {
            terminal::note("no stored approvals");
        }
        return Ok(Exit::Success);
    }
    let columns = ["SKILL", "PERMISSION", "EFFECT", "PROJECT", "CONTENT"].map(|title| Column {
        title,
        width: if title == "CONTENT" {
            Width::Rest
        } else {
            Width::Content
        },
    });
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    terminal::print(&render(&columns, &cells))?;
    Ok(Exit::Success)
}

/// Everything that was approved, of one skill or of all, sorted.
async fn rows(store: &Store, skills: &Skills, wanted: Option<&String>) -> Result<Vec<Row>> {
    let is_wanted = |skill: &String| wanted.is_none_or(|it| it == skill);
    let mut rows = Vec::new();
    for StoredGrant { project, grant } in store.all_grants().await? {
        if is_wanted(&grant.skill) {
            let effect = match grant.effect {
                Effect::Allow => "allow",
                Effect::Deny => "deny",
            };
            let permission = grant.right.as_str().to_owned();
            rows.push(
                row(
                    skills,
                    grant.skill,
                    grant.contents,
                    permission,
                    effect,
                    project,
                )
                .await,
            );
        }
    }
    for StoredGrant { project, grant } in store.all_commands().await? {
        if is_wanted(&grant.skill) {
            let permission = format!("command: {}", shown(&grant.pattern, grant.reach));
            rows.push(
                row(
                    skills,
                    grant.skill,
                    grant.contents,
                    permission,
                    "allow",
                    project,
                )
                .await,
            );
        }
    }
    rows.sort_by(|a, b| {
        let key = |row: &Row| {
            let Row {
                skill,
                permission,
                project,
                contents,
                ..
            } = row;
            (
                skill.clone(),
                permission.clone(),
                project.clone(),
                contents.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    Ok(rows)
}

async fn row(
    skills: &Skills,
    skill: String,
    contents: Contents,
    permission: String,
    effect: &'static str,
    project: Option<String>,
) -> Row {
    let current = match skill.parse() {
        Ok(id) => match SkillContent::read(skills, &id).await {
            Ok(now) => Some(contents.is(now.subject().content)),
            Err(_) => None,
        },
        Err(_) => None,
    };
    Row {
        skill,
        permission,
        effect,
        project,
        contents: match contents {
            Contents::Any => "any".to_owned(),
            Contents::Exactly(digest) => digest.to_string(),
        },
        current,
    }
}

/// A command as it was approved.
fn shown(pattern: &CommandPattern, reach: CommandReach) -> String {
    let command = match pattern {
        CommandPattern::Any => "any".to_owned(),
        CommandPattern::Program(name) => format!("{name} ..."),
        CommandPattern::Exactly(words) => words.join(" "),
    };
    match reach {
        CommandReach::Sandboxed => command,
        other => format!("{command} ({})", other.as_str()),
    }
}

fn cells(row: &Row) -> Vec<String> {
    let short: String = row.contents.chars().take("sha256:".len() + 12).collect();
    let current = match row.current {
        Some(true) => "unchanged",
        Some(false) => "changed since: needs approval again",
        None => "not found here",
    };
    vec![
        row.skill.clone(),
        row.permission.clone(),
        row.effect.to_owned(),
        row.project
            .clone()
            .unwrap_or_else(|| "everywhere".to_owned()),
        format!("{short}, {current}"),
    ]
}
