//! Rules for keys in a project's file.
//!
//! Every key outside `[[skills.repositories]]` is in the table, with the effect of stating it. [`prowess_trust::may`]
//! decides whether a project can do that; a key that is not in the table is reserved for the user.

use prowess_trust::{Act, Party, Verdict, may};

use crate::origin::Scope;

/// The effect of stating a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRule {
    /// Any value does this.
    Does(Act),
    /// A value that allows more than the user's does this; one that allows the same or less only narrows.
    Widens(Act),
}

/// The rule of each key.
const RULES: &[(&str, KeyRule)] = &[
    ("skills.enabled", KeyRule::Widens(Act::Spend)),
    ("skills.strict", KeyRule::Widens(Act::Approve)),
    ("skills.max_skills", KeyRule::Widens(Act::Spend)),
    ("skills.max_injection_bytes", KeyRule::Widens(Act::Spend)),
    ("skills.inventory_threshold", KeyRule::Widens(Act::Spend)),
    ("skills.context_share", KeyRule::Widens(Act::Spend)),
    ("skills.catalog_budget", KeyRule::Widens(Act::Spend)),
    // It decides which skills of the user are listed.
    ("skills.pinned", KeyRule::Does(Act::Redirect)),
    // A project's list would stand in the place of the user's.
    ("skills.disabled", KeyRule::Does(Act::Approve)),
    ("skills.usual_places", KeyRule::Widens(Act::Spend)),
    ("skills.builtin", KeyRule::Widens(Act::Spend)),
    ("skills.dialect", KeyRule::Does(Act::Add)),
    ("skills.scripts", KeyRule::Widens(Act::Run)),
    ("skills.sandbox", KeyRule::Widens(Act::Run)),
    // The access of each of them is confirmed by the user: see `reach.rs`.
    ("skills.repositories", KeyRule::Does(Act::Add)),
    (
        "permissions.max_llm_calls_per_turn",
        KeyRule::Widens(Act::Spend),
    ),
    (
        "permissions.max_shell_exec_per_turn",
        KeyRule::Widens(Act::Spend),
    ),
    (
        "permissions.max_net_fetch_per_turn",
        KeyRule::Widens(Act::Spend),
    ),
    (
        "permissions.shell_exec_timeout_seconds",
        KeyRule::Widens(Act::Spend),
    ),
    (
        "permissions.net_fetch_timeout_seconds",
        KeyRule::Widens(Act::Spend),
    ),
    ("permissions.approved", KeyRule::Does(Act::Approve)),
    // A project's list would stand in the place of the user's.
    ("permissions.secret_paths", KeyRule::Does(Act::Reveal)),
    ("registry.url", KeyRule::Does(Act::Redirect)),
    ("registry.storage", KeyRule::Does(Act::Redirect)),
    ("registries", KeyRule::Does(Act::Redirect)),
    ("packages.default_host", KeyRule::Does(Act::Redirect)),
    // A project's list would stand in the place of the user's.
    ("packages.require_signature", KeyRule::Does(Act::Approve)),
    ("model.provider", KeyRule::Does(Act::Redirect)),
    ("model.name", KeyRule::Does(Act::Spend)),
    ("model.base_url", KeyRule::Does(Act::Redirect)),
    ("model.api_key_env", KeyRule::Does(Act::Reveal)),
    ("model.tools", KeyRule::Widens(Act::Spend)),
    ("model.context_window", KeyRule::Widens(Act::Spend)),
    ("model.first_byte_seconds", KeyRule::Widens(Act::Spend)),
    ("model.between_bytes_seconds", KeyRule::Widens(Act::Spend)),
    ("search.history", KeyRule::Widens(Act::Reveal)),
    // Queries and descriptions go there.
    ("search.embeddings", KeyRule::Does(Act::Redirect)),
    ("search.embeddings_model", KeyRule::Does(Act::Spend)),
    ("search.embeddings_key_env", KeyRule::Does(Act::Reveal)),
    ("audit.allow", KeyRule::Does(Act::Approve)),
    ("store.url", KeyRule::Does(Act::Redirect)),
];

/// The rule of a key; `None` for a key without one.
pub fn key_rule(key: &str) -> Option<KeyRule> {
    let found = RULES.iter().find(|(known, _)| *known == key);
    found.map(|(_, rule)| *rule)
}

/// The effect of a key in the file of `scope`, if it allows `more` than the user's own file.
pub(crate) fn refused(scope: Scope, key: &str, more: bool) -> Option<Act> {
    // Keys of entries: what counts was decided about the whole list.
    if key.starts_with("skills.repositories.") || key.starts_with("registries.") {
        return None;
    }
    let act = match key_rule(key).unwrap_or(KeyRule::Does(Act::Approve)) {
        KeyRule::Does(act) => act,
        KeyRule::Widens(act) if more => act,
        KeyRule::Widens(_) => Act::Narrow,
    };
    (may(party(scope), act) == Verdict::AskUser).then_some(act)
}

/// The author of the files of a scope.
pub(crate) const fn party(scope: Scope) -> Party {
    match scope {
        Scope::Project => Party::Project,
        Scope::User | Scope::Explicit => Party::User,
    }
}
