//! Environment variables that skills can see.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Variables for any program. Others need `env:read`.
const ALWAYS: &[&str] = &[
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
];

/// Variables for developer tools.
const TOOLS: &[&str] = &[
    "CARGO_",
    "RUST",
    "NODE_",
    "NVM_",
    "NPM_CONFIG_",
    "npm_config_",
    "PYTHON",
    "PYENV_",
    "PIP_",
    "UV_",
    "VIRTUAL_ENV",
    "CONDA_",
    "JAVA_HOME",
    "MAVEN_",
    "GRADLE_",
    "GO",
    "CGO_",
    "DENO_",
    "BUN_",
    "RUBY",
    "GEM_",
    "BUNDLE_PATH",
    "BUNDLE_GEMFILE",
    "PERL",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "PKG_CONFIG",
    "CMAKE_",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "EDITOR",
    "SOURCE_DATE_EPOCH",
];
/// Words in names of variables that are likely secret.
const SECRET_WORDS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSW",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE",
    "AUTH",
    "COOKIE",
    "SESSION",
    "SIGNING",
];
/// Prefixes of variables that lead to services of the user.
const SERVICES: &[&str] = &[
    "SSH_",
    "GPG_",
    "DBUS_",
    "DOCKER_",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "KUBERNETES_",
    "XAUTHORITY",
    "DISPLAY",
    "WAYLAND_",
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "GCP_",
    "VAULT_",
    "PG",
    "MYSQL_",
    "DATABASE_URL",
    "LD_",
    "DYLD_",
];

/// Whether every program may see a variable.
fn is_basic(name: &str) -> bool {
    ALWAYS.contains(&name) || name.starts_with("LC_")
}

/// Whether a variable may be seen by a command in the sandbox.
fn is_harmless(name: &str, value: &str) -> bool {
    let upper = name.to_uppercase();
    let secret = SECRET_WORDS.iter().any(|word| upper.contains(word))
        || upper == "KEY"
        || upper.ends_with("_KEY")
        || upper.ends_with("_KEYS")
        || SERVICES.iter().any(|word| upper.starts_with(word));
    // A URL with a user name mostly has a password too; a list can contain several.
    let with_user = |rest: &str| {
        let host = rest.split(['/', ' ', ',', '|']).next().unwrap_or_default();
        host.contains('@')
    };
    let address = value.split("://").skip(1).any(with_user);
    let lower = value.to_lowercase();
    let option = ["passw", "token=", "secret="]
        .iter()
        .any(|word| lower.contains(word));
    // Module patterns, despite the word in the name.
    upper == "GOPRIVATE" || (!secret && !address && !option)
}

/// The beginning of our own variables, which hold tokens and passwords of Prowess itself.
const OWN: &str = "PROWESS_";

/// The environment of the host process as skills may see it: without the variables of Prowess.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        let variables = variables.into_iter();
        let foreign = variables.filter(|(name, _)| !name.to_uppercase().starts_with(OWN));
        Self(foreign.collect())
    }
}

impl Environment {
    /// The same without these variables, for none of which a skill has a use. Those that every program needs stay.
    #[must_use]
    pub fn without<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        for name in names {
            if !is_basic(name) {
                self.0.remove(name);
            }
        }
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Variables for an unconfined program: all if the skill has `env:read`, else the harmless ones.
    pub(crate) fn for_program(&self, everything: bool) -> BTreeMap<String, String> {
        let given = self
            .0
            .iter()
            .filter(|(name, _)| everything || is_basic(name));
        given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

impl Environment {
    /// Variables for a sandboxed command: those for tools, or all that do not look secret if the skill has
    /// `env:read`.
    pub(crate) fn for_command(&self, everything: bool) -> BTreeMap<String, String> {
        let known = |name: &str| {
            is_basic(name) || name == "CI" || TOOLS.iter().any(|word| name.starts_with(word))
        };
        let given = self
            .0
            .iter()
            .filter(|(name, value)| (everything || known(name)) && is_harmless(name, value));
        given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

/// Variables that one skill set for its programs.
#[derive(Debug, Default)]
pub(crate) struct Overlay(Mutex<BTreeMap<String, String>>);

impl Overlay {
    pub(crate) fn set(&self, name: String, value: String) {
        let mut variables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        variables.insert(name, value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let variables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        variables.get(name).cloned()
    }

    /// All variables.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let variables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        variables.clone().into_iter().collect()
    }

    pub(crate) fn over(&self, mut base: BTreeMap<String, String>) -> BTreeMap<String, String> {
        let variables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        base.extend(variables.clone());
        base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(everything: bool, expected: &[&str]) {
        let variables = [
            ("PATH", "/bin"),
            ("HOME", "/home/me"),
            ("CARGO_HOME", "/home/me/.cargo"),
            ("CARGO_REGISTRY_TOKEN", "x"),
            ("NODE_AUTH_TOKEN", "x"),
            ("NPM_CONFIG_REGISTRY", "https://me:password@host/"),
            ("PLAIN", "x"),
            ("GITHUB_TOKEN", "x"),
            ("OPENAI_API_KEY", "x"),
            ("MY_KEY", "x"),
            ("DB_PASSWORD", "x"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/x"),
            ("DOCKER_HOST", "unix:///run/docker.sock"),
            ("AWS_PROFILE", "x"),
            ("LD_PRELOAD", "x"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment: Environment = variables.into_iter().collect();
        let seen = environment.for_command(everything);
        let seen: Vec<&str> = seen.keys().map(String::as_str).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn q35_variables_of_prowess_and_of_the_configuration_are_not_there() {
        let variables = [
            ("PROWESS_TOKEN", "x"),
            ("prowess_token", "x"),
            ("PROWESSX", "x"),
            ("DB", "x"),
            ("HOME", "/home/me"),
            ("PLAIN", "x"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let environment: Environment = variables.into_iter().collect();
        let environment = environment.without(["DB", "HOME", "UNKNOWN"]);
        let seen: Vec<&str> = environment.0.keys().map(String::as_str).collect();
        assert_eq!(seen, ["HOME", "PLAIN", "PROWESSX"]);
    }

    #[test]
    fn q17_a_command_sees_no_secret_variables() {
        check(false, &["CARGO_HOME", "HOME", "PATH"]);
        check(true, &["CARGO_HOME", "HOME", "PATH", "PLAIN"]);
    }
}
