//! The lines between a host and a worker.
//!
//! Each line is one JSON-RPC 2.0 message, at most [`MAX_LINE`] bytes long. The host sends a [`Request`], the worker
//! responds; meanwhile, the worker can send a [`HostCall`] with its own ids. A worker can respond to requests in any
//! order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::phase::Phase;

/// The version of this protocol.
pub const PROTOCOL: u32 = 1;

/// The longest line that either side accepts.
pub const MAX_LINE: usize = 1024 * 1024;

/// Error codes, beside those of JSON-RPC itself.
pub mod code {
    /// The call failed; the message has the reason.
    pub const FAILED: i64 = -32000;
    /// The skill may not do that.
    pub const DENIED: i64 = -32001;
    /// A limit of the worker or of the host was reached.
    pub const LIMIT: i64 = -32002;
    /// The message is not JSON.
    pub const PARSE: i64 = -32700;
    /// The message is not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Unknown method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are invalid.
    pub const INVALID_PARAMS: i64 = -32602;
}

/// A request of a host to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum Request {
    /// The first request: who is there, and what it may do. Answered with a [`Registration`].
    #[serde(rename = "initialize")]
    Initialize(Box<Initialize>),
    /// Answered with a [`Output`].
    #[serde(rename = "tool/execute")]
    ExecuteTool(Call),
    /// Answered with a [`HookResult`], or nothing.
    #[serde(rename = "hook/handle")]
    HandleHook {
        /// The moment.
        phase: Phase,
        /// The title.
        data: Value,
    },
    /// Answered with a [`Output`].
    #[serde(rename = "workflow/run")]
    RunWorkflow(Call),
    /// Answered with [`Findings`].
    #[serde(rename = "scanner/run")]
    RunScanner {
        /// The scanner.
        name: String,
        /// The files to scan.
        files: Vec<ScannedFile>,
    },
    /// The last request. Answered with nothing, then the worker ends.
    #[serde(rename = "shutdown")]
    Shutdown,
}

/// The skill and context of the worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Initialize {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The skill's name.
    pub name: String,
    /// The skill's version.
    pub version: String,
    /// The permissions of the skill: declared, and approved.
    pub permissions: Vec<String>,
    /// Where the skill's files are, as the worker sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill_dir: Option<String>,
    /// Where the project is, as the worker sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_root: Option<String>,
    /// The code, for a worker that cannot read it from a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

/// Code that a worker is to interpret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The file to begin with.
    pub entrypoint: String,
    /// The texts of the files that it may load, by their path in the skill; the entrypoint is one of them.
    pub files: BTreeMap<String, String>,
}

/// The contributions of the code of a skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Registration {
    /// Tools for the model.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Phases with a handler.
    #[serde(default)]
    pub hooks: Vec<Phase>,
    /// Workflows, by name.
    #[serde(default)]
    pub workflows: Vec<String>,
    /// Scanners, by name.
    #[serde(default)]
    pub scanners: Vec<String>,
}

/// A tool for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The description for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its input.
    #[serde(default = "any_object")]
    pub input_schema: Value,
}

/// The schema of a tool without a declared input.
pub fn any_object() -> Value {
    serde_json::json!({"type": "object"})
}

/// A tool or a workflow, and its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Which.
    pub name: String,
    /// The input.
    #[serde(default)]
    pub input: Value,
}

/// The output of a tool or a workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The text, for the model.
    pub content: String,
    /// Whether the result is an error.
    #[serde(default)]
    pub is_error: bool,
}

/// The result of a handler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HookResult {
    /// Keys of the payload with new values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Map<String, Value>>,
    /// Whether to go no further.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A file that a scanner looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScannedFile {
    /// Its path in the skill.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A finding of a scanner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// One for each place.
    pub findings: Vec<Finding>,
}

/// Something that a scanner found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's name.
    pub rule: String,
    /// `critical`, `high`, `medium`, `low` or `info`.
    pub severity: String,
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The message.
    pub message: String,
}

