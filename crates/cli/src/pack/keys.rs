//! Keys of the user: generating them, and signing with them.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use prowess_registry::{KeyPair, PublicKey, is_encrypted, sign, signer};
use prowess_sources::open_without_waiting;
use serde_json::json;

use crate::environment::KEY_PASSWORD;
use crate::error::{CommandError, Context, Result};
use crate::exit::Exit;
use crate::terminal::{self, Echo};

/// Bytes of a key file.
const KEY_BYTES: u64 = 16 * 1024;

/// A signature with the key that made it.
pub(super) struct Signed {
    pub(super) signature: String,
    pub(super) key: PublicKey,
}

/// Signs a package with a key file.
pub(super) fn sign_with(key: &Path, package: &[u8], file: &str) -> Result<Signed> {
    let cannot = || format!("cannot sign with {}", key.display());
    let mut secret = String::new();
    let opened = open_without_waiting(key).with_context(cannot)?;
    let read = opened.take(KEY_BYTES).read_to_string(&mut secret);
    read.with_context(cannot)?;
    let invalid = |error: prowess_registry::SignatureError| {
        CommandError::failure(format!("{}: {error}", cannot()))
    };
    let password = if is_encrypted(&secret).map_err(invalid)? {
        Some(stored_password()?)
    } else {
        None
    };
    let comment = format!("file:{file}");
    let signature = sign(package, &secret, password.as_deref(), &comment).map_err(invalid)?;
    let key = signer(&signature).map_err(invalid)?;
    Ok(Signed { signature, key })
}

/// The password of a key: that of the variable, or what the user types.
fn stored_password() -> Result<String> {
    if let Ok(password) = env::var(KEY_PASSWORD) {
        return Ok(password);
    }
    if terminal::can_ask() {
        return ask("Password of the key: ");
    }
    let message = "cannot sign: the key needs a password";
    Err(CommandError::permission(message)
        .hint(format!("run it in a terminal, or set {KEY_PASSWORD}")))
}

/// The password of a new key; empty means none.
fn new_password() -> Result<String> {
    if let Ok(password) = env::var(KEY_PASSWORD) {
        return Ok(password);
    }
    if !terminal::can_ask() {
        return Ok(String::new());
    }
    let password = ask("Password of the new key (empty for none): ")?;
    if !password.is_empty() && ask("The same again: ")? != password {
        return Err(CommandError::failure("the passwords differ"));
    }
    Ok(password)
}

/// Reads a line that is not shown.
fn ask(question: &str) -> Result<String> {
    let hidden = Echo::set(false);
    let answer = terminal::ask(question)?;
    drop(hidden);
    terminal::note("");
    let answer = answer.ok_or_else(CommandError::interrupted)?;
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Writes a new key pair: the secret key that only the user can read, and the public one.
pub(super) fn generate(path: &Path, json: bool) -> Result<Exit> {
    let public_path = with_suffix(path, ".pub");
    for path in [path, &public_path] {
        if fs::symlink_metadata(path).is_ok() {
            let message = format!("{} already exists", path.display());
            return Err(CommandError::failure(message).hint("choose another file"));
        }
    }
    let password = new_password()?;
    let protected = !password.is_empty();
    let pair = KeyPair::generate(protected.then_some(password.as_str()))
        .map_err(|error| CommandError::failure(error.to_string()))?;
    create(path, &pair.secret, 0o600)
        .with_context(|| format!("cannot write {}", path.display()))?;
    create(&public_path, &pair.public_file(), 0o644)
        .with_context(|| format!("cannot write {}", public_path.display()))?;
    if json {
        terminal::print_json(&json!({
            "version": 1,
            "secret_key": path,
            "public_key": public_path,
            "key": pair.public.to_string(),
            "password": protected,
        }))?;
        return Ok(Exit::Success);
    }
    let (secret, public) = (path.display(), public_path.display());
    let kind = if protected {
        "encrypted with the password"
    } else {
        "without a password"
    };
    let text = format!(
        "{secret}  secret key, {kind}\n{public}  public key {}\n",
        pair.public
    );
    terminal::print(&text)?;
    terminal::hint(&format!(
        "keep {secret} secret, and outside of skills and repositories"
    ));
    Ok(Exit::Success)
}

/// A path with something after its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

/// Creates a file that does not exist, for its owner or for all.
fn create(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
