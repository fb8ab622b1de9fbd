//! Runs `prowess chat`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use prowess_agent::AgentOptions;
use prowess_config::SkillsConfig;
use prowess_spec::manifest::Mode;
use prowess_store::{ChatId, ChatSummary, Store};

use super::arguments::ChatArguments;
use super::events::EventWriter;
use super::saved_chats::ChatPage;
use super::screen::Screen;
use super::{conversation, saved_chats, single_message};
use crate::agent::{AgentSetup, build_agent};
use crate::arguments::Global;
use crate::code_skills::StoreNeed;
use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::interrupts::Interrupts;
use crate::model::{self, ModelArguments, SelectedModel};
use crate::unsaved::UnsavedGuard;
use crate::{code_skills, configuration, signals, terminal, trust};

const SYSTEM: &str =
    "You are a helpful assistant for a user at a terminal. Be brief and write Markdown.";

/// How long an answer that cannot be saved is tried again before the program ends.
pub(super) const SAVE_PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &ChatArguments, global: &Global) -> Result<Exit> {
    if arguments.list || arguments.delete.is_some() {
        return code_skills::block_on(async {
            let config = configuration::load(global)?;
            if let Some(named) = &arguments.delete {
                let store = code_skills::open_existing_store(&config).await?;
                return saved_chats::delete(&store, named, global.quiet).await;
            }
            let store = code_skills::open_store_to_read(&config).await?;
            let page = ChatPage {
                limit: arguments.limit,
                before: arguments.before.as_deref(),
            };
            saved_chats::list(&store, page, arguments.json, global.quiet).await
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
    code_skills::with_threads(|interrupts| chat(arguments, global, message, events, interrupts))
}

async fn chat(
    arguments: &ChatArguments,
    global: &Global,
    message: Option<String>,
    events: &EventWriter,
    mut interrupts: Interrupts,
) -> Result<Exit> {
    let screen = Arc::new(Screen::new(global.quiet));
    let opening = async {
        let opened = open(arguments, global, &screen, message.is_none()).await?;
        let agent = &opened.setup.agent;
        if !global.quiet {
            for clash in agent.skills().catalog().clashes() {
                terminal::note(&terminal::printable(&format!("note: {clash}")));
            }
        }
        let chat = match &opened.resumed {
            Some(id) => saved_chats::resume(agent, id, arguments.fork).await?,
            None => agent.chat(),
        };
        Ok::<_, CommandError>((opened, chat))
    };
    let (opened, mut chat) = Box::pin(interrupts.unless(opening)).await??;
    let Some(message) = message else {
        return conversation::run(opened, chat, screen, interrupts, global).await;
    };
    // Also if a signal ends the program in the middle of a save.
    let _unsaved = UnsavedGuard::new(chat.unsaved(), opened.store_directory());
    if opened.is_demo_by_default() && !global.quiet && !arguments.json {
        terminal::note("no model is configured, using the demo model; see `prowess chat --help`");
    }
    let runtime = &opened.setup.runtime;
    let sending = single_message::send(
        &mut chat,
        &message,
        global,
        &screen,
        events,
        runtime,
        &mut interrupts,
    );
    let exit = sending.await;
    runtime.shut_down().await;
    exit
}

/// An agent, its model, and where its chats are.
pub(super) struct OpenedChat {
    pub(super) setup: AgentSetup,
    pub(super) store: Store,
    config: SkillsConfig,
    /// The model as the user typed it.
    typed: ModelArguments,
    /// The model that answers now.
    pub(super) wanted: ModelArguments,
    pub(super) chosen: SelectedModel,
    /// The saved chat that the user named.
    resumed: Option<ChatId>,
}

impl OpenedChat {
    /// Changes the model for every further turn. An error changes nothing.
    pub(super) fn use_model(&mut self, wanted: ModelArguments, global: &Global) -> Result<()> {
        let chosen = model::select(&wanted, &self.config, global)?;
        let agent = &self.setup.agent;
        let provider = chosen.open(agent.skills())?;
        let window = wanted.window(&self.config, &chosen);
        let options = AgentOptions {
            context_window: window.unwrap_or(self.config.model.context_window),
            saved_model: wanted.saved(&chosen),
            ..agent.options().clone()
        };
        self.setup.agent = agent.with_model(Arc::clone(&provider), options);
        self.setup.model.set(provider);
        (self.wanted, self.chosen) = (wanted, chosen);
        Ok(())
    }

    /// Where turns are written that cannot be saved.
    pub(super) fn store_directory(&self) -> Option<PathBuf> {
        code_skills::store_directory(&self.config)
    }

    /// The model of a saved chat, or the one that the user typed.
    pub(super) fn model_of(&self, saved: &ChatSummary) -> ModelArguments {
        match saved.model.as_deref() {
            Some(model) => ModelArguments::default().or_saved(Some(model)),
            None => self.typed.clone(),
        }
    }

    /// Whether no model is configured.
    pub(super) fn is_demo_by_default(&self) -> bool {
        matches!(
            self.chosen,
            SelectedModel::Demo {
                by_default: true,
                ..
            }
        )
    }
}

async fn open(
    arguments: &ChatArguments,
    global: &Global,
    screen: &Arc<Screen>,
    is_conversation: bool,
) -> Result<OpenedChat> {
    let approver = Arc::<Screen>::clone(screen);
    let config = configuration::load(global)?;
    let mut resumed = None;
    let mut wanted = arguments.model.clone();
    if let Some(named) = &arguments.resume {
        let store = code_skills::open_existing_store(&config).await?;
        let saved = saved_chats::find(&store, named).await?;
        wanted = wanted.or_saved(saved.model.as_deref());
        resumed = Some(saved.id);
    }
    let chosen = model::select(&wanted, &config, global)?;
    let window = wanted.window(&config, &chosen);
    let need = if arguments.no_save {
        StoreNeed::Optional
    } else {
        StoreNeed::UnlessNoSave
    };
    let code_skills = &arguments.code_skills;
    let resolved =
        code_skills::resolve(config.clone(), window, code_skills, global, approver, need).await?;
    let mode = if is_conversation {
        Mode::Interactive
    } else {
        Mode::Headless
    };
    let store = resolved.store.clone();
    // A chat that nothing would find later is not saved.
    let is_saved = !(arguments.no_save || store.is_memory());
    let chat_store = is_saved.then(|| store.clone());
    signals::set(
        &resolved.skills,
        &resolved.config,
        chat_store.clone(),
        &resolved.root,
        global,
    );
    let options = AgentOptions {
        system: arguments.system.clone().unwrap_or(SYSTEM.to_owned()),
        saved_model: wanted.saved(&chosen),
        // In a conversation, the next prompt does not wait for it.
        save_patience: if is_conversation {
            Duration::ZERO
        } else {
            SAVE_PATIENCE
        },
        ..AgentOptions::default()
    };
    Ok(OpenedChat {
        setup: build_agent(resolved, &chosen, options, mode, chat_store).await?,
        store,
        config,
        typed: arguments.model.clone(),
        wanted,
        chosen,
        resumed,
    })
}
