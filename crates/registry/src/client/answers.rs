//! What a registry is asked for, and what it answers, where the wire has no type for it.

use serde::{Deserialize, Serialize};

use crate::wire::{FoundPackage, PublishReceipt};

/// A part of the results of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPage {
    /// The packages, best first.
    pub packages: Vec<FoundPackage>,
    /// How many there are in all.
    pub total: usize,
}

/// A package that is to be published.
#[derive(Clone, Debug)]
pub struct Publication {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The text of its signature.
    pub signature: Option<String>,
}

/// The result of a publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// What the registry says.
    pub receipt: PublishReceipt,
    /// Whether the version is new; otherwise the registry had the same bytes before.
    pub is_new: bool,
}
