//! `prowess create`: a new skill that works at once.

mod arguments;
mod command;
mod destination;
mod recipe;
mod render;
mod write;

pub(crate) use arguments::CreateArguments;
pub(crate) use command::run;
pub(crate) use destination::destination;
