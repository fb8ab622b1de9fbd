//! Backends that run the code of a skill.

use async_trait::async_trait;
use prowess_sdk::Phase;
use prowess_sdk::wire::{
    Call, Finding, Findings, HookResult, Output, Registration, Request, ScannedFile,
};
use serde_json::Value;

/// The running code of a skill.
#[async_trait]
pub trait Backend: Send + Sync {
    /// What the code registers.
    fn registration(&self) -> &Registration;

    /// Calls the code. `depth` is the number of nested tool calls.
    async fn call(&self, request: Request, depth: usize) -> Result<Value, BackendError>;

    /// Stops the code. Nothing of it runs afterwards, even after an error.
    async fn unload(&self) -> Result<(), BackendError>;
}

/// An error of a backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// It does not start.
    #[error("cannot start: {0}")]
    Start(String),
    /// It returned an error.
    #[error("{0}")]
    Failed(String),
    /// It timed out.
    #[error("timed out after {0} s")]
    TimedOut(u64),
    /// It exited during a call.
    #[error("{0}")]
    Ended(String),
    /// It crashed too often.
    #[error("crashed {0} times within a minute and is not restarted; last crash: {1}")]
    CrashLoop(usize, String),
    /// It sent a malformed response.
    #[error("malformed response: {0}")]
    Malformed(String),
}

/// Calls a tool.
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
    serde_json::from_value(answer).map_err(|error| BackendError::Malformed(error.to_string()))
}
