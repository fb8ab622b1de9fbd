//! `prowess permissions`: what was approved, and taking it back.

use std::time::SystemTime;

use clap::Args;
use jiff::Timestamp;
use prowess_config::SkillsConfig;
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
pub(crate) struct Row {
    skill: String,
    permission: String,
    effect: &'static str,
    /// The real path of the project that it counts in; none for everywhere.
    project: Option<String>,
    contents: String,
    current: Option<bool>,
    /// When it was given, in UTC.
    given: Option<String>,
    /// The configuration file that approves it; none for what is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
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
            return Err(nothing_to_revoke(&config, skill, revoked));
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
    let rows = rows(&config, &store, &skills, arguments.skill.as_deref()).await?;
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
    let columns = [
        "SKILL",
        "PERMISSION",
        "EFFECT",
        "PROJECT",
        "GIVEN",
        "CONTENT",
    ]
    .map(|title| Column {
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

/// That nothing was stored; a file is changed by its owner.
fn nothing_to_revoke(config: &SkillsConfig, skill: &str, revoked: &str) -> CommandError {
    let failure = CommandError::failure(match revoked {
        "all" => format!("no stored approvals of `{skill}`"),
        permission => format!("no stored approval of {permission} for `{skill}`"),
    });
    let mut approved = config.permissions.approved.iter();
    match approved.find(|it| it.skill == skill) {
        Some(approval) => failure.hint(format!(
            "{} approves it; change that file to revoke it",
            configuration::origin(&approval.origin)
        )),
        None => failure.hint("run `prowess permissions` to list stored approvals"),
    }
}

/// Everything that was approved, of one skill or of all, sorted: what is stored, and what the user's file approves.
pub(crate) async fn rows(
    config: &SkillsConfig,
    store: &Store,
    skills: &Skills,
    wanted: Option<&str>,
) -> Result<Vec<Row>> {
    let is_wanted = |skill: &str| wanted.is_none_or(|it| it == skill);
    let mut found = Vec::new();
    for StoredGrant {
        project,
        grant,
        given,
    } in store.all_grants().await?
    {
        let effect = match grant.effect {
            Effect::Allow => "allow",
            Effect::Deny => "deny",
        };
        let permission = grant.right.as_str().to_owned();
        let row = Row::new(grant.skill, permission, effect, project, given);
        found.push((row, grant.contents));
    }
    for StoredGrant {
        project,
        grant,
        given,
    } in store.all_commands().await?
    {
        let permission = format!("command: {}", shown(&grant.pattern, grant.reach));
        let row = Row::new(grant.skill, permission, "allow", project, given);
        found.push((row, grant.contents));
    }
    for approval in &config.permissions.approved {
        for permission in &approval.permissions {
            let (skill, permission) = (approval.skill.clone(), permission.as_str().to_owned());
            let mut row = Row::new(skill, permission, "allow", None, None);
            row.file = Some(configuration::origin(&approval.origin));
            found.push((row, Contents::Any));
        }
    }
    found.retain(|(row, _)| is_wanted(&row.skill));
    let mut rows = Vec::new();
    for (mut row, contents) in found {
        row.add_contents(skills, contents).await;
        rows.push(row);
    }
    rows.sort_by_cached_key(|row| {
        (
            row.skill.clone(),
            row.permission.clone(),
            row.project.clone(),
            row.contents.clone(),
        )
    });
    Ok(rows)
}

impl Row {
    fn new(
        skill: String,
        permission: String,
        effect: &'static str,
        project: Option<String>,
        given: Option<SystemTime>,
    ) -> Self {
        let given = given.and_then(|time| Timestamp::try_from(time).ok());
        Self {
            skill,
            permission,
            effect,
            project,
            contents: String::new(),
            current: None,
            given: given.map(|time| time.to_string()),
            file: None,
        }
    }

    /// Adds which contents it covers, and whether those are the present ones.
    async fn add_contents(&mut self, skills: &Skills, contents: Contents) {
        if let Ok(id) = self.skill.parse() {
            let now = SkillContent::read(skills, &id).await.ok();
            self.current = now.map(|now| contents.is(now.subject().content));
        }
        self.contents = match contents {
            Contents::Any => "any".to_owned(),
            Contents::Exactly(digest) => digest.to_string(),
        };
    }

    /// The approval of a known skill in one line.
    pub(super) fn line(&self) -> String {
        let changed = match self.current {
            Some(false) => "; the skill changed since",
            _ => "",
        };
        let (permission, effect) = (&self.permission, self.effect);
        let (place, origin) = (self.place(), self.origin());
        format!("{permission}: {effect}, {place} ({origin}){changed}")
    }

    /// The project that it counts in.
    fn place(&self) -> &str {
        self.project.as_deref().unwrap_or("everywhere")
    }

    /// The day on which it was given, or the file that gives it.
    fn origin(&self) -> &str {
        let day = self.given.as_deref().and_then(|it| it.split('T').next());
        self.file.as_deref().or(day).unwrap_or("unknown")
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
        row.place().to_owned(),
        row.origin().to_owned(),
        format!("{short}, {current}"),
    ]
}
