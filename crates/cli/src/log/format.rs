//! The lines of a log.

use std::fmt;

use jiff::Timestamp;
use tracing::field::{Field, FieldSet, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

use super::LogFormat;
use crate::terminal;

/// The field with the words of a report.
const MESSAGE: &str = "message";

impl<S, N> FormatEvent<S, N> for LogFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (level, target) = (event.metadata().level(), event.metadata().target());
        let time = Timestamp::now();
        match self {
            Self::Json => write!(
                out,
                r#"{{"time":"{time:.6}","level":"{level}","target":"{target}""#
            )?,
            Self::Text => write!(out, "{time:.3} {level} {target}:")?,
        }
        // In JSON, every line of one kind has the same keys.
        let declared = (*self == Self::Json).then(|| event.metadata().fields());
        let mut visitor = FieldWriter::new(*self, out.by_ref(), declared);
        event.record(&mut visitor);
        visitor.missing_before(usize::MAX);
        visitor.result?;
        for span in context.event_scope().into_iter().flatten() {
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<N>>() {
                out.write_str(&fields.fields)?;
            }
        }
        match self {
            Self::Json => out.write_str("}\n"),
            Self::Text => out.write_str("\n"),
        }
    }
}

impl<'w> FormatFields<'w> for LogFormat {
    fn format_fields<R: RecordFields>(&self, out: Writer<'w>, fields: R) -> fmt::Result {
        // A field of a span may get its value later.
        let mut visitor = FieldWriter::new(*self, out, None);
        fields.record(&mut visitor);
        visitor.result
    }
}

/// Writes fields one after another, and `null` for each declared one that has no value.
struct FieldWriter<'w> {
    format: LogFormat,
    out: Writer<'w>,
    result: fmt::Result,
    declared: Option<&'w FieldSet>,
    /// The first declared field that was not written yet.
    next: usize,
}

impl<'w> FieldWriter<'w> {
    fn new(format: LogFormat, out: Writer<'w>, declared: Option<&'w FieldSet>) -> Self {
        Self {
            format,
            out,
            result: Ok(()),
            declared,
            next: 0,
        }
    }

    fn missing_before(&mut self, index: usize) {
        let Some(declared) = self.declared else {
            return;
        };
        let missing = declared.iter().take(index).skip(self.next);
        for field in missing {
            self.try_write(|out| write!(out, ",\"{}\":null", field.name()));
        }
        self.next = index.saturating_add(1);
    }

    fn try_write(&mut self, write: impl FnOnce(&mut Writer<'w>) -> fmt::Result) {
        if self.result.is_ok() {
            self.result = write(&mut self.out);
        }
    }

    /// Writes a value that needs no quotes.
    fn plain(&mut self, field: &Field, value: impl fmt::Display) {
        self.missing_before(field.index());
        let name = field.name();
        let format = self.format;
        self.try_write(|out| match format {
            LogFormat::Json => write!(out, ",\"{name}\":{value}"),
            LogFormat::Text => write!(out, " {name}={value}"),
        });
    }

    /// Writes a text. Nothing in it is obeyed by a terminal, and it stays on its line.
    fn text(&mut self, field: &Field, value: &str) {
        match self.format {
            LogFormat::Json if is_simple(value) => self.plain(field, format_args!("\"{value}\"")),
            LogFormat::Json => {
                let quoted = serde_json::to_string(value).unwrap_or_default();
                self.plain(field, terminal::visible_json(&quoted));
            }
            LogFormat::Text if field.name() == MESSAGE => {
                let shown = value.escape_debug();
                self.try_write(|out| write!(out, " {shown}"));
            }
            LogFormat::Text if is_simple(value) && !value.contains(' ') => self.plain(field, value),
            LogFormat::Text => {
                let shown = format!("\"{}\"", value.escape_debug());
                self.plain(field, terminal::shown(&shown));
            }
        }
    }
}

/// Whether a text can be written between quotes as it is.
fn is_simple(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
}

impl Visit for FieldWriter<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.text(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.text(field, &value.to_string());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    /// Figures are measured; three digits are enough.
    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, (value * 1e3).round() / 1e3);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Written {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    /// The lines of a few reports, without their times.
    fn lines(format: LogFormat) -> Vec<String> {
        let written = Written::default();
        let layer = tracing_subscriber::fmt::layer()
            .event_format(format)
            .fmt_fields(format)
            .with_writer(written.clone());
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("request", request_id = "r1");
            let _entered = span.enter();
            let error: Option<&str> = None;
            tracing::info!(target: "t", error, path = "/a\u{1b}[2J\u{202e}", duration_ms = 1.23456);
            tracing::warn!(target: "t", reason = %"a \"b\"\nc", skills = 3, "asked");
        });
        let bytes = written.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn json_has_every_key_and_nothing_that_a_terminal_obeys() {
        let lines = lines(LogFormat::Json);
        assert_eq!(lines.len(), 2);
        let first: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        assert!(first["time"].as_str().unwrap().ends_with('Z'));
        assert_eq!(first["error"], serde_json::Value::Null);
        assert!(first.as_object().unwrap().contains_key("error"));
        assert_eq!(first["path"], "/a\u{1b}[2J\u{202e}");
        assert_eq!(first["duration_ms"], 1.235);
        assert_eq!(first["request_id"], "r1");
        assert!(lines[0].is_ascii(), "{}", lines[0]);
        let second: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
        assert_eq!(second["reason"], "a \"b\"\nc");
        assert_eq!(second["message"], "asked");
        assert_eq!(second["level"], "WARN");
    }

    #[test]
    fn text_is_one_line_for_each_report() {
        let lines = lines(LogFormat::Text);
        let rest: Vec<&str> = lines
            .iter()
            .map(|it| it.split_once(' ').unwrap().1)
            .collect();
        assert_eq!(
            rest[0],
            r#"INFO t: path="/a\u{1b}[2J\u{202e}" duration_ms=1.235 request_id=r1"#
        );
        assert_eq!(
            rest[1],
            r#"WARN t: asked reason="a \"b\"\nc" skills=3 request_id=r1"#
        );
    }
}
