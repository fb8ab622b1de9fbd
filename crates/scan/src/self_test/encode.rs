//! Ways to hide a shell script in a shell script.

use super::pack::{base64, gzip, hexadecimal};
use crate::decoders::rot13;

/// A transformation of a text.
pub(super) type Hide = fn(&str) -> String;

pub(super) const SHELL: &[(&str, Hide)] = &[
    ("base64", |text| {
        format!("echo {} | base64 -d | sh\n", base64(text))
    }),
    ("base64-twice", |text| {
        format!(
            "echo {} | base64 -d | base64 -d | sh\n",
            base64(base64(text))
        )
    }),
    ("base64-wrapped", |text| {
        format!(
            "base64 -d <<'END' | bash\n{}\nEND\n",
            wrap(&base64(text), 16)
        )
    }),
    ("base64-spaced", |text| {
        format!(
            "echo '{}' | tr -d ' ' | base64 -d | sh\n",
            wrap(&base64(text), 6).replace('\n', " ")
        )
    }),
    ("hexadecimal", |text| {
        format!("echo {} | xxd -r -p | bash\n", hexadecimal(text))
    }),
    ("octal", |text| {
        let octal: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        format!("eval \"$(printf '{octal}')\"\n")
    }),
    ("escapes", |text| {
        let escapes: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("eval $'{escapes}'\n")
    }),
    ("reversed", |text| {
        let back: String = text.trim_end().chars().rev().collect();
        format!("echo '{}' | rev | sh\n", back.replace('\'', "'\\''"))
    }),
    ("rot13", |text| {
        let turned = rot13(text.trim_end());
        format!(
            "echo '{}' | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh\n",
            turned.replace('\'', "'\\''")
        )
    }),
    ("gzip-base64", |text| {
        format!(
            "echo {} | base64 -d | gunzip | sh\n",
            base64(gzip(text.as_bytes()))
        )
    }),
    ("variables", |text| {
        let encoded = base64(text);
        let half = encoded.len() / 2;
        let (first, second) = encoded.split_at_checked(half).unwrap_or((&encoded, ""));
        format!("a={first}\nb={second}\necho \"$a$b\" | base64 -d | sh\n")
    }),
    ("here-document", |text| format!("bash <<'END'\n{text}END\n")),
    ("function", |text| {
        format!("prepare() {{\n{text}}}\nprepare\n")
    }),
    ("quotes-in-words", |text| in_words(text, "''")),
    ("backslashes", |text| in_words(text, "\\")),
    ("zero-width", |text| in_words(text, "\u{200b}")),
    ("padded", |text| {
        let comment = "# This part prepares the environment for the next step.\n";
        format!("{}{text}{}", comment.repeat(300), comment.repeat(300))
    }),
    ("branches", |text| {
        format!("if [ -z \"$CI\" ]; then\n{text}fi\n")
    }),
    ("comments", |text| {
        text.lines()
            .map(|line| format!("# see the guide\n{line}\n\n"))
            .collect()
    }),
    ("carriage-returns", |text| text.replace('\n', "\r\n")),
];

/// Lines of a certain length.
pub(super) fn wrap(text: &str, length: usize) -> String {
    text.as_bytes()
        .chunks(length)
        .map(|chunk| String::from_utf8_lossy(chunk).into_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Puts `mark` into the names of commands.
fn in_words(text: &str, mark: &str) -> String {
    const COMMANDS: &[&str] = &[
        "curl", "wget", "bash", "base64", "crontab", "chmod", "python3", "tar", "scp", "ssh", "rm",
        "cat", "nc",
    ];
    let mut out = String::new();
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            out.push(' ');
        }
        let bare = word.trim_end();
        match COMMANDS.iter().find(|command| bare == **command) {
            Some(command) => {
                let (first, rest) = command.split_at_checked(1).unwrap_or((command, ""));
                out.extend([first, mark, rest, &word.replace(bare, "")]);
            }
            None => out.push_str(word),
        }
    }
    out
}
