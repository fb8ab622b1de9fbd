//! The binary `prowess`.

use std::process::ExitCode;

fn main() -> ExitCode {
    prowess_cli::main()
}
