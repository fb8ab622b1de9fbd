//! A source of your own: four methods.
//!
//! `cargo run -p prowess --example custom_source`
#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::sync::Arc;

use async_trait::async_trait;
use prowess::catalog::Descriptor;
use prowess::sources::{Document, FileEntry, FilePart, Snapshot, document};
use prowess::spec::{SkillPath, head};
use prowess::{Scope, SkillId, Skills, Source, SourceError};

/// A skill that is different every day.
struct Daily {
    id: SkillId,
    day: &'static str,
}

impl Daily {
    fn text(&self) -> String {
        format!(
            "---\nname: daily\ndescription: What to do on a {}\n---\nRest.\n",
            self.day
        )
    }
}

#[async_trait]
impl Source for Daily {
    async fn snapshot(&self) -> Result<Arc<Snapshot>, SourceError> {
        let text = self.text();
        let head = head(text.as_bytes(), None);
        let skill =
            |head| Descriptor::new(self.id.clone(), &head, Scope::Remote, text.len() as u64, 1);
        Ok(Arc::new(Snapshot {
            skills: head.map(skill).into_iter().collect(),
            ..Snapshot::default()
        }))
    }

    async fn load(&self, id: &SkillId) -> Result<Document, SourceError> {
        if *id != self.id {
            return Err(SourceError::NotFound(id.clone()));
        }
        document(id, self.text().as_bytes(), None)
    }

    async fn files(&self, _: &SkillId) -> Result<Vec<FileEntry>, SourceError> {
        Ok(Vec::new())
    }

    async fn read(
        &self,
        id: &SkillId,
        path: &SkillPath,
        _: u64,
        _: usize,
    ) -> Result<FilePart, SourceError> {
        Err(SourceError::FileNotFound {
            id: id.clone(),
            path: path.clone(),
            nearest: Vec::new(),
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Daily {
        id: "daily".parse()?,
        day: "Sunday",
    };
    let skills = pollster::block_on(Skills::builder().source("calendar", source).build())?;
    let session = skills.session();
    let turn = pollster::block_on(session.turn("/daily now"));
    println!("{}", turn.content());
    Ok(())
}
