//! Which keys exist: what the reader learns about a table while it reads it.
//!
//! The reader requests every key that exists, whether or not a file states it. The schema for editors is generated from
//! these requests.

use serde_json::Value;

/// A table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) fields: Vec<Field>,
    /// Keys of which exactly one has to be there.
    pub(crate) choice: &'static [&'static str],
    /// Keys that mean something only beside another.
    pub(crate) only_with: Vec<(&'static str, &'static str)>,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) kind: FieldType,
    pub(crate) need: Need,
}

/// Whether a key has to be stated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Need {
    Required,
    Optional,
    Default(Value),
}

/// The type of a key.
#[derive(Clone, Debug)]
pub(crate) enum FieldType {
    Flag,
    Number {
        least: u32,
        greatest: u32,
    },
    Share,
    Text,
    Keyword(Vec<&'static str>),
    Scalar,
    List(Box<FieldType>),
    Map(Box<FieldType>),
    Table(Shape),
    /// A list of tables, each of them one of these.
    Tables(Vec<Shape>),
}

impl Shape {
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.name)
    }
}
