//! Evaluates the files of a skill.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use starlark::environment::{FrozenModule, Globals, GlobalsBuilder, LibraryExtension, Module};
use starlark::eval::{Evaluator, FileLoader};
use starlark::syntax::{AstModule, Dialect, DialectTypes};

use crate::error::WorkerError;
use crate::interpreter::bounds::Meter;
use crate::interpreter::registry::Registry;
use crate::interpreter::session::Session;
use crate::interpreter::{bounds, functions, register, source};
use crate::limits::LOAD_DEPTH;

/// The language: everything; type annotations are parsed but not enforced.
const DIALECT: Dialect = Dialect {
    enable_keyword_only_arguments: true,
    enable_positional_only_arguments: true,
    enable_types: DialectTypes::ParseOnly,
    enable_load_reexport: false,
    enable_top_level_stmt: true,
    enable_f_strings: true,
    ..Dialect::Standard
};

/// The library: everything without access to the outside.
const LIBRARY: [LibraryExtension; 12] = [
    LibraryExtension::StructType,
    LibraryExtension::RecordType,
    LibraryExtension::EnumType,
    LibraryExtension::NamespaceType,
    LibraryExtension::SetType,
    LibraryExtension::Map,
    LibraryExtension::Filter,
    LibraryExtension::Partial,
    LibraryExtension::Print,
    LibraryExtension::Pprint,
    LibraryExtension::Pstr,
    LibraryExtension::Prepr,
];

/// Every name that a skill finds.
pub(super) fn globals() -> Globals {
    GlobalsBuilder::extended_by(&LIBRARY)
        .with(register::register)
        .with(functions::own)
        .with(functions::files)
        .with(functions::git)
        .with(functions::world)
        .with_namespace("json", functions::json)
        .build()
}

/// Evaluates files, each once.
pub(super) struct Loader<'a> {
    files: &'a BTreeMap<String, String>,
    globals: &'a Globals,
    session: &'a Rc<Session>,
    registry: &'a RefCell<Registry>,
    done: RefCell<HashMap<String, FrozenModule>>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(
        files: &'a BTreeMap<String, String>,
        globals: &'a Globals,
        session: &'a Rc<Session>,
        registry: &'a RefCell<Registry>,
    ) -> Self {
        Self {
            files,
            globals,
            session,
            registry,
            done: RefCell::default(),
        }
    }

    /// The text of a file, and its path as the skill has it.
    fn find(&self, path: &str) -> Result<(&'a str, &'a str), WorkerError> {
        let relative = path.strip_prefix("./").unwrap_or(path);
        let found = self.files.get_key_value(relative);
        let (path, text) = found.ok_or_else(|| WorkerError::NoFile {
            path: path.to_owned(),
            files: self.files.keys().take(10).cloned().collect(),
        })?;
        source::check(path, text)?;
        Ok((path, text))
    }

    /// Notes that a file is begun with.
    fn enter(&self, path: &str) -> Result<(), WorkerError> {
        let open = &mut self.registry.borrow_mut().files;
        if open.iter().any(|file| file == path) {
            let mut circle = open.clone();
            circle.push(path.to_owned());
            return Err(WorkerError::Circle(circle));
        }
        if open.len() >= LOAD_DEPTH {
            return Err(WorkerError::LoadDepth);
        }
        open.push(path.to_owned());
        Ok(())
    }

    fn evaluate(&self, path: &str, text: &str) -> starlark::Result<FrozenModule> {
        let tree = AstModule::parse(path, text.to_owned(), &DIALECT)?;
        Module::with_temp_heap(|module| {
            let meter = Meter::new();
            {
                let mut evaluator = Evaluator::new(&module);
                bounds::bind(&mut evaluator, self.session, &meter)?;
                evaluator.set_loader(self);
                let outcome = evaluator.eval_module(tree, self.globals);
                outcome.map_err(|error| bounds::name(error, &evaluator, self.session, &meter))?;
            }
            module.freeze().map_err(|error| {
                let error = WorkerError::Freeze {
                    path: path.to_owned(),
                    reason: error.err_msg,
                };
                self.session.fail(error)
            })
        })
    }
}

impl FileLoader for Loader<'_> {
    /// Paths are relative to the skill, whichever file it is that loads.
    fn load(&self, path: &str) -> starlark::Result<FrozenModule> {
        let found = self.find(path);
        let (path, text) = found.map_err(|error| self.session.fail(error))?;
        if let Some(done) = self.done.borrow().get(path) {
            return Ok(done.clone());
        }
        let entered = self.enter(path);
        entered.map_err(|error| self.session.fail(error))?;
        let module = self.evaluate(path, text)?;
        let mut registry = self.registry.borrow_mut();
        registry.freeze_handlers(path, &module);
        registry.files.pop();
        let mut done = self.done.borrow_mut();
        done.insert(path.to_owned(), module.clone());
        Ok(module)
    }
}
