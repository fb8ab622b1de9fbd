//! Reading a suite from the files of a skill.

use prowess_core::{SkillId, Skills, SourceError};
use prowess_spec::SkillPath;

use super::error::SuiteError;
use super::parse::{EVALS, TRIGGERS};
use super::suite::{Expectation, Suite};

/// Bytes of either file.
const FILE_BYTES: usize = 1024 * 1024;
/// Maximum size of a file for a prompt.
const ATTACHED_BYTES: usize = 128 * 1024;

impl Suite {
    /// Reads the files of a skill, and those that they name.
    pub async fn read(skills: &Skills, id: &SkillId) -> Result<Self, SuiteError> {
        let evals = own(skills, id, EVALS).await?;
        let triggers = own(skills, id, TRIGGERS).await?;
        if evals.is_none() && triggers.is_none() {
            return Err(SuiteError::Nothing(id.clone()));
        }
        let mut suite = Self::parse(evals.as_deref(), triggers.as_deref())?;
        if suite.is_empty() {
            return Err(SuiteError::Empty(id.clone()));
        }
        for (index, eval) in suite.evals.iter_mut().enumerate() {
            for (number, file) in eval.files.iter_mut().enumerate() {
                let found = text(skills, id, &file.path, ATTACHED_BYTES).await;
                file.text = found.map_err(|error| named(index, "files", number, &error))?;
            }
            for (number, expectation) in eval.expectations.iter().enumerate() {
                if let Expectation::Script(path) = expectation {
                    let found = skills.sources().read(id, path, 0, 1).await;
                    found.map_err(|error| named(index, "expectations", number, &error.into()))?;
                }
            }
        }
        Ok(suite)
    }
}

/// A problem of a file that `evals.json` names.
fn named(eval: usize, list: &str, number: usize, error: &SuiteError) -> SuiteError {
    let meant = match error {
        SuiteError::Source(SourceError::FileNotFound { nearest, .. }) if !nearest.is_empty() => {
            format!("; did you mean {}?", nearest.join(", "))
        }
        _ => String::new(),
    };
    SuiteError::Invalid {
        file: EVALS,
        at: format!("evals[{eval}].{list}[{number}]"),
        reason: format!("{error}{meant}"),
    }
}

/// A file of evals, if the skill has it.
async fn own(skills: &Skills, id: &SkillId, name: &str) -> Result<Option<String>, SuiteError> {
    let Ok(path) = SkillPath::parse(name) else {
        return Ok(None);
    };
    match text(skills, id, &path, FILE_BYTES).await {
        Ok(text) => Ok(Some(text)),
        Err(SuiteError::Source(SourceError::FileNotFound { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn text(
    skills: &Skills,
    id: &SkillId,
    path: &SkillPath,
    limit: usize,
) -> Result<String, SuiteError> {
    let part = skills.sources().read(id, path, 0, limit).await?;
    if part.size > limit as u64 {
        return Err(SuiteError::TooLarge {
            file: path.to_string(),
            bytes: part.size,
            limit,
        });
    }
    String::from_utf8(part.bytes).map_err(|_| SuiteError::NotText(path.to_string()))
}
