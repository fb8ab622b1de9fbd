//! Where a command of a skill or of the model runs.

pub use prowess_policy::CommandReach;
