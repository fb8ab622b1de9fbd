//! Findings as one JSON document.

use super::report::Report;
use super::wire;
use crate::error::Result;
use crate::terminal;

pub(crate) fn render(report: &Report) -> Result<String> {
    let mut text = terminal::json(&wire::Document::new(report))?;
    text.push('\n');
    Ok(text)
}
