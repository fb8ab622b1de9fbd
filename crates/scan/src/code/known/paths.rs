//! What a path holds, by its name.

/// What a file holds that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum ReadClass {
    /// Credentials.
    Secret,
    /// Histories, profiles, messages, wallets, documents.
    Personal,
    /// The environment of a process.
    Environment,
    /// Settings that often hold keys: `.env`.
    Settings,
    /// Anything else outside of the skill.
    Outside,
    /// A relative path, or one that is not known.
    Other,
}

/// What a file does that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum WriteClass {
    /// Runs later without being asked for.
    Persistence,
    /// Instructs or configures an agent.
    Agent,
    /// Outside of the skill and the project.
    Outside,
    /// Relative, temporary, or not known.
    Other,
}

/// Parts of paths, in lower case and with `/`.
const SECRET: &[&str] = &[
    "/.ssh/id_",
    "/.ssh/*",
    "/.aws/credentials",
    "/.aws/sso",
    "/.aws/cli/cache",
    "/.kube/config",
    "/.docker/config.json",
    "/.netrc",
    "/_netrc",
    "/.npmrc",
    "/.pypirc",
    "/.git-credentials",
    "/.config/git/credentials",
    "/.config/gcloud",
    "/gcloud/credentials",
    "application_default_credentials.json",
    "/.config/gh/hosts",
    "/.azure/",
    "/.gnupg",
    "/.vault-token",
    "/.terraform.d/credentials",
    "/.claude/.credentials",
    "/.codex/auth.json",
    "/.gemini/oauth_creds",
    "/.config/github-copilot",
    "/.cargo/credentials",
    "/.gem/credentials",
    "/.password-store",
    "/keychains/",
    "login.keychain",
    "/.local/share/keyrings",
    "/.pgpass",
    "/.my.cnf",
    "/etc/shadow",
    "/etc/gshadow",
    "/.config/op/",
    "/.s3cfg",
    "/.boto",
    "/.config/rclone",
    "/.huggingface/token",
    "/huggingface/token",
    "serviceaccount/token",
    "/run/secrets/",
    "microsoft/credentials",
    "microsoft/vault",
    "/id_rsa",
    "/id_ed25519",
    "/id_ecdsa",
    "/id_dsa",
    "/.config/hub",
    "/.supabase/access-token",
    "/.databrickscfg",
    "/.snowflake/",
    "/.oci/config",
];

const PERSONAL: &[&str] = &[
    "google/chrome",
    "google-chrome",
    "/chromium/",
    "bravesoftware",
    "microsoft/edge",
    "microsoft-edge",
    "opera software",
    "/vivaldi/",
    "/arc/user data",
    "mozilla/firefox",
    "firefox/profiles",
    "/.mozilla",
    "login data",
    "cookies.sqlite",
    "logins.json",
    "key4.db",
    "key3.db",
    "places.sqlite",
    "library/safari",
    "library/cookies",
    "library/messages",
    "library/mail",
    "library/calendars",
    "library/application support/addressbook",
    "notestore.sqlite",
    "photos library",
    "/.bash_history",
    "/.zsh_history",
    "/.zhistory",
    "/.history",
    "/.python_history",
    "/.node_repl_history",
    "/.psql_history",
    "/.mysql_history",
    "/.sqlite_history",
    "/.lesshst",
    "/.viminfo",
    "fish_history",
    "consolehost_history",
    "/.claude/projects",
    "/.claude/history",
    "/.claude/sessions",
    "/.claude/transcripts",
    "/.codex/sessions",
    "/.codex/history",
    "/.cursor/chats",
    "/.gemini/tmp",
    "/.openclaw/sessions",
    "state.vscdb",
    "whatsapp",
    "telegram desktop",
    "/tdata",
    "discord/local storage",
    "discordcanary/",
    "discordptb/",
    "slack/local storage",
    "slack/storage",
    "/signal/",
    "wallet.dat",
    "/wallets/",
    "/.electrum",
    "/exodus",
    "/.ethereum",
    "ethereum/keystore",
    "/.config/solana",
    "solana/id.json",
    "nkbihfbeogaeaoehlefnkodbefgpgknn",
    "metamask",
    "atomic/local storage",
    "ledger live",
    "/.bitcoin",
    "/.monero",
    "/.sui/",
    "/.aptos/",
    "/thunderbird",
    "keepass",
    "/1password",
    "/.var/app/",
];

