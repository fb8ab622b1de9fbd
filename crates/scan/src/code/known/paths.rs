//! What a path holds, by its name.

use super::super::step::{AgentFile, Owner};
use super::super::value::HOLE;

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
    /// The public half of a key.
    PublicKey,
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

/// The path in lower case, with `/`, and one in front so that names match whole; what `..` leaves is not in it.
fn plain(path: &str) -> String {
    let path = path.trim().to_lowercase().replace('\\', "/");
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            // What is not known may have more than one name.
            ".." if names
                .last()
                .is_some_and(|last| *last != ".." && !last.contains(HOLE)) =>
            {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let end = if path.ends_with('/') && !names.is_empty() {
        "/"
    } else {
        ""
    };
    format!("/{}{end}", names.join("/"))
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
    let is_relative = !path.trim().starts_with(['/', '\\']);
    let path = plain(path);
    if path == "/" && is_relative {
        return false;
    }
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
        || [
            "/%localappdata%/temp/",
            "/%userprofile%/appdata/local/temp/",
            "/c:/windows/temp/",
        ]
        .iter()
        .any(|start| path.starts_with(start))
        || path.starts_with("/c:/users/") && path.contains("/appdata/local/temp/")
}

/// What a file that is read holds.
pub(in super::super) fn read_class(path: &str) -> ReadClass {
    let plain = plain(path);
    if plain.ends_with(".pub") {
        return ReadClass::PublicKey;
    }
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

/// What a file that is written does; a path that names two things does both.
pub(in super::super) fn write_classes(path: &str) -> Vec<WriteClass> {
    let plain = plain(path);
    if is_harmless(&plain) {
        return Vec::new();
    }
    let mut classes = Vec::new();
    if has(&plain, PERSISTENCE) {
        classes.push(WriteClass::Persistence);
    }
    if has(&plain, AGENT) && !is_temporary(path) {
        classes.push(WriteClass::Agent);
    }
    if !classes.is_empty() {
        return classes;
    }
    if is_home(path)
        || plain.starts_with("/etc/")
        || plain.starts_with("/usr/")
        || plain.starts_with("/opt/")
    {
        classes.push(WriteClass::Outside);
    }
    classes
}

/// Files of credentials, and the hosts that may get them.
const OWNERS: &[(&str, Owner)] = &[
    (
        ".claude",
        Owner::Domains(&["anthropic.com", "claude.ai", "claude.com"]),
    ),
    (".codex", Owner::Domains(&["openai.com", "chatgpt.com"])),
    (".gemini", Owner::Domains(GOOGLE)),
    ("gcloud", Owner::Domains(GOOGLE)),
    (
        "application_default_credentials.json",
        Owner::Domains(GOOGLE),
    ),
    ("gh", Owner::Domains(GITHUB)),
    ("github-copilot", Owner::Domains(GITHUB)),
    (
        ".git-credentials",
        Owner::Domains(&["github.com", "gitlab.com", "bitbucket.org"]),
    ),
    (
        ".npmrc",
        Owner::Domains(&["npmjs.com", "npmjs.org", "npm.pkg.github.com"]),
    ),
    (".aws", Owner::Domains(&["amazonaws.com", "amazon.com"])),
    (
        ".azure",
        Owner::Domains(&[
            "azure.com",
            "microsoft.com",
            "microsoftonline.com",
            "windows.net",
        ]),
    ),
    ("huggingface", Owner::Domains(HUGGING_FACE)),
    (".huggingface", Owner::Domains(HUGGING_FACE)),
    (".cargo", Owner::Domains(&["crates.io"])),
    (".pypirc", Owner::Domains(&["pypi.org"])),
    (".docker", Owner::Domains(&["docker.com", "docker.io"])),
    (".supabase", Owner::Domains(&["supabase.com"])),
    (".netrc", Owner::Any),
    ("_netrc", Owner::Any),
    (".databrickscfg", Owner::Domains(&["databricks.com"])),
    (".snowflake", Owner::Domains(&["snowflakecomputing.com"])),
    (
        "serviceaccount",
        Owner::Domains(&[
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "cluster.local",
        ]),
    ),
];
const GOOGLE: &[&str] = &["google.com", "googleapis.com"];
const GITHUB: &[&str] = &["github.com", "githubcopilot.com"];
const HUGGING_FACE: &[&str] = &["huggingface.co", "hf.co"];

/// Which hosts may get what a file of credentials holds; the last name of the path that tells it counts.
pub(in super::super) fn owner_of(path: &str) -> Owner {
    let path = plain(path);
    path.rsplit('/')
        .find_map(|name| OWNERS.iter().find(|(known, _)| *known == name))
        .map_or(Owner::Unknown, |(_, owner)| *owner)
}

/// What a file of an agent is for.
pub(in super::super) fn agent_file(path: &str) -> AgentFile {
    let plain = plain(path);
    let names: Vec<&str> = plain.split('/').collect();
    let is_skills = |two: &[&str]| matches!(two, [agent, "skills"] if agent.starts_with('.') || *agent == "opencode");
    // Another hidden directory below is not a skill's: `.claude/skills/.claude/CLAUDE.md`.
    let is_skill = names
        .windows(2)
        .rposition(is_skills)
        .is_some_and(|at| names.iter().skip(at + 2).all(|name| !name.starts_with('.')));
    let is_text = [".md", ".mdc", "rules"]
        .iter()
        .any(|end| plain.ends_with(end));
    if is_skill {
        AgentFile::Skill
    } else if is_text && !is_home(path) && !plain.contains("hook") {
        AgentFile::Instructions
    } else {
        AgentFile::Lasting
    }
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
