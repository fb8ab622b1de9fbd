//! A project, skills, and a runtime over them.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use prowess_core::{Scope, SkillId, Skills};
use prowess_runtime::worker::Program;
use prowess_runtime::{
    ApprovalDecision, ApprovalRequest, Approvals, Approver, CommandApprovalRequest,
    CommandDecision, Jails, Listener, Parts, ProjectFiles, ProtectedWriteRequest, Runtime,
    RuntimeEvent, Services, Workers, WriteDecision,
};
use prowess_sandbox::{Launcher, Requirement};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_testing::{TestDirectory, example};
use serde_json::Value;

/// Directories for a project and for skills of each scope.
pub(crate) struct Place(TestDirectory);

impl Deref for Place {
    type Target = TestDirectory;

    fn deref(&self) -> &TestDirectory {
        &self.0
    }
}

/// Answers every question the same way, and counts them.
pub(crate) struct Always(
    pub(crate) ApprovalDecision,
    pub(crate) Mutex<Vec<Vec<String>>>,
);

#[async_trait]
impl Approver for Always {
    async fn ask(&self, request: ApprovalRequest<'_>) -> ApprovalDecision {
        let words = request.rights.iter().map(|it| it.as_str().to_owned());
        self.1.lock().unwrap().push(words.collect());
        self.0
    }

    async fn ask_command(&self, request: CommandApprovalRequest<'_>) -> CommandDecision {
        let mut asked = self.1.lock().unwrap();
        asked.push(request.command.to_vec());
        match self.0 {
            ApprovalDecision::Once => CommandDecision::Once,
            ApprovalDecision::Always | ApprovalDecision::Everywhere => {
                CommandDecision::AlwaysCommand
            }
            ApprovalDecision::Deny => CommandDecision::Deny,
            ApprovalDecision::Unavailable => CommandDecision::Unavailable,
        }
    }

    async fn ask_write(&self, request: ProtectedWriteRequest<'_>) -> WriteDecision {
        let target = request.target.to_str().unwrap();
        let asked = ["write", target, request.content].map(str::to_owned);
        self.1.lock().unwrap().push(asked.to_vec());
        match self.0 {
            ApprovalDecision::Deny => WriteDecision::Deny,
            ApprovalDecision::Unavailable => WriteDecision::Unavailable,
            _ => WriteDecision::Once,
        }
    }
}

/// A runtime, and what it told.
pub(crate) struct Running {
    pub(crate) runtime: Runtime,
    pub(crate) events: Arc<Mutex<Vec<RuntimeEvent>>>,
    pub(crate) approver: Arc<Always>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::over(TestDirectory::new())
    }

    /// The same in a directory whose path has no blanks, whatever the one for temporary files is called.
    pub(crate) fn with_plain_path() -> Self {
        Self::over(TestDirectory::new_in("/tmp"))
    }

    fn over(directory: TestDirectory) -> Self {
        for below in ["project", "builtin", "user", "skills"] {
            directory.create(below);
        }
        Self(directory)
    }

    /// A skill of the project: types, further lines of the manifest, and its code.
    pub(crate) fn skill(&self, name: &str, types: &str, more: &str, code: &str) -> &Self {
        self.skill_in("skills", name, types, more, code)
    }

    pub(crate) fn skill_in(
        &self,
        scope: &str,
        name: &str,
        types: &str,
        more: &str,
        code: &str,
    ) -> &Self {
        let implementation = if code.is_empty() {
            ""
        } else {
            "implementation: {backend: starlark, entrypoint: skill.star}\n"
        };
        let manifest = format!(
            "name: {name}\nversion: 1.0.0\ndescription: d\ntypes: [{types}]\n{implementation}{more}"
        );
        self.write(&format!("{scope}/{name}/SKILL.yaml"), &manifest);
        if !code.is_empty() {
            self.write(&format!("{scope}/{name}/skill.star"), code);
        }
        self
    }

    pub(crate) async fn skills(&self) -> Skills {
        let scoped = |scope| FilesystemOptions::new(scope);
        let source = |below, scope| FilesystemSource::new(self.path(below), scoped(scope));
        Skills::builder()
            .source("project", source("skills", Scope::Project))
            .source("user", source("user", Scope::User))
            .source("built-in", source("builtin", Scope::Builtin))
            .build()
            .await
            .unwrap()
    }

    /// A runtime in which everything that is asked for is allowed.
    pub(crate) async fn open(&self) -> Running {
        self.open_with(ApprovalDecision::Once, |_| ()).await
    }

    pub(crate) async fn open_with(
        &self,
        answer: ApprovalDecision,
        change: impl FnOnce(&mut Parts),
    ) -> Running {
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&events);
        let approver = Arc::new(Always(answer, Mutex::default()));
        let mut parts = Parts::new(self.skills().await);
        parts.workers = Workers {
            starlark: Some(worker("starlark")),
            call_time: Some(Duration::from_secs(10)),
            jails: Some(jails()),
            plugin_host: Some(worker("plugin")),
        };
        parts.services = Services {
            project: Some(ProjectFiles::open(&self.path("project")).unwrap()),
            environment: std::env::vars().collect(),
            listener: Listener::new(move |event| heard.lock().unwrap().push(event)),
            ..Services::default()
        };
        parts.approvals = Approvals::default();
        parts.approver = Arc::clone(&approver) as Arc<dyn Approver>;
        change(&mut parts);
        Running {
            runtime: Runtime::new(parts),
            events,
            approver,
        }
    }
}

