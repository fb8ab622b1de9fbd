//! The base rules: what really happens to people.

mod acts;
mod agent;
mod credentials;
mod download;
mod encoded;
mod exfiltration;
mod flows;
mod hidden;
mod instructions;
mod obfuscation;
mod packages;
mod persistence;
mod plugin;
mod system;

pub(crate) use credentials::SECRET_READ;
pub(crate) use download::is_known_installer;
pub(crate) use exfiltration::{SEND, is_public_address};

use crate::rule::Rule;

/// Every rule of the base set.
pub fn base_rules() -> impl Iterator<Item = &'static Rule> {
    [
        download::RULES,
        encoded::RULES,
        obfuscation::RULES,
        credentials::RULES,
        exfiltration::RULES,
        hidden::RULES,
        instructions::RULES,
        persistence::RULES,
        system::RULES,
        agent::RULES,
        acts::RULES,
        packages::RULES,
        plugin::RULES,
        flows::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The base rule with this name.
pub(crate) fn base_rule(id: &str) -> Option<&'static Rule> {
    base_rules().find(|rule| rule.id == id)
}
