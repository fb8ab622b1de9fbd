//! Names of variables that hold credentials, or that say where the code runs.

/// Whether a variable of this name holds a credential.
pub(in super::super) fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split(['_', '-', '.']).collect();
    let public = parts
        .iter()
        .any(|part| matches!(*part, "public" | "url" | "path" | "file" | "dir" | "name"));
    if public {
        return false;
    }
    parts.iter().any(|part| {
        matches!(
            *part,
            "token"
                | "secret"
                | "password"
                | "passwd"
                | "apikey"
                | "key"
                | "credential"
                | "credentials"
                | "pat"
                | "auth"
                | "passphrase"
                | "secretkey"
                | "privatekey"
                | "mnemonic"
                | "seed"
        )
    }) || lower.ends_with("apikey")
        || lower.ends_with("token")
        || lower.ends_with("secret")
}

/// Whether a variable tells a test environment or a sandbox from a user's machine.
pub(in super::super) fn is_surroundings(name: &str) -> bool {
    matches!(
        name,
        "CI" | "GITHUB_ACTIONS"
            | "GITLAB_CI"
            | "JENKINS_URL"
            | "TRAVIS"
            | "CIRCLECI"
            | "BUILDKITE"
            | "CODESPACES"
            | "SANDBOX"
            | "VIRTUAL_MACHINE"
            | "container"
    )
}

/// The words of a name that say whose it is: without `api`, `key`, `token` and the like.
pub(in super::super) fn vendor_words(lower: &str) -> Vec<String> {
    lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(|word| {
            word.trim_end_matches("apikey")
                .trim_end_matches("token")
                .trim_end_matches("secret")
        })
        .filter(|word| {
            word.len() >= 2
                && !matches!(
                    *word,
                    "api"
                        | "key"
                        | "token"
                        | "secret"
                        | "access"
                        | "id"
                        | "auth"
                        | "password"
                        | "passwd"
                        | "app"
                        | "client"
                        | "user"
                        | "username"
                        | "pat"
                        | "bot"
                        | "my"
                        | "the"
                        | "private"
                        | "account"
                        | "service"
                        | "base"
                        | "default"
                        | "session"
                        | "credential"
                        | "credentials"
                        | "skill"
                        | "admin"
                        | "personal"
                        | "test"
                        | "dev"
                        | "prod"
                        | "webhook"
                        | "bearer"
                        | "oauth"
                        | "refresh"
                        | "signing"
                        | "master"
                        | "root"
                        | "env"
                        | "var"
                        | "print"
                )
        })
        .map(ToOwned::to_owned)
        .collect()
}

/// What a variable of the environment stands for when it is part of a path.
pub(in super::super) fn path_variable(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_uppercase().as_str() {
        "HOME" => "~",
        "USERPROFILE" | "HOMEPATH" => "%USERPROFILE%",
        "APPDATA" => "%APPDATA%",
        "LOCALAPPDATA" => "%LOCALAPPDATA%",
        "TMPDIR" => "/tmp",
        "TEMP" | "TMP" => "%TEMP%",
        "XDG_CONFIG_HOME" => "~/.config",
        "XDG_DATA_HOME" => "~/.local/share",
        "XDG_CACHE_HOME" => "~/.cache",
        "CLAUDE_CONFIG_DIR" => "~/.claude",
        "CODEX_HOME" => "~/.codex",
        _ => return None,
    })
}