const PERSISTENCE: &[&str] = &[
    "/.bashrc",
    "/.bash_profile",
    "/.bash_login",
    "/.bash_logout",
    "/.profile",
    "/.zshrc",
    "/.zshenv",
    "/.zprofile",
    "/.zlogin",
    "/config.fish",
    "/fish/conf.d",
    "/etc/profile",
    "/etc/bash.bashrc",
    "/etc/zsh",
    "/etc/rc.local",
    "/etc/init.d/",
    "/etc/cron",
    "/var/spool/cron",
    "/launchagents",
    "/launchdaemons",
    "/etc/systemd",
    "/systemd/user",
    "/systemd/system",
    "/.config/autostart",
    "programs/startup",
    "/etc/ld.so.preload",
    "/.git/hooks/",
    "git/template/hooks",
    "/.ssh/authorized_keys",
    "/.ssh/rc",
    "/etc/sudoers",
    "currentversion/run",
    "powershell_profile.ps1",
    "powershell/profile.ps1",
    "sitecustomize.py",
    "usercustomize.py",
    "/.xinitrc",
    "/.xprofile",
    "/.config/hypr/",
];

const AGENT: &[&str] = &[
    "/claude.md",
    "/claude.local.md",
    "/agents.md",
    "/gemini.md",
    "/.cursorrules",
    "/.windsurfrules",
    "/.clinerules",
    "/.roorules",
    "/.cursor/rules",
    "/.cursor/mcp.json",
    "/.cursor/hooks",
    "/.claude/settings",
    "/.claude/hooks",
    "/.claude/agents",
    "/.claude/commands",
    "/.claude/skills",
    "/.claude/plugins",
    "/.claude/rules",
    "/.claude/output-styles",
    "/.claude/memory",
    "/.claude.json",
    "/.codex/config",
    "/.codex/agents",
    "/.codex/skills",
    "/.codex/prompts",
    "/.codex/rules",
    "/.agents/skills",
    "/.agents/rules",
    "/.cursor/skills",
    "/copilot-instructions.md",
    "/.mcp.json",
    "/mcp.json",
    "/mcp_config.json",
    "claude_desktop_config.json",
    "/.gemini/settings",
    "/.gemini/extensions",
    "/soul.md",
    "/.openclaw/",
    "/opencode.json",
    "/.opencode/",
    "/.config/opencode",
    "/.continue/config",
    "/.aider.conf",
    "/.config/goose",
    "/.windsurf/",
    "/.codeium/windsurf",
    "/.kiro/",
    "/.vscode/tasks.json",
];

