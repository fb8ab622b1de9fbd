//! `prowess store`: copies of the store, and their way back.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use prowess_store::{StoreBackend, StoreError, back_up, restore};
use serde_json::json;

use super::print_json;
use crate::arguments::Global;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::{code_skills, configuration, terminal};

const HELP: &str = "\
Examples:
  prowess store backup copy.db    copy the store while it is in use
  prowess store restore copy.db   put the copy in place of the store

For a store in PostgreSQL, use `pg_dump` and `psql`.";

/// Arguments of `store`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct StoreArguments {
    #[command(subcommand)]
    action: StoreAction,
}

#[derive(Subcommand)]
enum StoreAction {
    /// Copy the store to a new file; other processes may use it meanwhile
    #[command(after_long_help = "Examples:\n  prowess store backup /backup/prowess.db")]
    Backup {
        /// File to create
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a copy and put it in place of the store, which no process may use
    #[command(after_long_help = "Examples:\n  prowess store restore /backup/prowess.db")]
    Restore {
        /// Copy to restore, which stays where it is
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(arguments: &StoreArguments, global: &Global) -> Result<Exit> {
    let config = configuration::load(global)?;
    let store = match code_skills::store_backend(&config) {
        StoreBackend::File(path) => path,
        StoreBackend::Postgres(_) => {
            let error = CommandError::usage("the store is in PostgreSQL");
            return Err(error.hint("use `pg_dump` and `psql`"));
        }
        StoreBackend::Memory => {
            return Err(CommandError::failure("cannot find the data directory"));
        }
    };
    code_skills::block_on(async {
        match &arguments.action {
            StoreAction::Backup { file, json } => copy(&store, file, *json, global).await,
            StoreAction::Restore { file, json } => put_back(file, &store, *json, global).await,
        }
    })
}

async fn copy(store: &Path, file: &Path, as_json: bool, global: &Global) -> Result<Exit> {
    let shown = configuration::shown(file);
    let made = back_up(store, file).await;
    made.with_context(|| format!("cannot copy the store to `{shown}`"))?;
    if as_json {
        print_json(&json!({"store": store, "copy": file}))?;
        return Ok(Exit::Success);
    }
    say(global, &format!("copied the store to `{shown}`"));
    Ok(Exit::Success)
}

async fn put_back(file: &Path, store: &Path, as_json: bool, global: &Global) -> Result<Exit> {
    let shown = configuration::shown(file);
    let replaced = restore(file, store).await.map_err(|error| {
        let is_used = matches!(error, StoreError::InUse { .. });
        let error = CommandError::failure(format!("cannot restore `{shown}`: {error}"));
        if is_used {
            error.hint("stop `prowess serve` and every other process of Prowess")
        } else {
            error
        }
    })?;
    if as_json {
        print_json(&json!({"store": store, "copy": file, "replaced": replaced}))?;
        return Ok(Exit::Success);
    }
    let place = configuration::shown(store);
    say(global, &format!("restored `{shown}` to `{place}`"));
    if let Some(old) = replaced {
        let old = configuration::shown(&old);
        say(global, &format!("the store of before is `{old}`"));
    }
    Ok(Exit::Success)
}

fn say(global: &Global, text: &str) {
    if !global.quiet {
        terminal::note(&terminal::printable(text));
    }
}
