//! What was packed, for people and for programs.

use std::fmt::Write as _;
use std::path::Path;

use prowess_registry::PublicKey;
use serde::Serialize;
use serde_json::json;

use super::collect::SkillFiles;
use super::write::Written;
use crate::error::Result;
use crate::terminal;

/// A package.
pub(super) struct Package<'p> {
    pub(super) name: &'p str,
    pub(super) version: &'p str,
    pub(super) path: &'p Path,
    pub(super) bytes: usize,
    pub(super) digest: String,
    pub(super) contents: &'p SkillFiles,
    pub(super) key: Option<&'p PublicKey>,
    /// `None` for a dry run.
    pub(super) written: Option<Written>,
    pub(super) tests_passed: usize,
    pub(super) tests_not_approved: usize,
}

#[derive(Serialize)]
struct FileRow<'p> {
    path: &'p str,
    bytes: usize,
    executable: bool,
}

pub(super) fn print_json(package: &Package<'_>) -> Result<()> {
    let files = package.contents.tree.files().map(|(path, file)| FileRow {
        path: path.as_str(),
        bytes: file.bytes.len(),
        executable: file.executable,
    });
    let left_out = package.contents.left_out.iter();
    let left_out = left_out.map(|(path, reason)| json!({"path": path, "reason": reason}));
    terminal::print_json(&json!({
        "version": 1,
        "name": package.name,
        "package_version": package.version,
        "path": package.path,
        "bytes": package.bytes,
        "digest": package.digest,
        "files": files.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
        "public_key": package.key.map(ToString::to_string),
        "written": package.written == Some(Written::Now),
        "tests": {"passed": package.tests_passed, "not_approved": package.tests_not_approved},
    }))?;
    Ok(())
}

pub(super) fn print(package: &Package<'_>, quiet: bool) -> Result<()> {
    let mut text = format!("{} {}\n", package.name, package.version);
    let files = package.contents.tree.files();
    let sizes = files.map(|(path, file)| (path.as_str(), size(file.bytes.len())));
    let sizes: Vec<(&str, String)> = sizes.collect();
    let width = sizes.iter().map(|(_, size)| size.len()).max().unwrap_or(0);
    for (path, size) in sizes {
        let _ = writeln!(text, "  {size:>width$}  {path}");
    }
    for (path, reason) in &package.contents.left_out {
        let _ = writeln!(text, "  left out: {path} ({reason})");
    }
    let path = package.path.display();
    let _ = writeln!(text, "{path}  {}  {}", size(package.bytes), package.digest);
    if let Some(key) = package.key {
        let _ = writeln!(text, "{path}.minisig  signed with {key}");
    }
    terminal::print(&text)?;
    if quiet {
        return Ok(());
    }
    if package.tests_not_approved > 0 {
        let count = package.tests_not_approved;
        terminal::note(&format!(
            "warning: {count} test cases did not run: the code is not approved; run `prowess test` to approve it"
        ));
    }
    match package.written {
        None => terminal::note("nothing was written"),
        Some(Written::Before) => terminal::note("unchanged: the file has the same bytes"),
        Some(Written::Now) => {}
    }
    Ok(())
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
