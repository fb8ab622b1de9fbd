//! Files that make a plugin of a skill: agents that find them among skills start hooks and servers.

use std::collections::BTreeSet;

use prowess_archive::plugin_files;
use prowess_spec::Span;

use crate::limits::FILE_FINDINGS;
use crate::report::{Omitted, Report};
use crate::rule_id::RuleId;
use crate::scanner::Hit;
use crate::text::{File, Text, lossy};

const RULE: &str = "plugin-in-skill";
/// Bytes of a file that are shown.
const SHOWN: usize = 1_024;

/// One finding for each of these files, the first ones if they are many.
pub(crate) fn report(files: &[File<'_>], report: &mut Report) {
    let content = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map(|file| file.bytes.to_vec())
    };
    let found: BTreeSet<&str> = plugin_files(files.iter().map(|file| file.path), content);
    let found: Vec<&File<'_>> = files
        .iter()
        .filter(|file| found.contains(file.path))
        .collect();
    for file in found.iter().take(FILE_FINDINGS) {
        let source = lossy(file.bytes.get(..SHOWN).unwrap_or(file.bytes));
        let first = source.lines().next().unwrap_or_default().len();
        let hit = Hit::base(RULE, Span::new(0, first));
        report.add(&Text::new(file.path, &source), hit.into_iter().collect());
    }
    if let Some(omitted @ [first, ..]) = found.get(FILE_FINDINGS..) {
        report.omitted.push(Omitted {
            file: first.path.to_owned(),
            rule: RuleId::base(RULE),
            count: omitted.len(),
        });
    }
}
