//! What happens at a step, as a fact; it becomes words when it is shown.

use std::fmt;

use super::value::HOLE;
use crate::address::{Address, is_below};

/// Characters of a text that is shown.
const SHOWN_CHARS: usize = 200;

/// A text of the code, for a reader: it cannot be searched, so nothing is decided by its words.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shown(String);

impl<T: AsRef<str>> From<T> for Shown {
    fn from(text: T) -> Self {
        let visible = |c: char| if c == HOLE { '…' } else { c };
        Self(
            text.as_ref()
                .chars()
                .take(SHOWN_CHARS)
                .map(visible)
                .collect(),
        )
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What happens at a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StepKind {
    /// A file is read.
    Reads { path: Shown, owner: Owner },
    /// A file is read whose path is not known.
    ReadsUnnamed { by: Shown },
    /// Something that is no file is read.
    Opens { store: Store, by: Option<Shown> },
    /// One variable of the environment is read.
    Variable(Shown),
    /// The time, the machine or its surroundings are looked at.
    LooksAt(Shown),
    /// Sound, keys or pictures are recorded.
    Records { by: Shown },
    /// Something comes from the network.
    Receives { from: Origin, by: Option<Shown> },
    /// A repository is cloned.
    Clones(Origin),
    /// A connection is opened.
    Connects(Shown),
    /// A file outside of the skill is taken as a program.
    Takes(Shown),
    /// A value is passed to a function.
    Passed(Shown),
    /// A value goes into a file.
    Saved(Shown),
    /// An archive or a repository becomes files.
    Unpacked,
    /// A value gets another form.
    Becomes(&'static str),
    /// Something leaves.
    Sent { to: Shown, by: Shown, lookup: bool },
    /// A text or a file runs.
    Executed { path: Option<Shown>, by: Shown },
    /// A module is loaded, whose code runs.
    Imported { by: Shown },
    /// Data is loaded in a format that can run code.
    Deserialised { by: Shown },
    /// A file is written that runs later.
    WritesStartup {
        path: Shown,
        by: Shown,
        content: Startup,
    },
    /// A file is written that instructs or configures an agent.
    WritesAgent {
        path: Shown,
        by: Shown,
        file: AgentFile,
        remote: bool,
    },
    /// Something is arranged that runs later.
    Arranges(Arrangement),
    /// An agent is started without approvals.
    StartsAgent { program: Shown },
    /// The scanner for viruses is told to look away.
    Blinds,
    /// A shell gets a connection.
    AttachesShell {
        to: Option<Shown>,
        by: Option<Shown>,
    },
    /// The input or output of a program becomes a connection.
    Attaches { by: Option<&'static str> },
    /// Files or a disk are lost.
    Destroys {
        how: &'static str,
        what: Shown,
        by: Shown,
    },
    /// More of the kind than are listed.
    More,
    /// What follows happens only under a condition.
    OnlyWhen(Box<StepKind>),
}

/// Where something comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin {
    shown: Shown,
    /// Unknown when a part of its host is made at run time.
    pub(crate) address: Option<Address>,
    /// Whether it is fetched without TLS, or from a number in the place of a name.
    pub(crate) is_anonymous: bool,
}

impl Origin {
    /// From an address, shown in another form; known only in part when a part of it is made at run time.
    pub(super) fn new(shown: &str, text: &str) -> Self {
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        Self {
            shown: shown.into(),
            address: Address::parse(text),
            is_anonymous: ["http", "ftp"]
                .iter()
                .any(|plain| scheme.eq_ignore_ascii_case(plain))
                || rest.starts_with(|c: char| c == '[' || c.is_ascii_digit()),
        }
    }
}

/// Whose credentials a file holds: which hosts may get them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    #[default]
    Unknown,
    /// One file for the logins of many hosts.
    Any,
    /// Hosts, and those below them.
    Domains(&'static [&'static str]),
}

impl Owner {
    /// Whether the credentials are meant for the host.
    pub(super) fn may_get(self, host: &str) -> bool {
        match self {
            Self::Unknown => false,
            Self::Any => true,
            Self::Domains(domains) => domains.iter().any(|domain| is_below(host, domain)),
        }
    }
}

/// What is read that is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Store {
    /// One entry of a keychain by its name, as programs log in.
    KeychainEntry,
    /// All of a keychain.
    Keychain,
    GpgKeys,
    /// A token that the tool of a service prints.
    Token,
    /// One login by its name, from a library.
    Login,
    /// Credentials of others, such as those of browsers.
    Credential,
    /// What git logs in with.
    GitCredential,
    Clipboard,
    History,
    Screen,
    Personal,
    Environment,
}