/// The program that builds sandboxes and runs workers: `examples/launcher.rs`, built with the tests.
pub(crate) fn launcher() -> PathBuf {
    example("prowess-runtime", "launcher")
}

fn worker(kind: &str) -> Program {
    Program {
        program: launcher(),
        arguments: vec!["worker".into(), kind.into()],
    }
}

/// Jails of this machine.
pub(crate) fn jails() -> Jails {
    jails_of(std::env::home_dir())
}

/// The same for a user whose directory is another one.
pub(crate) fn jails_of(home: Option<PathBuf>) -> Jails {
    let mut launcher = Launcher::new(launcher());
    launcher.arguments = vec!["sandbox-init".into()];
    Jails::new(
        launcher,
        Requirement::Full,
        std::env::var("PATH").ok(),
        home,
    )
}

impl Running {
    /// Has skills become active, in this order.
    pub(crate) async fn with(self, names: &[&str]) -> Self {
        for name in names {
            self.runtime.activate(&id(name)).await.unwrap();
        }
        self
    }

    /// The text of a tool's answer, and whether it is an error.
    pub(crate) async fn call(&self, tool: &str, input: Value) -> (String, bool) {
        let result = self.runtime.call_tool(tool, input).await.unwrap();
        (result.content, result.is_error)
    }

    /// What was told, as JSON.
    pub(crate) fn told(&self) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        events
            .iter()
            .map(|event| serde_json::to_value(event).unwrap())
            .collect()
    }

    /// The states that a skill went through.
    pub(crate) fn life(&self, name: &str) -> Vec<String> {
        let of = |event: &Value| event["type"] == "changed" && event["skill"] == name;
        let to = |event: Value| event["to"].as_str().unwrap().to_owned();
        self.told().into_iter().filter(of).map(to).collect()
    }

    /// What skills wrote into the log.
    pub(crate) fn log(&self) -> Vec<String> {
        let message = |event: Value| Some(event["message"].as_str()?.to_owned());
        self.told().into_iter().filter_map(message).collect()
    }
}

pub(crate) fn id(name: &str) -> SkillId {
    name.parse().unwrap()
}

/// Whether a process with this command line is there.
pub(crate) fn runs(command: &str) -> bool {
    let mut entries = fs::read_dir("/proc").unwrap().flatten();
    entries.any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&line).replace('\0', " ");
        // The sandbox starts a program by its whole path.
        words.contains(command)
    })
}