/// A request of a worker to its host. The host checks the permission for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum HostCall {
    /// A line for the log. The answer is nothing.
    #[serde(rename = "host/log")]
    Log {
        /// The line.
        message: String,
    },
    /// The text of a file of the project: `{content}`.
    #[serde(rename = "host/read_file")]
    ReadFile {
        /// Relative to the project.
        path: String,
    },
    /// Writes a file of the project. The answer is nothing.
    #[serde(rename = "host/write_file")]
    WriteFile {
        /// Relative to the project.
        path: String,
        /// The whole text.
        content: String,
    },
    /// The entries of a directory of the project: `{entries: [{name, is_dir, size}]}`.
    #[serde(rename = "host/list_dir")]
    ListDir {
        /// Relative to the project.
        #[serde(default)]
        path: String,
    },
    /// The files of the project that a glob matches: `{files: [path]}`.
    #[serde(rename = "host/search_files")]
    SearchFiles {
        /// The glob.
        pattern: String,
    },
    /// Runs a program, without a shell: `{stdout, stderr, exit_code}`. The user is asked.
    #[serde(rename = "host/exec")]
    Exec {
        /// The program, then its arguments.
        command: Vec<String>,
        /// The standard input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stdin: Option<String>,
        /// Its reach: `sandbox` (the default), `network` or `unconfined`. More than the sandbox requires another
        /// approval.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reach: Option<String>,
    },
    /// An environment variable: `{value}`, null if it is not set.
    #[serde(rename = "host/env")]
    Env {
        /// Its name.
        name: String,
    },
    /// Sets an environment variable for programs that skills run. The answer is nothing.
    #[serde(rename = "host/set_env")]
    SetEnv {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
    /// Calls the model: `{content}`.
    #[serde(rename = "host/complete")]
    Complete {
        /// The question.
        prompt: String,
        /// The system prompt of the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
        /// How long the answer may become.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tokens: Option<u32>,
    },
    /// Fetches a URL: `{status, headers, body}`.
    #[serde(rename = "host/fetch")]
    Fetch {
        /// `http:` or `https:`.
        url: String,
        /// `GET` if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        method: Option<String>,
        /// Headers to send.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
        /// The body.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<String>,
    },
    /// Differences of the repository: `{content}`.
    #[serde(rename = "host/git_diff")]
    GitDiff {
        /// Revisions or paths; never options.
        #[serde(default)]
        args: Vec<String>,
    },
    /// The latest commits: `{commits: [{hash, author, date, message}]}`.
    #[serde(rename = "host/git_log")]
    GitLog {
        /// How many; 10 if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
        /// Revisions or paths; never options.
        #[serde(default)]
        args: Vec<String>,
    },
    /// The changed files: `{files: [{path, status}]}`.
    #[serde(rename = "host/git_status")]
    GitStatus {},
    /// Puts files into the index. The answer is nothing.
    #[serde(rename = "host/git_add")]
    GitAdd {
        /// Relative to the project.
        paths: Vec<String>,
    },
    /// Commits the index: `{hash}`.
    #[serde(rename = "host/git_commit")]
    GitCommit {
        /// The message.
        message: String,
    },
    /// Calls a tool or workflow of another skill: an [`Output`].
    #[serde(rename = "host/invoke_skill")]
    InvokeSkill {
        /// The other skill's id.
        skill: String,
        /// The tool or workflow.
        name: String,
        /// The input.
        #[serde(default)]
        input: Value,
    },
}

impl HostCall {
    /// The call of a message.
    pub fn parse(method: &str, params: Option<Value>) -> Result<Self, Failure> {
        let params = match params {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(params) => params,
        };
        let call = serde_json::json!({"method": method, "params": params});
        serde_json::from_value(call).map_err(|error| {
            let error = error.to_string();
            let unknown = error.starts_with("unknown variant");
            Failure {
                code: if unknown {
                    code::METHOD_NOT_FOUND
                } else {
                    code::INVALID_PARAMS
                },
                message: if unknown {
                    format!("unknown method `{}`", method.escape_debug())
                } else {
                    format!("{method}: {error}")
                },
            }
        })
    }
}

/// A line, in either direction: a request, or the answer to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Always `2.0`.
    pub jsonrpc: Version,
    /// Which request it is, or answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The method, if it is a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
    /// The answer.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub result: Option<Value>,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// `null` is a result; an absent key is not.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Message {
    /// The answer to a request.
    pub fn answer(id: Value, outcome: Result<Value, Failure>) -> Self {
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        Self {
            jsonrpc: Version::Two,
            id: Some(id),
            method: None,
            params: None,
            result,
            error,
        }
    }
}

/// A request with its id, as serialized.
#[derive(Debug, Serialize)]
pub struct Asked<'a, R> {
    /// Always `2.0`.
    pub jsonrpc: Version,
    /// The id that the answer will have.
    pub id: Value,
    /// A [`Request`] or a [`HostCall`].
    #[serde(flatten)]
    pub request: &'a R,
}

/// The version of JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// The only one that is spoken.
    #[serde(rename = "2.0")]
    Two,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// See [`code`].
    pub code: i64,
    /// For people.
    pub message: String,
}
