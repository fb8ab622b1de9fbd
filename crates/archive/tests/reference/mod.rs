//! Two other readers, a generator of archives, and the reasons for which the readers may differ.

pub(crate) mod differences;
pub(crate) mod generate;
pub(crate) mod run;
