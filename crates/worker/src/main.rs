//! A worker by itself, for tests and measurements; `prowess worker` is the same.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [kind] if kind == "starlark" => prowess_worker::starlark(),
        [kind] if kind == "parse" => prowess_worker::parser(),
        [kind, path] if kind == "plugin" => prowess_worker::plugin(path),
        _ => {
            // A failure here cannot be reported.
            let _ = writeln!(
                io::stderr(),
                "usage: prowess-worker starlark | parse | plugin PATH"
            );
            ExitCode::from(2)
        }
    }
}
