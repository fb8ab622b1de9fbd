//! A jail of namespaces, Landlock, seccomp and limits.
//!
//! Four processes take part, and only the last runs code of others:
//!
//! 1. the *host* is the process that calls [`Sandbox::spawn`](crate::Sandbox::spawn);
//! 2. the *guard* is the launcher: it enters new namespaces, starts the next one and waits, for its end or for the host's;
//! 3. the *first* process of the new process namespace builds the root and waits for the program: when it ends, the
//!    kernel ends everything in there;
//! 4. the *program* shuts itself in and becomes the child.
//!
//! The host and the guard are tied by a socket. The plan goes down it, reports come up, and when either end is gone the
//! other one knows.

mod abilities;
mod broker;
mod bubblewrap;
mod calls;
mod capabilities;
mod copy;
mod fork;
mod guard;
mod init;
mod jail;
mod landlock;
mod layout;
mod leash;
mod lock_down;
mod loopback;
mod mounts;
mod program;
mod rlimits;
mod root;
mod seccomp;
mod start;
mod supervise;
mod system;
mod usage;
mod wire;

pub(crate) use abilities::abilities;
pub(crate) use init::init;
pub(crate) use leash::Leash;
pub(crate) use lock_down::lock_down;
pub(crate) use start::start;

use crate::layers::Isolation;

/// The ways that keep every promise, the better one first.
pub(crate) const WAYS: &[Isolation] = &[Isolation::Namespaces, Isolation::Bubblewrap];
/// Ways that would not, and why.
pub(crate) const CLOSED: &[(Isolation, &str)] = &[];
