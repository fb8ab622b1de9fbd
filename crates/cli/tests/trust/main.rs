//! The trust contract, through the real program.
#![cfg(test)]
#![cfg(target_os = "linux")]

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod approvals;
mod hostile;
mod names;
mod other_users;
mod page;
mod protected_writes;
mod special_files;
mod trace;
mod variables;
mod work_on;