/// What a file that runs later is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Startup {
    /// Variables, aliases and hooks of well-known tools, and nothing else.
    Settings,
    /// The public half of a key.
    PublicKey,
    /// Anything else, or what is not known.
    Commands,
}

/// What a file of an agent is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AgentFile {
    /// A skill beside others.
    Skill,
    /// Text for the agent, in one project.
    Instructions,
    /// Settings, hooks, servers, and whatever counts for every project.
    Lasting,
}

/// What is arranged to run later, without a file that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Arrangement {
    Crontab,
    /// A person edits it.
    CrontabEditor,
    At,
    Launchctl,
    /// Something that is installed already is switched on.
    EnabledService,
    NewTask,
    RegisteredTask,
    RunKey,
    Service,
    GitConfig(Shown),
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads { path, .. } => write!(f, "reads {path}"),
            Self::ReadsUnnamed { by } => write!(f, "reads a file by {by}"),
            Self::Opens { store, by } => {
                write!(f, "reads {store}")?;
                by.iter().try_for_each(|by| write!(f, " by {by}"))
            }
            Self::Variable(name) => write!(f, "reads the variable {name}"),
            Self::LooksAt(what) => write!(f, "{what}"),
            Self::Records { by } => write!(f, "records by {by}"),
            Self::Receives { from, by: Some(by) } => write!(f, "receives {} by {by}", from.shown),
            Self::Receives { from, by: None } => write!(f, "receives from {}", from.shown),
            Self::Clones(from) => write!(f, "clones {}", from.shown),
            Self::Connects(to) => write!(f, "connects to {to}"),
            Self::Takes(path) => write!(f, "takes {path}"),
            Self::Passed(function) => write!(f, "passed to {function}()"),
            Self::Saved(path) => write!(f, "written to {path}"),
            Self::Unpacked => f.write_str("unpacked"),
            Self::Becomes(form) => f.write_str(form),
            Self::Sent {
                to,
                by,
                lookup: false,
            } => write!(f, "sent to {to} by {by}"),
            Self::Sent {
                to,
                by,
                lookup: true,
            } => write!(f, "looked up at {to} by {by}"),
            Self::Executed {
                path: Some(path),
                by,
            } => write!(f, "{path} executed by {by}"),
            Self::Executed { path: None, by } => write!(f, "executed by {by}"),
            Self::Imported { by } => write!(f, "loaded by {by}"),
            Self::Deserialised { by } => write!(f, "loaded by {by}, which runs code in it"),
            Self::WritesStartup { path, by, .. }
            | Self::WritesAgent {
                path,
                by,
                remote: false,
                ..
            } => {
                write!(f, "writes {path} by {by}")
            }
            Self::WritesAgent {
                path,
                by,
                remote: true,
                ..
            } => write!(f, "written to {path} by {by}"),
            Self::Arranges(what) => write!(f, "{what}"),
            Self::StartsAgent { program } => write!(f, "starts {program} without approvals"),
            Self::Blinds => f.write_str("changes the settings of the virus scanner"),
            Self::AttachesShell { to, by } => {
                f.write_str("connects a shell to ")?;
                match to {
                    Some(to) => write!(f, "{to}")?,
                    None => f.write_str("the network")?,
                }
                by.iter().try_for_each(|by| write!(f, " by {by}"))
            }
            Self::Attaches { by: Some(by) } => {
                write!(f, "made the input and output of a program by {by}")
            }
            Self::Attaches { by: None } => f.write_str("connected to a program's input or output"),
            Self::Destroys { how, what, by } => write!(f, "{how} {what} by {by}"),
            Self::More => f.write_str("more of this than is listed"),
            Self::OnlyWhen(what) => write!(f, "only when a condition on {what} holds"),
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeychainEntry | Self::Keychain => "the keychain",
            Self::GpgKeys => "secret keys of gpg",
            Self::Token => "a token",
            Self::Login | Self::Credential | Self::GitCredential => "a credential",
            Self::Clipboard => "the clipboard",
            Self::History => "the history of the shell",
            Self::Screen => "a picture of the screen",
            Self::Personal => "personal data",
            Self::Environment => "the whole environment",
        })
    }
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Crontab => "installs a crontab",
            Self::CrontabEditor => "opens the crontab in an editor",
            Self::At => "schedules a command by at",
            Self::Launchctl => "registers a service by launchctl",
            Self::EnabledService => "enables a service by systemctl",
            Self::NewTask => "creates a scheduled task",
            Self::RegisteredTask => "registers a scheduled task",
            Self::RunKey => "writes a Run key of the registry",
            Self::Service => "creates a service",
            Self::GitConfig(words) => return write!(f, "sets git config {words}"),
        })
    }
}
