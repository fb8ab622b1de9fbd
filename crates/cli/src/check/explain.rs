//! `--explain`: what a code means.

use std::fmt::Write;

use prowess_spec::{Code, Example, Profile, Severity, nearest};

use crate::error::{CommandError, Result};
use crate::exit::Exit;
use crate::terminal;

pub(crate) fn run(id: &str) -> Result<Exit> {
    let Some(code) = Code::from_id(id) else {
        let ids = Code::ALL.iter().map(|code| code.id());
        let hint = match nearest(id, ids).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`prowess check` prints the code of each diagnostic".to_owned(),
        };
        return Err(CommandError::usage(format!("unknown diagnostic code `{id}`")).hint(hint));
    };
    terminal::print(&explain(code))?;
    Ok(Exit::Success)
}

fn explain(code: Code) -> String {
    let info = code.info();
    let mut out = format!("{}: {}\n\n{}\n\n", info.id, info.title, info.explanation);
    for (profile, name) in [(Profile::Check, "check"), (Profile::Load, "load")] {
        let severity = match info.levels.under(profile) {
            Some(Severity::Error) => "error",
            Some(Severity::Warning) => "warning",
            None => "not mentioned",
        };
        let _ = writeln!(out, "{name:>8}: {severity}");
    }
    let _ = write!(
        out,
        "\nWrong:\n\n{}\nRight:\n\n{}",
        example(&info.bad),
        example(&info.good)
    );
    out
}

fn example(example: &Example) -> String {
    let mut out = String::new();
    for (name, content) in example.files() {
        let _ = writeln!(out, "    {}/{name}", example.directory);
        for line in content.excerpt().lines() {
            let _ = writeln!(out, "    | {}", terminal::printable(line));
        }
    }
    out
}
