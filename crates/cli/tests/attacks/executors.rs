//! The ways in which a skill's own code runs outside of our process.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Scope, SkillId, Skills};
use prowess_runtime::worker::Program;
use prowess_runtime::{
    Approvals, Jails, NoApprover, Parts, ProjectFiles, Runtime, Scripts, ScriptsMode, Workers,
};
use prowess_sandbox::{Launcher, Requirement};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_spec::SkillPath;
use prowess_spec::manifest::{Keyword as _, Permission};
use prowess_testing::{TestDirectory, run};
use serde_json::json;

/// The result of an attack.
pub(crate) enum AttackResult {
    /// It ended by itself.
    Ended { text: String, code: i32 },
    /// It took with it what ran it.
    Died(String),
    /// It did not run.
    Not(String),
}

/// Runs a Python text as the code of a skill that may read the project.
pub(crate) trait Executor {
    fn name(&self) -> &'static str;
    fn run(
        &self,
        project: &Path,
        text: &str,
        mark: &str,
        permissions: &[Permission],
    ) -> AttackResult;
    /// Attacks that are none here, and why.
    fn leaves_out(&self) -> &[(&str, &str)] {
        &[]
    }
}

pub(crate) fn jails() -> Jails {
    let mut launcher = Launcher::new(env!("CARGO_BIN_EXE_prowess"));
    launcher.arguments = vec!["sandbox-init".into()];
    Jails::new(launcher, Requirement::Full, None, std::env::home_dir())
}

pub(crate) async fn skills(root: &Path) -> Skills {
    let source = FilesystemSource::new(root, FilesystemOptions::new(Scope::Project));
    let built = Skills::builder().source("attacks", source).build().await;
    built.unwrap()
}

pub(crate) fn approved(permissions: &[Permission]) -> Approvals {
    let approvals = Approvals::default();
    approvals.approve_any_content("attack", permissions);
    approvals
}

pub(crate) fn id() -> SkillId {
    "attack".parse().unwrap()
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

pub(crate) const PYTHON: &str = "{backend: process, command: [python3, main.py]}";

/// A directory with the manifest of the skill `attack`.
pub(crate) fn skill(implementation: &str, permissions: &[Permission]) -> TestDirectory {
    let words: Vec<&str> = permissions.iter().map(|it| it.as_str()).collect();
    let manifest = format!(
        "name: attack\nversion: 1.0.0\ndescription: d\ntypes: [tool]\npermissions: {words:?}\n\
         implementation: {implementation}\n"
    );
    let directory = TestDirectory::new();
    directory.write("attack/SKILL.yaml", manifest);
    directory
}

/// A script that a model asks for.
pub(crate) struct Script;

impl Executor for Script {
    fn name(&self) -> &'static str {
        "a script"
    }

    fn leaves_out(&self) -> &[(&str, &str)] {
        &[(
            "other-places",
            "a script has a directory for what it leaves",
        )]
    }

    fn run(
        &self,
        project: &Path,
        text: &str,
        mark: &str,
        permissions: &[Permission],
    ) -> AttackResult {
        let place = skill("{backend: starlark, entrypoint: x.star}", permissions);
        place
            .write("attack/x.star", "")
            .write("attack/scripts/attack.py", text);
        block_on(async {
            let scripts = Scripts::new(
                skills(place.root()).await,
                jails(),
                approved(permissions),
                Arc::new(NoApprover),
                ScriptsMode::Ask,
            )
            .project(project.to_owned())
            .time(Duration::from_secs(90));
            let path = SkillPath::parse("scripts/attack.py").unwrap();
            match scripts.execute(&id(), &path, &[mark.to_owned()]).await {
                Ok(output) if output.exit_code > 128 => AttackResult::Died(output.stderr),
                Ok(output) => AttackResult::Ended {
                    text: output.stdout,
                    code: output.exit_code,
                },
                Err(error) => AttackResult::Not(error.to_string()),
            }
        })
    }
}

/// A skill that is a program.
pub(crate) struct Process;

const PROCESS: &str = r#"
import json, subprocess, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"tools": [{"name": "attack", "description": "d"}]}
    elif request["method"] == "tool/execute":
        given = request["params"]["input"]
        done = subprocess.run([sys.executable, "-I", "-c", given["text"], given["mark"]], capture_output=True, start_new_session=True)
        said = {"text": done.stdout.decode("utf-8", "replace"), "code": done.returncode, "errors": done.stderr.decode("utf-8", "replace")[-2000:]}
        result = {"content": json.dumps(said), "is_error": False}
    else:
        result = None
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    if request["method"] == "shutdown":
        break
