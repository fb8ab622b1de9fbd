//! Findings as one JSON document.

use anyhow::Result;

use super::report::Report;
use super::wire;

pub(crate) fn render(report: &Report) -> Result<String> {
    let mut text = serde_json::to_string_pretty(&wire::Document::new(report))?;
    text.push('\n');
    Ok(text)
}
