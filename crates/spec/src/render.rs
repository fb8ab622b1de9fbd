//! Writing frontmatter: values to YAML that reads back as the same values.

use crate::plain;
use crate::quote::quote;
use crate::value::{Mapping, Node, Scalar, Style, Value};

/// The mapping as YAML, one key a line, without delimiters.
///
/// ```
/// use prowess_spec::{Context, parse, render_frontmatter};
///
/// let file = b"---\nname: 'pdf'\ndescription: >\n  Reads\n  PDFs\n---\n";
/// let skill = parse(file, &Context::default()).skill.unwrap();
/// let yaml = render_frontmatter(&skill.frontmatter);
/// assert_eq!(yaml, "name: pdf\ndescription: \"Reads PDFs\\n\"\n");
/// ```
pub fn render_frontmatter(mapping: &Mapping) -> String {
    let mut out = String::new();
    write_mapping(mapping, 0, &mut out);
    out
}

fn write_mapping(mapping: &Mapping, indent: usize, out: &mut String) {
    for entry in &mapping.entries {
        out.push_str(&" ".repeat(indent));
        let key = Scalar {
            text: entry.key.clone(),
            style: Style::Quoted,
        };
        out.push_str(&scalar(&key));
        out.push(':');
        write_value(&entry.value, indent, out);
    }
}

fn write_value(node: &Node, indent: usize, out: &mut String) {
    match &node.value {
        Value::Scalar(value) => {
            let text = scalar(value);
            if !text.is_empty() {
                out.push(' ');
                out.push_str(&text);
            }
            out.push('\n');
        }
        Value::Mapping(mapping) if mapping.entries.is_empty() => out.push_str(" {}\n"),
        Value::Sequence(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Mapping(mapping) => {
            out.push('\n');
            write_mapping(mapping, indent + 2, out);
        }
        Value::Sequence(items) => {
            out.push('\n');
            for item in items {
                out.push_str(&" ".repeat(indent + 2));
                out.push('-');
                write_value(item, indent + 2, out);
            }
        }
    }
}

/// The scalar without quotes where that means the same.
fn scalar(value: &Scalar) -> String {
    let means_text = !Scalar::plain(value.text.as_str()).is_ambiguous();
    let plain = plain_scalar(&value.text).filter(|_| value.style == Style::Plain || means_text);
    match plain {
        Some(text) => text.to_owned(),
        None if value.style == Style::Plain && value.text.is_empty() => String::new(),
        None => quote(&value.text),
    }
}

/// `text` if it can stand without quotes.
pub(crate) fn plain_scalar(text: &str) -> Option<&str> {
    plain::is_plain(text).then_some(text)
}
