//! A runtime from few statements.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::Skills;
use prowess_sandbox::{Launcher, Requirement};

use crate::activation::{Parts, Workers};
use crate::approval::{Approvals, Approver};
use crate::confined::Jails;
use crate::host::{ProjectFiles, Services};
use crate::runtime::Runtime;
use crate::worker::Program;

/// Builds a [`Runtime`]; see [`Runtime::builder`].
pub struct RuntimeBuilder {
    parts: Parts,
    program: Option<PathBuf>,
    home: Option<PathBuf>,
}

/// Why a runtime could not be built.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeBuildError {
    /// The program that runs workers is unknown.
    #[error("cannot find the path of this program: {0}")]
    Program(#[source] std::io::Error),
    /// The project cannot be opened.
    #[error("cannot open the project `{}`: {source}", path.display())]
    Project {
        /// The project.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Runtime {
    /// Builds a runtime over `skills`. Without further statements no code runs: nothing is approved.
    ///
    /// Code runs in child processes. By default they are this program, started again: its `main` has to call
    /// `prowess_worker::run_if_worker` first.
    pub fn builder(skills: Skills) -> RuntimeBuilder {
        RuntimeBuilder {
            parts: Parts::new(skills),
            program: None,
            home: None,
        }
    }
}

impl RuntimeBuilder {
    /// The project that skills may work on, as far as they are permitted to.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Result<Self, RuntimeBuildError> {
        let path = directory.into();
        let opened = ProjectFiles::open(&path);
        let opened = opened.map_err(|source| RuntimeBuildError::Project { path, source })?;
        self.parts.services.project = Some(opened);
        Ok(self)
    }

    /// Decides about permissions that were not approved yet.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.parts.approver = Arc::new(approver);
        self
    }

    /// Approvals of earlier runs.
    #[must_use]
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.parts.approvals = approvals;
        self
    }

    /// The user's home directory: commands of skills do not see the secret places below it.
    #[must_use]
    pub fn home(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// Variables that the code of skills may see, as far as they are no secrets. `PATH` is where programs are found.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.parts.services.environment = variables.into_iter().collect();
        self
    }

    /// A program that runs workers instead of this one, for example `prowess`.
    #[must_use]
    pub fn worker_program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// What the host offers to skills besides, such as a model.
    #[must_use]
    pub fn services(mut self, change: impl FnOnce(&mut Services)) -> Self {
        change(&mut self.parts.services);
        self
    }

    /// The runtime. No skill is active in it.
    pub fn build(self) -> Result<Runtime, RuntimeBuildError> {
        let Self {
            mut parts,
            program,
            home,
        } = self;
        let program = program.map_or_else(std::env::current_exe, Ok);
        let program = program.map_err(RuntimeBuildError::Program)?;
        // A sandbox contains the real file, not links to it.
        let program = program.canonicalize().unwrap_or(program);
        let mut launcher = Launcher::new(program.clone());
        launcher.arguments = vec!["sandbox-init".into()];
        let search = parts.services.environment.get("PATH").map(str::to_owned);
        let worker = |kind: &str| Program {
            program: program.clone(),
            arguments: vec!["worker".into(), kind.into()],
        };
        parts.workers = Workers {
            starlark: Some(worker("starlark")),
            jails: Some(Jails::new(launcher, Requirement::Full, search, home)),
            plugin_host: Some(worker("plugin")),
            call_time: None,
        };
        Ok(Runtime::new(parts))
    }
}
