//! The host, as the code of a plugin sees it.

use std::rc::Rc;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::responses::{
    Change, Commit, Commits, Content, DirectoryEntry, Entries, Execution, Fetch, Files, Hash,
    Response, Variable,
};
use crate::wire::{Failure, HostCall, Initialize, Output, PROTOCOL, code};

/// The host, as the code of a plugin sees it, for the time of one request.
///
/// The host checks the permission of the skill for each question, and what it refuses is a [`Failure`] with a code out
/// of [`code`].
pub struct Context {
    skill: Rc<Initialize>,
    host: Box<dyn Ask>,
}

/// The host.
pub(super) trait Ask: Fn(&HostCall) -> Result<Value, Failure> {}

impl<F: Fn(&HostCall) -> Result<Value, Failure>> Ask for F {}

impl Context {
    pub(super) fn new(skill: &Rc<Initialize>, host: Box<dyn Ask>) -> Self {
        let skill = Rc::clone(skill);
        Self { skill, host }
    }

    /// A host for tests. Its responses are those of [`HostCall`].
    pub fn for_tests(host: impl Fn(&HostCall) -> Result<Value, Failure> + 'static) -> Self {
        let skill = Initialize {
            protocol: PROTOCOL,
            ..Initialize::default()
        };
        Self::new(&Rc::new(skill), Box::new(host))
    }

    /// The skill's name.
    pub fn name(&self) -> &str {
        &self.skill.name
    }

    /// The skill's version.
    pub fn version(&self) -> &str {
        &self.skill.version
    }

    /// The permissions of the skill: declared, and approved at activation.
    pub fn permissions(&self) -> &[String] {
        &self.skill.permissions
    }

    /// Where the skill's files are.
    pub fn skill_dir(&self) -> Option<&str> {
        self.skill.skill_dir.as_deref()
    }

    /// Where the project is, if the skill may look at it itself.
    pub fn project_root(&self) -> Option<&str> {
        self.skill.project_root.as_deref()
    }

    /// Sends any request.
    pub fn call(&self, call: &HostCall) -> Result<Value, Failure> {
        (self.host)(call)
    }

    fn ask<T: DeserializeOwned>(&self, call: &HostCall) -> Result<T, Failure> {
        let answer = self.call(call)?;
        serde_json::from_value(answer).map_err(|error| Failure {
            code: code::FAILED,
            message: format!("malformed response from the host: {error}"),
        })
    }

    fn notify(&self, call: &HostCall) -> Result<(), Failure> {
        self.ask::<IgnoredAny>(call).map(drop)
    }

    /// Writes a line to the log. Needs no permission.
    pub fn log(&self, message: impl Into<String>) -> Result<(), Failure> {
        let message = message.into();
        self.notify(&HostCall::Log { message })
    }

    /// The text of a file of the project. Needs `file:read`.
    pub fn read_file(&self, path: impl Into<String>) -> Result<String, Failure> {
        let call = HostCall::ReadFile { path: path.into() };
        let answer: Content = self.ask(&call)?;
        Ok(answer.content)
    }

    /// Writes a file of the project. Needs `file:write`.
    pub fn write_file(
        &self,
        path: impl Into<String>,
        content: impl Into<String>,
    ) -> Result<(), Failure> {
        self.notify(&HostCall::WriteFile {
            path: path.into(),
            content: content.into(),
        })
    }

    /// The entries of a directory of the project; of the project itself if the path is empty. Needs `file:read`.
    pub fn list_dir(&self, path: impl Into<String>) -> Result<Vec<DirectoryEntry>, Failure> {
        let call = HostCall::ListDir { path: path.into() };
        let answer: Entries = self.ask(&call)?;
        Ok(answer.entries)
    }

    /// The paths of the files of the project that a glob matches. Needs `file:read`.
    pub fn search_files(&self, pattern: impl Into<String>) -> Result<Vec<String>, Failure> {
        let pattern = pattern.into();
        let answer: Files<String> = self.ask(&HostCall::SearchFiles { pattern })?;
        Ok(answer.files)
    }

    /// Runs a program, without a shell: its name, then its arguments. Needs `shell:exec`.
    pub fn exec<W: Into<String>>(
        &self,
        command: impl IntoIterator<Item = W>,
    ) -> Result<Execution, Failure> {
        let command = command.into_iter().map(Into::into).collect();
        let stdin = None;
        self.ask(&HostCall::Exec {
            command,
            stdin,
            reach: None,
        })
    }

