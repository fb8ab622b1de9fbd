//! `docs/trust-tests.md`: each row of the trust contract with the tests that do the attack, found by their names.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What each row is about, from Q1 on.
const ROWS: [&str; 30] = [
    "configuration files above the repository, of another user, or writable by others",
    "directories and archives inside the project",
    "repositories that reach beyond the project, before an answer",
    "the question, and where its answer is stored",
    "what an edited file keeps and what it asks again",
    "variables go to the host that was shown",
    "keys that redirect, reveal, spend, run or approve",
    "commands that look, in a hostile project, under a tracer",
    "pipes, devices, links and huge files read by convention",
    "SQLite statements that do more than read",
    "values, results and files beyond the limits of a query",
    "database servers: read-only, and nothing but the URL",
    "approvals count in one project, or everywhere by choice",
    "names cover built-in skills and the user's own",
    "ids of built-in skills are reserved",
    "hooks on other skills' tool calls",
    "commands in the developer's sandbox",
    "once is once",
    "denied is asked about again",
    "`.git` and files that configure tools are read-only",
    "interpreters outside of the system's directories",
    "setuid, attributes, scratch directories",
    "socket pairs and sockets of the host",
    "floods of log lines",
    "limits of several processes together",
    "git in a hostile repository",
    "hidden and control characters in output",
    "text that forges blocks of the prompt",
    "writing through links",
    "many sessions, slow bodies, idle connections",
];

/// The page.
pub(crate) fn page(root: &Path) -> Result<String> {
    let mut found = Vec::new();
    collect(&root.join("crates"), &mut found)?;
    let mut out = "# The trust contract, and the test of each row\n\nWritten by `cargo xtask generate` from the names of the tests: `q17_...` belongs to row Q17. A row without a test\nfails the build. [docs/trust.md](trust.md) is the page for users.\n\n| row | about | tests |\n|---|---|---|\n".to_owned();
    for (index, about) in ROWS.iter().enumerate() {
        let row = index + 1;
        let of_row = |test: &&Test| test.rows.contains(&row);
        let mut names: Vec<String> = found
            .iter()
            .filter(of_row)
            .map(|test| {
                let path = test.path.strip_prefix(root).unwrap_or(&test.path);
                format!("[`{}`](../{})", test.name, path.display())
            })
            .collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            bail!("row Q{row} of the trust contract has no test");
        }
        let _ = writeln!(out, "| Q{row} | {about} | {} |", names.join("<br>"));
    }
    Ok(out)
}

struct Test {
    name: String,
    rows: Vec<usize>,
    path: PathBuf,
}

fn collect(directory: &Path, found: &mut Vec<Test>) -> Result<()> {
    let read = |path: &Path| format!("cannot read {}", path.display());
    for entry in fs::read_dir(directory).with_context(|| read(directory))? {
        let path = entry.with_context(|| read(directory))?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).with_context(|| read(&path))?;
            for line in text.lines() {
                let line = line.trim_start().trim_start_matches("async ");
                let Some((name, _)) = line.strip_prefix("fn q").and_then(|it| it.split_once('('))
                else {
                    continue;
                };
                let name = format!("q{name}");
                let row = |part: &str| part.strip_prefix('q')?.parse().ok();
                let rows: Vec<usize> = name.split('_').map_while(row).collect();
                if !rows.is_empty() {
                    found.push(Test {
                        name,
                        rows,
                        path: path.clone(),
                    });
                }
            }
        }
    }
    Ok(())
}
