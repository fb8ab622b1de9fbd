//! Programs that the parsers are known not to survive, and random ones.
#![cfg(test)]

use proptest::prelude::*;
use prowess_syntax::limits::SOURCE_BYTES;
use prowess_syntax::{CodeLanguage, Grammars, Parse, ParseRequest, SyntaxTrees};
use prowess_testing::properties;

fn parse(language: CodeLanguage, source: &str) -> Parse {
    Grammars.parse(&ParseRequest {
        language,
        source,
        ticks: 400 + source.len() / 60,
        errors: 10_000,
    })
}

/// The shell's scanner asks a table of 256 entries about a character of any number, in two places.
#[test]
fn characters_outside_of_the_table_of_the_shell() {
    for source in [
        "{\u{10ffff}",
        "echo {1..\u{10ffff}",
        "echo {1\u{10ffff}..2}",
        "{{1..\u{100}",
        "x={1..22\u{ffff}}\n",
    ] {
        let Parse::Tree(parsed) = parse(CodeLanguage::Shell, source) else {
            panic!("{source:?} has no tree");
        };
        let root = parsed.tree.root().unwrap();
        assert!(root.end_byte() <= source.len(), "{source:?}");
    }
}

/// Python's scanner writes past the end of a buffer at the 384th level.
#[test]
fn levels_beyond_the_buffer_of_python() {
    let nested = |levels: usize, unit: &str| -> String {
        let lines = (0..levels).flat_map(|level| [unit.repeat(level), "if x:\n".to_owned()]);
        lines.collect()
    };
    for levels in [384, 511, 600] {
        for unit in [" ", "\t"] {
            assert_eq!(
                parse(CodeLanguage::Python, &nested(levels, unit)),
                Parse::TooDeep,
                "{levels} levels of {unit:?}"
            );
        }
    }
    // Blanks that count for the scanner although a backslash or a form feed is among them.
    let continued = (0..400).flat_map(|level| {
        let half = level / 2;
        [
            " ".repeat(half),
            "\\\n".to_owned(),
            " ".repeat(level - half),
            "if x:\n".to_owned(),
        ]
    });
    let continued: String = continued.collect();
    assert_eq!(parse(CodeLanguage::Python, &continued), Parse::TooDeep);
    assert!(matches!(
        parse(CodeLanguage::Python, &nested(50, "    ")),
        Parse::Tree(_)
    ));
}

/// A chunk that ends inside of a character, with nothing after it, makes the core read from address zero.
#[test]
fn characters_across_the_ends_of_chunks() {
    for language in CodeLanguage::ALL {
        for character in ['é', '\u{20ac}', '\u{1f600}', '\u{10ffff}'] {
            for offset in 0..5 {
                let source = format!(
                    "{}{}",
                    "a".repeat(offset),
                    character.to_string().repeat(3_000)
                );
                let quoted = format!("x = \"{source}\"\n");
                for source in [source, quoted] {
                    if let Parse::Tree(parsed) = parse(language, &source) {
                        assert!(parsed.tree.root().unwrap().end_byte() <= source.len());
                    }
                }
            }
        }
    }
}

/// What follows a clean beginning is what costs: recovering takes longer, the more was recovered from before.
#[test]
fn recovering_from_errors_is_paid_for_in_time() {
    let source = format!("{}{}", "$a = 1\n".repeat(300), ",&".repeat(40_000));
    let answer = parse(CodeLanguage::PowerShell, &source);
    assert!(
        matches!(answer, Parse::Unfinished | Parse::TooManyErrors),
        "it has a tree"
    );
}

#[test]
fn a_source_that_is_too_long_is_not_parsed() {
    let source = "a\n".repeat(SOURCE_BYTES / 2 + 1);
    assert_eq!(parse(CodeLanguage::Shell, &source), Parse::Unfinished);
}

/// Pieces that mean something to a scanner.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => any::<char>().prop_map(String::from),
        2 => "[ -~]{1,6}",
        1 => prop::sample::select(vec![
            "{1..", "{", "<<EOF\n", "EOF\n", "<<-'A'\n", "f\"{", "r'''", "\"\"\"", "\\\n", "\n    ", "\n\t", "@\"\n", "\"@\n", "`${",
            "</a>", "<a>", "/*", "//", "$(", "${", "((", "[[", "@'", "case x in", "if x:", "\r\n", "\u{c}", "\0", "\u{feff}", "\u{2028}",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    // Ten thousand texts for each language are tried in `prowess-worker`, where a crash is an answer.
    #![proptest_config(properties(400))]

    #[test]
    fn random_text_gives_the_same_tree_twice(pieces in prop::collection::vec(piece(), 0..60)) {
        let source: String = pieces.concat();
        for language in CodeLanguage::ALL {
            let first = parse(language, &source);
            if let Parse::Tree(parsed) = &first {
                prop_assert!(parsed.tree.root().is_some());
            }
            if let (Parse::Tree(first), Parse::Tree(second)) = (first, parse(language, &source)) {
                prop_assert_eq!(first.tree, second.tree);
            }
        }
    }
}
