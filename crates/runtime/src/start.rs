//! From the files of a skill to its running code.

use std::collections::BTreeMap;
use std::sync::Arc;

use prowess_sdk::wire::{Code, Initialize, PROTOCOL};
use prowess_spec::SkillPath;
use prowess_spec::manifest::{Backend as Kind, Implementation, Word};

use crate::backend::{Backend, BackendError};
use crate::host::SkillHost;
use crate::living::LivingSkill;
use crate::worker::{OnTimeout, Program, WorkerBackend};

/// How code is run here.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    /// What interprets Starlark, if anything does.
    pub starlark: Option<Program>,
    /// How long a call may take; [`crate::limits::CALL_TIME`] if absent.
    pub call_time: Option<std::time::Duration>,
}

/// Starts the code of a skill; nothing if it has none.
pub(crate) async fn start(
    skill: &LivingSkill,
    workers: &Workers,
    host: Arc<SkillHost>,
    project_root: Option<String>,
) -> Result<Option<Arc<dyn Backend>>, BackendError> {
    let Some(implementation) = &skill.manifest.implementation else {
        return Ok(None);
    };
    match implementation.backend {
        Kind::Starlark => {
            let program = workers.starlark.clone().ok_or_else(|| {
                BackendError::Start("nothing here interprets Starlark".to_owned())
            })?;
            let initialize = Initialize {
                code: Some(code(skill, implementation)?),
                project_root,
                ..introduction(skill, &host)
            };
            let backend = WorkerBackend::start(
                Box::new(program),
                initialize,
                host,
                OnTimeout::Stop,
                workers.call_time,
            )
            .await?;
            Ok(Some(Arc::new(backend)))
        }
        other => Err(BackendError::Start(format!(
            "nothing here runs the backend `{}`",
            other.word()
        ))),
    }
}

fn introduction(skill: &LivingSkill, host: &SkillHost) -> Initialize {
    Initialize {
        protocol: PROTOCOL,
        name: skill.manifest.name.as_str().to_owned(),
        version: skill.manifest.version.to_string(),
        permissions: host.gate().granted(),
        ..Initialize::default()
    }
}

/// The texts that an interpreter needs, straight from what was approved: no file is opened a second time.
fn code(skill: &LivingSkill, implementation: &Implementation) -> Result<Code, BackendError> {
    let entrypoint = implementation
        .entrypoint
        .as_ref()
        .ok_or_else(|| BackendError::Start("the manifest names no entrypoint".to_owned()))?;
    let mut files = BTreeMap::new();
    for (path, bytes) in &skill.files {
        if path == entrypoint || is_starlark(path) {
            let text = String::from_utf8(bytes.clone())
                .map_err(|_| BackendError::Start(format!("`{path}` is not UTF-8 text")))?;
            files.insert(path.as_str().to_owned(), text);
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
