//! The tables, and how older ones become newer ones.

use std::ops::RangeInclusive;

use sqlx::{AnyConnection, Connection, Row};

use crate::error::StoreError;
use crate::postgres::create_schema;

/// The version that this Prowess writes.
#[allow(clippy::cast_possible_wrap, reason = "there are a handful")]
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The migrations. Existing ones are never changed.
const MIGRATIONS: &[&[&str]] = &[
    &[
        "CREATE TABLE grants (
        skill TEXT NOT NULL, contents TEXT NOT NULL, permission TEXT NOT NULL, effect TEXT NOT NULL,
        PRIMARY KEY (skill, contents, permission))",
        "CREATE TABLE skill_states (
        skill TEXT PRIMARY KEY, phase TEXT NOT NULL, reason TEXT NOT NULL, changed BIGINT NOT NULL)",
        "CREATE TABLE sessions (conversation TEXT PRIMARY KEY, active TEXT NOT NULL)",
        "CREATE TABLE cache (
        origin TEXT NOT NULL, name TEXT NOT NULL, etag TEXT, body TEXT NOT NULL, fetched BIGINT NOT NULL,
        PRIMARY KEY (origin, name))",
    ],
    &[
        "CREATE TABLE chats (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, active TEXT NOT NULL, turns BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
        forked_from TEXT, created BIGINT NOT NULL, updated BIGINT NOT NULL)",
        "CREATE INDEX chats_by_time ON chats (updated)",
        "CREATE TABLE chat_messages (
        chat TEXT NOT NULL, turn BIGINT NOT NULL, position BIGINT NOT NULL, body TEXT NOT NULL,
        PRIMARY KEY (chat, turn, position))",
    ],
    // Which of two chats is the last one is not a matter of whole seconds.
    &["UPDATE chats SET created = created * 1000, updated = updated * 1000"],
    // An approval is valid in the project it was given in. The project of old approvals is unknown, so they are dropped
    // and asked for again; denials stay valid everywhere.
    &[
        "CREATE TABLE approvals (
        project TEXT NOT NULL, skill TEXT NOT NULL, contents TEXT NOT NULL, permission TEXT NOT NULL,
        effect TEXT NOT NULL, PRIMARY KEY (project, skill, contents, permission))",
        "INSERT INTO approvals (project, skill, contents, permission, effect)
        SELECT '', skill, contents, permission, effect FROM grants WHERE effect = 'deny'",
        "DROP TABLE grants",
        "CREATE TABLE command_approvals (
        project TEXT NOT NULL, skill TEXT NOT NULL, contents TEXT NOT NULL, command TEXT NOT NULL,
        reach TEXT NOT NULL, PRIMARY KEY (project, skill, contents, command, reach))",
    ],
    &["CREATE TABLE skill_uses (
        project TEXT NOT NULL, skill TEXT NOT NULL, uses BIGINT NOT NULL, last BIGINT NOT NULL,
        PRIMARY KEY (project, skill))"],
    // `version` counts every change: the number of turns can go down.
    &[
        "ALTER TABLE chats ADD COLUMN model TEXT",
        "ALTER TABLE chats ADD COLUMN code_active TEXT",
        "ALTER TABLE chats ADD COLUMN version BIGINT NOT NULL DEFAULT 0",
        "UPDATE chats SET version = turns",
    ],
    // Seconds since 1970; 0 for approvals that were given before the time was stored.
    &[
        "ALTER TABLE approvals ADD COLUMN given BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE command_approvals ADD COLUMN given BIGINT NOT NULL DEFAULT 0",
    ],
    &["CREATE TABLE tokens (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
        created BIGINT NOT NULL, expires BIGINT, used BIGINT)"],
    // `changes` counts changes of the registry; `changed` of a package is the one that changed it last.
    &[
        "CREATE TABLE registry_state (one INTEGER PRIMARY KEY, changes BIGINT NOT NULL)",
        "INSERT INTO registry_state (one, changes) VALUES (1, 0)",
        "CREATE TABLE registry_packages (
        name TEXT PRIMARY KEY, latest TEXT, downloads BIGINT NOT NULL, changed BIGINT NOT NULL)",
        "CREATE INDEX registry_packages_by_change ON registry_packages (changed)",
        "CREATE TABLE registry_versions (
        name TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, published BIGINT NOT NULL,
        published_by TEXT NOT NULL, facts TEXT NOT NULL, manifest TEXT NOT NULL, signature TEXT,
        keywords TEXT NOT NULL, body TEXT NOT NULL, yanked BIGINT, yank_reason TEXT,
        downloads BIGINT NOT NULL, PRIMARY KEY (name, version))",
        "CREATE INDEX registry_versions_by_digest ON registry_versions (digest)",
        "CREATE TABLE registry_owners (
        owned TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (owned, owner))",
    ],
    // Requests that each replica of a server answered; milliseconds since 1970 by the clock of the database.
    &["CREATE TABLE rate_counts (
        replica TEXT NOT NULL, client TEXT NOT NULL, total BIGINT NOT NULL, updated BIGINT NOT NULL,
        PRIMARY KEY (replica, client))"],
    &["CREATE TABLE search_uses (
        project TEXT NOT NULL, query TEXT NOT NULL, skill TEXT NOT NULL, uses BIGINT NOT NULL, last BIGINT NOT NULL,
        PRIMARY KEY (project, query, skill))"],
    &["CREATE TABLE named_approvals (skill TEXT PRIMARY KEY, content TEXT NOT NULL, files TEXT NOT NULL)"],
    // Packages belong to the id of a token: a name can be given again. Of tokens with one name, the oldest had the packages.
    &[
        "UPDATE registry_owners SET owner = (SELECT id FROM tokens WHERE name = registry_owners.owner
            ORDER BY created, id LIMIT 1)
        WHERE EXISTS (SELECT 1 FROM tokens WHERE name = registry_owners.owner)",
        "UPDATE registry_versions SET published_by = (SELECT id FROM tokens
            WHERE tokens.name = registry_versions.published_by ORDER BY created, id LIMIT 1)
        WHERE EXISTS (SELECT 1 FROM tokens WHERE tokens.name = registry_versions.published_by)",
        "UPDATE tokens SET name = name || ' (' || id || ')'
        WHERE EXISTS (SELECT 1 FROM tokens AS older WHERE older.name = tokens.name
            AND (older.created < tokens.created
                OR (older.created = tokens.created AND older.id < tokens.id)))",
        "CREATE UNIQUE INDEX tokens_by_name ON tokens (name)",
    ],
    // The id of the token that a chat belongs to; none is the user of this machine.
    &["ALTER TABLE chats ADD COLUMN owner TEXT"],
];

