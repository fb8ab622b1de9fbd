//! Trust: which party can state what.
//!
//! Four parties make statements: the [user](Party::User), a [project](Party::Project), a [skill](Party::Skill) and a
//! [remote](Party::Remote). [`may`] is the rule for all of them: every party can add and narrow; only the user can
//! redirect, reveal, spend, run or approve. Every effect of a file, a skill or a server is checked with it.
//!
//! Everything else that a project needs is a [`ReachList`]: each host, database, path, variable and program. The user
//! reviews the list and answers once; [`TrustRecords`] stores the answer for the project root and the digest of the
//! list.
//!
//! [`ProjectRoot`] reads the files that a project has by convention (`prowess.toml`, `AGENTS.md`): regular files inside
//! the project, of bounded size, that no other user can write. [`read_beneath`] is how every file that a stranger may have
//! put into a place is read.
//!
//! [`WorkRecords`] has the skills that the user is writing, whose questions are not asked again for each saved byte.

mod file;
mod party;
mod project;
mod reach;
mod records;
mod repository;
mod work;

pub use file::{FileRefusal, read_beneath};
pub use party::{Act, Party, Verdict, may};
pub use project::{PROJECT_FILE_BYTES, ProjectRoot, is_foreign};
pub use reach::{Reach, ReachDifference, ReachDigest, ReachList};
pub use records::{Decision, RecordError, TrustRecord, TrustRecords};
pub use repository::{LocalRepository, RepositoryProblem, is_unreadable};
pub use work::{WORK_HOURS, WorkRecord, WorkRecords, Writing};
