//! Approvals, bound to a project and to a skill's id and content.

use std::time::{Duration, SystemTime};

use prowess_policy::{
    CommandGrant, CommandPattern, CommandReach, Contents, Effect, Grant, Grants, Lifetime, Right,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::open::{Store, text};
use crate::state::now;

/// The project of what counts everywhere.
const EVERYWHERE: &str = "";

/// An approval with the project that it was given in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrant<G> {
    /// The real path of the project's root; none where it counts everywhere.
    pub project: Option<String>,
    /// The approval.
    pub grant: G,
    /// When it was given, to the second; `None` if an older Prowess stored it.
    pub given: Option<SystemTime>,
}

impl Store {
    /// The decisions that apply in a project: its own and the global ones.
    pub async fn grants(&self, project: &str) -> Result<Grants, StoreError> {
        let all = self.all_grants().await?;
        let here = all
            .into_iter()
            .filter(|it| it.project.as_deref().is_none_or(|it| it == project));
        Ok(here.map(|it| it.grant).collect())
    }

    /// All stored decisions, of every project.
    pub async fn all_grants(&self) -> Result<Vec<StoredGrant<Grant>>, StoreError> {
        self.run(|pool| async move {
            let query = "SELECT project, skill, contents, permission, effect, given FROM approvals";
            let rows = sqlx::query(query).fetch_all(&*pool).await?;
            // Unknown values, edited or written by a newer version, allow nothing.
            let read = rows.iter().filter_map(|row| grant(row).transpose());
            read.collect::<Result<_, sqlx::Error>>()
        })
        .await
    }

    /// The approved commands of a project.
    pub async fn commands(&self, project: &str) -> Result<Vec<CommandGrant>, StoreError> {
        let all = self.all_commands().await?;
        let here = all
            .into_iter()
            .filter(|it| it.project.as_deref() == Some(project));
        Ok(here.map(|it| it.grant).collect())
    }

    /// The approved commands of every project.
    pub async fn all_commands(&self) -> Result<Vec<StoredGrant<CommandGrant>>, StoreError> {
        self.run(|pool| async move {
            let query =
                "SELECT project, skill, contents, command, reach, given FROM command_approvals";
            let rows = sqlx::query(query).fetch_all(&*pool).await?;
            let read = rows.iter().filter_map(|row| command(row).transpose());
            read.collect::<Result<_, sqlx::Error>>()
        })
        .await
    }

    /// Stores a decision for a project. Decisions for the session are not stored.
    pub async fn save_grant(&self, grant: &Grant, project: &str) -> Result<(), StoreError> {
        let project = match grant.lifetime {
            Lifetime::Session => return Ok(()),
            Lifetime::Always => project.to_owned(),
            Lifetime::Everywhere => EVERYWHERE.to_owned(),
        };
        let grant = grant.clone();
        self.run(move |pool| async move {
            let statement =
                "INSERT INTO approvals (project, skill, contents, permission, effect, given) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (project, skill, contents, permission)
                    DO UPDATE SET effect = excluded.effect, given = excluded.given";
            sqlx::query(statement)
                .bind(project)
                .bind(grant.skill)
                .bind(contents_word(grant.contents))
                .bind(grant.right.as_str())
                .bind(effect_word(grant.effect))
                .bind(now())
                .execute(&*pool)
                .await?;
            Ok(())
        })
        .await
    }

    /// Stores the approval of commands in a project.
    pub async fn save_command_grant(
        &self,
        grant: &CommandGrant,
        project: &str,
    ) -> Result<(), StoreError> {
        if grant.lifetime == Lifetime::Session {
            return Ok(());
        }
        let (grant, project) = (grant.clone(), project.to_owned());
        self.run(move |pool| async move {
            let statement = "INSERT INTO command_approvals (project, skill, contents, command, reach, given)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (project, skill, contents, command, reach) DO NOTHING";
            sqlx::query(statement)
                .bind(project)
                .bind(grant.skill)
                .bind(contents_word(grant.contents))
                .bind(pattern_text(&grant.pattern))
                .bind(grant.reach.as_str())
                .bind(now())
                .execute(&*pool)
                .await?;
            Ok(())
        })
        .await
    }

    /// Removes all decisions about a skill, in every project.
    pub async fn forget(&self, skill: &str) -> Result<u64, StoreError> {
        let skill = skill.to_owned();
        self.run(|pool| async move {
            let mut removed = 0;
            for statement in [
                "DELETE FROM approvals WHERE skill = $1",
                "DELETE FROM command_approvals WHERE skill = $1",
            ] {
                let query = sqlx::query(statement).bind(skill.clone());
                removed += query.execute(&*pool).await?.rows_affected();
            }
            Ok(removed)
        })
        .await
    }

