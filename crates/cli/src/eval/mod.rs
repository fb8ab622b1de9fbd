//! `prowess eval`: whether a skill is worth having, measured.

mod approver;
mod arguments;
mod command;
mod comparison;
mod output;
mod print;
mod progress;
mod setup;
mod skill;

pub(crate) use arguments::EvalArguments;
pub(crate) use command::run;
pub(crate) use progress::ProgressLine;
