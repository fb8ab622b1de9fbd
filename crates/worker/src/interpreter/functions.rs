//! The functions with which a skill calls its host, and local ones.

use std::collections::BTreeMap;

use prowess_sdk::wire::{HostCall, Output, code};
use serde_json::value::RawValue;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::dict::{AllocDict, DictRef, UnpackDictEntries};
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::tuple::UnpackTuple;
use starlark::values::{Heap, Value};

use crate::error::{WorkerError, shape};
use crate::interpreter::from_json::{Members, from_json};
use crate::interpreter::session::Session;
use crate::interpreter::to_json::{Bound, to_json};
use crate::limits::ENCODED_BYTES;

const ENCODED: Bound = Bound {
    what: "the JSON text",
    bytes: ENCODED_BYTES,
};

const INPUT: Bound = Bound {
    what: "the input",
    bytes: ENCODED_BYTES,
};

/// The part of a response that a function returns.
#[derive(Clone, Copy)]
enum Take {
    /// All of it.
    Whole,
    /// One member.
    Member(&'static str),
}

/// Calls the host, and converts the response.
fn ask<'v>(call: &HostCall, take: Take, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
    let session = Session::current()?;
    let answer = || {
        let answer = session.ask(call)?;
        match take {
            Take::Whole => from_json(&answer, heap),
            Take::Member(name) => from_json(member(&answer, name)?, heap),
        }
    };
    answer().map_err(|error| session.fail(error))
}

/// Calls the host without a result.
fn notify(call: &HostCall) -> starlark::Result<NoneType> {
    let session = Session::current()?;
    match session.ask(call) {
        Ok(_) => Ok(NoneType),
        Err(error) => Err(session.fail(error)),
    }
}

fn member<'a>(answer: &'a RawValue, name: &'static str) -> Result<&'a RawValue, WorkerError> {
    let members: Result<Members<'_>, _> = serde_json::from_str(answer.get());
    let Members(members) = members.map_err(|_| WorkerError::Answer(name))?;
    let found = members.into_iter().find(|(key, _)| key == name);
    let (_, value) = found.ok_or(WorkerError::Answer(name))?;
    Ok(value)
}

fn owned(texts: &UnpackTuple<&str>) -> Vec<String> {
    texts.items.iter().map(|text| (*text).to_owned()).collect()
}

fn text(text: NoneOr<&str>) -> Option<String> {
    text.into_option().map(str::to_owned)
}

/// A count, which is never negative.
fn count(name: &'static str, count: NoneOr<i32>) -> starlark::Result<Option<u32>> {
    let Some(count) = count.into_option() else {
        return Ok(None);
    };
    let Ok(count) = u32::try_from(count) else {
        let error = shape(format!("`{name}`"), "0 or more", count.to_string());
        return Err(Session::current()?.fail(error));
    };
    Ok(Some(count))
}

fn invoked(call: &HostCall) -> Result<String, WorkerError> {
    let session = Session::current().map_err(|_| WorkerError::NoSession)?;
    let answer = session.ask(call)?;
    let output: Output =
        serde_json::from_str(answer.get()).map_err(|_| WorkerError::Answer("content"))?;
    match call {
        HostCall::InvokeSkill { skill, name, .. } if output.is_error => Err(WorkerError::Invoked {
            skill: skill.clone(),
            name: name.clone(),
            content: output.content,
        }),
        _ => Ok(output.content),
    }
}

