//! Places that sandboxed commands cannot read, and caches that they can write.

use std::path::{Path, PathBuf};

use super::env_files::is_env;

/// Places below the home directory that hold keys, tokens, passwords or sessions.
const SECRET: &[&str] = &[
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraform.d",
    ".terraformrc",
    ".password-store",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/git/credentials",
    ".config/op",
    ".config/doctl",
    ".config/rclone",
    ".config/pypoetry/auth.toml",
    ".config/containers/auth.json",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/gnome-keyring",
    ".electrum",
    ".bitcoin",
    ".config/github-copilot",
    ".config/sops",
    ".config/solana",
    ".config/stripe",
    ".config/heroku",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/1Password",
    ".config/keepassxc",
    ".config/configstore",
    ".config/pip",
    ".config/composer",
    ".config/netlify",
    ".config/flyctl",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".cache/huggingface/token",
    ".huggingface",
    ".composer/auth.json",
    ".bundle/config",
    ".nuget/NuGet",
    ".oci",
    ".s3cfg",
    ".boto",
    ".databrickscfg",
    ".kaggle",
    ".fly",
    ".heroku",
    ".netlify",
    ".wrangler",
    ".pip",
    ".condarc",
    ".Xauthority",
    ".ICEauthority",
    ".erlang.cookie",
    ".msmtprc",
    ".mbsyncrc",
    ".authinfo",
    ".authinfo.gpg",
    ".ethereum",
    // Browsers: sessions and saved passwords.
    ".mozilla",
    ".thunderbird",
    ".librewolf",
    ".config/chromium",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".cache/mozilla",
    ".cache/chromium",
    ".cache/google-chrome",
    "snap/firefox",
    "snap/chromium",
    ".var/app",
    "Library/Keychains",
    "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome",
    // Histories, which can contain passwords.
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".irb_history",
    ".local/share/nushell",
    ".config/nushell/history.txt",
    ".zhistory",
    ".history",
    ".env",
    // Prowess itself.
    ".config/prowess",
    ".local/share/prowess",
    ".cache/prowess",
    // Other agents: keys and conversations.
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
];

/// The same for the system, if the host runs as the superuser, and a directory that is writable for all.
const SECRET_OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/krb5.keytab",
    "/var/tmp",
    "/var/lib/docker",
    "/var/lib/containers",
];

/// Caches of tools.
const CACHES: &[&str] = &[
    ".cargo",
    ".rustup",
    ".npm",
    ".cache",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm",
    ".bun",
    ".deno",
    ".gradle",
    ".m2",
    ".ivy2",
    ".sbt",
    ".nuget",
    ".composer",
    ".gem",
    ".bundle",
    ".pyenv",
    "go",
];

/// The secret places that exist, without links on the way; `more` adds to the list. The `.env` files of the project are
/// not among them: a command may read what it works on.
pub(super) fn hidden<'a>(
    home: Option<&Path>,
    more: impl Iterator<Item = &'a PathBuf>,
    project: &Path,
) -> Vec<PathBuf> {
    let below_home = home.map(|home| SECRET.iter().map(|place| home.join(place)));
    let of_system = SECRET_OF_SYSTEM.iter().map(PathBuf::from);
    let all = below_home.into_iter().flatten().chain(of_system);
    let mut found: Vec<PathBuf> = all
        .chain(more.cloned())
        .filter_map(|place| place.canonicalize().ok())
        // A directory that contains the project cannot be hidden.
        .filter(|place| !project.starts_with(place))
        .filter(|place| !(place.starts_with(project) && is_env(place)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The real paths of existing caches that do not overlap the project.
pub(super) fn caches(home: Option<&Path>, project: &Path) -> Vec<PathBuf> {
    let home = home.into_iter();
    let places = home.flat_map(|home| CACHES.iter().map(|place| home.join(place)));
    places
        .filter_map(|place| place.canonicalize().ok())
        .filter(|place| place.is_dir())
        .filter(|place| !project.starts_with(place) && !place.starts_with(project))
        .collect()
}
