//! `prowess token`: the tokens of clients of `prowess serve`.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use prowess_server::{AcceptedToken, Scope, Scopes};
use prowess_store::{Store, TokenRecord};
use serde::Serialize;
use serde_json::json;

use super::print_json;
use crate::arguments::Global;
use crate::code_skills::{block_on, open_existing_store, open_store, open_store_to_read};
use crate::configuration;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::terminal;

const HELP: &str = "\
Examples:
  prowess token create laptop                    a token that can read
  prowess token create ci --scope read,publish --expires-days 90
  prowess token create desk --scope chat,approve
  prowess token list
  prowess token revoke 3f9c0a12

A client sends the token in a header: `Authorization: Bearer TOKEN`. A running server accepts a \
new token, and refuses a revoked one, within two seconds.";

/// Arguments of `token`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    pub(crate) action: TokenAction,
}

#[derive(Subcommand)]
pub(crate) enum TokenAction {
    /// Create a token and print it once
    #[command(after_long_help = "Examples:\n  prowess token create laptop --scope read,write")]
    Create(CreateTokenArguments),
    /// List tokens, without their secrets
    #[command(after_long_help = "Examples:\n  prowess token list --json")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a token
    #[command(after_long_help = "Examples:\n  prowess token revoke 3f9c0a12")]
    Revoke {
        /// Id of the token, as `prowess token list` prints it
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Arguments of `token create`.
#[derive(Args)]
pub(crate) struct CreateTokenArguments {
    /// What the token is for; no two tokens have one name
    pub(crate) name: String,
    /// What it allows: read, write, chat, approve, publish, yank, admin (all but approve)
    #[arg(long, value_name = "SCOPES", default_value = "read")]
    pub(crate) scope: Scopes,
    /// Days until it expires [default: never]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) expires_days: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A token, for people and programs.
#[derive(Serialize)]
struct Row {
    id: String,
    name: String,
    scopes: String,
    created: Option<String>,
    expires: Option<String>,
    expired: bool,
    last_used: Option<String>,
}

pub(crate) fn run(arguments: &TokenArguments, global: &Global) -> Result<Exit> {
    let config = configuration::load(global)?;
    block_on(async {
        match &arguments.action {
            TokenAction::Create(arguments) => {
                create(&open_store(&config).await?, arguments, global).await
            }
            TokenAction::List { json } => list(&open_store_to_read(&config).await?, *json).await,
            TokenAction::Revoke { id, json } => {
                revoke(&open_existing_store(&config).await?, id, *json).await
            }
        }
    })
}

async fn create(store: &Store, arguments: &CreateTokenArguments, global: &Global) -> Result<Exit> {
    if arguments.scope.is_empty() {
        return Err(CommandError::usage(
            "a token without a scope allows nothing".to_owned(),
        ));
    }
    if arguments.name.is_empty() || arguments.name.contains(char::is_control) {
        let message = "invalid name: expected one line of text";
        return Err(CommandError::usage(message.to_owned()));
    }
    let created = Timestamp::now().as_second();
    let lifetime = arguments.expires_days.map(|days| i64::from(days) * 86_400);
    let (secret, token) = AcceptedToken::generate(arguments.scope, lifetime.map(|it| created + it))
        .map_err(|error| CommandError::failure(format!("cannot create a token: {error}")))?;
    let record = TokenRecord {
        id: token.id.clone(),
        name: arguments.name.clone(),
        hash: token.hash_text(),
        scopes: token.scopes.to_string(),
        created,
        expires: token.expires,
        used: None,
    };
    if !store.add_token(&record).await? {
        let name = terminal::printable(&arguments.name);
        let error = CommandError::failure(format!("a token is named `{name}` already"));
        return Err(error.hint("choose another name, or revoke that token: `prowess token list`"));
    }
    if store.is_owner_name(&arguments.name).await? {
        let name = terminal::printable(&arguments.name);
        terminal::note(&format!(
            "warning: `{name}` is also the name of an owner or of a package: this token owns nothing of it"
        ));
    }
    if arguments.json {
        print_json(&json!({"token": secret, "id": record.id, "scopes": record.scopes}))?;
    } else {
        terminal::print(&format!("{secret}\n"))?;
        if !global.quiet {
            let (id, scopes) = (&record.id, &record.scopes);
            terminal::note(&format!(
                "created {id} ({scopes}); the token is not shown again"
            ));
            if arguments.scope.allow(Scope::Approve) {
                terminal::note(
                    "warning: `approve` lets its holder run anything as the user of the server",
                );
            }
        }
    }
    Ok(Exit::Success)
}

async fn list(store: &Store, as_json: bool) -> Result<Exit> {
    let now = Timestamp::now().as_second();
    let text = |seconds: i64| {
        Timestamp::from_second(seconds)
            .ok()
            .map(|it| it.to_string())
    };
    let rows = store.tokens().await?.into_iter().map(|token| Row {
        id: token.id,
        name: token.name,
        scopes: token.scopes,
        created: text(token.created),
        expires: token.expires.and_then(text),
        expired: token.expires.is_some_and(|it| it <= now),
        last_used: token.used.and_then(text),
    });
    let rows: Vec<Row> = rows.collect();
    if as_json {
        print_json(&json!({"version": 1, "tokens": rows}))?;
    } else if rows.is_empty() {
        terminal::note("no tokens; create one with `prowess token create NAME`");
    } else {
        terminal::print(&table(&rows))?;
    }
    Ok(Exit::Success)
}

fn table(rows: &[Row]) -> String {
    let column = |title| Column {
        title,
        width: Width::Content,
    };
    let columns = ["ID", "NAME", "SCOPES", "EXPIRES", "LAST USED"].map(column);
    let cells: Vec<Vec<std::borrow::Cow<'_, str>>> = rows
        .iter()
        .map(|row| {
            let expires = match (&row.expires, row.expired) {
                (Some(_), true) => "expired",
                (Some(time), false) => time,
                (None, _) => "never",
            };
            vec![
                row.id.as_str().into(),
                terminal::printable(&row.name).into(),
                row.scopes.as_str().into(),
                expires.into(),
                row.last_used.as_deref().unwrap_or("never").into(),
            ]
        })
        .collect();
    render(&columns, &cells)
}

async fn revoke(store: &Store, id: &str, as_json: bool) -> Result<Exit> {
    if !store.remove_token(id).await? {
        let message = format!("unknown token `{}`", id.escape_debug());
        return Err(CommandError::failure(message).hint("run `prowess token list` to list tokens"));
    }
    if as_json {
        print_json(&json!({"revoked": id}))?;
    } else {
        terminal::note(&format!("revoked {id}"));
    }
    Ok(Exit::Success)
}
