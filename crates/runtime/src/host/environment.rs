//! Environment variables, as far as skills see them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What any program needs to find its way. Whoever wants more needs `env:read`.
const ALWAYS: &[&str] = &[
    "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
];

/// The variables of the host's process, handed in by whoever may read them.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl Environment {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// What a program gets: everything where the skill may read everything, else what is harmless.
    pub(crate) fn for_program(&self, everything: bool) -> BTreeMap<String, String> {
        let harmless = |name: &str| ALWAYS.contains(&name) || name.starts_with("LC_");
        let given = self
            .0
            .iter()
            .filter(|(name, _)| everything || harmless(name));
        given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

/// What one skill set for the programs that it runs.
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

    pub(crate) fn over(&self, mut base: BTreeMap<String, String>) -> BTreeMap<String, String> {
        let variables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        base.extend(variables.clone());
        base
    }
}
