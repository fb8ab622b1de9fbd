//! Another process with a connection to a store.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use prowess_testing::ChildGuard;

/// Opens a store and, if asked to, begins to write; ends with its input.
const HOLD: &str = "\
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
try:
    connection.execute('PRAGMA journal_mode = WAL')
    connection.execute('SELECT COUNT(*) FROM sqlite_master').fetchall()
    if sys.argv[2] == 'write':
        connection.execute('BEGIN IMMEDIATE')
except sqlite3.DatabaseError as error:
    sys.exit(f'cannot hold: {error}')
print('held', flush=True)
sys.stdin.read()
";

/// A process that has a store open until it is dropped.
pub(crate) struct Holder(ChildGuard);

impl Holder {
    pub(crate) fn open(path: &Path) -> Self {
        Self::start(path, "read")
    }

    /// Holds the lock for writing.
    pub(crate) fn write(path: &Path) -> Self {
        Self::start(path, "write")
    }

    fn start(path: &Path, kind: &str) -> Self {
        let mut child = Command::new("python3")
            .args(["-c", HOLD])
            .arg(path)
            .arg(kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(ChildGuard(child))
    }

    /// Releases everything, and waits until that is done.
    pub(crate) fn release(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}