/// The path in lower case, with `/`, and one in front so that names match whole.
fn plain(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 1);
    out.push('/');
    for c in path.trim().chars() {
        let c = if c == '\\' { '/' } else { c };
        if c == '/' && out.ends_with('/') {
            continue;
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn has(path: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| path.contains(part))
}

/// Whether the path is a template that users copy, or the public half of a key.
fn is_harmless(path: &str) -> bool {
    [
        ".pub",
        ".example",
        ".sample",
        ".template",
        ".dist",
        "known_hosts",
        ".test",
    ]
    .iter()
    .any(|end| path.ends_with(end))
}

/// Whether the path lies below the home directory.
pub(in super::super) fn is_home(path: &str) -> bool {
    let path = plain(path);
    [
        "/~",
        "/%userprofile%",
        "/%appdata%",
        "/%localappdata%",
        "/home/",
        "/users/",
        "/root/",
    ]
    .iter()
    .any(|start| path.starts_with(start))
}

/// Whether the path is the home directory or the root directory itself, or all of it.
pub(in super::super) fn is_everything(path: &str) -> bool {
    let path = plain(path);
    let path = path.trim_end_matches(['*', '/', '.']);
    matches!(
        path,
        "" | "/~"
            | "/%userprofile%"
            | "/home"
            | "/users"
            | "/root"
            | "/c:"
            | "/etc"
            | "/usr"
            | "/var"
            | "/~/documents"
            | "/~/desktop"
            | "/~/pictures"
    )
}

/// Whether the path is for temporary files.
pub(in super::super) fn is_temporary(path: &str) -> bool {
    let path = plain(path);
    [
        "/tmp/",
        "/var/tmp/",
        "/dev/shm/",
        "/private/tmp/",
        "/%temp%",
        "/%tmp%",
    ]
    .iter()
    .any(|start| path.starts_with(start))
        || path.contains("/appdata/local/temp/")
        || path.contains("/windows/temp/")
}

/// What a file that is read holds.
pub(in super::super) fn read_class(path: &str) -> ReadClass {
    let plain = plain(path);
    if is_harmless(&plain) {
        return ReadClass::Other;
    }
    let name = plain.rsplit('/').next().unwrap_or_default();
    if plain.starts_with("/proc/") && name == "environ" {
        return ReadClass::Environment;
    }
    let directory = ["/.ssh", "/.aws", "/.gnupg", "/.kube", "/.azure", "/.docker"]
        .iter()
        .any(|end| plain.trim_end_matches(['/', '*']).ends_with(end));
    if has(&plain, SECRET) || directory && is_home(path) {
        return ReadClass::Secret;
    }
    if has(&plain, PERSONAL) && (is_home(path) || path.contains('\u{fffc}') || !path.contains(' '))
    {
        return ReadClass::Personal;
    }
    if is_home(path)
        && ["/documents", "/desktop", "/pictures"]
            .iter()
            .any(|end| plain.trim_end_matches(['/', '*']).ends_with(end))
    {
        return ReadClass::Personal;
    }
    if name == ".env"
        || name.starts_with(".env.")
        || name == "credentials.json"
        || name == "secrets.json"
    {
        return ReadClass::Settings;
    }
    if is_home(path) || is_temporary(path) || plain.starts_with("/etc/") {
        return ReadClass::Outside;
    }
    ReadClass::Other
}

/// What a file that is written does.
pub(in super::super) fn write_class(path: &str) -> WriteClass {
    let plain = plain(path);
    if is_harmless(&plain) {
        return WriteClass::Other;
    }
    if has(&plain, PERSISTENCE) && !plain.contains("/etc/profile.example") {
        return WriteClass::Persistence;
    }
    if AGENT.iter().any(|part| plain.contains(part)) && !is_temporary(path) {
        return WriteClass::Agent;
    }
    if is_home(path)
        || plain.starts_with("/etc/")
        || plain.starts_with("/usr/")
        || plain.starts_with("/opt/")
    {
        return WriteClass::Outside;
    }
    WriteClass::Other
}

/// Whether a path names hooks of git or of an agent.
pub(in super::super) fn is_hook(path: &str) -> bool {
    let path = plain(path);
    path.contains("/hooks/") || path.ends_with("/hooks.json")
}

/// Whether a file that shells read by themselves, or a virtual environment, is meant: sourcing it is usual.
pub(in super::super) fn is_usual_to_source(path: &str) -> bool {
    let path = plain(path);
    has(&path, PERSISTENCE)
        || [
            "activate",
            "env",
            ".env",
            "nvm.sh",
            "rc",
            "init.sh",
            "-init.sh",
            "config",
            ".conf",
            "asdf.sh",
            "conda.sh",
            "completion",
            ".local",
            "export-esp.sh",
            "emsdk_env.sh",
            "secrets",
            "credentials",
            "config.sh",
            "env.sh",
            ".envrc",
            "vars",
            "settings",
            "profile",
        ]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The last name of a path.
pub(in super::super) fn base_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
}
