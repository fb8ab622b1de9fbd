use std::fmt::Write as _;

use proptest::prelude::*;
use prowess_syntax::Grammars;
use prowess_testing::properties;

use super::super::CodeLanguage::{JavaScript, PowerShell, Python, Shell, Tsx, TypeScript};
use super::super::{CodeBudget, CodeLanguage, Unit, UnparsedReason, analyse};
use super::facts;

const LANGUAGES: [CodeLanguage; 6] = [Python, JavaScript, TypeScript, Tsx, Shell, PowerShell];

/// The program ends, whatever it says.
fn survives(source: &str) {
    for language in LANGUAGES {
        facts(language, source);
    }
}

#[test]
fn deep_nesting_ends() {
    for unit in [
        "(", "[", "{", "((((", "[[[[", "f(", "!", "-", "a.b(", "`", "$(", "\"$(", "if (a) {",
        "lambda:", "x=>", "<(", "not ",
    ] {
        survives(&unit.repeat(30_000 / unit.len()));
    }
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("{a:", "}"),
        ("$(", ")"),
    ] {
        survives(&format!("{}1{}", open.repeat(5_000), close.repeat(5_000)));
    }
}

#[test]
fn a_megabyte_of_brackets_ends() {
    for language in LANGUAGES {
        facts(language, &"(".repeat(1024 * 1024));
    }
}

#[test]
fn long_chains_are_folded_or_given_up() {
    survives(&format!("x = {}", vec!["'a'"; 20_000].join(" + ")));
    survives(&format!("x = {}", vec!["a"; 20_000].join("+")));
    survives(&vec!["a"; 5_000].join(" && "));
    survives(&vec!["a"; 5_000].join(" | "));
    survives(&format!("a{}", ".b()".repeat(5_000)));
    survives(&format!("a{}", "[0]".repeat(5_000)));
    survives(&"else if (a) b;\n".repeat(3_000));
    survives(&format!("if a:\n  b\n{}", "elif a:\n  b\n".repeat(3_000)));
}

#[test]
fn growing_texts_stay_small() {
    let mut python = "x = 'aaaaaaaa'\n".to_owned();
    let mut shell = "x=aaaaaaaa\n".to_owned();
    let mut ecma = "let x = 'aaaaaaaa';\n".to_owned();
    for _ in 0..60 {
        python.push_str("x = x + x\n");
        shell.push_str("x=\"$x$x\"\n");
        ecma.push_str("x = x + x;\n");
    }
    python.push_str("y = x * 1000000000\nz = [x] * 1000000\nw = [z, z] * 1000\nexec(x)\n");
    facts(Python, &python);
    facts(Shell, &shell);
    facts(JavaScript, &ecma);
    facts(
        Python,
        "m = {}\nfor i in range(4000):\n    m = {'a': m, 'b': m}\nimport requests\nrequests.post('http://x.example', json=m)\n",
    );
    facts(
        Python,
        "l = []\nfor i in range(4000):\n    l = [l, l]\nprint(str(l))\n",
    );
}

#[test]
fn loops_and_recursion_end() {
    facts(
        Python,
        "def f(x):\n    return g(x) + g(x)\ndef g(x):\n    return f(x) + f(x)\nf(1)\n",
    );
    facts(Python, "f = lambda x: x(x)\nf(f)\n");
    facts(Python, "i = 0\nwhile i < 1000000000:\n    i = i + 1\n");
    facts(
        Python,
        "for a in range(4000):\n    for b in range(4000):\n        for c in range(4000):\n            x = a ^ b ^ c\n",
    );
    facts(
        JavaScript,
        "function f() { return f(f(f())); }\nf();\nfor (;;) { f(); }\n",
    );
    facts(Shell, "f() { f; f; }\nf\nwhile true; do f; done\n");
    facts(Shell, "x='eval \"$x\"'\neval \"$x\"\n");
    facts(Python, "x = 'exec(x)'\nexec(x)\n");
    facts(JavaScript, "const x = 'eval(x)';\neval(x);\n");
    facts(PowerShell, "function f { f; f }\nf\n");
    let mut many = String::new();
    for at in 0..3000 {
        let _ = writeln!(
            many,
            "def f{at}(x):\n    return f{}(x) or f{}(x)",
            at + 1,
            (at * 7) % 3000
        );
    }
    facts(Python, &many);
}

#[test]
fn a_minified_megabyte_ends() {
    let mut source = String::new();
    while source.len() < 900_000 {
        source.push_str("!function(e,t){var n=t(1),r=n.a+\"x\"+e[0](t);for(var i=0;i<e.length;i++)r+=String.fromCharCode(e[i]^7);return{a:r,b:function(e){return e?n(e,t):r}}}([1,2,3],function(e){return e});");
    }
    facts(JavaScript, &source);
}

