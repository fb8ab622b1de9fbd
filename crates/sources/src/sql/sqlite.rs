//! A query over a `SQLite` file that can do nothing but read that file.
//!
//! Opening a file read-only is not enough: `VACUUM INTO` and `ATTACH` name other files. An authorizer sees each
//! action of a statement before it runs and allows only reading.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use prowess_config::{Param, Sql};
use prowess_core::{MemorySource, SourceError};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Statement};

use super::rows::{Rows, SkillRow, VALUE_BYTES, too_large_value};
use super::{TIMEOUT, unavailable};
use crate::task;

/// Memory limit of `SQLite`: for a value, a copy of it and caches. A row can have many large values before we see the
/// first, and a sort or a recursive table holds all of its rows. `SQLite` has one limit per process; the user's store,
/// in the same process, needs a fraction of this.
const HEAP_BYTES: usize = 48 * 1024 * 1024;
/// Bytes of a statement.
const STATEMENT_BYTES: i32 = 1024 * 1024;
/// Longest pattern of `LIKE`: matching takes time in proportion to it, and cannot be interrupted.
const PATTERN_BYTES: i32 = 256;
/// Steps of `SQLite`'s machine between two looks at the clock.
const STEPS: i32 = 1_000;

/// Functions that access data outside the database, in some builds of `SQLite`.
const FORBIDDEN_FUNCTIONS: [&str; 5] = [
    "load_extension",
    "readfile",
    "writefile",
    "edit",
    "fts3_tokenizer",
];

/// Ends the query when the caller no longer waits for it.
struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) async fn read(path: PathBuf, options: Sql) -> Result<MemorySource, SourceError> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let _cancel = Cancel(Arc::clone(&cancelled));
    task::run_blocking(move || {
        let connection = open(&path)?;
        restrict(&connection, cancelled).map_err(|error| failed("open the database", &error))?;
        query(&connection, &options)
    })
    .await
}

fn open(path: &Path) -> Result<Connection, SourceError> {
    let text = path
        .to_str()
        .ok_or_else(|| unavailable("cannot open the database: its path is not UTF-8"))?;
    for suffix in ["", "-journal", "-wal", "-shm"] {
        refuse_special_file(&beside(text, suffix), suffix.is_empty())?;
    }
    // Reading a database with a write-ahead log creates files beside it. Without a log file there is nothing to read in
    // it.
    let name = if is_wal(path) && !beside(text, "-wal").exists() {
        const IN_PATH: &AsciiSet = &CONTROLS.add(b'?').add(b'#').add(b'%').add(b' ');
        format!("file:{}?immutable=1", utf8_percent_encode(text, IN_PATH))
    } else {
        text.to_owned()
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(name, flags).map_err(|error| failed("reach the database", &error))
}

fn beside(path: &str, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{path}{suffix}"))
}

/// Opening a pipe waits for its other end, and a device may never end.
fn refuse_special_file(path: &Path, required: bool) -> Result<(), SourceError> {
    let reason = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return Ok(()),
        Ok(_) => format!("{} is not a regular file", path.display()),
        Err(_) if !required => return Ok(()),
        Err(error) => error.to_string(),
    };
    Err(unavailable(format!("cannot reach the database: {reason}")))
}

/// Whether the header of a database indicates a write-ahead log.
fn is_wal(path: &Path) -> bool {
    let mut header = [0; 20];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.get(18..) == Some(&[2, 2])
}

fn restrict(connection: &Connection, cancelled: Arc<AtomicBool>) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let value_bytes = i32::try_from(VALUE_BYTES).unwrap_or(i32::MAX);
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, value_bytes),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT_BYTES),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    // Tables in memory, not in temporary files: what a query takes is then within the limit of memory.
    connection.execute_batch(&format!(
        "PRAGMA hard_heap_limit = {HEAP_BYTES}; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON; \
         PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON"
    ))?;
    let deadline = Instant::now() + TIMEOUT;
    let stop = move || cancelled.load(Ordering::Relaxed) || Instant::now() > deadline;
    connection.progress_handler(STEPS, Some(stop))?;
    connection.authorizer(Some(|context: AuthContext<'_>| authorize(&context.action)))
}

fn authorize(action: &AuthAction<'_>) -> Authorization {
    let allowed = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => !FORBIDDEN_FUNCTIONS
            .iter()
            .any(|forbidden| forbidden.eq_ignore_ascii_case(function_name)),
        // Full-text search needs it, and it changes nothing.
        AuthAction::Pragma {
            pragma_name,
            pragma_value: None,
        } => pragma_name.eq_ignore_ascii_case("data_version"),
        _ => false,
    };
    if allowed {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}

fn query(connection: &Connection, options: &Sql) -> Result<MemorySource, SourceError> {
    let fail = |error: rusqlite::Error| failed("read from the database", &error);
    let mut statement = connection.prepare(&options.query).map_err(fail)?;
    bind(&mut statement, &options.params).map_err(fail)?;
    let names: Vec<String> = statement
        .column_names()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut found = statement.raw_query();
    let mut rows = Rows::new();
    while let Some(row) = found.next().map_err(fail)? {
        let row = read_row(&rows, row, &names)?;
        rows.add(row)?;
    }
    Ok(rows.finish())
}

fn bind(statement: &mut Statement<'_>, params: &[Param]) -> rusqlite::Result<()> {
    for (index, param) in (1..).zip(params) {
        match param {
            Param::Text(text) => statement.raw_bind_parameter(index, text.expose())?,
            Param::Integer(number) => statement.raw_bind_parameter(index, number)?,
            Param::Float(number) => statement.raw_bind_parameter(index, number)?,
            Param::Boolean(truth) => statement.raw_bind_parameter(index, truth)?,
        }
    }
    Ok(())
}

fn read_row(rows: &Rows, from: &Row<'_>, names: &[String]) -> Result<SkillRow, SourceError> {
    let mut row = SkillRow::default();
    for (index, name) in names.iter().enumerate() {
        let action = format!("read column `{name}`");
        let value = from.get_ref(index).map_err(|e| failed(&action, &e))?;
        let bytes = match value {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into_bytes()),
            ValueRef::Real(number) => Some(number.to_string().into_bytes()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(rows.copy(&mut row, bytes)?),
        };
        if SkillRow::is_archive(name) {
            row.set_archive(bytes);
            continue;
        }
        let text = bytes.map(String::from_utf8).transpose();
        let text = text.map_err(|error| unavailable(format!("cannot {action}: {error}")))?;
        row.set_text(name, text);
    }
    Ok(row)
}

fn failed(action: &str, error: &rusqlite::Error) -> SourceError {
    let reason = match error {
        rusqlite::Error::MultipleStatement => "invalid query: expected one statement".to_owned(),
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::TooBig => return unavailable(too_large_value()),
            ErrorCode::AuthorizationForStatementDenied => {
                "invalid query: only reads of its own database are allowed".to_owned()
            }
            ErrorCode::OutOfMemory => {
                "the query needs more than 48 MiB of memory; hint: drop ORDER BY, skills are sorted by id"
                    .to_owned()
            }
            ErrorCode::OperationInterrupted => "timed out after 60 s".to_owned(),
            _ => message.clone().unwrap_or_else(|| failure.to_string()),
        },
        other => other.to_string(),
    };
    unavailable(format!("cannot {action}: {reason}"))
}
