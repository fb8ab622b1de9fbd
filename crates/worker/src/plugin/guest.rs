//! A plugin, as the loop of the worker sees it.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::rc::Rc;

use prowess_sdk::Phase;
use prowess_sdk::wire::{
    Failure, Findings, HookResult, Initialize, Output, Registration, ScannedFile, code,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::library::Library;
use crate::guest::{Guest, Host};

/// A plugin, as the loop of the worker sees it.
pub struct PluginGuest {
    path: OsString,
    /// Loaded with the first request, so that errors can be reported.
    library: Option<Library>,
}

/// A request, as sent to the plugin.
#[derive(Serialize)]
struct Asked<T> {
    method: &'static str,
    params: T,
}

/// A tool or a workflow, and its input, unchanged.
#[derive(Serialize)]
struct Call<'a> {
    name: &'a str,
    input: &'a RawValue,
}

/// A phase, and what it is about, as it came.
#[derive(Serialize)]
struct Hook<'a> {
    phase: Phase,
    data: &'a RawValue,
}

/// A scanner, and what to look at.
#[derive(Serialize)]
struct Scan<'a> {
    name: &'a str,
    files: &'a [ScannedFile],
}

/// A response of the plugin.
#[derive(Deserialize)]
struct PluginResponse<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Failure>,
}

impl PluginGuest {
    /// The library at a path, which is not looked at yet.
    pub fn new(path: &OsStr) -> Self {
        Self {
            path: path.to_owned(),
            library: None,
        }
    }

    fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize,
        host: Option<&Rc<dyn Host>>,
    ) -> Result<T, Failure> {
        let library = self.library.as_ref();
        let library = library.ok_or_else(|| failed("no plugin is loaded"))?;
        let request = serde_json::to_vec(&Asked { method, params });
        let request = request.map_err(|error| failed(&error.to_string()))?;
        library.call(&request, host, |answer| read(method, answer))
    }
}

fn read<T: DeserializeOwned>(method: &str, answer: &[u8]) -> Result<T, Failure> {
    if answer.is_empty() {
        return Err(failed(&format!(
            "the plugin returned no response to `{method}`"
        )));
    }
    let senseless = |error: serde_json::Error| {
        failed(&format!(
            "malformed response of the plugin to `{method}`: {error}"
        ))
    };
    let answer: PluginResponse<'_> = serde_json::from_slice(answer).map_err(senseless)?;
    if let Some(failure) = answer.error {
        return Err(failure);
    }
    let result = answer.result.unwrap_or(RawValue::NULL);
    serde_json::from_str(result.get()).map_err(senseless)
}

fn failed(message: &str) -> Failure {
    Failure {
        code: code::FAILED,
        message: message.to_owned(),
    }
}

impl Guest for PluginGuest {
    fn initialize(
        &mut self,
        skill: Initialize,
        host: &Rc<dyn Host>,
    ) -> Result<Registration, Failure> {
        if self.library.is_none() {
            let library = Library::load(&self.path);
            self.library = Some(library.map_err(|error| failed(&error.to_string()))?);
        }
        self.ask("initialize", skill, Some(host))
    }

    fn execute_tool(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure> {
        self.ask("tool/execute", Call { name, input }, Some(host))
    }

    fn handle_hook(
        &self,
        phase: Phase,
        data: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Option<HookResult>, Failure> {
        self.ask("hook/handle", Hook { phase, data }, Some(host))
    }

    fn run_workflow(
        &self,
        name: &str,
        input: &RawValue,
        host: &Rc<dyn Host>,
    ) -> Result<Output, Failure> {
        self.ask("workflow/run", Call { name, input }, Some(host))
    }

    fn run_scanner(
        &self,
        name: &str,
        files: &[ScannedFile],
        host: &Rc<dyn Host>,
    ) -> Result<Findings, Failure> {
        self.ask("scanner/run", Scan { name, files }, Some(host))
    }
}

impl Drop for PluginGuest {
    /// The loop has ended, so the plugin is deactivated without a host.
    fn drop(&mut self) {
        if self.library.is_none() {
            return;
        }
        if let Err(failure) = self.ask::<serde::de::IgnoredAny>("shutdown", (), None) {
            // A failure here cannot be reported.
            let _ = writeln!(io::stderr(), "{}", failure.message);
        }
    }
}
