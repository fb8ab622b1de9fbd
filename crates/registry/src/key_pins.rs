//! The keys of sources, pinned when a source is used first.
//!
//! One file of the user: a line for each source, with its public key, a blank and the source.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::signature::PublicKey;

/// Bytes of the file.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// What is known about the key of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// The source had no key so far.
    New,
    /// The key is the pinned one.
    Same,
    /// Another key is pinned.
    Changed {
        /// The pinned key.
        pinned: PublicKey,
    },
}

/// Why keys cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// The file cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file has a line that is no pin. It is not ignored: that would trust any key.
    #[error("invalid line {line} of {}: expected a public key and a source", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// The source is not one line.
    #[error("invalid source `{}`: expected one line", .0.escape_debug())]
    Source(String),
}

/// The pinned keys of a user.
#[derive(Clone, Debug)]
pub struct KeyPins {
    path: PathBuf,
}

type Pins = BTreeMap<String, PublicKey>;

impl KeyPins {
    /// The pins of a file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Compares a key with the pinned one.
    pub fn check(&self, source: &str, key: &PublicKey) -> Result<Pin, PinError> {
        Ok(compare(&self.read()?, source, key))
    }

    /// The key that is pinned for a source.
    pub fn get(&self, source: &str) -> Result<Option<PublicKey>, PinError> {
        Ok(self.read()?.remove(source))
    }

    /// Pins the key of a source that has none, and compares it otherwise. Of two processes with different keys, one is
    /// first.
    pub fn pin(&self, source: &str, key: &PublicKey) -> Result<Pin, PinError> {
        self.change(|pins| {
            let pin = compare(pins, source, key);
            if pin == Pin::New {
                pins.insert(source.to_owned(), key.clone());
            }
            pin
        })
    }

    /// Pins a key instead of the one that is pinned, because the user says so.
    pub fn replace(&self, source: &str, key: &PublicKey) -> Result<(), PinError> {
        self.change(|pins| {
            pins.insert(source.to_owned(), key.clone());
        })
    }

    fn error(&self, action: &'static str) -> impl FnOnce(io::Error) -> PinError {
        let path = self.path.clone();
        move |source| PinError::File {
            action,
            path,
            source,
        }
    }

    fn read(&self) -> Result<Pins, PinError> {
        let mut text = String::new();
        match File::open(&self.path) {
            Ok(file) => file
                .take(FILE_BYTES + 1)
                .read_to_string(&mut text)
                .map_err(self.error("read"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(self.error("read")(error)),
        };
        if text.len() as u64 > FILE_BYTES {
            return Err(self.error("read")(io::ErrorKind::FileTooLarge.into()));
        }
        let pin = |(index, line): (usize, &str)| {
            let pin = line.split_once(' ').and_then(|(key, source)| {
                let key = key.parse::<PublicKey>().ok()?;
                Some((source.to_owned(), key))
            });
            pin.ok_or_else(|| PinError::Line {
                path: self.path.clone(),
                line: index + 1,
            })
        };
        text.lines().enumerate().map(pin).collect()
    }

    /// Changes the file as a whole; others wait meanwhile.
    fn change<T>(&self, change: impl FnOnce(&mut Pins) -> T) -> Result<T, PinError> {
        let parent = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(self.error("write"))?;
        let lock = self.path.with_extension("lock");
        let lock = File::create(lock).map_err(self.error("lock"))?;
        lock.lock().map_err(self.error("lock"))?;
        let before = self.read()?;
        let mut pins = before.clone();
        let changed = change(&mut pins);
        if pins != before {
            self.write(parent, &pins)?;
        }
        Ok(changed)
    }

    fn write(&self, parent: &Path, pins: &Pins) -> Result<(), PinError> {
        let mut text = String::new();
        for (source, key) in pins {
            if source.is_empty() || source.contains(char::is_control) {
                return Err(PinError::Source(source.clone()));
            }
            let _ = writeln!(text, "{key} {source}");
        }
        let mut staged = tempfile::NamedTempFile::new_in(parent).map_err(self.error("write"))?;
        staged
            .write_all(text.as_bytes())
            .map_err(self.error("write"))?;
        staged.as_file().sync_all().map_err(self.error("write"))?;
        let persisted = staged.persist(&self.path).map_err(|error| error.error);
        persisted.map_err(self.error("write"))?;
        Ok(())
    }
}

fn compare(pins: &Pins, source: &str, key: &PublicKey) -> Pin {
    match pins.get(source) {
        None => Pin::New,
        Some(pinned) if pinned == key => Pin::Same,
        Some(pinned) => Pin::Changed {
            pinned: pinned.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::signature::KeyPair;

    #[test]
    fn sg3_keys_are_pinned_at_first_use() {
        let place = tempfile::tempdir().unwrap();
        let pins = KeyPins::new(place.path().join("deep/keys"));
        let key = |_| KeyPair::generate(None).unwrap().public;
        let [first, second] = [0, 1].map(key);
        let source = "https://example.com/a b.git";
        assert_eq!(pins.check(source, &first).unwrap(), Pin::New);
        assert_eq!(pins.pin(source, &first).unwrap(), Pin::New);
        assert_eq!(pins.pin(source, &first).unwrap(), Pin::Same);
        let changed = Pin::Changed {
            pinned: first.clone(),
        };
        assert_eq!(pins.pin(source, &second).unwrap(), changed);
        assert_eq!(pins.check(source, &second).unwrap(), changed);
        assert_eq!(pins.check("other", &second).unwrap(), Pin::New);
        pins.replace(source, &second).unwrap();
        assert_eq!(pins.check(source, &second).unwrap(), Pin::Same);
        let forged = format!("x\n{first} {source}");
        assert!(matches!(
            pins.pin(&forged, &first),
            Err(PinError::Source(_))
        ));
        assert_eq!(pins.check(source, &second).unwrap(), Pin::Same);
    }

    #[test]
    fn sg3_a_damaged_file_is_not_taken_for_an_empty_one() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("keys");
        let pins = KeyPins::new(&path);
        let key = KeyPair::generate(None).unwrap().public;
        for text in ["nonsense\n", "RW https://example.com\n", "\n"] {
            fs::write(&path, text).unwrap();
            assert!(matches!(
                pins.pin("a", &key),
                Err(PinError::Line { line: 1, .. })
            ));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn sg3_of_many_first_users_one_pins() {
        let place = tempfile::tempdir().unwrap();
        let pins = KeyPins::new(place.path().join("keys"));
        let users: Vec<_> = (0..8)
            .map(|number| {
                let pins = pins.clone();
                thread::spawn(move || {
                    let key = KeyPair::generate(None).unwrap().public;
                    pins.pin(&format!("own-{number}"), &key).unwrap();
                    pins.pin("shared", &key).unwrap()
                })
            })
            .collect();
        let results: Vec<Pin> = users.into_iter().map(|it| it.join().unwrap()).collect();
        let new = results.iter().filter(|pin| **pin == Pin::New).count();
        assert_eq!(new, 1, "{results:?}");
        assert_eq!(pins.read().unwrap().len(), 9);
    }
}
