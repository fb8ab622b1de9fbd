//! The launcher of the tests: builds sandboxes and runs workers, as `prowess sandbox-init` and `prowess worker` do.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(|it| it.to_str()).collect();
    match words.as_slice() {
        [Some("sandbox-init")] => prowess_sandbox::init(),
        [Some("worker"), Some("starlark")] => prowess_worker::starlark(),
        [Some("worker"), Some("plugin"), Some(path)] => prowess_worker::plugin(path.as_ref()),
        _ => ExitCode::from(2),
    }
}