    /// Runs a program that reads a text from its standard input. Needs `shell:exec`.
    pub fn exec_with_input<W: Into<String>>(
        &self,
        command: impl IntoIterator<Item = W>,
        stdin: impl Into<String>,
    ) -> Result<Execution, Failure> {
        let command = command.into_iter().map(Into::into).collect();
        let stdin = Some(stdin.into());
        self.ask(&HostCall::Exec {
            command,
            stdin,
            reach: None,
        })
    }

    /// An environment variable of the host; nothing if it is not set. Needs `env:read`.
    pub fn env(&self, name: impl Into<String>) -> Result<Option<String>, Failure> {
        let call = HostCall::Env { name: name.into() };
        let answer: Variable = self.ask(&call)?;
        Ok(answer.value)
    }

    /// Sets an environment variable for the programs that the skill runs. Needs `env:write`.
    pub fn set_env(
        &self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Result<(), Failure> {
        self.notify(&HostCall::SetEnv {
            name: name.into(),
            value: value.into(),
        })
    }

    /// Calls the model. Needs `llm:call`.
    pub fn complete(
        &self,
        prompt: impl Into<String>,
        system: Option<&str>,
        max_tokens: Option<u32>,
    ) -> Result<String, Failure> {
        let answer: Content = self.ask(&HostCall::Complete {
            prompt: prompt.into(),
            system: system.map(str::to_owned),
            max_tokens,
        })?;
        Ok(answer.content)
    }

    /// Fetches from the network. Needs `net:fetch`.
    pub fn fetch(&self, fetch: Fetch) -> Result<Response, Failure> {
        self.ask(&HostCall::Fetch {
            url: fetch.url,
            method: fetch.method,
            headers: fetch.headers,
            body: fetch.body,
        })
    }

    /// Differences of the repository; arguments are revisions or paths. Needs `git:read`.
    pub fn git_diff(&self, args: &[&str]) -> Result<String, Failure> {
        let args = owned(args);
        let answer: Content = self.ask(&HostCall::GitDiff { args })?;
        Ok(answer.content)
    }

    /// The latest commits; 10 if no limit is given. Needs `git:read`.
    pub fn git_log(&self, limit: Option<u32>, args: &[&str]) -> Result<Vec<Commit>, Failure> {
        let args = owned(args);
        let answer: Commits = self.ask(&HostCall::GitLog { limit, args })?;
        Ok(answer.commits)
    }

    /// The changed files. Needs `git:read`.
    pub fn git_status(&self) -> Result<Vec<Change>, Failure> {
        let answer: Files<Change> = self.ask(&HostCall::GitStatus {})?;
        Ok(answer.files)
    }

    /// Puts files into the index. Needs `git:write`.
    pub fn git_add(&self, paths: &[&str]) -> Result<(), Failure> {
        let paths = owned(paths);
        self.notify(&HostCall::GitAdd { paths })
    }

    /// Commits the index; the hash. Needs `git:write`.
    pub fn git_commit(&self, message: impl Into<String>) -> Result<String, Failure> {
        let message = message.into();
        let answer: Hash = self.ask(&HostCall::GitCommit { message })?;
        Ok(answer.hash)
    }

    /// Calls a tool or a workflow of another skill; its output can be an error. Needs `skill:invoke`.
    pub fn invoke_skill(
        &self,
        skill: impl Into<String>,
        name: impl Into<String>,
        input: Value,
    ) -> Result<Output, Failure> {
        self.ask(&HostCall::InvokeSkill {
            skill: skill.into(),
            name: name.into(),
            input,
        })
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::json;

    use super::*;

    /// The request of a function, and the conversion of its response.
    fn check<T: PartialEq + std::fmt::Debug>(
        function: impl Fn(&Context) -> Result<T, Failure>,
        asked: &Value,
        answer: &Value,
        expected: &T,
    ) {
        let calls = Rc::new(RefCell::new(Vec::new()));
        let (seen, reply) = (Rc::clone(&calls), answer.clone());
        let context = Context::for_tests(move |call| {
            seen.borrow_mut().push(serde_json::to_value(call).unwrap());
            Ok(reply.clone())
        });
        assert_eq!(function(&context).as_ref(), Ok(expected));
        assert_eq!(*calls.borrow(), std::slice::from_ref(asked));
        let refused = || Failure {
            code: code::DENIED,
            message: "no".to_owned(),
        };
        let context = Context::for_tests(move |_| Err(refused()));
        assert_eq!(function(&context), Err(refused()));
    }

    #[test]
    fn each_function_makes_one_host_call() {
        let call = |method: &str, params: &Value| json!({"method": method, "params": params});
        check(
            |it| it.log("m"),
            &call("host/log", &json!({"message": "m"})),
            &Value::Null,
            &(),
        );
        check(
            |it| it.read_file("p"),
            &call("host/read_file", &json!({"path": "p"})),
            &json!({"content": "text"}),
            &"text".to_owned(),
        );
        check(
            |it| it.write_file("p", "text"),
            &call("host/write_file", &json!({"path": "p", "content": "text"})),
            &Value::Null,
            &(),
        );
        check(
            |it| it.list_dir("p"),
            &call("host/list_dir", &json!({"path": "p"})),
            &json!({"entries": [{"name": "n", "is_dir": true, "size": 7, "new": 1}]}),
            &vec![DirectoryEntry {
                name: "n".to_owned(),
                is_dir: true,
                size: 7,
            }],
        );
        check(
            |it| it.search_files("*.rs"),
            &call("host/search_files", &json!({"pattern": "*.rs"})),
            &json!({"files": ["a.rs"]}),
            &vec!["a.rs".to_owned()],
        );
        let ran = Execution {
            stdout: "o".to_owned(),
            stderr: "e".to_owned(),
            exit_code: 3,
        };
        check(
            |it| it.exec(["ls", "-l"]),
            &call("host/exec", &json!({"command": ["ls", "-l"]})),
            &json!({"stdout": "o", "stderr": "e", "exit_code": 3}),
            &ran,
        );
        check(
            |it| it.exec_with_input(["cat"], "in"),
            &call("host/exec", &json!({"command": ["cat"], "stdin": "in"})),
            &json!({"stdout": "o", "stderr": "e", "exit_code": 3}),
            &ran,
        );
        check(
            |it| it.env("HOME"),
            &call("host/env", &json!({"name": "HOME"})),
            &json!({"value": null}),
            &None,
        );
        check(
            |it| it.set_env("A", "b"),
            &call("host/set_env", &json!({"name": "A", "value": "b"})),
            &Value::Null,
            &(),
        );
        check(
            |it| it.complete("p", Some("s"), Some(9)),
            &call(
                "host/complete",
                &json!({"prompt": "p", "system": "s", "max_tokens": 9}),
            ),
            &json!({"content": "c"}),
            &"c".to_owned(),
        );
        check(
            |it| it.fetch(Fetch::new("https://example.com").header("a", "b")),
            &call(
                "host/fetch",
                &json!({"url": "https://example.com", "headers": {"a": "b"}}),
            ),
            &json!({"status": 200, "headers": {"x": "y"}, "body": "b"}),
            &Response {
                status: 200,
                headers: [("x".to_owned(), "y".to_owned())].into(),
                body: "b".to_owned(),
            },
        );
        check(
            |it| it.invoke_skill("other", "tool", json!({"a": 1})),
            &call(
                "host/invoke_skill",
                &json!({"skill": "other", "name": "tool", "input": {"a": 1}}),
            ),
            &json!({"content": "c", "is_error": true}),
            &Output {
                content: "c".to_owned(),
                is_error: true,
            },
        );
    }

    #[test]
    fn repository_functions_make_host_calls() {
        let call = |method: &str, params: &Value| json!({"method": method, "params": params});
        check(
            |it| it.git_diff(&["HEAD"]),
            &call("host/git_diff", &json!({"args": ["HEAD"]})),
            &json!({"content": "d"}),
            &"d".to_owned(),
        );
        check(
            |it| it.git_log(Some(1), &[]),
            &call("host/git_log", &json!({"limit": 1, "args": []})),
            &json!({"commits": [{"hash": "h", "author": "a", "date": "d", "message": "m"}]}),
            &vec![Commit {
                hash: "h".to_owned(),
                author: "a".to_owned(),
                date: "d".to_owned(),
                message: "m".to_owned(),
            }],
        );
        check(
            Context::git_status,
            &call("host/git_status", &json!({})),
            &json!({"files": [{"path": "p", "status": "M"}]}),
            &vec![Change {
                path: "p".to_owned(),
                status: "M".to_owned(),
            }],
        );
        check(
            |it| it.git_add(&["a"]),
            &call("host/git_add", &json!({"paths": ["a"]})),
            &Value::Null,
            &(),
        );
        check(
            |it| it.git_commit("m"),
            &call("host/git_commit", &json!({"message": "m"})),
            &json!({"hash": "h"}),
            &"h".to_owned(),
        );
    }

    #[test]
    fn malformed_response_is_a_failure() {
        let context = Context::for_tests(|_| Ok(json!({"text": "?"})));
        let failure = context.read_file("p").unwrap_err();
        assert_eq!(
            failure.message,
            "malformed response from the host: missing field `content`"
        );
    }
}
