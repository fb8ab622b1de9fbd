//! The scanner against the YAML parser: whatever it understands, it understands the same way.

use proptest::prelude::*;
use prowess_testing::properties;

use super::scan;
use crate::tree::TreeBuilder;
use crate::yaml::{self, Marker};

/// Whether the scanner understood `text`; panics when it then differs from the parser.
fn agrees(text: &str) -> bool {
    let mut builder = TreeBuilder::default();
    if scan(text, 0, &mut builder).is_err() {
        return false;
    }
    let scanned = builder.finish();
    let document = match yaml::read(text, Marker::Refused, |offset| offset) {
        Ok(document) => document,
        Err(problem) => panic!("scanned {text:?}, but YAML says {problem:?}"),
    };
    assert!(
        document.aliases.is_empty() && document.core_tags.is_empty(),
        "{text:?}"
    );
    assert_eq!(scanned, (document.root, document.duplicates), "{text:?}");
    true
}

#[test]
fn typical_frontmatter_is_understood() {
    let rows = [
        "name: pdf\ndescription: Reads PDF files, and fills forms (AcroForm) too.\n",
        "name: pdf\r\ndescription: \"Quoted: with colon\"\r\nlicense: 'MIT'\r\n",
        "name: pdf\ndescription: >\n  Folded over\n  two lines.\nlicense: MIT\n",
        "name: pdf\ndescription: |-\n  One\n  two\n\nmetadata:\n  author: Ada\n  version: 1.10\n",
        "# comment\nname: pdf\n\ndescription: d\nallowed-tools: Bash(git:*) Read\n",
        "name: pdf\ndescription: d\ntags: [a, b-c, \"d\"]\nempty: []\nnone:\n",
        "name: pdf\nlist:\n- a\n- b\nother:\n  - c\nmetadata:\n  nested:\n    deep: yes\n",
        "name: 技能\ndescription: Извлекает текст — быстро\n",
    ];
    for text in rows {
        assert!(agrees(text), "not understood: {text:?}");
    }
}

#[test]
fn ambiguous_input_is_left_to_the_parser() {
    let rows = [
        "",
        "# only a comment\n",
        " name: x\n",
        "name: a: b\n",
        "name: a #b\n",
        "name: *a\n",
        "name: [a\n",
        "name: [a, [b]]\n",
        "name: a\n  b\n",
        "name: \"a\\n\"\n",
        "name: 'it''s'\n",
        "name:\tx\n",
        "name : x\n",
        "- a\n",
        "name: |\n  a\n   b\n",
        "name: |\n  a\n\n  b\n",
        "name: >2\n  a\n",
        "name: x\u{85}y\n",
        "name: x\u{2028}y\n",
        "a: b\n--- c\n",
        "a: b\n...\n",
    ];
    for text in rows {
        assert!(!agrees(text), "understood: {text:?}");
    }
}

fn line() -> impl Strategy<Value = String> {
    let indent = prop_oneof![6 => Just(""), 2 => Just("  "), 1 => Just("    "), 1 => Just(" "), 1 => Just("\t")];
    let lead = prop_oneof![
        8 => "[a-z][a-z0-9_-]{0,6}:",
        2 => Just("- ".to_owned()),
        1 => Just("-".to_owned()),
        1 => Just("#".to_owned()),
        1 => Just(String::new()),
        1 => Just("name:".to_owned()),
    ];
    let value = prop_oneof![
        6 => "( [a-zA-Z0-9.,;()/&!?-]{0,6}){0,4}",
        2 => " ?[\\[\\]{},:#&*!|>'\"%@`~?= \\\\.a-zé-]{0,8}",
        1 => " \\[[a-z, \"'-]{0,10}\\]",
        1 => " [\"'][a-z :,#]{0,8}[\"']",
        1 => " [|>][-+]?",
        1 => " (null|~|yes|true|1\\.10|0x1f|&nbsp;)",
    ];
    let end = prop_oneof![12 => Just("\n"), 2 => Just("\r\n"), 1 => Just(" \n"), 1 => Just("\n\n"), 1 => Just("\r")];
    (indent, lead, value, end)
        .prop_map(|(indent, lead, value, end)| format!("{indent}{lead}{value}{end}"))
}

proptest! {
    #![proptest_config(properties(20_000))]

    #[test]
    fn scanner_and_parser_agree(lines in prop::collection::vec(line(), 1..7)) {
        agrees(&lines.concat());
    }

    #[test]
    fn scanner_and_parser_agree_on_any_text(text in "[ -~\\n\\t\\ré\u{85}\u{feff}\u{2028}]{0,60}") {
        agrees(&format!("name: x\n{text}\n"));
    }
}
