//! Installing packages, by the command that a user would type.

use prowess_server::{Accept, HostError, PackageRequest, PackageScope};
use serde_json::Value;

use super::program::{self, Hints, Program};

/// What would be installed, and what was found in it.
pub(super) async fn inspect(
    program: &Program,
    wanted: &PackageRequest,
) -> Result<Value, HostError> {
    run(program, wanted, &["--dry-run"], "would_install").await
}

/// Installs what was inspected.
pub(super) async fn install(
    program: &Program,
    wanted: &PackageRequest,
) -> Result<Value, HostError> {
    let accepted: &[&str] = match wanted.accept {
        Accept::None => &[],
        Accept::Yes => &["--yes"],
        Accept::Force => &["--force"],
    };
    run(program, wanted, accepted, "installed").await
}

async fn run(
    program: &Program,
    wanted: &PackageRequest,
    more: &[&str],
    key: &str,
) -> Result<Value, HostError> {
    let scope = match wanted.scope {
        PackageScope::Project => "project",
        PackageScope::User => "user",
    };
    let mut arguments = vec!["--json", "--scope", scope];
    arguments.extend(more);
    if let Some(skill) = &wanted.skill {
        arguments.extend(["--skill", skill]);
    }
    // What follows is never an option.
    arguments.extend(["--", &wanted.source]);
    let mut child = program
        .command("add", &arguments)?
        .spawn()
        .map_err(|error| HostError::Unavailable(error.to_string()))?;
    let mut answer = program::answer(&mut child, Hints::Hidden).await?;
    let members = answer.as_object_mut();
    if let Some(members) = members {
        let skills = members
            .remove(key)
            .unwrap_or_else(|| Value::Array(Vec::new()));
        members.insert("skills".to_owned(), skills);
        // Local paths are of no use to a client.
        members.remove("directory");
        members.remove("lock");
    }
    Ok(answer)
}
