//! A query over a database server that can do nothing but read; the one to `PostgreSQL` is here.
//!
//! The query becomes a subquery of our `SELECT`, so that the grammar of the server rejects everything except a
//! `SELECT`: a read-only transaction alone allows `COPY ... TO PROGRAM` and `INTO OUTFILE`. The server rejects rows
//! that are too large before it sends them.

use std::env;
use std::str::FromStr;

use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use prowess_config::{Param, Sql};
use prowess_core::{MemorySource, SourceError};
use sqlx::any::{AnyTypeInfo, AnyTypeInfoKind as Kind};
use sqlx::postgres::{PgConnectOptions, PgConnection, Postgres};
use sqlx::query::Query;
use sqlx::{
    AssertSqlSafe, Column, ColumnIndex, ConnectOptions, Connection, Database, Decode, Encode,
    Executor, Row, SqlSafeStr, Statement, Type, TypeInfo, ValueRef,
};
use url::Url;

use super::rows::{ROWS, Rows, SkillRow, VALUE_BYTES, too_large_value};
use super::{TIMEOUT, unavailable};

/// Environment variables that the client reads and that cannot be disabled.
const FORBIDDEN_VARIABLES: [(&str, &[&str]); 3] = [
    ("PGSSLCERT", &["sslcert", "ssl-cert"]),
    ("PGSSLKEY", &["sslkey", "ssl-key"]),
    ("PGOPTIONS", &[]),
];
/// Bytes of one row: its values go through the buffers of the client on their way.
pub(super) const ROW_BYTES: usize = VALUE_BYTES + 1024 * 1024;
/// Part of the error by which `PostgreSQL` refuses a row: text that is not a number.
const TOO_LARGE: &str = "prowess: row too large";
/// The same for `MySQL`, which has no other error in a `SELECT`: the largest number, to which something is added.
pub(super) const LARGEST: i64 = i64::MAX;

pub(super) async fn read_postgres(url: String, options: Sql) -> Result<MemorySource, SourceError> {
    let connect = postgres_options(&url)?;
    let mut connection: PgConnection =
        connect.connect().await.map_err(|error| unreached(&error))?;
    let read = query_postgres(&mut connection, options).await;
    let _ = connection.close().await;
    read
}