    /// Removes all decisions about a skill in one project; those that count everywhere stay.
    pub async fn forget_in(&self, skill: &str, project: &str) -> Result<u64, StoreError> {
        let (skill, project) = (skill.to_owned(), project.to_owned());
        self.run(|pool| async move {
            let mut removed = 0;
            for statement in [
                "DELETE FROM approvals WHERE skill = $1 AND project = $2",
                "DELETE FROM command_approvals WHERE skill = $1 AND project = $2",
            ] {
                let query = sqlx::query(statement)
                    .bind(skill.clone())
                    .bind(project.clone());
                removed += query.execute(&*pool).await?.rows_affected();
            }
            Ok(removed)
        })
        .await
    }

    /// Removes the decisions about one right of a skill, in every project.
    pub async fn revoke(&self, skill: &str, right: impl Into<Right>) -> Result<u64, StoreError> {
        let (skill, right) = (skill.to_owned(), right.into());
        self.run(move |pool| async move {
            let statement = "DELETE FROM approvals WHERE skill = $1 AND permission = $2";
            let query = sqlx::query(statement)
                .bind(skill.clone())
                .bind(right.as_str());
            let mut removed = query.execute(&*pool).await?.rows_affected();
            if right == Right::Ask(prowess_spec::manifest::Permission::ShellExec) {
                let statement = "DELETE FROM command_approvals WHERE skill = $1";
                let query = sqlx::query(statement).bind(skill);
                removed += query.execute(&*pool).await?.rows_affected();
            }
            Ok(removed)
        })
        .await
    }
}

fn project_of(row: &AnyRow) -> Result<Option<String>, sqlx::Error> {
    Ok(Some(text(row, 0)?).filter(|project| project != EVERYWHERE))
}

/// The time in the sixth column.
fn given(row: &AnyRow) -> Result<Option<SystemTime>, sqlx::Error> {
    let seconds = u64::try_from(row.try_get::<i64, _>(5)?).unwrap_or_default();
    let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    Ok(time.filter(|_| seconds > 0))
}

fn grant(row: &AnyRow) -> Result<Option<StoredGrant<Grant>>, sqlx::Error> {
    let project = project_of(row)?;
    let (skill, contents) = (text(row, 1)?, text(row, 2)?);
    let (right, effect) = (text(row, 3)?, text(row, 4)?);
    let effect = match effect.as_str() {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        _ => return Ok(None),
    };
    let parsed = parse_contents(&contents).zip(Right::parse(&right));
    let given = given(row)?;
    Ok(parsed.map(|(contents, right)| StoredGrant {
        given,
        grant: Grant {
            skill,
            contents,
            right,
            effect,
            lifetime: match project {
                Some(_) => Lifetime::Always,
                None => Lifetime::Everywhere,
            },
        },
        project,
    }))
}

fn command(row: &AnyRow) -> Result<Option<StoredGrant<CommandGrant>>, sqlx::Error> {
    let project = project_of(row)?;
    let (skill, contents) = (text(row, 1)?, text(row, 2)?);
    let parsed = parse_contents(&contents)
        .zip(parse_pattern(&text(row, 3)?))
        .zip(CommandReach::parse(&text(row, 4)?));
    let given = given(row)?;
    Ok(parsed.map(|((contents, pattern), reach)| StoredGrant {
        given,
        project,
        grant: CommandGrant {
            skill,
            contents,
            pattern,
            reach,
            lifetime: Lifetime::Always,
        },
    }))
}

/// A program by its name, a command as a JSON list. `Any` is never stored.
fn pattern_text(pattern: &CommandPattern) -> String {
    match pattern {
        CommandPattern::Any => String::new(),
        CommandPattern::Program(name) => format!("program {name}"),
        CommandPattern::Exactly(words) => serde_json::json!(words).to_string(),
    }
}

fn parse_pattern(text: &str) -> Option<CommandPattern> {
    if let Some(name) = text.strip_prefix("program ") {
        return Some(CommandPattern::Program(name.to_owned()));
    }
    let words = serde_json::from_str(text).ok()?;
    Some(CommandPattern::Exactly(words))
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Deny => "deny",
    }
}

fn contents_word(contents: Contents) -> String {
    match contents {
        Contents::Any => "any".to_owned(),
        Contents::Exactly(digest) => digest.to_string(),
    }
}

fn parse_contents(text: &str) -> Option<Contents> {
    if text == "any" {
        return Some(Contents::Any);
    }
    text.parse().ok().map(Contents::Exactly)
}
