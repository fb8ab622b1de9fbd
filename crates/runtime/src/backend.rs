//! What runs the code of a skill.

use async_trait::async_trait;
use prowess_sdk::Phase;
use prowess_sdk::wire::{
    Call, Finding, Findings, HookResult, Output, Registration, Request, ScannedFile,
};
use serde_json::Value;

/// The code of one active skill.
#[async_trait]
pub trait Backend: Send + Sync {
    /// What the code contributes.
    fn registration(&self) -> &Registration;

    /// Has the code do something. `depth` counts the tools that called each other to get here.
    async fn call(&self, request: Request, depth: usize) -> Result<Value, BackendError>;

    /// Ends it. Whatever goes wrong, nothing of it runs afterwards.
    async fn unload(&self) -> Result<(), BackendError>;
}

/// Why code did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// It cannot be started.
    #[error("cannot start: {0}")]
    Start(String),
    /// It says so itself.
    #[error("{0}")]
    Failed(String),
    /// It took too long.
    #[error("stopped: it took longer than the {0} seconds that it may")]
    TimedOut(u64),
    /// It ended in the middle.
    #[error("{0}")]
    Ended(String),
    /// It ended again and again.
    #[error("it ended {0} times within a minute and is not started again; the last time: {1}")]
    CrashLoop(usize, String),
    /// What it said makes no sense.
    #[error("it answered what cannot be understood: {0}")]
    Nonsense(String),
}

/// Typed questions over [`Backend::call`].
pub(crate) async fn execute_tool(
    backend: &dyn Backend,
    name: &str,
    input: Value,
    depth: usize,
) -> Result<Output, BackendError> {
    let name = name.to_owned();
    let request = Request::ExecuteTool(Call { name, input });
    typed(backend.call(request, depth).await?)
}

pub(crate) async fn run_workflow(
    backend: &dyn Backend,
    name: &str,
    input: Value,
    depth: usize,
) -> Result<Output, BackendError> {
    let name = name.to_owned();
    let request = Request::RunWorkflow(Call { name, input });
    typed(backend.call(request, depth).await?)
}

pub(crate) async fn handle_hook(
    backend: &dyn Backend,
    phase: Phase,
    data: Value,
    depth: usize,
) -> Result<HookResult, BackendError> {
    let request = Request::HandleHook { phase, data };
    match backend.call(request, depth).await? {
        Value::Null => Ok(HookResult::default()),
        answer => typed(answer),
    }
}

pub(crate) async fn run_scanner(
    backend: &dyn Backend,
    name: &str,
    files: Vec<ScannedFile>,
) -> Result<Vec<Finding>, BackendError> {
    let name = name.to_owned();
    let request = Request::RunScanner { name, files };
    let findings: Findings = typed(backend.call(request, 0).await?)?;
    Ok(findings.findings)
}

fn typed<T: serde::de::DeserializeOwned>(answer: Value) -> Result<T, BackendError> {
    serde_json::from_value(answer).map_err(|error| BackendError::Nonsense(error.to_string()))
}
