//! The files of one load, their statements, and the findings of reading them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_spec::Span;
use prowess_trust::ProjectRoot;
use toml::de::{DeTable, DeValue};

use crate::ignored::IgnoredKey;
use crate::lookup::Lookup;
use crate::origin::{ConfigEntry, Origin, Scope};
use crate::problem::ProblemKind;

/// A file, as far as its values have to know it.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) scope: Scope,
    pub(crate) path: Arc<Path>,
    /// Its directory, where relative paths begin.
    pub(crate) base: PathBuf,
    /// Where its lines begin.
    pub(crate) lines: Vec<usize>,
}

/// State shared by all readers of one load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The strongest first.
    pub(crate) layers: &'a [Layer],
    pub(crate) lookup: &'a Lookup<'a>,
    /// The project, and whether the user trusts what its file reaches.
    pub(crate) project: Option<&'a ProjectRoot>,
    pub(crate) trusted: bool,
}

/// Something wrong, before it is known how the file may be shown.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) layer: usize,
    pub(crate) span: Span,
    pub(crate) key: String,
    pub(crate) kind: ProblemKind,
}

/// Findings of reading.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) faults: Vec<Fault>,
    pub(crate) entries: Vec<ConfigEntry>,
    /// Keys that a file states and must not.
    pub(crate) ignored: Vec<IgnoredKey>,
    /// Secret values, and their files.
    pub(crate) hidden: Vec<(usize, Span)>,
}

/// One file's statement of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'d> {
    pub(crate) layer: usize,
    pub(crate) span: Span,
    pub(crate) table: &'d DeTable<'d>,
}

/// One file's statement of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated<'d> {
    pub(crate) layer: usize,
    pub(crate) key: Span,
    pub(crate) span: Span,
    pub(crate) value: &'d DeValue<'d>,
}

impl Context<'_> {
    /// Whose file a layer is.
    pub(crate) fn scope(&self, layer: usize) -> Scope {
        let layer = self.layers.get(layer);
        layer.map_or(Scope::Explicit, |layer| layer.scope)
    }

    pub(crate) fn origin(&self, layer: usize, at: Span) -> Origin {
        self.layers
            .get(layer)
            .map_or(Origin::Default, |layer| Origin::File {
                scope: layer.scope,
                path: Arc::clone(&layer.path),
                line: layer.lines.partition_point(|start| *start <= at.start),
            })
    }
}

pub(crate) fn span_of<T>(spanned: &toml::Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}
