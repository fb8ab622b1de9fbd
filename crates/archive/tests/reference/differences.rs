//! Why a tree of ours may differ from one of another reader. There is no other reason.

use prowess_archive::{EntryKind, Tree};

/// The other readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Python,
    Bsdtar,
}

/// An archive that we took.
pub(crate) struct Seen<'a> {
    pub(crate) reader: Reader,
    pub(crate) is_zip: bool,
    pub(crate) tree: &'a Tree,
}

/// The lines of two trees.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) ours: Vec<String>,
    pub(crate) theirs: Vec<String>,
}

pub(crate) struct Difference {
    pub(crate) id: &'static str,
    pub(crate) why: &'static str,
    /// Takes the difference away where this is the reason for it.
    pub(crate) level: fn(&Seen<'_>, &mut Lines),
}

pub(crate) const DIFFERENCES: &[Difference] = &[
    Difference {
        id: "zipfile-modes",
        why: "zipfile sets no permissions",
        level: |seen, lines| {
            if seen.reader == Reader::Python && seen.is_zip {
                change(&mut lines.ours, plain);
            }
        },
    },
    Difference {
        id: "zipfile-links",
        why: "zipfile writes a link as a file that holds the target",
        level: |seen, lines| {
            if seen.reader == Reader::Python && seen.is_zip {
                change(&mut lines.ours, |line| match line.split_once(" -> ") {
                    Some((path, target)) => format!("{path}={}", target.as_bytes().escape_ascii()),
                    None => line.to_owned(),
                });
            }
        },
    },
    Difference {
        id: "zipfile-code-page",
        why: "without the flag for UTF-8 a name is in code page 437 there, and in UTF-8 here if it can be",
        level: |seen, lines| {
            if seen.reader == Reader::Python && seen.is_zip {
                change(&mut lines.theirs, |line| {
                    let parts = line.split('/').map(utf8_of_code_page_437);
                    parts.collect::<Vec<_>>().join("/")
                });
            }
        },
    },
    Difference {
        id: "tarfile-hard-links",
        why: "tarfile sets the mode of a hard link on the file that it shares; ours is a copy of the first",
        level: |seen, lines| {
            let mut shared = Vec::new();
            for member in &seen.tree.members {
                if let EntryKind::HardLink(first) = &member.entry.kind {
                    shared.push(format!("{first}*="));
                    shared.push(format!("{}*=", member.entry.path));
                }
            }
            if seen.reader == Reader::Python {
                change(&mut lines.ours, |line| {
                    let is_shared = shared.iter().any(|start| line.starts_with(start));
                    if is_shared {
                        plain(line)
                    } else {
                        line.to_owned()
                    }
                });
            }
        },
    },
];

fn change(lines: &mut Vec<String>, change: impl Fn(&str) -> String) {
    *lines = lines.iter().map(|line| change(line)).collect();
    lines.sort();
    // A directory may have been there in two spellings.
    lines.dedup();
}

fn plain(line: &str) -> String {
    line.replacen("*=", "=", 1)
}

fn utf8_of_code_page_437(part: &str) -> String {
    const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    let byte = |character: char| {
        if character.is_ascii() {
            return u8::try_from(character).ok();
        }
        let at = UPPER.chars().position(|upper| upper == character)?;
        u8::try_from(128 + at).ok()
    };
    let bytes: Option<Vec<u8>> = part.chars().map(byte).collect();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| part.to_owned())
}
