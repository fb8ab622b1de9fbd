//! What a project accesses beyond its own files.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Characters of a text that are shown; the digest covers all of them.
const SHOWN_CHARS: usize = 400;

/// One resource outside the project that its configuration accesses.
///
/// Texts are as the file has them: variables by name, never by value, and no password of a URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reach {
    /// A server.
    Host {
        /// The protocol: `https`, `ssh`, `git+https`, ...
        protocol: String,
        /// Host, port and path.
        address: String,
    },
    /// A database and its query.
    Database {
        /// Where it is, without a password.
        address: String,
        /// The query.
        query: String,
    },
    /// A file or directory outside the project.
    Path {
        /// The path.
        path: String,
    },
    /// An environment variable, and who gets it.
    Variable {
        /// Its name.
        name: String,
        /// The host, database or program that gets its value.
        to: String,
    },
    /// A private key file, and who it is used for.
    KeyFile {
        /// The file.
        path: String,
        /// The host.
        to: String,
    },
    /// A program that is started.
    Program {
        /// The program and its arguments.
        command: Vec<String>,
        /// The variables that it is given, as the file states them.
        environment: Vec<(String, String)>,
        /// Files of the project that the command names, with the digest of their bytes.
        files: Vec<(String, String)>,
    },
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host { protocol, address } if protocol.ends_with("path") => {
                write!(f, "fetches from the repository {}", line(address))
            }
            Self::Host { protocol, address } => {
                write!(f, "connects to {}://{}", line(protocol), line(address))
            }
            Self::Database { address, query } => {
                let words: Vec<&str> = query.split_whitespace().collect();
                write!(f, "queries {}: {}", line(address), line(&words.join(" ")))
            }
            Self::Path { path } => write!(f, "reads {}", line(path)),
            Self::Variable { name, to } => write!(f, "sends ${{{}}} to {}", line(name), line(to)),
            Self::KeyFile { path, to } => {
                write!(f, "uses the key file {} for {}", line(path), line(to))
            }
            Self::Program {
                command,
                environment,
                files,
            } => {
                write!(f, "starts the program {}", quoted(command))?;
                for (name, value) in environment {
                    write!(f, ", with {}={}", line(name), line(value))?;
                }
                for (path, digest) in files {
                    let short: String = digest.chars().take(19).collect();
                    write!(f, ", with {} ({})", line(path), line(&short))?;
                }
                Ok(())
            }
        }
    }
}

/// Text in one line, so that a project cannot add lines to the question, and shortened if it is very long.
fn line(text: &str) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == SHOWN_CHARS {
            let more = text.chars().count() - count;
            let _ = write!(shown, "… ({more} more characters)");
            break;
        }
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            shown.extend(c.escape_debug());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn quoted(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:@+,".contains(c);
    let word = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            line(word)
        } else {
            line(&format!("{word:?}"))
        }
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// All resources outside a project that its configuration accesses.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReachList(BTreeSet<Reach>);

impl ReachList {
    /// Whether the project stays inside itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each thing, in a stable order.
    pub fn iter(&self) -> impl Iterator<Item = &Reach> {
        self.0.iter()
    }

    /// The digest that an answer is bound to: the same list has the same digest, however the file is written.
    pub fn digest(&self) -> ReachDigest {
        let text = serde_json::to_vec(&self.0).unwrap_or_default();
        ReachDigest(format!("sha256:{}", hex(&Sha256::digest(text))))
    }

    /// The difference to `earlier`, in both directions.
    pub fn since(&self, earlier: &Self) -> ReachDifference {
        ReachDifference {
            added: self.0.difference(&earlier.0).cloned().collect(),
            removed: earlier.0.difference(&self.0).cloned().collect(),
        }
    }
}

/// Only the digest: the command in a file can contain a password.
impl fmt::Debug for ReachList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReachList({})", self.digest())
    }
}

impl FromIterator<Reach> for ReachList {
    fn from_iter<I: IntoIterator<Item = Reach>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl Extend<Reach> for ReachList {
    fn extend<I: IntoIterator<Item = Reach>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

/// How a list differs from the one that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachDifference {
    /// New.
    pub added: Vec<Reach>,
    /// No longer there.
    pub removed: Vec<Reach>,
}

/// The SHA-256 of a list, as `sha256:` and hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReachDigest(pub(crate) String);

impl ReachDigest {
    /// Whether `text` is this digest, written whole.
    pub fn is(&self, text: &str) -> bool {
        self.0 == text.trim().to_ascii_lowercase()
    }
}

impl fmt::Display for ReachDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(address: &str) -> Reach {
        Reach::Host {
            protocol: "https".to_owned(),
            address: address.to_owned(),
        }
    }

    #[test]
    fn the_digest_is_about_the_list_and_not_its_order() {
        let one: ReachList = [host("a"), host("b")].into_iter().collect();
        let other: ReachList = [host("b"), host("a"), host("b")].into_iter().collect();
        assert_eq!(one.digest(), other.digest());
        let more: ReachList = [host("a"), host("b"), host("c")].into_iter().collect();
        assert_ne!(one.digest(), more.digest());
        assert_eq!(more.since(&one).added, [host("c")]);
        assert_eq!(one.since(&more).removed, [host("c")]);
    }

    /// The attack: a value with sixty line breaks and a fake question.
    #[test]
    fn q4_project_text_cannot_draw_the_question() {
        let fake = format!("x{}\nThe project wants to:\n   read docs", "\n".repeat(60));
        let all = [
            Reach::Program {
                command: vec![fake.clone(), fake.clone()],
                environment: vec![(fake.clone(), fake.clone())],
                files: vec![(fake.clone(), fake.clone())],
            },
            Reach::Path { path: fake.clone() },
            Reach::Variable {
                name: fake.clone(),
                to: fake.clone(),
            },
            Reach::Database {
                address: fake.clone(),
                query: fake.clone(),
            },
            Reach::KeyFile {
                path: fake.clone(),
                to: fake.clone(),
            },
            Reach::Host {
                protocol: fake.clone(),
                address: fake.repeat(1000),
            },
        ];
        for reach in all {
            let shown = reach.to_string();
            assert!(!shown.contains(['\n', '\r']), "{shown}");
            assert!(shown.chars().count() < 10_000);
        }
    }

    #[test]
    fn a_reach_is_one_sentence() {
        let check = |reach: Reach, expected: &str| assert_eq!(reach.to_string(), expected);
        check(
            host("example.com/skills"),
            "connects to https://example.com/skills",
        );
        check(
            Reach::Database {
                address: "sqlite:s.db".to_owned(),
                query: "SELECT *\n  FROM skills".to_owned(),
            },
            "queries sqlite:s.db: SELECT * FROM skills",
        );
        check(
            Reach::Variable {
                name: "TOKEN".to_owned(),
                to: "example.com".to_owned(),
            },
            "sends ${TOKEN} to example.com",
        );
        check(
            Reach::Program {
                command: vec!["sh".to_owned(), "-c".to_owned(), "a b".to_owned()],
                environment: vec![("A".to_owned(), "${A}".to_owned())],
                files: Vec::new(),
            },
            "starts the program sh -c \"a b\", with A=${A}",
        );
    }
}
