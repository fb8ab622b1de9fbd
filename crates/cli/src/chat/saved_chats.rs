//! Saved chats.

use std::time::{Duration, SystemTime};

use prowess_agent::wire::ChatEntry;
use prowess_agent::{Agent, Chat};
use prowess_store::{ChatCursor, ChatId, ChatSummary, Store, StoreError};
use serde_json::{Value, json};

use super::markdown::Markdown;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::table::{Column, Width, render};
use crate::terminal;
use crate::terminal::print_json;

/// Chats in a page of a list, unless the user says otherwise.
const LISTED: usize = 50;
/// Chats that are read at once.
const READ: usize = 1_000;

/// Which part of the list of chats is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChatPage<'a> {
    /// How many; by default all as JSON, and a page in a terminal.
    pub(super) limit: Option<usize>,
    /// The place after the last page, as that one said.
    pub(super) before: Option<&'a str>,
}

/// Prints the chats, the newest first.
pub(super) async fn list(
    store: &Store,
    page: ChatPage<'_>,
    as_json: bool,
    quiet: bool,
) -> Result<Exit> {
    let limit = page
        .limit
        .unwrap_or(if as_json { usize::MAX } else { LISTED });
    let before = page.before.map(str::parse::<ChatCursor>).transpose();
    let before = before.map_err(|error| {
        CommandError::usage(format!("invalid --before: {error}"))
            .hint("use the value that the page before ended with")
    })?;
    // One more tells whether there is another page.
    let mut chats = read(store, limit.saturating_add(1), before).await?;
    let has_more = chats.len() > limit;
    chats.truncate(limit);
    let next = chats.last().filter(|_| has_more).map(ChatCursor::after);
    if as_json {
        let all: Vec<Value> = chats.iter().map(summary).collect();
        print_json(&all)?;
        say_next(next.as_ref(), quiet);
        return Ok(Exit::Success);
    }
    if chats.is_empty() {
        if !quiet {
            terminal::note("no saved chats");
        }
        return Ok(Exit::Success);
    }
    let columns = [
        Column {
            title: "id",
            width: Width::Content,
        },
        Column {
            title: "last",
            width: Width::Content,
        },
        Column {
            title: "turns",
            width: Width::Content,
        },
        Column {
            title: "title",
            width: Width::Rest,
        },
    ];
    let now = SystemTime::now();
    let rows: Vec<Vec<String>> = chats
        .iter()
        .map(|chat| {
            let last = now.duration_since(chat.updated).unwrap_or_default();
            vec![
                chat.id.to_string(),
                ago(last),
                chat.turns.to_string(),
                terminal::printable(&chat.title),
            ]
        })
        .collect();
    terminal::print(&render(&columns, &rows))?;
    say_next(next.as_ref(), quiet);
    Ok(Exit::Success)
}

/// So many chats after a place in the list.
async fn read(
    store: &Store,
    limit: usize,
    mut before: Option<ChatCursor>,
) -> Result<Vec<ChatSummary>> {
    let mut chats = Vec::new();
    loop {
        let wanted = limit.saturating_sub(chats.len()).min(READ);
        let part = store.all_chats_before(wanted, before.take()).await?;
        before = part.last().map(ChatCursor::after);
        let is_last = part.len() < wanted;
        chats.extend(part);
        if is_last || chats.len() >= limit {
            return Ok(chats);
        }
    }
}

/// How to list the next page.
fn say_next(next: Option<&ChatCursor>, quiet: bool) {
    if let Some(next) = next.filter(|_| !quiet) {
        terminal::note(&format!("more: prowess chat --list --before {next}"));
    }
}

fn summary(chat: &ChatSummary) -> Value {
    let seconds = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap_or_default().as_secs()
    };
    json!({
        "id": chat.id.as_str(),
        "title": chat.title,
        "turns": chat.turns,
        "input_tokens": chat.tokens.input,
        "output_tokens": chat.tokens.output,
        "forked_from": chat.forked_from.as_ref().map(ChatId::as_str),
        "created": seconds(chat.created),
        "updated": seconds(chat.updated),
    })
}

/// Deletes a saved chat.
pub(super) async fn delete(store: &Store, named: &str, quiet: bool) -> Result<Exit> {
    let id = find(store, named).await?.id;
    store.delete_chat(&id).await?;
    if !quiet {
        terminal::note(&format!("deleted chat {id}"));
    }
    Ok(Exit::Success)
}

/// The chat of that name, or of the only name that begins so; the last one if nothing is named.
pub(super) async fn find(store: &Store, named: &str) -> Result<ChatSummary> {
    let named = named.trim();
    let failure = |message: String| {
        CommandError::failure(message).hint("run `prowess chat --list` to list saved chats")
    };
    if named.is_empty() {
        let last = store.chats(1).await?.into_iter().next();
        return last.ok_or_else(|| failure("no saved chats".to_owned()));
    }
    match store.chat_summary(&ChatId::named(named)).await {
        Ok(exact) => return Ok(exact),
        Err(StoreError::NoChat { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    // A second one is enough to know that the text is not clear.
    let mut fitting = store.chats_starting(named, 2).await?.into_iter();
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(failure(format!("unknown chat `{named}`"))),
        (Some(_), Some(_)) => Err(failure(format!(
            "ambiguous chat id `{named}`: several chats start with it"
        ))),
    }
}

/// A resumed chat, or a copy of it.
pub(super) async fn resume(agent: &Agent, id: &ChatId, fork: bool) -> Result<Chat> {
    Ok(if fork {
        agent.fork(id).await?
    } else {
        agent.resume(id).await?
    })
}

/// The last messages, to resume a chat.
pub(super) fn last_turn(chat: &Chat, width: usize) -> String {
    let mut asked = "";
    let mut answer = "";
    for entry in chat.entries() {
        match entry {
            ChatEntry::User { text, .. } => (asked, answer) = (text, ""),
            ChatEntry::Model { text, .. } if !text.is_empty() => answer = text,
            _ => {}
        }
    }
    let mut markdown = Markdown::new(width);
    let answer = markdown.push(answer) + &markdown.finish();
    format!("> {}\n{answer}", terminal::printable(asked))
}

/// How long something is over.
fn ago(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{ending} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_to_the_largest_unit() {
        for (seconds, expected) in [
            (5, "just now"),
            (60, "1 minute ago"),
            (7_200, "2 hours ago"),
            (90_000, "1 day ago"),
        ] {
            assert_eq!(ago(Duration::from_secs(seconds)), expected);
        }
    }
}
