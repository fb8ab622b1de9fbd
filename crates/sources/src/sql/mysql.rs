//! A query over a `MySQL` or `MariaDB` server; `server` says how it is bounded.

use std::str::FromStr;

use prowess_config::Sql;
use prowess_core::{MemorySource, SourceError};
use sqlx::mysql::{MySql, MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, Column, ConnectOptions, Connection, Executor, SqlSafeStr, Statement};

use super::TIMEOUT;
use super::rows::ROWS;
use super::server::{
    LARGEST, ROW_BYTES, bind, collect, read_row, unreached, unread, without_semicolon,
};

pub(super) async fn read(url: String, options: Sql) -> Result<MemorySource, SourceError> {
    let connect = MySqlConnectOptions::from_str(&url).map_err(|error| unreached(&error))?;
    let mut connection: MySqlConnection =
        connect.connect().await.map_err(|error| unreached(&error))?;
    let read = query(&mut connection, options).await;
    let _ = connection.close().await;
    read
}

async fn query(
    connection: &mut MySqlConnection,
    options: Sql,
) -> Result<MemorySource, SourceError> {
    // The two servers of this protocol have two names for the same; the other one is an error.
    let seconds = format!("SET SESSION max_statement_time = {}", TIMEOUT.as_secs());
    let seconds = sqlx::raw_sql(AssertSqlSafe(seconds));
    if seconds.execute(&mut *connection).await.is_err() {
        let millis = format!("SET SESSION max_execution_time = {}", TIMEOUT.as_millis());
        let millis = sqlx::raw_sql(AssertSqlSafe(millis));
        millis
            .execute(&mut *connection)
            .await
            .map_err(|error| unread(&error))?;
    }
    let begin = sqlx::raw_sql("START TRANSACTION READ ONLY");
    begin
        .execute(&mut *connection)
        .await
        .map_err(|error| unread(&error))?;
    // The LIMIT makes a table of the rows, so that what is measured is what is sent.
    let rows = format!(
        "SELECT * FROM (\n{}\n) AS r LIMIT {}",
        without_semicolon(&options.query),
        ROWS + 1
    );
    let columns = AssertSqlSafe(rows.clone()).into_sql_str();
    let columns = (&mut *connection)
        .prepare(columns)
        .await
        .map_err(|error| unread(&error))?;
    let sizes = columns.columns().iter().map(|column| {
        let name = column.name().replace('`', "``");
        format!("coalesce(octet_length(q.`{name}`), 0)")
    });
    let size = sizes.collect::<Vec<String>>().join(" + ");
    let query = format!(
        "SELECT q.* FROM ({rows}) AS q WHERE CASE WHEN {size} > {ROW_BYTES} THEN {LARGEST} + ({size}) ELSE 1 END"
    );
    let query = bind::<MySql>(query, options.params);
    collect(query.fetch(connection), read_row::<MySql>).await
}
