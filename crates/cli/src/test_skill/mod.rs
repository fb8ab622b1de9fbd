//! `prowess test`: checks skills, then runs the cases of their `tests/*.toml`.

mod arguments;
mod case;
mod command;
mod compare;
mod document;
mod junit;
mod print;
mod read;
mod report;
mod run_case;
mod skills;
mod stop;
mod values;
mod watch;

pub(crate) use arguments::TestArguments;
pub(crate) use command::run;
pub(crate) use print::print;
pub(crate) use report::{TestCounts, TestReport};
pub(crate) use skills::TestPlan;
