//! `cargo xtask fuzz`: libFuzzer on the stable toolchain, guided by coverage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::run::{output, run};
use crate::tools;
use crate::workspace::Workspace;

/// What makes LLVM count the edges that an input reaches and hand its comparisons to libFuzzer.
///
/// No sanitizer: it would need another toolchain, and the crates under test forbid `unsafe`.
const INSTRUMENTATION: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// One input may take 512 MiB, and may be a little longer than the largest frontmatter we accept.
const LIMITS: [&str; 2] = ["-rss_limit_mb=512", "-max_len=70000"];

/// What to fuzz, and for how long.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// One target instead of all of them
    target: Option<Target>,
    /// How long to run each target
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

/// A program of the `fuzz` package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Target {
    /// The frontmatter of a SKILL.md alone
    Frontmatter,
    /// A file of a skill that is audited
    Scan,
    /// A whole SKILL.md
    SkillMd,
    /// A SKILL.yaml
    SkillYaml,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Frontmatter => "frontmatter",
            Self::Scan => "scan",
            Self::SkillMd => "skill_md",
            Self::SkillYaml => "skill_yaml",
        }
    }

    /// Where an input that broke something becomes a regression test.
    fn crashes(self) -> &'static str {
        match self {
            Self::Frontmatter | Self::SkillMd | Self::SkillYaml => "crates/spec/tests/crashes",
            Self::Scan => "crates/scan/tests/crashes",
        }
    }

    /// How long one input may take.
    fn timeout(self) -> &'static str {
        match self {
            Self::Frontmatter | Self::SkillMd | Self::SkillYaml => "-timeout=1",
            // It is read several times, and parsed as a program.
            Self::Scan => "-timeout=10",
        }
    }
}

/// Runs the targets; inputs that break one are kept, and make the whole run fail at its end.
pub(crate) fn fuzz(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    tools::ensure_for_fuzzing(workspace)?;
    let triple = output(workspace.command("rustc").args(["--print", "host-tuple"]))?;
    let fuzzer = Fuzzer {
        workspace,
        triple: triple.trim().to_owned(),
        seconds: arguments.seconds,
    };
    let targets = match &arguments.target {
        Some(target) => std::slice::from_ref(target),
        None => Target::value_variants(),
    };

    let mut crashes = 0;
    for target in targets {
        for crash in fuzzer.run(*target)? {
            let shown = crash.strip_prefix(workspace.root()).unwrap_or(&crash);
            eprintln!("saved as a regression test: {}", shown.display());
            crashes += 1;
        }
    }
    ensure!(
        crashes == 0,
        "fuzzing found {crashes} input(s) that break the code"
    );
    Ok(())
}

struct Fuzzer<'a> {
    workspace: &'a Workspace,
    triple: String,
    seconds: u32,
}

impl Fuzzer<'_> {
    /// Fuzzes one target, and gives the inputs that broke it.
    fn run(&self, target: Target) -> Result<Vec<PathBuf>> {
        let root = self.workspace.root();
        let fuzz = root.join("fuzz");
        let corpus = fuzz.join("corpus").join(target.name());
        let seeds = fuzz.join("seeds").join(target.name());
        let artifacts = fuzz.join("artifacts").join(target.name());
        let crashes = root.join(target.crashes()).join(target.name());
        ensure!(seeds.is_dir(), "no seeds in {}", seeds.display());
        create(&corpus)?;
        // What an earlier run left here has been kept elsewhere already.
        if artifacts.exists() {
            fs::remove_dir_all(&artifacts)
                .with_context(|| format!("cannot remove {}", artifacts.display()))?;
        }
        create(&artifacts)?;

        // Built first, so that a compiler's error is not taken for a crash.
        run(&mut self.cargo("build", target))?;
        println!("fuzzing {} for {} s", target.name(), self.seconds);
        let mut command = self.cargo("run", target);
        command
            .args(["--quiet", "--"])
            // New inputs go into the first directory; the others are only read.
            .args([&corpus, &seeds])
            .args(crashes.is_dir().then_some(&crashes))
            .args(LIMITS)
            .arg(target.timeout())
            .arg(format!("-dict={}", fuzz.join("words.dict").display()))
            .arg(format!("-max_total_time={}", self.seconds))
            .arg(format!("-artifact_prefix={}/", artifacts.display()));
        let Err(error) = run(&mut command) else {
            return Ok(Vec::new());
        };
        let kept = keep(&artifacts, &crashes)?;
        if kept.is_empty() {
            return Err(error.context("libFuzzer failed and left no input behind"));
        }
        Ok(kept)
    }

    fn cargo(&self, action: &str, target: Target) -> Command {
        let mut command = self.workspace.cargo();
        command
            .args([action, "--manifest-path", "fuzz/Cargo.toml", "--release"])
            // Named even though it is the host: build scripts are then not instrumented.
            .args(["--target", &self.triple, "--bin", target.name()])
            .env("CARGO_ENCODED_RUSTFLAGS", INSTRUMENTATION.join("\u{1f}"));
        command
    }
}

/// Copies what libFuzzer wrote; it names each file after the hash of its content.
fn keep(artifacts: &Path, crashes: &Path) -> Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    let entries =
        fs::read_dir(artifacts).with_context(|| format!("cannot read {}", artifacts.display()))?;
    for entry in entries {
        let entry = entry?;
        create(crashes)?;
        let to = crashes.join(entry.file_name());
        fs::copy(entry.path(), &to).with_context(|| format!("cannot write {}", to.display()))?;
        kept.push(to);
    }
    Ok(kept)
}

fn create(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_program_and_its_seeds() {
        let fuzz = Workspace::find().unwrap().root().join("fuzz");
        for target in Target::value_variants() {
            let value = target.to_possible_value().unwrap();
            assert_eq!(value.get_name(), target.name());
            let program = fuzz.join("fuzz_targets").join(target.name());
            assert!(program.with_extension("rs").is_file(), "{}", target.name());
            let seeds = fs::read_dir(fuzz.join("seeds").join(target.name())).unwrap();
            assert!(seeds.count() >= 12, "{}", target.name());
        }
    }

    #[test]
    fn artifact_is_saved_under_its_own_name() {
        let directory = tempfile::tempdir().unwrap();
        let (artifacts, crashes) = (directory.path().join("a"), directory.path().join("c/t"));
        create(&artifacts).unwrap();
        assert!(keep(&artifacts, &crashes).unwrap().is_empty());
        assert!(!crashes.exists());

        fs::write(artifacts.join("crash-00"), b"\xff---").unwrap();
        let kept = keep(&artifacts, &crashes).unwrap();
        assert_eq!(kept, [crashes.join("crash-00")]);
        assert_eq!(fs::read(crashes.join("crash-00")).unwrap(), b"\xff---");
    }
}
