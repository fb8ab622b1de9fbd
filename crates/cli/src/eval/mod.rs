//! `prowess eval`: whether a skill is worth having, measured.

mod arguments;
mod bar;
mod beforehand;
mod command;
mod contest;
mod out;
mod print;
mod since;
mod skill;

pub(crate) use arguments::EvalArguments;
pub(crate) use command::run;
