//! What a worker sends is what a host reads, and nothing else is.
#![cfg(test)]

use proptest::prelude::*;
use prowess_syntax::wire::{WireError, encode_request, read_answer, read_request, write_answer};
use prowess_syntax::{CodeLanguage, Grammars, Node, Parse, ParseRequest, SyntaxTrees};
use prowess_testing::properties;

const SAMPLES: &[(CodeLanguage, &str)] = &[
    (
        CodeLanguage::Python,
        "import os\ndef f(a, b=1):\n    return a + 'é'\n",
    ),
    (CodeLanguage::JavaScript, "const x = `a${b}`; f(x)\n"),
    (CodeLanguage::Tsx, "let a: string = <b c={1}/>;\n"),
    (
        CodeLanguage::Shell,
        "for i in a b; do echo \"$i\"; done | cat\n",
    ),
    (
        CodeLanguage::PowerShell,
        "$a = Get-Item . | Where-Object { $_.Name }\n",
    ),
    (CodeLanguage::TypeScript, "class { ( ]] é"),
];

fn answer(language: CodeLanguage, source: &str) -> Parse {
    Grammars.parse(&ParseRequest {
        language,
        source,
        ticks: 1000,
        errors: 1000,
    })
}

fn written(answer: &Parse) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_answer(&mut bytes, answer).unwrap();
    bytes
}

#[test]
fn requests_and_answers_come_back() {
    for (language, source) in SAMPLES {
        let request = ParseRequest {
            language: *language,
            source,
            ticks: 12,
            errors: 3,
        };
        let bytes = encode_request(&request);
        let read = read_request(&mut bytes.as_slice()).unwrap().unwrap();
        assert_eq!(read.as_request(), request);
        let parsed = answer(*language, source);
        assert!(matches!(parsed, Parse::Tree(_)));
        assert_eq!(
            read_answer(&mut written(&parsed).as_slice(), source).unwrap(),
            parsed
        );
    }
    for answer in [Parse::TooDeep, Parse::TooManyErrors, Parse::Unfinished] {
        assert_eq!(
            read_answer(&mut written(&answer).as_slice(), "").unwrap(),
            answer
        );
    }
    assert_eq!(read_request(&mut [].as_slice()).unwrap(), None);
}

/// Whether every child lies in its parent, and everything in the source.
fn holds(node: Node<'_>, source: &str, depth: usize) -> bool {
    let inside = source.get(node.byte_range()).is_some();
    inside && (depth == 0 || node.children().all(|child| holds(child, source, depth - 1)))
}

proptest! {
    #![proptest_config(properties(3_000))]

    /// A worker that a stranger's bytes have taken over says anything.
    #[test]
    fn altered_answers_are_refused_or_are_trees(
        sample in prop::sample::select(SAMPLES),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (language, source) = sample;
        let mut bytes = written(&answer(language, source));
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(Parse::Tree(parsed)) = read_answer(&mut bytes.as_slice(), source)
            && let Some(root) = parsed.tree.root()
        {
            prop_assert!(holds(root, source, 40));
        }
    }
}

#[test]
fn a_length_alone_takes_no_memory() {
    let answer = read_answer(&mut [0xff, 0xff, 0xff, 0x00].as_slice(), "");
    assert!(matches!(answer, Err(WireError::Closed)), "{answer:?}");
    let answer = read_answer(&mut [0xff; 8].as_slice(), "");
    assert!(matches!(answer, Err(WireError::Malformed(_))), "{answer:?}");
}
