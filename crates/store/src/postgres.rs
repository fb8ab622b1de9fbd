//! The schema of our tables in a PostgreSQL database, which other programs may share.

use sqlx::{AnyConnection, Row};

/// The schema of a connection: our own, unless its search path names another one. Tables of an older Prowess stay in
/// `public` where the role may not create a schema.
const CHOOSE: &str = "SELECT CASE
    WHEN current_schema() <> 'public' THEN quote_ident(current_schema())
    WHEN to_regnamespace('prowess') IS NULL
        AND NOT has_database_privilege(current_database(), 'CREATE')
        AND to_regclass('public.prowess_store') IS NOT NULL THEN 'public'
    ELSE 'prowess' END";

/// The schema to use; none for SQLite.
pub(crate) async fn schema(connection: &mut AnyConnection) -> Result<Option<String>, sqlx::Error> {
    if connection.backend_name() == "SQLite" {
        return Ok(None);
    }
    let row = sqlx::query(CHOOSE).fetch_one(connection).await?;
    row.try_get(0).map(Some)
}

/// Names without a schema mean this one from now on.
pub(crate) async fn use_schema(
    connection: &mut AnyConnection,
    schema: &str,
) -> Result<(), sqlx::Error> {
    let choose = "SELECT set_config('search_path', $1, false)";
    let query = sqlx::query(choose).bind(schema.to_owned());
    query.execute(connection).await.map(|_| ())
}

/// Creates our schema if it is missing, and says whether tables of an older Prowess have to be moved to it. Runs under the
/// lock, and asks the catalogs: what functions such as `current_schema` say may be older than the lock.
pub(crate) async fn create_schema(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    let chosen = "SELECT current_setting('search_path') = 'prowess'";
    let row = sqlx::query(chosen).fetch_one(&mut *connection).await?;
    if !row.try_get::<bool, _>(0)? {
        return Ok(false);
    }
    // One that exists is not created again: the server would ask for the right to do so first.
    let exists = "SELECT COUNT(*) FROM pg_namespace WHERE nspname = 'prowess'";
    if count(connection, exists).await? == 0 {
        let create = sqlx::query("CREATE SCHEMA prowess");
        create.execute(&mut *connection).await?;
    }
    let ours = "SELECT COUNT(*) FROM pg_tables
        WHERE schemaname = 'prowess' AND tablename = 'prowess_store'";
    let old = "SELECT COUNT(*) FROM pg_tables
        WHERE schemaname = 'public' AND tablename = 'prowess_store'";
    Ok(count(connection, ours).await? == 0 && count(connection, old).await? > 0)
}

async fn count(connection: &mut AnyConnection, query: &'static str) -> Result<i64, sqlx::Error> {
    let row = sqlx::query(query).fetch_one(connection).await?;
    row.try_get(0)
}
