//! The log: what the crates report through `tracing`, as lines on standard error.
//!
//! Without `RUST_LOG` and `--log` nothing is installed, and a report costs one comparison.

mod filter;
mod format;
mod lines;

use clap::ValueEnum;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry;

use crate::terminal;
use lines::Lines;
pub(crate) use lines::LogEnd;

/// The form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people.
    Text,
    /// A line of JSON.
    Json,
}

const VARIABLE: &str = "RUST_LOG";

/// Installs the log if `--log` or `RUST_LOG` asks for one. The last lines are written when the result is dropped.
pub(crate) fn start(format: Option<LogFormat>) -> Option<LogEnd> {
    let stated = std::env::var_os(VARIABLE).filter(|text| !text.is_empty());
    if format.is_none() && stated.is_none() {
        return None;
    }
    let mut targets = None;
    if let Some(stated) = stated {
        match filter::parse(&stated.to_string_lossy()) {
            Ok(parsed) => targets = Some(parsed),
            Err(_) => terminal::note(&format!(
                "warning: ignored {VARIABLE}: expected `LEVEL` or `TARGET=LEVEL`, separated by commas; \
                 levels are off, error, warn, info, debug and trace"
            )),
        }
    }
    let targets = filter::targets(targets, format.is_some())?;
    let (lines, end) = Lines::start().ok()?;
    let form = format.unwrap_or(LogFormat::Text);
    let allowed = filter_fn(filter::is_allowed).with_max_level_hint(tracing::Level::TRACE);
    let layer = fmt::layer()
        .event_format(form)
        .fmt_fields(form)
        .with_writer(lines)
        .with_filter(targets.and(allowed));
    // The program installs one subscriber, here.
    tracing::subscriber::set_global_default(registry().with(layer)).ok()?;
    Some(end)
}
