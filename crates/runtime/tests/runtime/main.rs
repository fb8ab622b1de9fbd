//! Skills with code, from their files to their effects, through real workers.
#![cfg(test)]

mod contract_commands;
mod contract_flood;
mod contract_git;
mod contract_hooks;
mod contract_lifecycle;
mod contract_permissions;
mod contract_process;
mod contract_protected;
mod contract_starlark;
mod dropped;
mod place;
mod types;
