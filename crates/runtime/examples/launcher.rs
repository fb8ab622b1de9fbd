//! The launcher of the tests: builds sandboxes and runs workers, as `prowess` does.

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_worker::run_if_worker().unwrap_or(ExitCode::from(2))
}
