//! Helpers shared by the tests of the workspace. They know no other crate of it, so that every crate can use them.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests may panic"
)]

mod directory;
mod hostile_programs;
mod install;
pub mod model;
mod port;
mod program;
#[cfg(feature = "properties")]
mod properties;
mod random;
#[cfg(feature = "s3")]
pub mod s3;
mod ssh;
mod terminal;

pub use directory::{TestDirectory, skill_text, write};
pub use hostile_programs::hostile_programs;
pub use install::{fake_time, install, mcp_python, minisign, npm_skills, python_with};
pub use port::ClosedPort;
pub use program::{
    ChildGuard, at_home, example, file_url, free_port, git, median, repository, run, sql,
};
#[cfg(feature = "properties")]
pub use properties::properties;
pub use random::{Random, new_seed};
pub use ssh::SshServer;
pub use terminal::terminal;

/// An array of tuples, one for each row; rows end with `;`. `rustfmt` does not break rows apart, so that a table of
/// cases stays a table.
#[macro_export]
macro_rules! table {
    ($($($cell:expr),+;)*) => {
        [$(($($cell),+)),*]
    };
}
