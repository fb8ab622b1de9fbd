//! Skills to ask both validators about: every ingredient alone, many together, and many damaged.

use prowess_testing::Random;

use crate::ingredients::{
    BODIES, FRAMES, LETTER_RANGES, NAME_LINES, odd_descriptions, odd_fields, odd_names,
    valid_descriptions, valid_fields, valid_names,
};

/// A skill folder with one file.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) directory: String,
    pub(crate) content: Vec<u8>,
}

/// How many skills have a random letter in their name, are put together at random, and are damaged.
const LETTERS: usize = 600;
const COMBINED: usize = 2_000;
const MUTATED: usize = 2_000;

/// How many frames, from the first, are as the standard says.
const USUAL_FRAMES: usize = 5;

const NAME: &str = "name: pdf\n";
const DESCRIPTION: &str = "description: Reads PDF files\n";

pub(crate) fn all() -> Vec<Case> {
    let mut random = Random::of_run(1);
    let mut cases = alone();
    cases.extend((0..LETTERS).map(|_| letter(&mut random)));
    cases.extend((0..COMBINED).map(|_| combined(&mut random)));
    cases.extend((0..MUTATED).map(|_| mutated(&mut random)));
    cases
}

/// Every ingredient in a skill that is otherwise the plainest there is.
fn alone() -> Vec<Case> {
    let plain = FRAMES[0];
    let mut cases = Vec::new();
    for name in valid_names().iter().chain(&odd_names()) {
        for directory in [name.as_str(), "pdf"] {
            let line = format!("name: {}\n", quoted_if_needed(name));
            cases.push(case(directory, plain, &[&line, DESCRIPTION], BODIES[0]));
        }
    }
    for line in NAME_LINES {
        cases.push(case("pdf", plain, &[line, DESCRIPTION], BODIES[0]));
        cases.push(case(value_of(line), plain, &[DESCRIPTION, line], BODIES[0]));
    }
    let descriptions = valid_descriptions().into_iter().chain(odd_descriptions());
    for line in descriptions {
        cases.push(case("pdf", plain, &[NAME, &line], BODIES[0]));
        cases.push(case("pdf", plain, &[&line, NAME], BODIES[0]));
    }
    for line in valid_fields().iter().chain(&odd_fields()) {
        cases.push(case("pdf", plain, &[NAME, DESCRIPTION, line], BODIES[0]));
        cases.push(case("pdf", plain, &[line, NAME, DESCRIPTION], BODIES[0]));
    }
    for frame in FRAMES {
        for body in BODIES {
            cases.push(case("pdf", frame, &[NAME, DESCRIPTION], body));
        }
    }
    cases
}

/// A name with one character from anywhere in Unicode.
fn letter(random: &mut Random) -> Case {
    let (first, last) = *random.pick(LETTER_RANGES);
    let span = usize::try_from(last - first + 1).unwrap();
    let code = first + u32::try_from(random.below(span)).unwrap();
    let letter = char::from_u32(code).unwrap();
    let name = match random.below(3) {
        0 => format!("{letter}"),
        1 => format!("a{letter}b"),
        _ => format!("ab-{letter}"),
    };
    let line = format!("name: {}\n", quoted_if_needed(&name));
    case(&name, FRAMES[0], &[&line, DESCRIPTION], BODIES[0])
}

/// A skill of random ingredients: mostly good ones, so that a bad one decides.
fn combined(random: &mut Random) -> Case {
    let mut lines = Vec::new();
    let mut directory = "pdf".to_owned();
    match random.below(8) {
        0 => {
            let line = *random.pick(NAME_LINES);
            lines.push(line.to_owned());
        }
        1 => {
            let name = random.pick(&odd_names()).clone();
            lines.push(format!("name: {}\n", quoted_if_needed(&name)));
            directory = name;
        }
        _ => {
            let name = random.pick(&valid_names()).clone();
            lines.push(format!("name: {name}\n"));
            directory = name;
        }
    }
    lines.push(if random.one_in(5) {
        random.pick(&odd_descriptions()).clone()
    } else {
        random.pick(&valid_descriptions()).clone()
    });
    for _ in 0..random.below(4) {
        lines.push(if random.one_in(6) {
            random.pick(&odd_fields()).clone()
        } else {
            random.pick(&valid_fields()).clone()
        });
    }
    random.shuffle(&mut lines);
    if random.one_in(30) {
        "elsewhere".clone_into(&mut directory);
    }
    let frame = if random.one_in(6) {
        *random.pick(FRAMES)
    } else {
        FRAMES[random.below(USUAL_FRAMES)]
    };
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let body = *random.pick(BODIES);
    let mut case = case(&directory, frame, &lines, body);
    case.content = with_line_endings(case.content, random);
    case
}

