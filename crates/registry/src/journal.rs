//! What a transaction is about to do, written down before it does it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;

use serde::{Deserialize, Serialize};

use crate::data_files::create_private;
use crate::step::{STAGED, Step};

/// The content of a journal file.
#[derive(Serialize, Deserialize)]
pub(crate) struct Journal {
    /// A part of every temporary name of the transaction: what has another one belongs to another transaction.
    pub(crate) id: String,
    pub(crate) phase: Phase,
    /// Where something is written under a temporary name.
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    /// New content is being written; none of it counts.
    Staging,
    /// The changes are being made.
    Changing,
    /// They are being undone: their failure was or will be reported.
    Undoing,
    /// They were made; what they replaced is being removed.
    Cleaning,
}

impl Journal {
    pub(crate) fn new() -> Self {
        let id = prowess_net::short_digest([
            process::id().to_string().as_str(),
            jiff::Timestamp::now().as_nanosecond().to_string().as_str(),
        ]);
        Self {
            id,
            phase: Phase::Staging,
            directories: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The temporary name of the next step.
    pub(crate) fn next_name(&self) -> String {
        format!("{}{}", self.names(), self.steps.len())
    }

    /// How every temporary name of this transaction begins.
    pub(crate) fn names(&self) -> String {
        format!("{STAGED}{}-", self.id)
    }

    /// Reads a journal; `None` if there is none.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?.read_to_end(&mut text)?,
        };
        if text.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is empty"));
        }
        Ok(Some(serde_json::from_slice(&text)?))
    }

    /// Writes it, and waits until it is on disk under its name. Under the lock of the place, no other process writes it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        create_private(directory)?;
        let new = path.with_extension("new");
        let write = || -> io::Result<()> {
            let mut file = File::create(&new)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&new, path)?;
            File::open(directory)?.sync_all()
        };
        write().inspect_err(|_| {
            // It takes room on a full disk; the next journal has the same name.
            let _ = fs::remove_file(&new);
        })
    }
}

/// The journal of a place.
pub(crate) fn journal_path(real: &Path, journals: &Path) -> PathBuf {
    let name = prowess_net::short_digest([&*real.to_string_lossy()]);
    journals.join(format!("{name}.json"))
}
