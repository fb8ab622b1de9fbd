//! Runs `prowess chat`.

use std::io::IsTerminal;
use std::sync::Arc;

use prowess_spec::manifest::Mode;
use prowess_store::Store;

use super::arguments::ChatArguments;
use super::events::EventWriter;
use super::screen::Screen;
use super::{conversation, saved_chats, single_message};
use crate::agent::{AgentSetup, build_agent};
use crate::arguments::Global;
use crate::code_skills::StoreNeed;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::model::{self, SelectedModel};
use crate::{code_skills, configuration, terminal, trust};

const SYSTEM: &str =
    "You are a helpful assistant for a user at a terminal. Be brief and write Markdown.";

pub(crate) fn run(arguments: &ChatArguments, global: &Global) -> Result<Exit> {
    if arguments.list || arguments.delete.is_some() {
        return code_skills::block_on(async {
            let store = code_skills::open_store(&configuration::load(global)?).await?;
            match &arguments.delete {
                Some(named) => saved_chats::delete(&store, named, global.quiet).await,
                None => saved_chats::list(&store, arguments.json, global.quiet).await,
            }
        });
    }
    let events = EventWriter::new(arguments.json);
    let done = begin(arguments, global, &events);
    if let Err(error) = &done {
        events.write_failure(error);
    }
    done
}

fn begin(arguments: &ChatArguments, global: &Global, events: &EventWriter) -> Result<Exit> {
    let is_conversation = single_message::is_conversation(arguments);
    if is_conversation && (arguments.json || !std::io::stdout().is_terminal()) {
        return Err(
            CommandError::usage("cannot start a chat: standard input is not a terminal")
                .hint(single_message::HINT),
        );
    }
    if is_conversation {
        trust::ask(&arguments.code_skills.sources, global)?;
    }
    // Read before anything is opened: an oversized message fails early.
    let message = (!is_conversation)
        .then(|| single_message::message(arguments))
        .transpose()?;
    // Ctrl-C stops an answer; it must not end the program.
    code_skills::with_threads(chat(arguments, global, message, events))
}

async fn chat(
    arguments: &ChatArguments,
    global: &Global,
    message: Option<String>,
    events: &EventWriter,
) -> Result<Exit> {
    let screen = Arc::new(Screen::new(global.quiet));
    let opening = async {
        let opened = open(arguments, global, &screen, message.is_none()).await?;
        let agent = &opened.setup.agent;
        let chat = match &arguments.resume {
            Some(named) => saved_chats::resume(agent, &opened.store, named, arguments.fork).await?,
            None => agent.chat(),
        };
        Ok::<_, CommandError>((opened, chat))
    };
    let (opened, mut chat) = tokio::select! {
        opened = opening => opened?,
        _ = tokio::signal::ctrl_c() => return Err(CommandError::interrupted()),
    };
    let Some(message) = message else {
        return conversation::run(opened, chat, screen, global).await;
    };
    if opened.is_demo_by_default && !global.quiet && !arguments.json {
        terminal::note("no model is configured, using the demo model; see `prowess chat --help`");
    }
    let exit = single_message::send(&mut chat, &message, global, &screen, events).await;
    opened.setup.runtime.shut_down().await;
    exit
}

/// An agent, and where its chats are.
pub(super) struct OpenedChat {
    pub(super) setup: AgentSetup,
    pub(super) is_demo_by_default: bool,
    store: Store,
}

async fn open(
    arguments: &ChatArguments,
    global: &Global,
    screen: &Arc<Screen>,
    is_conversation: bool,
) -> Result<OpenedChat> {
    let approver = Arc::<Screen>::clone(screen);
    let config = configuration::load(global)?;
    let chosen = model::select(&arguments.model, &config, global)?;
    let window = arguments.model.window(&config, &chosen);
    let need = if arguments.no_save {
        StoreNeed::Optional
    } else {
        StoreNeed::UnlessNoSave
    };
    let code_skills = &arguments.code_skills;
    let resolved =
        code_skills::resolve(config, window, code_skills, global, approver, need).await?;
    let store = resolved.store.clone();
    let mode = if is_conversation {
        Mode::Interactive
    } else {
        Mode::Headless
    };
    let system = arguments.system.as_deref().unwrap_or(SYSTEM);
    let chat_store = (!arguments.no_save).then(|| store.clone());
    Ok(OpenedChat {
        setup: build_agent(resolved, &chosen, system, mode, chat_store).await?,
        is_demo_by_default: matches!(
            chosen,
            SelectedModel::Demo {
                by_default: true,
                ..
            }
        ),
        store,
    })
}
