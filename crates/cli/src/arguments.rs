//! The global options, and the options that several commands share.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prowess_sources::PendingSources;
use prowess_spec::manifest::Mode;

/// Options that every command takes.
#[derive(Args, Clone, Default)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) directory: Option<PathBuf>,
    /// Read FILE instead of prowess.toml
    #[arg(long, value_name = "FILE", global = true, help_heading = GLOBAL)]
    pub(crate) config: Option<PathBuf>,
    /// Use cached data only; never access the network
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) offline: bool,
    /// Ask remote sources again now, even if their cached data is still valid
    #[arg(long, global = true, help_heading = GLOBAL, conflicts_with = "offline")]
    pub(crate) refresh: bool,
    /// Print no warnings and no summary
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,
}

const GLOBAL: &str = "Global options";

/// Where to look for skills.
#[derive(Args, Clone, Default)]
pub(crate) struct SourceArguments {
    /// Directory, skill or archive to use instead of the default places (repeatable, first match wins)
    #[arg(long = "in", value_name = "PATH")]
    pub(crate) directories: Vec<PathBuf>,
    /// Whether the command watches directories, also those that packages will be installed to.
    #[arg(skip)]
    pub(crate) awaits_packages: bool,
    /// The sources that wait for the user's answer, for a command that continues after it.
    #[arg(skip)]
    pub(crate) pending: PendingSources,
}

/// How to write content to a terminal.
#[derive(Args, Clone, Copy)]
pub(crate) struct RawFlag {
    /// Print bytes unchanged, including terminal control codes
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

impl From<RawFlag> for crate::terminal::Content {
    fn from(flag: RawFlag) -> Self {
        if flag.raw { Self::Raw } else { Self::ForReader }
    }
}

/// How the host is used.
#[derive(Args, Default)]
pub(crate) struct ModeArgument {
    /// Mode for triggers [default: interactive in a terminal, else headless]
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
}

impl ModeArgument {
    pub(crate) fn mode(&self) -> Mode {
        match self.mode {
            Some(ModeName::Interactive) => Mode::Interactive,
            Some(ModeName::Wiki) => Mode::Wiki,
            None if std::io::stdin().is_terminal() => Mode::Interactive,
            Some(ModeName::Headless) | None => Mode::Headless,
        }
    }
}

/// Mode, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// With a user at a terminal
    Interactive,
    /// Without a user
    Headless,
    /// Building a wiki
    Wiki,
}
