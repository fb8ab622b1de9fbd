//! `cargo xtask report`: results of attacks on the sandbox, on this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result};

use crate::run::run;
use crate::workspace::Workspace;

const HEAD: &str = "\
# Results of attacks on the sandbox

Written by `cargo xtask report`, which runs the tests of `crates/sandbox` and `crates/cli/tests/attacks`: programs inside
of a jail try to reach what is outside, and everything outside is looked at afterwards. The same tests are part of
`cargo xtask test`. *held* means that the attack was refused and left nothing behind; what it says is the attacker's own
word for why. Attacks on the superuser's jail are made by the superuser.

Programs in a jail make the system calls of `crates/sandbox/src/linux/calls.rs`; everything else answers ENOSYS. That list was
measured on x86-64 with Python 3.6 to 3.13, Node.js 20, four shells and the usual tools, git, Cargo, Go 1.19, a JVM 17,
Ruby 3.1, PHP 8.2, Perl 5.36, Lua 5.4, gcc and make, which run in `crates/sandbox/tests/system_calls.rs` where a machine has
them. .NET was not at hand. The list for aarch64 was not run.

";

/// Where the tests write, below the build directory.
const NAME: &str = "sandbox-report.md";

pub(crate) fn report(workspace: &Workspace) -> Result<()> {
    let place = tempfile::tempdir().context("cannot make a directory")?;
    // Some of the tests run as an unprivileged user.
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path(), open)?;
    let path = place.path().join(NAME);
    fs::write(&path, "")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666))?;
    for (package, test) in [("prowess-sandbox", "attacks"), ("prowess-cli", "attacks")] {
        run(workspace
            .cargo()
            .args(["test", "--package", package, "--test", test, "--"])
            .args(["--test-threads", "1"])
            .env("PROWESS_SANDBOX_REPORT", &path))?;
    }
    let found = fs::read_to_string(&path)?;
    let target = workspace.root().join("docs").join(NAME);
    fs::write(&target, format!("{HEAD}{}\n", found.trim_end()))?;
    println!("wrote docs/{NAME}");
    Ok(())
}
