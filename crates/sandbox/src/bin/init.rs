//! The smallest launcher. `prowess sandbox-init` is another.

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_sandbox::init()
}
