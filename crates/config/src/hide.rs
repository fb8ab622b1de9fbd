//! Blotting out secrets in a text that is about to be shown.

use prowess_spec::Span;

/// Words that a line with a secret is likely to hold; only for files that are not TOML.
const TELLING: &[&str] = &[
    "auth", "bearer", "env", "header", "key", "passw", "secret", "token", "value",
];

/// `text` with a `*` for every byte in `spans`, so that every offset stays what it was.
pub(crate) fn blot(text: &str, spans: &mut [Span]) -> String {
    spans.sort_unstable();
    let mut blotted = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        let start = span.start.max(at);
        let hidden = Span::new(start, span.end.max(start));
        let covered = text.get(hidden.start..hidden.end);
        let Some(covered) = covered.filter(|covered| !covered.is_empty()) else {
            continue;
        };
        blotted.push_str(text.get(at..hidden.start).unwrap_or_default());
        // Line breaks stay, or the lines after a multi-line secret would be counted wrongly.
        blotted.extend(covered.bytes().map(|byte| match byte {
            b'\n' => '\n',
            b'\r' => '\r',
            _ => '*',
        }));
        at = hidden.end;
    }
    blotted.push_str(text.get(at..).unwrap_or_default());
    blotted
}

/// Where secrets are likely to be in a text that no parser understands.
pub(crate) fn guess(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut telling_table = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_lowercase();
        let telling = TELLING.iter().any(|word| lower.contains(word));
        let start = if line.trim_start().starts_with('[') {
            telling_table = telling;
            None
        } else if telling_table {
            Some(line.find('=').map_or(0, |equals| equals + 1))
        } else if telling {
            line.find('=').map(|equals| equals + 1)
        } else if line.contains('@') {
            line.find("://").map(|scheme| scheme + 3)
        } else {
            None
        };
        if let Some(start) = start {
            spans.push(Span::new(at + start, at + line.trim_end().len().max(start)));
        }
        at += line.len();
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masking_preserves_offsets() {
        let mut spans = [Span::new(4, 9), Span::new(1, 3), Span::new(3, 6)];
        let text = "aé\nbcd\nef";
        let blotted = blot(text, &mut spans);
        assert_eq!(blotted, "a**\n***\n*f");
        assert_eq!(blotted.len(), text.len());
    }

    #[test]
    fn likely_secrets_are_masked() {
        let text = "name = 'x'\nauth = { bearer = 's3cr3t\n[x.env]\nA = 's3cr3t'\n's3cr3t'\n[y]\nurl = 'https://u:s3cr3t@h'\n";
        let blotted = blot(text, &mut guess(text));
        assert!(!blotted.contains("s3cr3t"), "{blotted}");
        assert!(blotted.contains("name = 'x'"));
        assert_eq!(blotted.len(), text.len());
    }
}
