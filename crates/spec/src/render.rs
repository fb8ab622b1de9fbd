//! Writing frontmatter: values to YAML that reads back as the same values.

use crate::plain;
use crate::quote::quote;
use crate::value::{Mapping, Node, Resolved, Scalar, Style, Value};

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
    let plain = match value.style {
        // Numbers, booleans and null are what they are only without quotes.
        Style::Plain if !matches!(value.resolve(), Resolved::Text(_)) => true,
        Style::Plain => plain_scalar(&value.text).is_some(),
        Style::Quoted => {
            let means_text = !Scalar::plain(value.text.as_str()).is_ambiguous();
            means_text && plain_scalar(&value.text).is_some()
        }
    };
    if plain {
        value.text.clone()
    } else {
        quote(&value.text)
    }
}

/// `text` if it can stand without quotes.
pub(crate) fn plain_scalar(text: &str) -> Option<&str> {
    plain::is_plain(text).then_some(text)
}