/// Files of the project.
#[starlark_module]
pub(super) fn files(builder: &mut GlobalsBuilder) {
    /// The text of a project file; `default`, if given, when it is missing or not text.
    fn read_file<'v>(
        path: &str,
        #[starlark(require = named)] default: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let path = path.to_owned();
        let call = HostCall::ReadFile { path };
        let Some(default) = default else {
            return ask(&call, Take::Member("content"), heap);
        };
        let session = Session::current()?;
        match session.ask(&call) {
            Err(WorkerError::Refused(failure)) if failure.code == code::FAILED => Ok(default),
            Err(error) => Err(session.fail(error)),
            Ok(answer) => member(&answer, "content")
                .and_then(|text| from_json(text, heap))
                .map_err(|error| session.fail(error)),
        }
    }

    /// Writes a file of the project.
    fn write_file(path: &str, content: &str) -> starlark::Result<NoneType> {
        let (path, content) = (path.to_owned(), content.to_owned());
        notify(&HostCall::WriteFile { path, content })
    }

    /// The entries of a directory of the project: a list of `{name, is_dir, size}`.
    fn list_dir<'v>(
        #[starlark(default = ".")] path: &str,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let path = path.to_owned();
        ask(&HostCall::ListDir { path }, Take::Member("entries"), heap)
    }

    /// The paths of the files of the project that a glob matches.
    fn search_files<'v>(pattern: &str, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        let pattern = pattern.to_owned();
        ask(
            &HostCall::SearchFiles { pattern },
            Take::Member("files"),
            heap,
        )
    }
}

/// The repository.
#[starlark_module]
pub(super) fn git(builder: &mut GlobalsBuilder) {
    /// Differences, as text. Arguments are revisions or paths.
    fn git_diff<'v>(
        #[starlark(args)] args: UnpackTuple<&'v str>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let args = owned(&args);
        ask(&HostCall::GitDiff { args }, Take::Member("content"), heap)
    }

    /// The latest commits: a list of `{hash, author, date, message}`.
    fn git_log<'v>(
        #[starlark(args)] args: UnpackTuple<&'v str>,
        #[starlark(require = named, default = NoneOr::Other(10))] limit: NoneOr<i32>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let limit = count("limit", limit)?;
        let args = owned(&args);
        ask(
            &HostCall::GitLog { limit, args },
            Take::Member("commits"),
            heap,
        )
    }

    /// The changed files: a list of `{path, status}`.
    fn git_status<'v>(heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        ask(&HostCall::GitStatus {}, Take::Member("files"), heap)
    }

    /// Puts files into the index.
    fn git_add<'v>(#[starlark(args)] paths: UnpackTuple<&'v str>) -> starlark::Result<NoneType> {
        let paths = owned(&paths);
        notify(&HostCall::GitAdd { paths })
    }

    /// Commits the index, and returns the hash.
    fn git_commit<'v>(message: &str, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        let message = message.to_owned();
        ask(&HostCall::GitCommit { message }, Take::Member("hash"), heap)
    }
}

/// Programs, the network, the model, other skills.
#[starlark_module]
pub(super) fn world(builder: &mut GlobalsBuilder) {
    /// Runs a program, without a shell: `{stdout, stderr, exit_code}`. The user is asked.
    ///
    /// `reach` is `sandbox` (the default), `network` or `unconfined`.
    fn exec<'v>(
        #[starlark(args)] command: UnpackTuple<&'v str>,
        #[starlark(require = named, default = NoneOr::None)] stdin: NoneOr<&'v str>,
        #[starlark(require = named, default = NoneOr::None)] reach: NoneOr<&'v str>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let (command, stdin, reach) = (owned(&command), text(stdin), text(reach));
        if command.is_empty() {
            let error = shape("command", "a program and its arguments", "empty");
            return Err(Session::current()?.fail(error));
        }
        let call = HostCall::Exec {
            command,
            stdin,
            reach,
        };
        ask(&call, Take::Whole, heap)
    }

    /// An environment variable; `None` if it is not set.
    fn env<'v>(name: &str, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        let name = name.to_owned();
        ask(&HostCall::Env { name }, Take::Member("value"), heap)
    }

    /// Sets an environment variable for the programs that skills run.
    fn set_env(name: &str, value: &str) -> starlark::Result<NoneType> {
        let (name, value) = (name.to_owned(), value.to_owned());
        notify(&HostCall::SetEnv { name, value })
    }

    /// Calls the model and returns its answer.
    fn llm_complete<'v>(
        prompt: &str,
        #[starlark(default = NoneOr::None)] system: NoneOr<&'v str>,
        #[starlark(default = NoneOr::None)] max_tokens: NoneOr<i32>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let call = HostCall::Complete {
            prompt: prompt.to_owned(),
            system: text(system),
            max_tokens: count("max_tokens", max_tokens)?,
        };
        ask(&call, Take::Member("content"), heap)
    }

    /// Fetches a URL: `{status, headers, body}`.
    fn fetch<'v>(
        url: &str,
        #[starlark(default = NoneOr::None)] method: NoneOr<&'v str>,
        #[starlark(default = NoneOr::None)] headers: NoneOr<UnpackDictEntries<&'v str, &'v str>>,
        #[starlark(default = NoneOr::None)] body: NoneOr<&'v str>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let pairs = headers.into_option().map(|headers| headers.entries);
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let headers: BTreeMap<_, _> = pairs.into_iter().flatten().map(owned).collect();
        let call = HostCall::Fetch {
            url: url.to_owned(),
            method: text(method),
            headers,
            body: text(body),
        };
        ask(&call, Take::Whole, heap)
    }

    /// Calls a tool or workflow of another skill and returns its text. Fails if the result is an error.
    fn invoke_skill<'v>(
        skill: &str,
        name: &str,
        #[starlark(default = NoneOr::None)] input: NoneOr<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<String> {
        let input = input.into_option().unwrap_or_else(Value::new_none);
        let content = || {
            let call = HostCall::InvokeSkill {
                skill: skill.to_owned(),
                name: name.to_owned(),
                input: serde_json::from_str(&to_json(input, heap, INPUT)?)?,
            };
            invoked(&call)
        };
        let session = Session::current()?;
        content().map_err(|error| session.fail(error))
    }
}

