//! Checks of skills that clients send.

use axum::response::Response;
use prowess_spec::{Context, Diagnostic, LineIndex, Profile, advise, manifest, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::json_response;
use crate::body::JsonBody;
use crate::error::{Code, Failure};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    /// The whole `SKILL.md`.
    content: String,
    /// The name of its directory.
    #[serde(default)]
    directory: Option<String>,
}

#[derive(Serialize)]
struct CheckBody {
    valid: bool,
    diagnostics: Vec<Value>,
}

/// What `prowess check` says about a file that exists nowhere yet.
pub(crate) async fn check(JsonBody(request): JsonBody<CheckRequest>) -> Result<Response, Failure> {
    let context = Context {
        directory: request.directory.as_deref(),
        exists: None,
    };
    let (valid, diagnostics) = checked(request.content.as_bytes(), &context);
    json_response(&CheckBody { valid, diagnostics })
}

/// What `prowess check` says about a `SKILL.md`, as `--json` prints it.
pub fn diagnostics(bytes: &[u8], directory: Option<&str>) -> Vec<Value> {
    let context = Context {
        directory,
        exists: None,
    };
    checked(bytes, &context).1
}

fn checked(bytes: &[u8], context: &Context<'_>) -> (bool, Vec<Value>) {
    let parsed = parse(bytes, context);
    let mut found = advise(bytes, &parsed);
    let valid = parsed.is_valid(Profile::Check);
    found.extend(parsed.diagnostics);
    found.sort_by_key(|it| it.span);
    (valid, values(bytes, &found))
}

/// The diagnostics of a `SKILL.md` that is valid under `profile` and has this name; otherwise the error.
pub(crate) fn valid(bytes: &[u8], name: &str, profile: Profile) -> Result<Vec<Value>, Failure> {
    let context = Context {
        directory: Some(name),
        exists: None,
    };
    let parsed = parse(bytes, &context);
    let diagnostics = values(bytes, &parsed.diagnostics);
    let message = match &parsed.skill {
        Some(skill) if skill.name.as_str() != name => {
            format!("invalid skill: its name must be `{name}`, as in its id")
        }
        Some(_) if parsed.is_valid(profile) => return Ok(diagnostics),
        _ => {
            let is_error = |it: &&Diagnostic| it.severity(profile).is_some();
            let first = parsed.diagnostics.iter().find(is_error);
            let first = first.map_or("it has no name or description", |it| &it.message);
            format!("invalid skill: {first}")
        }
    };
    Err(Failure::new(Code::InvalidSkill, message).diagnostics(diagnostics))
}

/// Refuses a `SKILL.yaml` that cannot be used.
pub(crate) fn valid_manifest(bytes: &[u8], name: &str) -> Result<(), Failure> {
    let context = Context {
        directory: Some(name),
        exists: None,
    };
    let parsed = manifest::parse(bytes, &context, None);
    if parsed.manifest.is_some() {
        return Ok(());
    }
    let first = parsed.diagnostics.first().map_or("", |it| &it.message);
    let message = format!("invalid manifest: {first}");
    let diagnostics = values(bytes, &parsed.diagnostics);
    Err(Failure::new(Code::InvalidSkill, message).diagnostics(diagnostics))
}

/// Diagnostics as `prowess check --json` has them.
pub(crate) fn values(bytes: &[u8], found: &[Diagnostic]) -> Vec<Value> {
    let lines = LineIndex::new(bytes);
    let value = |it: &Diagnostic| {
        let severity = it.severity(Profile::Check)?;
        Some(json!({
            "code": it.code,
            "severity": severity,
            "start": lines.position(it.span.start),
            "end": lines.position(it.span.end),
            "message": it.message,
            "help": it.help,
            "fixable": !it.fix.is_empty(),
        }))
    };
    found.iter().filter_map(value).collect()
}
