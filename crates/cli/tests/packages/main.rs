//! The contract of packages, with the program: docs/contract/packages.md and durability.md.
#![cfg(test)]
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod conditions;
mod consent;
mod downloads;
mod edits;
mod fake_registry;
mod forged_lines;
mod interrupted;
mod kill;
mod lock;
mod many;
mod mirror;
mod npm;
mod picker;
mod plugins;
mod publishing;
mod registries;
mod registry_answers;
mod registry_search;
mod report;
mod requests;
mod running;
mod servers;
mod session;
mod signatures;
mod soak;
mod sources;
mod trust;
mod update;
mod versions;
mod waiting_merges;
mod workshop;