/// Functions without permissions.
#[starlark_module]
pub(super) fn own(builder: &mut GlobalsBuilder) {
    /// Writes values to the log, as one line.
    fn log<'v>(#[starlark(args)] values: UnpackTuple<Value<'v>>) -> starlark::Result<NoneType> {
        let texts: Vec<_> = values.items.iter().map(|value| value.to_str()).collect();
        let session = Session::current()?;
        let logged = session.log(&texts.join(" "));
        logged.map_err(|error| session.fail(error))?;
        Ok(NoneType)
    }

    /// The project directory; `None` without a project.
    fn project_root() -> starlark::Result<NoneOr<String>> {
        let root = Session::current()?.places().project_root.clone();
        Ok(NoneOr::from_option(root))
    }

    /// The directory of the skill, for `read_file`, `list_dir` and `search_files`; `None` without a host.
    fn skill_dir() -> starlark::Result<NoneOr<String>> {
        let dir = Session::current()?.places().skill_dir.clone();
        Ok(NoneOr::from_option(dir))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the macro wants a result")]
    /// The result of a hook: new values for keys of the payload, or a cancellation with a reason.
    fn hook_result<'v>(
        #[starlark(default = NoneOr::None)] modified: NoneOr<DictRef<'v>>,
        #[starlark(default = false)] cancel: bool,
        #[starlark(default = NoneOr::None)] reason: NoneOr<&'v str>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let modified = modified
            .into_option()
            .map(|modified| heap.alloc(AllocDict(modified.iter())));
        let reason = reason.into_option().map(|reason| heap.alloc(reason));
        let members = [
            ("modified", modified),
            ("cancel", Some(Value::new_bool(cancel))),
            ("reason", reason),
        ];
        let present = members.map(|(name, value)| value.map(|value| (name, value)));
        Ok(heap.alloc(AllocDict(present.into_iter().flatten())))
    }
}

/// `json.encode` and `json.decode`, by the same rules as all input and output.
#[starlark_module]
pub(super) fn json(builder: &mut GlobalsBuilder) {
    /// A value as JSON.
    fn encode<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        heap: Heap<'v>,
    ) -> starlark::Result<String> {
        let session = Session::current()?;
        to_json(value, heap, ENCODED).map_err(|error| session.fail(error))
    }

    /// Parses JSON into a value.
    fn decode<'v>(
        #[starlark(require = pos)] text: &str,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let session = Session::current()?;
        let value = || from_json(serde_json::from_str(text)?, heap);
        value().map_err(|error| session.fail(error))
    }
}
