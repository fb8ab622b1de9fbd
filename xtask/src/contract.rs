//! `docs/contract/tests.md`: the rows of the contract and their tests, matched by name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The files of the contract, in the order of the page. `planned.md` has no tests.
const FILES: &[&str] = &[
    "format",
    "discovery",
    "rendering",
    "turns",
    "tools",
    "search",
    "sources",
    "runtime",
    "mcp",
    "service",
    "trust",
    "surfaces",
    "durability",
    "operating",
    "chats",
    "command-line",
    "packages",
    "registry",
    "replicas",
    "audit",
    "console",
    "signing",
];

const HEAD: &str = "# Tests of the contract

Written by `cargo xtask generate` from the names of the tests: `d5_...` belongs to row D5.
";

/// A contract file without its extension, and its text.
type Pages = Vec<(&'static str, String)>;

/// A test that is named after rows.
struct Test {
    name: String,
    /// From the root of the repository.
    path: PathBuf,
}

/// Returns the page, or an error for each row without a test and each test without a row.
pub(crate) fn page(root: &Path) -> Result<String> {
    let pages = FILES.iter().copied().map(|name| {
        let path = root.join("docs/contract").join(name).with_extension("md");
        Ok((name, read(&path)?))
    });
    let mut tests = Vec::new();
    collect(root, &root.join("crates"), &mut tests)?;
    table(&pages.collect::<Result<_>>()?, &tests)
}

fn table(pages: &Pages, tests: &[Test]) -> Result<String> {
    let rows = pages
        .iter()
        .flat_map(|(_, text)| text.lines().filter_map(row));
    let mut tests_of: BTreeMap<String, Vec<&Test>> = BTreeMap::new();
    let mut problems = Vec::new();
    for id in rows {
        if tests_of.insert(id.clone(), Vec::new()).is_some() {
            problems.push(format!("two rows have the id {id}"));
        }
    }
    for test in tests {
        for id in ids(&test.name) {
            match tests_of.get_mut(&id) {
                Some(found) => found.push(test),
                None => problems.push(format!("`{}` names no row: {id}", test.name)),
            }
        }
    }
    let mut out = HEAD.to_owned();
    for (name, text) in pages {
        let _ = writeln!(
            out,
            "\n## [{name}]({name}.md)\n\n| row | tests |\n|---|---|"
        );
        for id in text.lines().filter_map(row) {
            let found = tests_of.get(&id).map(Vec::as_slice).unwrap_or_default();
            let mut links: Vec<String> = found
                .iter()
                .map(|test| format!("[`{}`](../../{})", test.name, test.path.display()))
                .collect();
            links.sort();
            if links.is_empty() {
                problems.push(format!("row {id} has no test"));
            }
            let _ = writeln!(out, "| {id} | {} |", links.join("<br>"));
        }
    }
    if problems.is_empty() {
        return Ok(out);
    }
    bail!("docs/contract:\n  {}", problems.join("\n  "))
}

/// The id of a table row, such as D5.
fn row(line: &str) -> Option<String> {
    let cell = line.strip_prefix("| ")?.split(" |").next()?;
    (ids(&cell.to_lowercase()).as_slice() == [cell]).then(|| cell.to_owned())
}

/// The ids at the start of a test's name: Q11 and Q12 of `q11_q12_only_reads`.
fn ids(name: &str) -> Vec<String> {
    let id = |part: &str| {
        let number = part.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let letters = part.len() - number.len();
        let is_id = (1..=2).contains(&letters) && number.parse::<u16>().is_ok();
        is_id.then(|| part.to_uppercase())
    };
    name.split('_').map_while(id).collect()
}

/// Collects the tests of a directory that are named after rows. Ignored tests do not count.
fn collect(root: &Path, directory: &Path, tests: &mut Vec<Test>) -> Result<()> {
    let context = || format!("cannot read {}", directory.display());
    for entry in fs::read_dir(directory).with_context(context)? {
        let path = entry.with_context(context)?.path();
        if path.is_dir() {
            collect(root, &path, tests)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            let names = test_names(&read(&path)?);
            let path = path.strip_prefix(root).unwrap_or(&path);
            tests.extend(names.into_iter().map(|name| Test {
                name,
                path: path.to_owned(),
            }));
        }
    }
    Ok(())
}

fn test_names(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("test(");
            is_test &= !line.starts_with("#[ignore");
        } else if let Some((_, rest)) = line.split_once("fn ") {
            let name = rest.split('(').next().unwrap_or_default();
            if is_test && !ids(name).is_empty() {
                names.push(name.to_owned());
            }
            is_test = false;
        }
    }
    names
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_test_and_every_named_test_a_row() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let page = page(root).unwrap();
        let committed = read(&root.join("docs/contract/tests.md")).unwrap();
        assert_eq!(page, committed, "run `cargo xtask generate`");
    }

    #[test]
    fn a_row_without_a_test_a_test_without_a_row_and_an_id_twice() {
        let text = "| id | case |\n|---|---|\n| D1 | a |\n| D2 | b |\n| D2 | c |\n| HK3 | d |\n";
        let tests = ["d1_x", "d2_hk3_y", "d4_z"].map(|name| Test {
            name: name.to_owned(),
            path: PathBuf::new(),
        });
        let error = table(&vec![("a", format!("{text}| E1 | |\n"))], &tests);
        assert_eq!(
            error.unwrap_err().to_string(),
            "docs/contract:\n  two rows have the id D2\n  `d4_z` names no row: D4\n  row E1 has no test"
        );
    }

    #[test]
    fn only_tests_that_run_count() {
        let source = "#[tokio::test(flavor = \"x\")]\nasync fn d1_a() {}\nfn d2_b() {}\n#[test]\n#[ignore = \"slow\"]\nfn d3_c() {}\n#[test]\nfn other() {}\n";
        assert_eq!(test_names(source), ["d1_a"]);
    }
}
