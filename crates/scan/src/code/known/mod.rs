//! Tables: paths, hosts, names of credentials, and what functions of libraries do.

pub(super) mod functions;
pub(super) mod hosts;
pub(super) mod names;
pub(super) mod paths;
pub(super) mod startup;
