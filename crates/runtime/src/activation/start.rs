//! Starts the code of a skill.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess_sandbox::Limits;
use prowess_sdk::wire::{Code, Initialize, PROTOCOL};
use prowess_spec::SkillPath;
use prowess_spec::manifest::{Backend as Kind, Implementation, Permission};

use crate::backend::{Backend, BackendError};
use crate::code_skill::CodeSkill;
use crate::confined::{ConfinedProgram, Extra, Jails, PROJECT, SKILL};
use crate::host::SkillHost;
use crate::worker::{OnTimeout, Program, WorkerBackend};

/// The programs that run the code of skills. A backend without its program is unsupported.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    /// The Starlark worker.
    pub starlark: Option<Program>,
    /// Sandboxes for programs of any language.
    pub jails: Option<Jails>,
    /// The loader of native plugins: a single executable file, run in a sandbox.
    pub plugin_host: Option<Program>,
    /// Time limit of a call; [`crate::limits::CALL_TIME`] by default.
    pub call_time: Option<Duration>,
}

/// Path of the plugin loader in the sandbox.
const PLUGIN_HOST: &str = "/prowess/plugin-host";

/// Starts the code of a skill; `None` if it has none.
pub(super) async fn start(
    skill: &CodeSkill,
    workers: &Workers,
    project: Option<&Path>,
    host: Arc<SkillHost>,
) -> Result<Option<Arc<dyn Backend>>, BackendError> {
    let Some(implementation) = &skill.manifest.implementation else {
        return Ok(None);
    };
    let backend = match implementation.backend {
        Kind::Starlark => {
            let program = workers
                .starlark
                .clone()
                .ok_or_else(|| unsupported("starlark"))?;
            let initialize = Initialize {
                code: Some(code(skill, implementation)?),
                project_root: project.map(|it| it.display().to_string()),
                ..base_initialize(skill, &host)
            };
            let stop = OnTimeout::Stop;
            WorkerBackend::start(Box::new(program), initialize, host, stop, workers.call_time)
        }
        Kind::Process | Kind::Plugin => {
            let word = prowess_spec::manifest::Keyword::as_str(implementation.backend);
            let jails = workers.jails.as_ref().ok_or_else(|| unsupported(word))?;
            let extra = Extra {
                project: project.map(Path::to_owned),
                ..Extra::default()
            };
            let sees_project = [Permission::FileRead, Permission::FileWrite]
                .iter()
                .any(|it| host.gate().may(*it).is_ok());
            let initialize = Initialize {
                project_root: (sees_project && extra.project.is_some()).then(|| PROJECT.to_owned()),
                ..base_initialize(skill, &host)
            };
            let (program, on_timeout) = match implementation.backend {
                Kind::Plugin => (
                    plugin(skill, implementation, workers, jails, &host, extra)?,
                    OnTimeout::Stop,
                ),
                _ => (
                    process(skill, implementation, jails, &host, &extra)?,
                    OnTimeout::Continue,
                ),
            };
            let program = Box::new(program);
            WorkerBackend::start(program, initialize, host, on_timeout, workers.call_time)
        }
    };
    Ok(Some(Arc::new(backend.await?)))
}

fn unsupported(backend: &str) -> BackendError {
    BackendError::Start(format!("the backend `{backend}` is not available"))
}

fn base_initialize(skill: &CodeSkill, host: &SkillHost) -> Initialize {
    Initialize {
        protocol: PROTOCOL,
        name: skill.manifest.name.as_str().to_owned(),
        version: skill.manifest.version.to_string(),
        permissions: host.gate().granted(),
        skill_dir: Some(SKILL.to_owned()),
        ..Initialize::default()
    }
}

fn entrypoint(implementation: &Implementation) -> Result<&SkillPath, BackendError> {
    let named = implementation.entrypoint.as_ref();
    named.ok_or_else(|| BackendError::Start("the manifest has no entrypoint".to_owned()))
}

/// A program of any language: a command, or a file with an interpreter.
fn process(
    skill: &CodeSkill,
    implementation: &Implementation,
    jails: &Jails,
    host: &SkillHost,
    extra: &Extra,
) -> Result<ConfinedProgram, BackendError> {
    let (content, gate) = (&skill.content, host.gate());
    let made = if implementation.command.is_empty() {
        ConfinedProgram::file(jails, content, entrypoint(implementation)?, gate, extra)
    } else {
        ConfinedProgram::command(jails, content, &implementation.command, gate, extra)
    };
    made.map_err(|error| BackendError::Start(error.to_string()))
}

/// A native library, loaded by the plugin host in a sandbox.
fn plugin(
    skill: &CodeSkill,
    implementation: &Implementation,
    workers: &Workers,
    jails: &Jails,
    host: &SkillHost,
    mut extra: Extra,
) -> Result<ConfinedProgram, BackendError> {
    let loader = workers
        .plugin_host
        .as_ref()
        .ok_or_else(|| unsupported("plugin"))?;
    let path = entrypoint(implementation)?;
    if skill.content.file(path).is_none() {
        return Err(BackendError::Start(format!("`{path}` is not in the skill")));
    }
    extra
        .files
        .push((loader.program.clone(), PLUGIN_HOST.into()));
    extra.limits = Limits::default();
    let mut words = vec![PLUGIN_HOST.to_owned()];
    let arguments = loader.arguments.iter();
    words.extend(arguments.map(|it| it.to_string_lossy().into_owned()));
    words.push(format!("{SKILL}/{path}"));
    ConfinedProgram::ours(jails, &skill.content, &words, host.gate(), &extra)
        .map_err(|error| BackendError::Start(error.to_string()))
}

/// The Starlark files of a skill, from the approved bytes: no file is opened again.
fn code(skill: &CodeSkill, implementation: &Implementation) -> Result<Code, BackendError> {
    let entrypoint = entrypoint(implementation)?;
    let mut files = BTreeMap::new();
    for (path, bytes) in skill.content.files() {
        if path == entrypoint || is_starlark(path) {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| BackendError::Start(format!("`{path}` is not UTF-8 text")))?;
            files.insert(path.as_str().to_owned(), text.to_owned());
        }
    }
    Ok(Code {
        entrypoint: entrypoint.as_str().to_owned(),
        files,
    })
}

fn is_starlark(path: &SkillPath) -> bool {
    let extension = std::path::Path::new(path.as_str()).extension();
    extension.is_some_and(|extension| extension == "star")
}
