//! `prowess permissions`: what was approved, and taking it back.

use anyhow::{Context, Result};
use prowess_core::Skills;
use prowess_policy::{Contents, Effect, Grant, Right};
use prowess_runtime::SkillContent;
use prowess_spec::manifest::{Permission, Word};
use serde::Serialize;

use crate::cli::{Global, PermissionsArguments};
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::{configuration, living, open, terminal};

#[derive(Serialize)]
struct Row {
    skill: String,
    permission: &'static str,
    effect: &'static str,
    contents: String,
    current: Option<bool>,
}

pub(crate) fn run(arguments: &PermissionsArguments, global: &Global) -> Result<Exit> {
    living::block_on(permissions(arguments, global))
}

async fn permissions(arguments: &PermissionsArguments, global: &Global) -> Result<Exit> {
    let config = configuration::load(global)?;
    let store = living::open_store(&config).await?;
    if let Some(revoked) = &arguments.revoke {
        let skill = arguments.skill.as_deref().unwrap_or_default();
        let count = match revoked.as_str() {
            "all" => store.forget(skill).await?,
            word => {
                let right = Right::from_word(word).with_context(|| {
                    let all: Vec<&str> = Permission::ALL.iter().map(|it| it.word()).collect();
                    format!(
                        "there is no permission `{word}`; there are run, {}",
                        all.join(", ")
                    )
                })?;
                store.revoke(skill, right).await?
            }
        };
        if !global.quiet {
            let noun = if count == 1 { "approval" } else { "approvals" };
            terminal::note(&terminal::printable(&format!(
                "took back {count} {noun} of `{skill}`"
            )));
        }
        return Ok(if count == 0 {
            Exit::Failure
        } else {
            Exit::Success
        });
    }
    let grants = store.grants().await?;
    let skills = open::skills(&arguments.place, global)?;
    let mut rows = Vec::new();
    for grant in grants.iter() {
        if arguments.skill.as_ref().is_none_or(|it| *it == grant.skill) {
            rows.push(row(&skills, grant).await);
        }
    }
    rows.sort_by(|a, b| {
        (&a.skill, a.permission, &a.contents).cmp(&(&b.skill, b.permission, &b.contents))
    });
    if arguments.json {
        super::print_json(&serde_json::json!({"permissions": rows}))?;
        return Ok(Exit::Success);
    }
    if rows.is_empty() {
        if !global.quiet {
            terminal::note("nothing was approved for longer than a run");
        }
        return Ok(Exit::Success);
    }
    let columns = ["SKILL", "PERMISSION", "EFFECT", "CONTENT"].map(|title| Column {
        title,
        width: if title == "CONTENT" {
            Width::Rest
        } else {
            Width::Content
        },
    });
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    terminal::print(&terminal::printable(&render(&columns, &cells)))?;
    Ok(Exit::Success)
}

async fn row(skills: &Skills, grant: &Grant) -> Row {
    let current = match grant.skill.parse() {
        Ok(id) => match SkillContent::read(skills, &id).await {
            Ok(skill) => Some(grant.is_about(&skill.subject())),
            Err(_) => None,
        },
        Err(_) => None,
    };
    Row {
        skill: grant.skill.clone(),
        permission: grant.right.word(),
        effect: match grant.effect {
            Effect::Allow => "allow",
            Effect::Deny => "deny",
        },
        contents: match grant.contents {
            Contents::Any => "any".to_owned(),
            Contents::Exactly(digest) => digest.to_string(),
        },
        current,
    }
}

fn cells(row: &Row) -> Vec<String> {
    let short: String = row.contents.chars().take("sha256:".len() + 12).collect();
    let current = match row.current {
        Some(true) => "as it is now",
        Some(false) => "not as it is now: it will be asked about again",
        None => "not here now",
    };
    vec![
        row.skill.clone(),
        row.permission.to_owned(),
        row.effect.to_owned(),
        format!("{short}, {current}"),
    ]
}
