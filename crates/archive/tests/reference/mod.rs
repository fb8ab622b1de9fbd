//! Two other readers, a generator of archives, and the reasons for which the readers may differ.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may panic"
)]

pub(crate) mod differences;
pub(crate) mod generate;
pub(crate) mod random;
pub(crate) mod run;
