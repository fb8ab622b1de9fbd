//! Folders of skills made up for tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may panic, and each test binary uses its own part"
)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pollster::block_on;
use prowess_core::{
    Catalog, CatalogOptions, Composite, Dialect, Scope, SkillId, Skills, Snapshot, Source,
};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use tempfile::TempDir;

/// A directory that goes away with the test.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// In memory where the system has a directory for that.
    pub(crate) fn in_memory() -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self {
            directory: directory.unwrap(),
        }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Two skills, one of them with files.
    pub(crate) fn reports() -> Self {
        let place = Self::new();
        place
            .described("pdf-report", "Generate \"PDF\" reports")
            .described("csv", "Summarise CSV files")
            .write("csv/references/guide.md", "Guide.\n")
            .write("csv/references/deep/x.md", "Deep.\n")
            .write("csv/notes.md", "Notes.\n");
        place
    }

    /// A skill whose name is the last part of its path.
    pub(crate) fn skill(&self, path: &str) -> &Self {
        self.described(path, "Does something")
    }

    pub(crate) fn described(&self, path: &str, description: &str) -> &Self {
        let name = path.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody of {path}.\n");
        self.write(&format!("{path}/SKILL.md"), text)
    }

    pub(crate) fn link(&self, target: impl Into<PathBuf>, path: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target.into(), path).unwrap();
        self
    }

    pub(crate) fn source(&self, path: &str) -> FilesystemSource {
        FilesystemSource::new(self.path(path), FilesystemOptions::new(Scope::Project))
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        block_on(self.source("").snapshot()).unwrap()
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.snapshot()
            .skills
            .iter()
            .map(|skill| skill.id.to_string())
            .collect()
    }

    /// Everything here as one source, under a dialect.
    pub(crate) fn skills(&self, dialect: Dialect) -> Skills {
        let builder = Skills::builder().source("here", self.source(""));
        block_on(builder.dialect(dialect).build()).unwrap()
    }
}

pub(crate) fn catalog(sources: Vec<(&str, Arc<dyn Source>)>, options: CatalogOptions) -> Catalog {
    let mut composite = Composite::new(options);
    for (name, source) in sources {
        composite.push(name, source);
    }
    block_on(composite.catalog())
}

pub(crate) fn ids(catalog: &Catalog) -> Vec<String> {
    catalog
        .skills()
        .map(|skill| skill.descriptor.id.to_string())
        .collect()
}

pub(crate) fn id(text: &str) -> SkillId {
    text.parse().unwrap()
}

/// Calls a tool in a new session.
pub(crate) fn call(skills: &Skills, tool: &str, arguments: &str) -> serde_json::Value {
    let arguments = serde_json::from_str(arguments).unwrap();
    let result = block_on(skills.session().call(tool, &arguments)).result;
    result.content
}
