//! Approvals, bound to a skill's id and content.

use prowess_policy::{ContentDigest, Contents, Effect, Grant, Grants, Lifetime, Right};
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::open::{Store, text};

impl Store {
    /// Everything that was said for longer than a session.
    pub async fn grants(&self) -> Result<Grants, StoreError> {
        self.run(|pool| async move {
            let query = "SELECT skill, contents, permission, effect FROM grants";
            let rows = sqlx::query(query).fetch_all(&*pool).await?;
            let mut grants = Grants::new();
            for row in &rows {
                // What a hand or a newer version wrote, and we do not understand, allows nothing.
                if let Some(grant) = grant(row)? {
                    grants.say(grant);
                }
            }
            Ok(grants)
        })
        .await
    }

    /// Keeps what was said. What is for the session only is not kept.
    pub async fn say(&self, grant: &Grant) -> Result<(), StoreError> {
        if grant.lifetime == Lifetime::Session {
            return Ok(());
        }
        let grant = grant.clone();
        self.run(move |pool| async move {
            let statement =
                "INSERT INTO grants (skill, contents, permission, effect) VALUES ($1, $2, $3, $4)
                ON CONFLICT (skill, contents, permission) DO UPDATE SET effect = excluded.effect";
            sqlx::query(statement)
                .bind(grant.skill)
                .bind(contents_word(grant.contents))
                .bind(grant.right.word())
                .bind(effect_word(grant.effect))
                .execute(&*pool)
                .await?;
            Ok(())
        })
        .await
    }

    /// Takes back everything that was said about a skill.
    pub async fn forget(&self, skill: &str) -> Result<u64, StoreError> {
        let skill = skill.to_owned();
        self.run(|pool| async move {
            let statement = "DELETE FROM grants WHERE skill = $1";
            let done = sqlx::query(statement).bind(skill).execute(&*pool).await?;
            Ok(done.rows_affected())
        })
        .await
    }

    /// Takes back what was said about one right of a skill.
    pub async fn revoke(&self, skill: &str, right: impl Into<Right>) -> Result<u64, StoreError> {
        let (skill, right) = (skill.to_owned(), right.into());
        self.run(move |pool| async move {
            let statement = "DELETE FROM grants WHERE skill = $1 AND permission = $2";
            let query = sqlx::query(statement).bind(skill).bind(right.word());
            Ok(query.execute(&*pool).await?.rows_affected())
        })
        .await
    }
}

fn grant(row: &AnyRow) -> Result<Option<Grant>, sqlx::Error> {
    let (skill, contents) = (text(row, 0)?, text(row, 1)?);
    let (right, effect) = (text(row, 2)?, text(row, 3)?);
    let effect = match effect.as_str() {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        _ => return Ok(None),
    };
    let parsed = parse_contents(&contents).zip(Right::from_word(&right));
    Ok(parsed.map(|(contents, right)| Grant {
        skill,
        contents,
        right,
        effect,
        lifetime: Lifetime::Always,
    }))
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
    let digits = text.strip_prefix("sha256:")?;
    let mut digest = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(Contents::Exactly(ContentDigest(digest)))
}