/// The tables, with the versions that have them.
const TABLES: &[(&str, RangeInclusive<i64>)] = &[
    ("prowess_store", 0..=i64::MAX),
    ("grants", 1..=3),
    ("skill_states", 1..=i64::MAX),
    ("sessions", 1..=i64::MAX),
    ("cache", 1..=i64::MAX),
    ("chats", 2..=i64::MAX),
    ("chat_messages", 2..=i64::MAX),
    ("approvals", 4..=i64::MAX),
    ("command_approvals", 4..=i64::MAX),
    ("skill_uses", 5..=i64::MAX),
    ("tokens", 8..=i64::MAX),
    ("registry_state", 9..=i64::MAX),
    ("registry_packages", 9..=i64::MAX),
    ("registry_versions", 9..=i64::MAX),
    ("registry_owners", 9..=i64::MAX),
    ("rate_counts", 10..=i64::MAX),
    ("search_uses", 11..=i64::MAX),
    ("named_approvals", 12..=i64::MAX),
];

/// The PostgreSQL advisory lock for schema changes; the number is arbitrary.
const LOCK: &str = "SELECT 1 FROM pg_advisory_xact_lock(8103218654402)";

/// Migrates the tables in one transaction: a crash leaves the old version or the new one.
pub(crate) async fn migrate(connection: &mut AnyConnection) -> Result<(), StoreError> {
    // Without a lock first: most stores are up to date, and some can only be read.
    if missing(version(connection).await?)?.is_empty() {
        return Ok(());
    }
    let done = migrate_alone(connection).await;
    // Another process may have migrated while we waited.
    if matches!(done, Err(StoreError::Locked)) && missing(version(connection).await?)?.is_empty() {
        return Ok(());
    }
    done
}

