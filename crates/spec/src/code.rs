//! The stable codes of diagnostics.

use std::fmt;

use serde::{Serialize, Serializer};

pub use crate::code_table::Code;

impl Code {
    /// The stable name.
    pub fn id(self) -> &'static str {
        self.info().id
    }

    /// The code with that name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id() == id)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}
