//! Where results go: our own files are replaced, nobody else's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use prowess_agent::eval::{Benchmark, GENERATOR, html};
use prowess_core::SkillId;

use crate::exit::Refused;
use crate::rewrite;

/// The directory for all results, below the current one.
const USUAL: &str = "prowess-eval";
const BENCHMARK: &str = "benchmark.json";
const REPORT: &str = "report.html";

/// A directory for results.
pub(super) struct Out {
    directory: PathBuf,
}

impl Out {
    /// The directory that was named, or the usual one; what somebody else put there is refused before anything runs.
    pub(super) fn new(named: Option<&Path>, skill: &SkillId, home: Option<&Path>) -> Result<Self> {
        let usual = || beside(home).join(USUAL).join(skill.as_str());
        let out = Self {
            directory: named.map_or_else(usual, Path::to_owned),
        };
        if out.directory.exists() && !out.directory.is_dir() {
            let message = format!("{} is not a directory", out.directory.display());
            return Err(Refused::usage(message, "name another one with --out").into());
        }
        out.check(BENCHMARK, |bytes| {
            serde_json::from_slice::<Benchmark>(bytes).is_ok()
        })?;
        out.check(REPORT, |bytes| {
            String::from_utf8_lossy(bytes).contains(GENERATOR)
        })?;
        Ok(out)
    }

    fn check(&self, name: &str, is_ours: impl Fn(&[u8]) -> bool) -> Result<()> {
        let path = self.directory.join(name);
        match fs::read(&path) {
            Ok(bytes) if is_ours(&bytes) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Ok(_) => {
                let message = format!(
                    "{} is there, and was not written by `prowess eval`",
                    path.display()
                );
                Err(Refused::usage(message, "name another directory with --out").into())
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes both files, each as a whole; tells where they are.
    pub(super) fn write(&self, benchmark: &Benchmark, json: &str) -> Result<String> {
        let directory = self.directory.display();
        fs::create_dir_all(&self.directory).with_context(|| format!("cannot make {directory}"))?;
        for (name, text) in [(BENCHMARK, json), (REPORT, &html(benchmark))] {
            let path = self.directory.join(name);
            rewrite::replace(&path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let (benchmark, report) = (self.directory.join(BENCHMARK), self.directory.join(REPORT));
        Ok(format!(
            "wrote {} and {}",
            benchmark.display(),
            report.display()
        ))
    }
}

/// Here; from inside of the skill, beside it: what is in a skill is part of it, and of what was approved.
fn beside(home: Option<&Path>) -> PathBuf {
    let home = home.and_then(|home| home.canonicalize().ok());
    let here = env::current_dir().and_then(|here| here.canonicalize());
    match (&home, &here) {
        (Some(home), Ok(here)) if here.starts_with(home) => {
            home.parent().unwrap_or(home).to_owned()
        }
        _ => PathBuf::new(),
    }
}
