//! Obfuscated commands.

use crate::report::Severity;
use crate::rule::{Detector, Grade, Matched, Patterns, Rule, js, md, ps, py, sh};

pub(super) const RULES: &[Rule] = &[Rule {
    id: "obfuscated-command",
    severity: Severity::Medium,
    message: "obfuscated command",
    help: "write the command in plain text",
    bad: &[
        sh("cat${IFS}/etc/hosts\n"),
        sh("$(printf '\\143\\165\\162\\154') example.net\n"),
        sh("$'\\x63\\x75\\x72\\x6c' example.net\n"),
        sh("/???/b??h -c id\n"),
        sh("a=cu; b=rl; $a$b example.net\n"),
        py("exec(''.join(map(chr, [112, 114])))\n"),
        py("os.system('dlrow olleh'[::-1])\n"),
        js("eval(String.fromCharCode(97,108,101,114,116,40,49,41))\n"),
        js("eval('al' + 'ert(1)')\n"),
        ps("[char]105+[char]101+[char]120+[char]32\n"),
        md("```sh\neval \"$a$b$c\"\n```\n"),
    ],
    good: &[
        sh("OLD=$IFS; IFS=$'\\n\\t'\n"),
        py("MAGIC = b'\\x89PNG\\r\\n\\x1a\\n'\n"),
        py("print(word[::-1])\n"),
        js("const c = String.fromCharCode(65 + index)\n"),
        sh("eval \"$(ssh-agent -s)\"\n"),
        sh("\"$CC\" $CFLAGS main.c\n"),
    ],
    detector: Detector::Written(Patterns {
        anchors: &[
            "IFS", "\\x", "printf", "$'\\", "chr", "[char]", "[::-1]", "reverse", "eval", "/?",
            "?/", "$",
        ],
        any: &[
            r#"[a-z]\$\{?IFS\}?(?:\$9)?[\w\-/'"$.~]"#,
            r"(?:\\x(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])){4,}",
            r#"(?:\$'|printf\s+(?:--\s+)?["'])(?:\\[01]?[0-7]{2}){4,}"#,
            r"(?:\bchr\s*\(\s*\d{2,3}\s*\)\s*[+.&]\s*){3,}chr",
            r"\b(?:eval|exec|function)\s*\([^\n]{0,60}?fromcharcode\s*\([^\n]*",
            r"fromcharcode\s*\((?:\s*(?:0x[0-9a-f]+|\d{2,3})\s*,){7,}[^\n]*",
            r"(?:\[char\]\s*\(?(?:0x)?[0-9a-f]{2,3}\)?\s*[+,]?\s*){3,}",
            r"\b(?:exec|eval|system|popen)\s*\([^\n]{0,40}?join\s*\(\s*(?:map\s*\(\s*)?chr[^\n]*",
            r"\b(?:exec|eval|system|popen|subprocess\.\w+)\s*\([^\n]{0,200}\[::-1\]",
            r"\b(?:eval|exec|execsync)\s*\([^\n]{0,200}reverse\s*\(\s*\)\s*\.\s*join",
            r#"\beval\s*\(\s*["'][^"'\n]{0,20}["']\s*\+"#,
            r#"\beval\s+["']?(?:\$\{?\w+\}?){2,}"#,
            r"(?:^|[;&|]\s*)\$[a-z]\w{0,2}\$[a-z]\w{0,2}(?:\$[a-z]\w{0,2})*\s+\S",
            // With braces it is also how a template of JavaScript looks, which has no assignment before it.
            r"(?:^|[;&\s])[a-z]\w{0,2}=\S{1,12}\s*[;&\s][^\n]{0,80}[;&|]\s*\$\{[a-z]\w{0,2}\}\$\{[a-z]\w{0,2}\}",
            r"(?:^|[\s;|&])/(?:[a-z]?\?[a-z?]*)/[a-z?]*\?[a-z?]*",
        ],
        grade: different_letters,
    }),
}];

/// `\x41\x41\x41\x41` is padding, not a word.
fn different_letters(matched: Matched<'_>) -> Grade {
    let lower = matched.text.to_ascii_lowercase();
    let mut codes: Vec<&str> = lower.split("\\x").skip(1).collect();
    if codes.len() < 4 || !lower.starts_with("\\x") {
        return Grade::Keep;
    }
    codes.sort_unstable();
    codes.dedup();
    if codes.len() < 3 {
        Grade::Skip
    } else {
        Grade::Keep
    }
}
