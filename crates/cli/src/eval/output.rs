//! Where results go: only our own files are replaced.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use prowess_agent::eval::{Benchmark, GENERATOR, html};
use prowess_core::SkillId;

use crate::error::{CommandError, Context, Result};
use crate::rewrite;

/// The directory for all results, below the current one.
const DEFAULT_DIRECTORY: &str = "prowess-eval";
/// Both files.
const NAMES: [&str; 2] = ["benchmark.json", "report.html"];
/// Both, beside complete ones that they must not replace.
const PARTIAL: [&str; 2] = ["benchmark.partial.json", "report.partial.html"];

/// Bytes of a result that is looked at.
const RESULT_BYTES: u64 = 64 * 1024 * 1024;

const HINT: &str = "choose another directory with --out";

/// A directory for results.
pub(super) struct OutputDirectory {
    directory: PathBuf,
}

impl OutputDirectory {
    /// The given directory or the default one. Foreign files and unwritable directories are refused before any request
    /// is made.
    pub(super) fn new(named: Option<&Path>, skill: &SkillId, home: Option<&Path>) -> Result<Self> {
        let default = || {
            default_parent(home)
                .join(DEFAULT_DIRECTORY)
                // A label is no part of a file name on every system.
                .join(skill.as_str().replace(':', "/"))
        };
        let out = Self {
            directory: named.map_or_else(default, Path::to_owned),
        };
        if out.directory.exists() && !out.directory.is_dir() {
            let message = format!("{} is not a directory", out.directory.display());
            return Err(CommandError::usage(message).hint(HINT));
        }
        for [benchmark, report] in [NAMES, PARTIAL] {
            out.check(benchmark, |bytes| read(bytes).is_some())?;
            out.check(report, |bytes| {
                String::from_utf8_lossy(bytes).contains(GENERATOR)
            })?;
        }
        probe(&out.directory)
            .with_context(|| format!("cannot write to {}", out.directory.display()))
            .map_err(|error| error.hint(HINT))?;
        Ok(out)
    }

    fn check(&self, name: &str, is_ours: impl Fn(&[u8]) -> bool) -> Result<()> {
        let path = self.directory.join(name);
        match rewrite::read(&path, RESULT_BYTES) {
            // Whether it could be made is found out after this.
            Ok(None) => Ok(()),
            Ok(Some(bytes)) if is_ours(&bytes) => Ok(()),
            Ok(Some(_)) => {
                let message = format!(
                    "{} exists and was not written by `prowess eval`",
                    path.display()
                );
                Err(CommandError::usage(message).hint(HINT))
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes both files atomically and returns their paths. Incomplete results do not replace complete ones.
    pub(super) fn write(&self, benchmark: &Benchmark, json: &str) -> Result<String> {
        let directory = self.directory.display();
        rewrite::make_directories(&self.directory)
            .with_context(|| format!("cannot create {directory}"))?;
        let beside = benchmark.partial && self.has_complete();
        let paths = if beside { PARTIAL } else { NAMES }.map(|name| self.directory.join(name));
        for (path, text) in paths.iter().zip([json, &html(benchmark)]) {
            rewrite::replace(path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let [written, report] = paths;
        let mut message = format!("wrote {} and {}", written.display(), report.display());
        if beside {
            let [complete, _] = NAMES.map(|name| self.directory.join(name));
            let _ = write!(
                message,
                ": {} is complete and was not overwritten",
                complete.display()
            );
        }
        Ok(message)
    }

    /// Whether an earlier complete run left its results.
    fn has_complete(&self) -> bool {
        let [benchmark, _] = NAMES;
        let bytes = rewrite::read(&self.directory.join(benchmark), RESULT_BYTES);
        let earlier = bytes.ok().flatten().and_then(|bytes| read(&bytes));
        earlier.is_some_and(|earlier| !earlier.partial)
    }
}

fn read(bytes: &[u8]) -> Option<Benchmark> {
    serde_json::from_slice(bytes).ok()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether files can be made in a directory, which may not be there yet. Leaves everything as it was.
fn probe(directory: &Path) -> io::Result<()> {
    let missing = directory.ancestors().take_while(|it| {
        let named = !it.as_os_str().is_empty();
        named && it.symlink_metadata().is_err_and(|error| is_absent(&error))
    });
    let missing: Vec<&Path> = missing.collect();
    let made = rewrite::make_directories(directory);
    let probed = made.and_then(|()| tempfile::tempfile_in(directory));
    for directory in missing {
        // One that could not be made is not there.
        let _ = fs::remove_dir(directory);
    }
    probed.map(drop)
}

/// The current directory; if it is inside the skill, beside the skill: files in a skill are part of it and of its
/// approval.
fn default_parent(home: Option<&Path>) -> PathBuf {
    let home = home.and_then(|home| home.canonicalize().ok());
    let here = env::current_dir().and_then(|here| here.canonicalize());
    match (&home, &here) {
        (Some(home), Ok(here)) if here.starts_with(home) => {
            home.parent().unwrap_or(home).to_owned()
        }
        _ => PathBuf::new(),
    }
}