async fn query_postgres(
    connection: &mut PgConnection,
    options: Sql,
) -> Result<MemorySource, SourceError> {
    let timeout = TIMEOUT.as_millis();
    let begin = format!("BEGIN READ ONLY; SET LOCAL statement_timeout = {timeout}");
    let begin = sqlx::raw_sql(AssertSqlSafe(begin));
    begin
        .execute(&mut *connection)
        .await
        .map_err(|error| unread(&error))?;
    let rows = without_semicolon(&options.query);
    let prepared = AssertSqlSafe(rows.to_owned()).into_sql_str();
    let prepared = (&mut *connection)
        .prepare(prepared)
        .await
        .map_err(|error| unread(&error))?;
    // Numbers as names, because a query may have two columns of one name.
    let columns = prepared.columns().iter().enumerate();
    let (mut inner, mut outer, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for (number, column) in columns {
        let name = column.name().replace('"', "\"\"");
        let text = match column.type_info().name() {
            "BYTEA" => "",
            _ => "::text",
        };
        inner.push(format!("c{number}"));
        outer.push(format!("q.c{number} AS \"{name}\""));
        sizes.push(format!("coalesce(octet_length(q.c{number}{text}), 0)"));
    }
    let query = format!(
        "SELECT {} FROM (\n{rows}\n) AS q({}) WHERE CASE WHEN {} > {ROW_BYTES} \
         THEN (left((q.*)::text, 0) || '{TOO_LARGE}')::integer = 0 ELSE true END LIMIT {}",
        outer.join(", "),
        inner.join(", "),
        sizes.join(" + "),
        ROWS + 1
    );
    let query = bind::<Postgres>(query, options.params);
    collect(query.fetch(connection), read_row::<Postgres>).await
}

/// Options with what the URL states and nothing else: each thing that the client would otherwise look up in the
/// environment or in a file of passwords is stated.
fn postgres_options(text: &str) -> Result<PgConnectOptions, SourceError> {
    let invalid = |reason: &str| unavailable(format!("invalid database URL: {reason}"));
    let mut url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
    let keys: Vec<String> = url.query_pairs().map(|(key, _)| key.into_owned()).collect();
    let names_one = |names: &[&str]| keys.iter().any(|key| names.contains(&key.as_str()));
    for (variable, names) in FORBIDDEN_VARIABLES {
        if env::var_os(variable).is_some() && !names_one(names) {
            return Err(unavailable(format!(
                "cannot reach the database: {variable} must not be set; hint: unset {variable}"
            )));
        }
    }
    if url.host_str().is_none_or(str::is_empty) && !names_one(&["host", "hostaddr"]) {
        return Err(invalid("missing host"));
    }
    let stated_user = url.query_pairs().filter(|(key, _)| key == "user").last();
    let user = match stated_user {
        Some((_, user)) => user.into_owned(),
        None if url.username().is_empty() => return Err(invalid("missing user")),
        None => percent_encoding::percent_decode_str(url.username())
            .decode_utf8_lossy()
            .into_owned(),
    };
    let defaults = [
        (url.port().is_some() || names_one(&["port"]), "port", "5432"),
        (
            url.password().is_some() || names_one(&["password"]),
            "password",
            "",
        ),
        (
            url.path().len() > 1 || names_one(&["dbname"]),
            "dbname",
            user.as_str(),
        ),
        (names_one(&["sslmode", "ssl-mode"]), "sslmode", "prefer"),
        (
            names_one(&["application_name"]),
            "application_name",
            "prowess",
        ),
    ];
    let missing: Vec<_> = defaults.iter().filter(|(stated, ..)| !stated).collect();
    for (_, key, value) in missing {
        url.query_pairs_mut().append_pair(key, value);
    }
    let options = PgConnectOptions::from_str(url.as_str()).map_err(|error| unreached(&error))?;
    if names_one(&["sslrootcert", "ssl-root-cert", "ssl-ca"]) {
        return Ok(options);
    }
    // No certificates beside those of the system.
    Ok(options.ssl_root_cert_from_pem(Vec::new()))
}

pub(super) fn without_semicolon(query: &str) -> &str {
    query.trim_end().trim_end_matches(';')
}

/// The query with its values bound.
pub(super) fn bind<'q, DB>(query: String, params: Vec<Param>) -> Query<'q, DB, DB::Arguments>
where
    DB: Database,
    String: Encode<'q, DB> + Type<DB>,
    bool: Encode<'q, DB> + Type<DB>,
    i64: Encode<'q, DB> + Type<DB>,
    f64: Encode<'q, DB> + Type<DB>,
{
    let mut query = sqlx::query(AssertSqlSafe(query));
    for param in params {
        query = match param {
            Param::Text(text) => query.bind(text.expose().to_owned()),
            Param::Integer(number) => query.bind(number),
            Param::Float(number) => query.bind(number),
            Param::Boolean(truth) => query.bind(truth),
        };
    }
    query
}

/// The rows of a connection. It reads only as far as requested.
pub(super) async fn collect<R>(
    mut found: BoxStream<'_, sqlx::Result<R>>,
    read_row: fn(&Rows, &R) -> Result<SkillRow, SourceError>,
) -> Result<MemorySource, SourceError> {
    let mut rows = Rows::new();
    while let Some(sent) = found.try_next().await.map_err(|error| unread(&error))? {
        let row = read_row(&rows, &sent)?;
        drop(sent);
        rows.add(row)?;
    }
    Ok(rows.finish())
}

pub(super) fn read_row<DB: Database>(rows: &Rows, from: &DB::Row) -> Result<SkillRow, SourceError>
where
    AnyTypeInfo: for<'t> TryFrom<&'t DB::TypeInfo, Error = sqlx::Error>,
    usize: ColumnIndex<DB::Row>,
    for<'v> &'v [u8]: Decode<'v, DB>,
    bool: for<'v> Decode<'v, DB>,
    i16: for<'v> Decode<'v, DB>,
    i32: for<'v> Decode<'v, DB>,
    i64: for<'v> Decode<'v, DB>,
    f32: for<'v> Decode<'v, DB>,
    f64: for<'v> Decode<'v, DB>,
{
    let mut row = SkillRow::default();
    for column in from.columns() {
        let name = column.name();
        let fail = |error: sqlx::Error| failed(&format!("read column `{name}`"), &error);
        let value = from.try_get_raw(column.ordinal()).map_err(fail)?;
        let bytes = if value.is_null() {
            None
        } else {
            let kind = AnyTypeInfo::try_from(&value.type_info())
                .map_err(fail)?
                .kind();
            match kind {
                Kind::Null => None,
                Kind::Bool => Some(display::<bool, DB>(value).map_err(fail)?),
                Kind::SmallInt => Some(display::<i16, DB>(value).map_err(fail)?),
                Kind::Integer => Some(display::<i32, DB>(value).map_err(fail)?),
                Kind::BigInt => Some(display::<i64, DB>(value).map_err(fail)?),
                Kind::Real => Some(display::<f32, DB>(value).map_err(fail)?),
                Kind::Double => Some(display::<f64, DB>(value).map_err(fail)?),
                Kind::Text | Kind::Blob => {
                    let bytes: &[u8] = decode::<_, DB>(value).map_err(fail)?;
                    Some(rows.copy(&mut row, bytes)?)
                }
            }
        };
        if SkillRow::is_archive(name) {
            row.set_archive(bytes);
            continue;
        }
        let text = bytes.map(String::from_utf8).transpose();
        row.set_text(
            name,
            text.map_err(|error| fail(sqlx::Error::Decode(error.into())))?,
        );
    }
    Ok(row)
}

fn decode<'v, T: Decode<'v, DB>, DB: Database>(value: DB::ValueRef<'v>) -> sqlx::Result<T> {
    T::decode(value).map_err(sqlx::Error::Decode)
}

/// A number as text.
fn display<'v, T, DB: Database>(value: DB::ValueRef<'v>) -> sqlx::Result<Vec<u8>>
where
    T: Decode<'v, DB> + ToString,
{
    decode::<T, DB>(value).map(|value| value.to_string().into_bytes())
}

pub(super) fn unreached(error: &sqlx::Error) -> SourceError {
    failed("reach the database", error)
}

pub(super) fn unread(error: &sqlx::Error) -> SourceError {
    failed("read from the database", error)
}

/// An error as people may see it: the URL, which may hold a password, is in none of them.
fn failed(action: &str, error: &sqlx::Error) -> SourceError {
    let text = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    if text.contains(TOO_LARGE) || text.contains(&LARGEST.to_string()) {
        return unavailable(too_large_value());
    }
    if text.contains("does not support the") {
        let message = format!("cannot {action}: {text}; cast the column to text in the query");
        return unavailable(message);
    }
    unavailable(format!("cannot {action}: {text}"))
}
