//! `prowess chat`: talking with a model that has skills.

mod arguments;
mod card;
mod command;
mod editor;
mod events;
mod markdown;
mod once;
mod orders;
mod past;
mod screen;
mod talk;
mod turn;

pub(crate) use arguments::ChatArguments;
pub(crate) use command::run;
