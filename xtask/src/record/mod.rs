//! `cargo xtask record`: a session of `prowess chat`, recorded from a real run with the demo model.
//!
//! Everything but the line at the shell's prompt is what the program showed in a real terminal. Frames are cut where
//! the script says and not where the clock does, and what no two runs share is set to fixed values, so that the same
//! program always gives the same two files.

mod cast;
mod colour;
mod command;
mod film;
mod fixed;
mod look;
mod place;
mod story;
mod svg;
mod terminal;
mod timeline;

pub(crate) use command::record;
