//! `prowess pack`: a skill as one file, with a signature.

mod arguments;
mod collect;
mod command;
mod keys;
mod print;
pub(crate) mod publish;
mod write;

pub(crate) use arguments::PackArguments;
pub(crate) use command::run;