/// The same under the lock. The version is read after acquiring it.
async fn migrate_alone(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let failed = |error| StoreError::of("prepare", &error);
    let is_sqlite = connection.backend_name() == "SQLite";
    // SQLite waits for others only where a transaction begins as a writer. PostgreSQL would show what was there
    // before the wait, were each statement not to see what is there now.
    let begin = if is_sqlite {
        "BEGIN IMMEDIATE"
    } else {
        "BEGIN ISOLATION LEVEL READ COMMITTED"
    };
    let mut transaction = connection.begin_with(begin).await.map_err(failed)?;
    if !is_sqlite {
        let query = sqlx::query(LOCK).execute(&mut *transaction);
        query.await.map_err(failed)?;
        if create_schema(&mut transaction).await.map_err(failed)? {
            move_tables(&mut transaction).await.map_err(failed)?;
        }
    }
    let found = version(&mut transaction).await?;
    let missing = missing(found)?;
    if missing.is_empty() {
        // Up to date, but perhaps in another schema than before.
        return transaction.commit().await.map_err(failed);
    }
    let create = "CREATE TABLE IF NOT EXISTS prowess_store (one INTEGER PRIMARY KEY, version BIGINT NOT NULL)";
    sqlx::query(create)
        .execute(&mut *transaction)
        .await
        .map_err(failed)?;
    for statement in missing {
        let done = sqlx::query(statement).execute(&mut *transaction).await;
        done.map_err(|error| match StoreError::of("migrate", &error) {
            StoreError::Database { reason, .. } => StoreError::Migration { found, reason },
            other => other,
        })?;
    }
    let note = "INSERT INTO prowess_store (one, version) VALUES (1, $1)
        ON CONFLICT (one) DO UPDATE SET version = excluded.version";
    sqlx::query(note)
        .bind(SCHEMA_VERSION)
        .execute(&mut *transaction)
        .await
        .map_err(failed)?;
    transaction.commit().await.map_err(failed)?;
    tracing::info!(from = found, to = SCHEMA_VERSION, "migrated the store");
    Ok(())
}

/// Moves the tables of an older Prowess from `public` to our schema. Tables of other versions would be those of another
/// program.
async fn move_tables(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let found = table_version(connection, "public.prowess_store").await?;
    for (table, versions) in TABLES {
        if versions.contains(&found) {
            let statement = format!("ALTER TABLE public.{table} SET SCHEMA prowess");
            let query = sqlx::query(sqlx::AssertSqlSafe(statement));
            query.execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// The statements that make this version of the one that was found.
fn missing(found: i64) -> Result<Vec<&'static str>, StoreError> {
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer {
            found,
            known: SCHEMA_VERSION,
        });
    }
    let missing = MIGRATIONS
        .iter()
        .skip(usize::try_from(found).unwrap_or_default());
    Ok(missing.copied().flatten().copied().collect())
}

/// The version of the tables; 0 if there are none.
pub(crate) async fn version(connection: &mut AnyConnection) -> Result<i64, StoreError> {
    let exists = match connection.backend_name() {
        "SQLite" => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'prowess_store'",
        _ => {
            "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'prowess_store'"
        }
    };
    let read = |error| StoreError::of("read", &error);
    let row = sqlx::query(exists)
        .fetch_one(&mut *connection)
        .await
        .map_err(read)?;
    if row.try_get::<i64, _>(0).map_err(read)? == 0 {
        return Ok(0);
    }
    let found = table_version(connection, "prowess_store").await;
    found.map_err(read)
}

/// The version that a table says.
async fn table_version(
    connection: &mut AnyConnection,
    table: &'static str,
) -> Result<i64, sqlx::Error> {
    let statement = sqlx::AssertSqlSafe(format!("SELECT version FROM {table}"));
    let row = sqlx::query(statement).fetch_optional(connection).await?;
    row.map_or(Ok(0), |row| row.try_get(0))
}
