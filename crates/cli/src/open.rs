//! The skills that a command is about.

use std::env;

use anyhow::{Context, Result};
use pollster::block_on;
use prowess_core::{Dialect, Scope, Skills};
use prowess_sources::{FilesystemOptions, FilesystemSource, Strictness, default_chain};

use crate::cli::Where;
use crate::environment;

/// Opens the directories that a person named, or those of the default chain.
pub(crate) fn skills(
    place: &Where,
    dialect: Dialect,
    catalog_chars: Option<usize>,
) -> Result<Skills> {
    let mut builder = Skills::builder().dialect(dialect);
    if let Some(chars) = catalog_chars {
        builder = builder.catalog_chars(chars);
    }
    if place.directories.is_empty() {
        let start = env::current_dir().context("cannot find the current directory")?;
        for link in default_chain(&start, &environment::user_directories()) {
            builder = builder.source(&link.name, link.source(Strictness::Tolerant));
        }
    }
    for directory in &place.directories {
        let source = FilesystemSource::new(directory, FilesystemOptions::new(Scope::Project));
        builder = builder.source(directory.display().to_string(), source);
    }
    Ok(block_on(builder.build())?)
}

/// The same, presented in the default way.
pub(crate) fn default_skills(place: &Where) -> Result<Skills> {
    skills(place, Dialect::default(), None)
}

/// Settings for the dialect of that name.
pub(crate) fn dialect(name: Option<&str>) -> Result<Dialect> {
    let Some(name) = name else {
        return Ok(Dialect::default());
    };
    let names = || Dialect::ALL.map(|dialect| dialect.name).join(", ");
    Dialect::named(name)
        .with_context(|| format!("there is no dialect `{name}`; there are {}", names()))
}
