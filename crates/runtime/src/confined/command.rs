//! Sandboxed developer commands, which write the project and read the machine without secret places.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_sandbox::{Command, Confinement, Limits, Mount, Network, SandboxError, View};

use super::env_files::env_files;
use super::jail::{ConfinedChild, Jails};
use super::secret_places::{caches, hidden};

/// Limits of a build.
const LIMITS: Limits = Limits {
    // Runtimes reserve more address space than they use; `memory` limits the use.
    address_space: u64::MAX,
    cpu_seconds: 3600,
    processes: 1024,
    file_size: 4 << 30,
    open_files: 4096,
    memory: 8 << 30,
    disk: 16 << 30,
    files: 200_000,
};
/// Bytes of `/tmp` and of the layers over caches.
const SCRATCH: u64 = 1 << 30;

/// The environment of a command.
pub(crate) struct CommandPlace<'a> {
    /// The real path of the project.
    pub(crate) project: &'a Path,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) network: Network,
}

impl Jails {
    /// Starts a developer command in a sandbox. Blocks for a few milliseconds.
    pub(crate) fn spawn_command(
        &self,
        program: PathBuf,
        arguments: &[String],
        place: CommandPlace<'_>,
    ) -> Result<ConfinedChild, SandboxError> {
        let home = self.home.as_deref();
        let mut environment: Vec<(OsString, OsString)> = place
            .environment
            .into_iter()
            .filter(|(name, _)| name != "TMPDIR" && name != "PWD")
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        environment.push(("TMPDIR".into(), "/tmp".into()));
        let env_files = self
            .env_files
            .get_or_init(|| env_files(home, place.project));
        let secret = self.hidden.iter().chain(env_files);
        let confinement = Confinement {
            projects: vec![Mount::same(place.project)],
            layered: caches(home, place.project),
            view: View::Machine {
                hidden: hidden(home, secret, place.project),
            },
            network: place.network,
            limits: LIMITS,
            environment,
            working_directory: place.project.to_owned(),
            scratch: SCRATCH,
            ..Confinement::default()
        };
        let command = Command::new(program).arguments(arguments);
        let writing = self.writing(place.project);
        let child = self.sandbox.spawn(&command, &confinement)?;
        Ok(ConfinedChild::without_files(child, writing))
    }
}