#[test]
fn huge_documents_end() {
    facts(
        Shell,
        &format!("cat <<EOF\n{}\nEOF\n", "x $y `z` ${a:-b}\n".repeat(40_000)),
    );
    facts(
        Shell,
        &format!(
            "python3 - <<'EOF'\n{}\nEOF\n",
            "x = x + 'a'\n".repeat(40_000)
        ),
    );
    facts(Python, &format!("x = '''{}'''\n", "a".repeat(900_000)));
    facts(Python, &format!("x = [{}]\n", "1,".repeat(300_000)));
    facts(
        JavaScript,
        &format!(
            "const x = [{}];\neval(x.map(c => String.fromCharCode(c)).join(''));\n",
            "97,".repeat(200_000)
        ),
    );
}

#[test]
fn strange_bytes_are_read() {
    survives("\0\0\0");
    survives("\u{feff}x = 1\n\u{2028}y\u{0}z\u{fffc}");
    survives("'unfinished \\x \\u{ \\u{110000} \\777 \\");
    survives("f\"{x!r:{y}}\" '%' % () '{' '}' '{}'.format()");
    survives("${x:-${x:-${x}}} ${x:999999999999:-5} ${!x} ${#x} $((1/0)) $((1<<99))");
    survives("'a'[99999999999999999999] x[::0] 'a'*-1 1//0 1%0 1<<9999 -9223372036854775808//-1");
}

#[test]
fn what_is_too_large_is_named() {
    let big = "x = 1\n".repeat(200_000);
    let analysis = facts(Python, &big);
    assert!(
        analysis
            .unparsed
            .iter()
            .any(|part| part.reason == UnparsedReason::TooLarge)
    );
    let small = CodeBudget {
        steps: 50,
        ..CodeBudget::default()
    };
    let units = [Unit {
        path: "a.py",
        language: Python,
        source: "x = 1\ny = 2\n".repeat(100).leak(),
    }];
    let analysis = analyse(&units, &Grammars, &small);
    assert!(
        analysis
            .unparsed
            .iter()
            .any(|part| part.reason == UnparsedReason::StepsUsedUp)
    );
}

#[test]
fn unknown_code_and_broken_code_are_named() {
    let analysis = facts(Python, "def run(code):\n    exec(code)\n");
    assert!(
        analysis
            .unparsed
            .iter()
            .any(|part| part.reason == UnparsedReason::DynamicCode)
    );
    let analysis = facts(Python, "}}}} ]] ((( %%% ;;; ??? !!!");
    assert!(
        analysis
            .unparsed
            .iter()
            .any(|part| part.reason == UnparsedReason::SyntaxErrors)
    );
}

proptest! {
    #![proptest_config(properties(60))]

    #[test]
    fn random_text_never_panics_and_gives_the_same(source in "\\PC{0,300}") {
        for language in LANGUAGES {
            prop_assert_eq!(facts(language, &source), facts(language, &source));
        }
    }

    #[test]
    fn random_programs_never_panic(parts in proptest::collection::vec(0..FRAGMENTS.len(), 0..60)) {
        let source: String = parts.iter().filter_map(|at| FRAGMENTS.get(*at)).copied().collect();
        for language in LANGUAGES {
            prop_assert_eq!(facts(language, &source), facts(language, &source));
        }
    }
}

const FRAGMENTS: &[&str] = &[
    "x",
    "y",
    " = ",
    "\n",
    "\n    ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "eval",
    "exec",
    "curl http://a.example",
    " | ",
    "sh",
    "$x",
    "${x:1:2}",
    "$(",
    "`",
    "import os",
    "os.system",
    "require('fs')",
    ".readFileSync",
    "open",
    "'~/.ssh/id_rsa'",
    "def f(x):",
    "function f(x) {",
    "return ",
    "f",
    "for i in range(9):",
    "while ",
    "if ",
    ": ",
    ";",
    "lambda x: x",
    "=>",
    "fetch",
    ".then",
    "requests.post",
    "base64.b64decode",
    "'aGVsbG8='",
    " + ",
    " % ",
    "[::-1]",
    ".join",
    ".split",
    ".replace",
    "class A:",
    "self.x",
    "<<EOF\n",
    "EOF\n",
    "iex ",
    "irm ",
    "-enc ",
    "[char]105",
    " -join ",
    "\\x41",
    "\u{e9}",
];
