//! A jailed parser, and what its host does when it dies, stops or lies.
#![cfg(test)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use prowess_sandbox::Launcher;
use prowess_syntax::{CodeLanguage, Grammars, LostParser, Parse, ParseRequest, SyntaxTrees};
use prowess_worker::{JailedParsers, ParserJail};

const WORKER: &str = env!("CARGO_BIN_EXE_prowess-worker");
const PYTHON: &str = "import os\nos.system('id')\n";

fn request(language: CodeLanguage, source: &str) -> ParseRequest<'_> {
    ParseRequest {
        language,
        source,
        ticks: 400 + source.len() / 60,
        errors: 10_000,
    }
}

fn launched(program: &str, arguments: &[&str]) -> JailedParsers {
    let mut launcher = Launcher::new(program);
    launcher.arguments = arguments.iter().map(Into::into).collect();
    JailedParsers::new(launcher)
}

fn jailed() -> JailedParsers {
    launched(WORKER, &["parse"])
}

/// A parser that is this shell script, after it said that it is shut in.
fn script(text: &str) -> JailedParsers {
    launched("/bin/sh", &["-c", &format!("printf '\\001'; {text}")])
}

#[test]
fn q56_a_jailed_parser_says_what_one_in_this_process_says() {
    let parsers = jailed();
    assert_eq!(parsers.jail().unwrap(), ParserJail::LockedDown);
    for (language, source) in [
        (CodeLanguage::Python, PYTHON),
        (CodeLanguage::Shell, "curl $URL | sh # é\n"),
        (CodeLanguage::Tsx, "const a: string = <b c={d}/>;\n"),
        (CodeLanguage::PowerShell, "Get-Item . | % { $_.Name }\n"),
        (CodeLanguage::JavaScript, "f(`${a}`"),
    ] {
        let request = request(language, source);
        let (Parse::Tree(jailed), Parse::Tree(here)) =
            (parsers.parse(&request), Grammars.parse(&request))
        else {
            panic!("no tree of {source}");
        };
        assert_eq!(jailed.tree, here.tree, "{source}");
        assert_eq!(jailed.errors, here.errors, "{source}");
    }
}

#[test]
fn q56_a_jailed_parser_can_open_nothing() {
    let mut child = Command::new(WORKER)
        .arg("parse")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut code = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut code)
        .unwrap();
    let of = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
    let (status, limits) = (of("status"), of("limits"));
    assert!(status.contains("Seccomp:\t2"), "{status}");
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
    let mut lines = limits.lines();
    let space = lines.find(|line| line.starts_with("Max address space"));
    assert!(!space.unwrap().contains("unlimited"), "{limits}");
    // Bytes that are no request end it, without an answer.
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(&[9, 0, 0, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0])
        .unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
}

/// Too little memory for this tree, whatever else the machine has.
#[test]
fn q56_a_parser_that_dies_is_replaced_and_the_others_go_on() {
    let limited = format!("ulimit -v 400000; exec '{WORKER}' parse");
    let parsers = launched("/bin/sh", &["-c", &limited]);
    let large = "a = [1, 2, 3]\n".repeat(400_000);
    for _ in 0..2 {
        let small = parsers.parse(&request(CodeLanguage::Python, PYTHON));
        assert!(matches!(small, Parse::Tree(_)), "{small:?}");
        let lost = parsers.parse(&request(CodeLanguage::Python, &large));
        assert_eq!(lost, Parse::Lost(LostParser::Crashed));
    }
}

#[test]
fn q56_a_parser_that_stops_or_lies_is_ended() {
    let lost = |text: &str| {
        let parsers = script(text).patience(Duration::from_secs(1));
        match parsers.parse(&request(CodeLanguage::Python, PYTHON)) {
            Parse::Lost(why) => why,
            answer => panic!("{answer:?}"),
        }
    };
    assert_eq!(lost("exec sleep 1000"), LostParser::TimedOut);
    assert_eq!(lost("kill -9 $$"), LostParser::Crashed);
    assert_eq!(lost("exit 0"), LostParser::Crashed);
    // Answers: of an unknown kind, longer than any, and one that comes a byte at a time for ever.
    let unknown = r"printf '\001\000\000\000\011'; exec sleep 1000";
    assert_eq!(lost(unknown), LostParser::Crashed);
    assert_eq!(
        lost(r"exec tr '\000' '\377' </dev/zero"),
        LostParser::Crashed
    );
    let slowly = r"printf '\377\000\000\000'; while :; do printf a; sleep 0.05; done";
    assert_eq!(lost(slowly), LostParser::TimedOut);
}

#[test]
fn q56_without_a_parser_there_is_no_tree() {
    for parsers in [launched("/nonexistent", &[]), launched("/bin/true", &[])] {
        let answer = parsers.parse(&request(CodeLanguage::Python, PYTHON));
        assert_eq!(answer, Parse::Lost(LostParser::Unavailable));
    }
}

/// Pieces that mean something to a scanner, between any characters.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "{1..",
        "{",
        "<<EOF\n",
        "EOF\n",
        "<<-'A'\n",
        "f\"{",
        "r'''",
        "\"\"\"",
        "\\\n",
        "\n    ",
        "\n\t",
        "@\"\n",
        "\"@\n",
        "`${",
        "</a>",
        "<a>",
        "/*",
        "//",
        "$(",
        "${",
        "((",
        "[[",
        "@'",
        "case x in",
        "if x:",
        "\r\n",
        "\u{c}",
        "\0",
        "\u{feff}",
        "\u{2028}",
        ",&",
        "|&",
        "]]",
        ")]}",
        "#{",
        "!~",
    ];
    let piece = proptest::prop_oneof![
        proptest::arbitrary::any::<char>().prop_map(String::from),
        proptest::sample::select(PIECES).prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn q56_random_texts_crash_no_parser() {
    let parsers = jailed();
    let mut runner = TestRunner::deterministic();
    let mut lost = Vec::new();
    for _ in 0..10_000 {
        let source = pieces().new_tree(&mut runner).unwrap().current();
        for language in CodeLanguage::ALL {
            if let Parse::Lost(why) = parsers.parse(&request(language, &source)) {
                lost.push((language, why, source.clone()));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}