"#;

impl Executor for Process {
    fn name(&self) -> &'static str {
        "a process skill"
    }

    fn leaves_out(&self) -> &[(&str, &str)] {
        &[("parent-memory", "the parent is the skill's own process")]
    }

    fn run(
        &self,
        project: &Path,
        text: &str,
        mark: &str,
        permissions: &[Permission],
    ) -> AttackResult {
        let place = skill(PYTHON, permissions);
        place.write("attack/main.py", PROCESS);
        as_tool(project, place.root(), text, mark, permissions)
    }
}

/// Has the tool of a skill run the text, in a worker of its own.
pub(crate) fn as_tool(
    project: &Path,
    root: &Path,
    text: &str,
    mark: &str,
    permissions: &[Permission],
) -> AttackResult {
    block_on(async {
        let runtime = runtime(root, project, permissions).await;
        if let Err(error) = runtime.activate(&id()).await {
            return AttackResult::Not(error.to_string());
        }
        let input = json!({"text": text, "mark": mark});
        let result = runtime.call_tool("attack", input).await.unwrap();
        runtime.shut_down().await;
        if result.is_error {
            return AttackResult::Died(result.content);
        }
        let said: serde_json::Value = serde_json::from_str(&result.content).unwrap();
        let code = said["code"].as_i64().unwrap();
        if code < 0 {
            return AttackResult::Died(format!("signal {}", -code));
        }
        AttackResult::Ended {
            text: said["text"].as_str().unwrap().to_owned(),
            code: i32::try_from(code).unwrap(),
        }
    })
}

pub(crate) async fn runtime(root: &Path, project: &Path, permissions: &[Permission]) -> Runtime {
    let mut parts = Parts::new(skills(root).await);
    parts.workers = Workers {
        jails: Some(jails()),
        plugin_host: Some(Program {
            program: env!("CARGO_BIN_EXE_prowess").into(),
            arguments: vec!["worker".into(), "plugin".into()],
        }),
        call_time: Some(Duration::from_secs(90)),
        ..Workers::default()
    };
    parts.services.project = Some(ProjectFiles::open(project).unwrap());
    parts.approvals = approved(permissions);
    Runtime::new(parts)
}

/// A skill that is a native library.
pub(crate) struct Plugin {
    library: Vec<u8>,
}

impl Plugin {
    /// Compiles it, as its author would.
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let library = place.path().join("plugin.so");
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        run(std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o"])
            .arg(&library)
            .arg("-I")
            .arg(own.join("../sdk/src/plugin"))
            .arg(own.join("tests/attacks/attack.c")));
        Self {
            library: fs::read(library).unwrap(),
        }
    }
}

impl Executor for Plugin {
    fn name(&self) -> &'static str {
        "a native plugin"
    }

    fn leaves_out(&self) -> &[(&str, &str)] {
        &[
            ("parent-memory", "the parent is the skill's own process"),
            ("other-places", "what loads a plugin is in the jail with it"),
            (
                "descriptors",
                "its input is empty, no pipe: the line to the host is kept from it",
            ),
        ]
    }

    fn run(
        &self,
        project: &Path,
        text: &str,
        mark: &str,
        permissions: &[Permission],
    ) -> AttackResult {
        let place = skill("{backend: plugin, entrypoint: plugin.so}", permissions);
        place
            .write("attack/plugin.so", &self.library)
            .write(&format!("attack/attack-{mark}.py"), text);
        block_on(async {
            let runtime = runtime(place.root(), project, permissions).await;
            if let Err(error) = runtime.activate(&id()).await {
                return AttackResult::Not(error.to_string());
            }
            let result = runtime.call_tool("attack", json!({})).await.unwrap();
            runtime.shut_down().await;
            if result.is_error {
                return AttackResult::Died(result.content);
            }
            let (code, hex) = result.content.split_at(5);
            let code: i32 = code.trim().parse().unwrap();
            let digits: Vec<char> = hex.trim().chars().collect();
            let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).unwrap();
            let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
            if code > 128 {
                return AttackResult::Died(format!("signal {}", code - 128));
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            AttackResult::Ended { text, code }
        })
    }
}
