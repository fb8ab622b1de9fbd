//! How many requests each replica of a server has answered to each client, so that a limit holds for all of them.
//!
//! A replica writes totals, not differences: a write that is lost or done twice changes nothing. Times that replicas
//! compare are those of the database, because their own clocks differ.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};

use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::error::StoreError;
use crate::open::{Store, text};

/// Rows of one statement; SQLite allows 32,766 values.
const ROWS: usize = 1_000;
/// Milliseconds after which a replica removes the rows of its silent clients.
const SILENT: i64 = 60_000;
/// Milliseconds after which any replica removes rows: their replica is gone. Later than [`SILENT`], so that no two
/// replicas wait for each other's rows.
const GONE: i64 = 90_000;
/// Milliseconds for which a replica knows its own totals. Longer than [`GONE`]: its rows must not begin again before.
const OWN: i64 = 120_000;
/// Milliseconds for which it knows those of others. Longer than [`OWN`].
const OTHERS: i64 = 300_000;
/// Milliseconds that a row may take from its time until others see it.
const COMMIT: i64 = 10_000;

/// What one replica knows of the counts: its own, and those of the others that it has seen.
#[derive(Debug)]
pub struct RateExchange {
    replica: String,
    own: HashMap<String, Total>,
    /// Clients whose totals are not written yet.
    unwritten: BTreeSet<String>,
    /// By replica and client.
    seen: HashMap<(String, String), Total>,
    /// The time of the last exchange.
    last: Option<i64>,
}

/// A total, and when it last grew.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    count: i64,
    updated: i64,
}

struct SeenRow {
    replica: String,
    client: String,
    total: Total,
}

impl Default for RateExchange {
    /// A replica with a random name.
    fn default() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self::new(format!("{:016x}{:016x}", random(), random()))
    }
}

impl RateExchange {
    /// The replica with this name, which no other may have.
    pub fn new(replica: impl Into<String>) -> Self {
        Self {
            replica: replica.into(),
            own: HashMap::new(),
            unwritten: BTreeSet::new(),
            seen: HashMap::new(),
            last: None,
        }
    }

    /// Adds to the totals. They are written by this exchange, or by the next one that works.
    fn add(&mut self, counts: Vec<(String, i64)>) {
        for (client, count) in counts {
            let total = self.own.entry(client.clone()).or_default();
            total.count = total.count.saturating_add(count);
            self.unwritten.insert(client);
        }
    }

    /// What others have counted since the last exchange, of what they have written.
    fn differences(&mut self, now: i64, rows: Vec<SeenRow>) -> Vec<(String, i64)> {
        let is_first = self.last.is_none();
        let mut clients: HashMap<String, i64> = HashMap::new();
        for row in rows {
            let before = self
                .seen
                .insert((row.replica, row.client.clone()), row.total);
            let new = match before {
                // What was counted before this replica existed does not concern it.
                None if is_first => 0,
                Some(before) if before.count <= row.total.count => row.total.count - before.count,
                // A new client, or one that the other replica has forgotten meanwhile.
                _ => row.total.count,
            };
            if new > 0 {
                *clients.entry(row.client).or_default() += new;
            }
        }
        self.last = Some(now);
        for client in std::mem::take(&mut self.unwritten) {
            if let Some(total) = self.own.get_mut(&client) {
                total.updated = now;
            }
        }
        self.own.retain(|_, total| now - total.updated < OWN);
        self.seen.retain(|_, total| now - total.updated < OTHERS);
        clients.into_iter().collect()
    }
}

impl Store {
    /// Writes what a replica has counted since the last exchange, and returns what all others have. An exchange that
    /// fails loses nothing: the next one writes it too.
    pub async fn exchange_rates(
        &self,
        exchange: &mut RateExchange,
        counts: Vec<(String, i64)>,
    ) -> Result<Vec<(String, i64)>, StoreError> {
        exchange.add(counts);
        let replica = exchange.replica.clone();
        let since = exchange.last.map_or(0, |last| last - COMMIT);
        let totals: Vec<(String, i64)> = exchange
            .unwritten
            .iter()
            .filter_map(|client| Some((client.clone(), exchange.own.get(client)?.count)))
            .collect();
        let done = self.run(move |pool| async move {
            let mut connection = pool.acquire().await?;
            let clock = clock(&connection);
            for rows in totals.chunks(ROWS) {
                write(&mut connection, clock, &replica, rows).await?;
            }
            let rows = read(&mut connection, &replica, since).await?;
            let now = remove_silent(&mut connection, clock, &replica).await?;
            Ok((now, rows))
        });
        let (now, rows) = done.await?;
        Ok(exchange.differences(now, rows))
    }
}

/// The time of the database, in milliseconds since 1970.
fn clock(connection: &AnyConnection) -> &'static str {
    if connection.backend_name() == "SQLite" {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    } else {
        "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    }
}

async fn write(
    connection: &mut AnyConnection,
    clock: &str,
    replica: &str,
    rows: &[(String, i64)],
) -> Result<(), sqlx::Error> {
    let mut statement =
        "INSERT INTO rate_counts (replica, client, total, updated) VALUES ".to_owned();
    for number in 0..rows.len() {
        let comma = if number == 0 { "" } else { ", " };
        let (client, total) = (2 * number + 2, 2 * number + 3);
        // Writing to a string does not fail.
        let _ = write!(statement, "{comma}($1, ${client}, ${total}, {clock})");
    }
    statement.push_str(
        " ON CONFLICT (replica, client)
        DO UPDATE SET total = excluded.total, updated = excluded.updated",
    );
    let mut query = sqlx::query(AssertSqlSafe(statement)).bind(replica.to_owned());
    for (client, total) in rows {
        query = query.bind(client.clone()).bind(*total);
    }
    query.execute(connection).await.map(|_| ())
}

async fn read(
    connection: &mut AnyConnection,
    replica: &str,
    since: i64,
) -> Result<Vec<SeenRow>, sqlx::Error> {
    let statement = "SELECT replica, client, total, updated FROM rate_counts
        WHERE replica <> $1 AND updated >= $2";
    let query = sqlx::query(statement).bind(replica.to_owned()).bind(since);
    let rows = query.fetch_all(connection).await?;
    rows.iter()
        .map(|row| {
            Ok(SeenRow {
                replica: text(row, 0)?,
                client: text(row, 1)?,
                total: Total {
                    count: row.try_get(2)?,
                    updated: row.try_get(3)?,
                },
            })
        })
        .collect()
}

/// Removes rows of silent clients and of replicas that are gone. Returns the time.
async fn remove_silent(
    connection: &mut AnyConnection,
    clock: &str,
    replica: &str,
) -> Result<i64, sqlx::Error> {
    let time = AssertSqlSafe(format!("SELECT {clock}"));
    let row = sqlx::query(time).fetch_one(&mut *connection).await?;
    let now: i64 = row.try_get(0)?;
    let statement = "DELETE FROM rate_counts WHERE updated < $2 OR (replica = $1 AND updated < $3)";
    let query = sqlx::query(statement)
        .bind(replica.to_owned())
        .bind(now - GONE)
        .bind(now - SILENT);
    query.execute(connection).await?;
    Ok(now)
}
