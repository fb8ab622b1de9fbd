//! The trust question of a project, for a user who is not at a terminal.

use prowess_server::HostError;
use prowess_trust::Decision;
use serde_json::{Value, json};

use super::{ServedAdministration, unavailable};
use crate::arguments::Global;
use crate::{configuration, environment};

/// What the project reaches, and whether the user trusts it.
pub(super) fn document(global: &Global) -> Result<Value, HostError> {
    let config = configuration::load(global).map_err(|error| unavailable(&error))?;
    let project = config.project.filter(|it| !it.reach.is_empty());
    Ok(match project {
        Some(project) => {
            let reach: Vec<String> = project.reach.iter().map(ToString::to_string).collect();
            json!({
                "root": project.root,
                "reach": reach,
                "digest": project.reach.digest().to_string(),
                "trusted": project.trusted,
            })
        }
        None => json!({"root": null, "reach": [], "digest": null, "trusted": true}),
    })
}

/// Stores the answer for exactly the list that the user saw, and opens the sources that waited for it.
pub(super) async fn accept(host: &ServedAdministration, digest: &str) -> Result<(), HostError> {
    let _writing = host.writing.lock().await;
    let config = configuration::load(&host.global).map_err(|error| unavailable(&error))?;
    let project = config.project.filter(|it| !it.reach.is_empty());
    let nothing = || HostError::NotFound("the project reaches nothing outside of it".to_owned());
    let project = project.ok_or_else(nothing)?;
    if !project.reach.digest().is(digest) {
        let message = "the list has changed: get it again, and read it";
        return Err(HostError::Changed(message.to_owned()));
    }
    let records = environment::trust_records();
    let missing = || HostError::Unavailable("cannot find your data directory".to_owned());
    let records = records.ok_or_else(missing)?;
    let stored = records.store(&project.root, &project.reach, Decision::Trusted);
    stored.map_err(|error| HostError::Unavailable(error.to_string()))?;
    let config = configuration::load(&host.global).map_err(|error| unavailable(&error))?;
    host.apply(&config).await?;
    Ok(())
}
