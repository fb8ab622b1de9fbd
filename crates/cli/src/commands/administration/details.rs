//! Everything about a skill but its content.

use prowess_core::{Document, SkillId, Skills};
use prowess_runtime::{CodeSkill, SkillContent};
use prowess_server::{HostError, diagnostics};
use prowess_spec::manifest::Keyword as _;
use prowess_spec::{SKILL_FILE, SkillPath, estimate_tokens};
use serde_json::{Value, json};

use super::super::info;
use super::{ServedAdministration, unavailable};
use crate::arguments::Global;
use crate::audit;
use crate::packages::report::PackageStates;

/// Bytes of a `SKILL.md` that is checked.
const CHECKED: usize = 2 * 1024 * 1024;

pub(super) async fn of(host: &ServedAdministration, skill: &str) -> Result<Value, HostError> {
    let id = host.known(skill)?;
    let failed = |error: &dyn ToString| HostError::Unavailable(error.to_string());
    let document = host.skills.sources().load(&id).await;
    let document = document.map_err(|error| failed(&error))?;
    let uses = host.store.skill_use(&id).await.unwrap_or_default();
    let (skills, global) = (host.skills.clone(), host.global.clone());
    // The audit reads and parses every file.
    let collected = tokio::task::spawn_blocking(move || {
        let usage = json!({"uses": uses.count, "last": uses.last});
        collect(&skills, &id, &document, &usage, &global)
    });
    collected.await.map_err(|error| failed(&error))?
}

fn collect(
    skills: &Skills,
    id: &SkillId,
    document: &Document,
    usage: &Value,
    global: &Global,
) -> Result<Value, HostError> {
    let catalog = skills.catalog();
    let found = catalog.get(id.as_str());
    let files = pollster::block_on(skills.sources().files(id)).unwrap_or_default();
    let content = pollster::block_on(SkillContent::read(skills, id)).ok();
    let digest = content.as_ref().map(|it| it.subject().content.to_string());
    let code = content.and_then(|content| CodeSkill::new(content).ok());
    let manifest = code.as_ref().map(|code| {
        let manifest = &code.manifest;
        let types: Vec<&str> = manifest.types.iter().map(|it| it.as_str()).collect();
        let permissions: Vec<&str> = manifest.permissions.iter().map(|it| it.as_str()).collect();
        json!({
            "version": manifest.version.to_string(),
            "types": types,
            "permissions": permissions,
            "tools": info::tools(code),
            "workflows": info::registered(code, "register_workflow"),
        })
    });
    let text = SkillPath::parse(SKILL_FILE).ok().and_then(|path| {
        let read = pollster::block_on(skills.sources().read(id, &path, 0, CHECKED));
        read.ok().map(|part| part.bytes)
    });
    let has_evals = |file: &prowess_core::FileEntry| super::evals::is_suite(file.path.as_str());
    let audit = audit::of_skill(skills, id).map_err(|error| unavailable(&error))?;
    let package = PackageStates::read(global).info(found, document.location.as_deref());
    let package = package.rows();
    let package: serde_json::Map<String, Value> = package
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let catalog_tokens = found.map(|skill| skill.descriptor.tokens().catalog);
    let file_bytes: u64 = files.iter().map(|file| file.size).sum();
    Ok(json!({
        "id": id,
        "source": found.map_or("", |skill| &**skill.source),
        "writable": skills.sources().writer(&catalog, id).is_some(),
        "tokens": {
            "catalog": catalog_tokens.unwrap_or_default(),
            "instructions": estimate_tokens(&document.body),
            "files": file_bytes.div_ceil(4),
        },
        "digest": digest,
        "diagnostics": text.map_or_else(Vec::new, |text| diagnostics(&text, Some(id.name()))),
        "audit": audit,
        "manifest": manifest,
        "package": (!package.is_empty()).then_some(package),
        "usage": usage,
        "evals": files.iter().any(has_evals),
    }))
}
