//! The system's keyring by the program `secret-tool` of libsecret, where it is installed.

use std::env;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use prowess_registry::RegistryToken;

/// Time for the keyring, which may ask the user for a password.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time between two looks at the program.
const STEP: Duration = Duration::from_millis(20);
/// Bytes of a token.
const TOKEN_BYTES: u64 = 64 * 1024;

/// Whether there is a keyring: the program, and a session bus that it can ask.
pub(super) fn is_available() -> bool {
    let has_bus = env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|it| !it.is_empty());
    has_bus && program().is_some()
}

/// Stores a token, and reads it again: some keyrings accept what they do not store.
pub(super) fn store(registry: &str, token: &RegistryToken) -> bool {
    let label = format!("--label=prowess token for {registry}");
    let stored = run(
        &["store", &label, "service", "prowess", "registry", registry],
        token.expose(),
    );
    stored.is_some() && load(registry).as_ref() == Some(token)
}

/// The token of a registry.
pub(super) fn load(registry: &str) -> Option<RegistryToken> {
    let text = run(&["lookup", "service", "prowess", "registry", registry], "")?;
    RegistryToken::new(&text)
}

/// Removes the token of a registry.
pub(super) fn remove(registry: &str) -> bool {
    run(&["clear", "service", "prowess", "registry", registry], "").is_some()
}

fn program() -> Option<std::path::PathBuf> {
    let path = env::var_os("PATH")?;
    // A relative directory would find a program of the project.
    let directories = env::split_paths(&path).filter(|it| it.is_absolute());
    let mut programs = directories.map(|it| it.join("secret-tool"));
    programs.find(|it| it.is_file())
}

/// Runs the program with this input; `None` if it fails or takes too long.
fn run(arguments: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new(program()?)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // A token is shorter than the buffer of a pipe.
    let written = child
        .stdin
        .take()
        .map(|mut it| it.write_all(input.as_bytes()));
    let is_done = wait(&mut child);
    if !is_done || !matches!(written, Some(Ok(()))) {
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let mut text = String::new();
    let output = child.stdout.take()?;
    output.take(TOKEN_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Waits for a program; whether it succeeded in time.
fn wait(child: &mut Child) -> bool {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < end => thread::sleep(STEP),
            Ok(None) | Err(_) => return false,
        }
    }
}
