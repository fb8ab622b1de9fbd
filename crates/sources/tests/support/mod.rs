//! Folders of skills made up for tests.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::ops::Deref;
use std::sync::Arc;

use pollster::block_on;
use prowess_core::{
    Catalog, CatalogOptions, Composite, Dialect, Scope, SkillId, Skills, Snapshot, Source,
};
use prowess_sources::{FilesystemOptions, FilesystemSource};
use prowess_testing::TestDirectory;

/// A directory that goes away with the test.
pub(crate) struct Place(TestDirectory);

impl Deref for Place {
    type Target = TestDirectory;

    fn deref(&self) -> &TestDirectory {
        &self.0
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(TestDirectory::new())
    }

    /// In memory where the system has a directory for that.
    pub(crate) fn in_memory() -> Self {
        Self(TestDirectory::in_memory())
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
        self.0
            .skill(path, description, &format!("Body of {path}.\n"));
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