/// A good skill with up to three things done to it.
fn mutated(random: &mut Random) -> Case {
    let name = random.pick(&valid_names()).clone();
    let mut lines = vec![
        format!("name: {name}\n"),
        random.pick(&valid_descriptions()).clone(),
    ];
    for _ in 0..random.below(4) {
        lines.push(random.pick(&valid_fields()).clone());
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let body = *random.pick(BODIES);
    let mut case = case(&name, FRAMES[random.below(USUAL_FRAMES)], &lines, body);
    for _ in 0..=random.below(3) {
        case.content = damage(&case.content, random);
    }
    case
}

/// What one slip of a hand or of a program does to a file.
fn damage(content: &[u8], random: &mut Random) -> Vec<u8> {
    const INSERTED: &[&[u8]] = &[
        b": ",
        b":",
        b"#",
        b" #",
        b"-",
        b"- ",
        b"---",
        b"\n",
        b"\r",
        b"\t",
        b" ",
        b"  ",
        b"'",
        b"\"",
        b"\\",
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b"&",
        b"*",
        b"!",
        b"|",
        b">",
        b"%",
        b"@",
        b"`",
        b"?",
        b"? ",
        b"\x00",
        b"\x07",
        b"\x7f",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        b"\xe9",
        b"~",
        b"null",
        b"0",
        b"A",
        b"\xc3\x89",
        b"...\n",
        b"\n\n",
    ];
    let mut damaged = content.to_vec();
    if damaged.is_empty() {
        return INSERTED[0].to_vec();
    }
    // Most of the file is body, where little can happen.
    let reach = damaged.len().min(if random.one_in(4) { 4096 } else { 90 });
    let at = random.below(reach);
    match random.below(9) {
        0 => {
            damaged.remove(at);
        }
        1 => damaged.insert(at, content[at]),
        2 => damaged.swap(at, (at + 1) % content.len()),
        3 => damaged[at] = *random.pick(b" \t\n\r:#-'\"\\[]{}&*!|>%@`,?~.aZ0\x00\x1b\x80\xc3\xff"),
        4 | 5 => {
            let inserted = *random.pick(INSERTED);
            damaged.splice(at..at, inserted.iter().copied());
        }
        lines => {
            let mut parts: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
            let line = random.below(parts.len());
            let other = random.below(parts.len());
            match lines {
                6 => drop(parts.remove(line)),
                7 => parts.insert(line, parts[line]),
                _ => parts.swap(line, other),
            }
            damaged = parts.concat();
        }
    }
    damaged
}

fn with_line_endings(content: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let Ok(text) = String::from_utf8(content.clone()) else {
        return content;
    };
    match random.below(20) {
        0..=3 => text.replace('\n', "\r\n").into_bytes(),
        4 => text.replacen('\n', "\r\n", 2).into_bytes(),
        5 if random.one_in(3) => text.replace('\n', "\r").into_bytes(),
        _ => content,
    }
}

fn case(directory: &str, frame: &str, lines: &[&str], body: &str) -> Case {
    let text = frame.replace("{f}", &lines.concat()).replace("{b}", body);
    Case {
        directory: usable(directory),
        content: text.into_bytes(),
    }
}

/// A directory of that name, or one like it where the file system has no such name.
fn usable(name: &str) -> String {
    let name: String = name.replace(['/', '\0'], "-");
    match name.as_str() {
        "" | "." | ".." => "pdf".to_owned(),
        _ if name.len() > 250 => "pdf".to_owned(),
        _ => name,
    }
}

fn value_of(line: &str) -> &str {
    line.trim_end().rsplit(": ").next().unwrap_or_default()
}

/// Most names can stand as they are; the others need quotes to be read as names at all.
fn quoted_if_needed(name: &str) -> String {
    if name.starts_with('-') || name.contains([':', '\\']) {
        format!("'{name}'")
    } else {
        name.to_owned()
    }
}
