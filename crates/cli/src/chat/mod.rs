//! `prowess chat`: talking with a model that has skills.

mod answer_pipe;
mod arguments;
mod card;
mod commands;
mod conversation;
mod editor;
mod events;
mod export;
mod markdown;
mod run;
mod saved_chats;
mod saving;
mod screen;
mod single_message;
mod turn;
mod views;

pub(crate) use arguments::ChatArguments;
pub(crate) use run::run;
