//! Conversations in a directory: one small JSON file each.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use async_trait::async_trait;
use prowess_core::{SessionStore, SessionStoreError, SkillId, SourceError};

use crate::background;

/// A [`SessionStore`] over a directory, which is made when first needed.
#[derive(Clone, Debug)]
pub struct SessionDirectory {
    path: PathBuf,
}

impl SessionDirectory {
    /// Keeps conversations in `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file of a conversation. Its name is hexadecimal, so that no name of a conversation can lead
    /// anywhere else or clash with another by case.
    fn file(&self, conversation: &str) -> PathBuf {
        let mut name = String::new();
        for byte in conversation.bytes() {
            let _ = write!(name, "{byte:02x}");
        }
        self.path.join(name + ".json")
    }
}

#[async_trait]
impl SessionStore for SessionDirectory {
    async fn load(&self, conversation: &str) -> Result<Option<Vec<SkillId>>, SessionStoreError> {
        let file = self.file(conversation);
        let outcome = background::run(move || match fs::read(file) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        });
        finished(outcome.await, "load", conversation)
    }

    async fn save(&self, conversation: &str, active: &[SkillId]) -> Result<(), SessionStoreError> {
        let file = self.file(conversation);
        let directory = self.path.clone();
        let text = serde_json::to_vec(active);
        let outcome = background::run(move || {
            fs::create_dir_all(&directory)?;
            let mut temporary = tempfile::NamedTempFile::new_in(&directory)?;
            temporary.write_all(&text?)?;
            temporary.as_file().sync_all()?;
            temporary.persist(file)?;
            Ok(())
        });
        finished(outcome.await, "save", conversation)
    }
}

fn finished<T>(
    outcome: Result<io::Result<T>, SourceError>,
    action: &'static str,
    conversation: &str,
) -> Result<T, SessionStoreError> {
    let failed = |reason: String| SessionStoreError {
        action,
        conversation: conversation.to_owned(),
        reason,
    };
    match outcome {
        Ok(outcome) => outcome.map_err(|error| failed(error.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use pollster::block_on;
    use prowess_core::{MemorySource, Scope, Skills};

    use super::*;

    #[test]
    fn t7_activated_ids_are_back_after_a_restart() {
        let text = "---\nname: a\ndescription: d\n---\nThe body.\n";
        let mut source = MemorySource::new(Scope::Project);
        source.add("a", text);
        let skills = block_on(Skills::builder().source("memory", source).build()).unwrap();
        let place = tempfile::tempdir().unwrap();
        let store = SessionDirectory::new(place.path().join("sessions"));
        for conversation in ["chat", "../../etc/passwd", "Chat", ""] {
            let session = block_on(skills.session_from(&store, conversation)).unwrap();
            assert!(session.active().is_empty());
            block_on(session.turn("/a go"));
            block_on(session.save_to(&store, conversation)).unwrap();
            let again = block_on(skills.session_from(&store, conversation)).unwrap();
            assert_eq!(again.active(), session.active());
        }
        let files: Vec<_> = fs::read_dir(place.path().join("sessions"))
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        assert_eq!(files, [r#"["a"]"#; 4]);
        fs::write(store.file("chat"), "[1").unwrap();
        let broken = block_on(skills.session_from(&store, "chat")).unwrap_err();
        assert!(
            broken
                .to_string()
                .starts_with("cannot load conversation `chat`: "),
            "{broken}"
        );
    }
}
