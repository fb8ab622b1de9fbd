//! Starts children.

use std::sync::OnceLock;

use crate::child::Child;
use crate::command::{Command, Launcher};
use crate::confinement::{Confinement, plain};
use crate::error::{Cause, Missing, Refusal, SandboxError};
use crate::layers::Isolation;
use crate::platform;

/// How much isolation a child must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// Every promise of this crate, in the first way that works here.
    Full,
    /// The same, in this way and no other.
    Only(Isolation),
    /// None: the user said so. The child has limits, a process group and an environment of its own, and nothing else;
    /// [`limits::PROCESSES`](crate::limits::PROCESSES) does not bind it.
    ExplicitlyNone,
}

/// Starts children under a [`Confinement`]. Cheap to make; it may be shared between threads.
///
/// ```no_run
/// use prowess_sandbox::{Command, Confinement, Launcher, Mount, Requirement, Sandbox};
///
/// let sandbox = Sandbox::new(Launcher::new("/usr/bin/prowess-sandbox-init"), Requirement::Full);
/// let confinement = Confinement {
///     read_only: vec![Mount::new("/home/me/skills/hello", "/skill")],
///     working_directory: "/skill".into(),
///     ..Confinement::default()
/// };
/// let command = Command::new("/usr/bin/python3").arguments(["/skill/main.py"]);
/// let mut child = sandbox.spawn(&command, &confinement)?;
/// let status = child.wait()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sandbox {
    launcher: Launcher,
    requirement: Requirement,
    /// What worked the first time; the system does not change its mind.
    works: OnceLock<Isolation>,
}

impl Sandbox {
    /// A sandbox that enters jails through this launcher.
    pub fn new(launcher: Launcher, requirement: Requirement) -> Self {
        Self {
            launcher,
            requirement,
            works: OnceLock::new(),
        }
    }

    /// Starts a child and returns when its program runs. Its three streams are pipes.
    ///
    /// Takes a few milliseconds, in which it blocks.
    pub fn spawn(
        &self,
        command: &Command,
        confinement: &Confinement,
    ) -> Result<Child, SandboxError> {
        confinement
            .check()
            .and_then(|()| plain(&command.program))
            .map_err(|(path, problem)| SandboxError::Path { path, problem })?;
        let confinement = &confinement.with_protected_names();
        let mut missing = self.closed();
        for isolation in self.ways() {
            match platform::start(&self.launcher, isolation, command, confinement)? {
                Ok(child) => {
                    let _ = self.works.set(isolation);
                    return Ok(child);
                }
                Err(refusal) if refusal.cause == Cause::Request => {
                    let program = command.program.clone();
                    return Err(SandboxError::Refused { program, refusal });
                }
                Err(refusal) => missing.push(Missing { isolation, refusal }),
            }
        }
        Err(SandboxError::Unavailable { missing })
    }

    /// What is there, and does not keep every promise.
    fn closed(&self) -> Vec<Missing> {
        if self.requirement != Requirement::Full {
            return Vec::new();
        }
        let way = |(isolation, reason): &(Isolation, &str)| Missing {
            isolation: *isolation,
            refusal: Refusal::system("keep every promise", *reason),
        };
        platform::CLOSED.iter().map(way).collect()
    }

    fn ways(&self) -> Vec<Isolation> {
        match (self.requirement, self.works.get()) {
            (Requirement::Full, Some(isolation)) => vec![*isolation],
            (Requirement::Full, None) => platform::WAYS.to_vec(),
            (Requirement::Only(isolation), _) => vec![isolation],
            (Requirement::ExplicitlyNone, _) => vec![Isolation::None],
        }
    }
}
