//! Files as people write them, and files as people attack with them; the same on every run.

use std::fmt::Write;

/// A skill's file.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Files that the body names.
    pub(crate) references: Vec<String>,
}

/// A small generator of pseudo-random numbers (xorshift), so that the corpus never changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }

    /// Sentences of about `length` characters.
    fn prose(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            let count = 6 + self.below(8);
            let words = self.words(count);
            let (first, rest) = words.split_at(1);
            let _ = write!(text, "{}{rest}. ", first.to_uppercase());
        }
        text.trim_end().to_owned()
    }
}

const WORDS: &[&str] = &[
    "review",
    "the",
    "user's",
    "database",
    "migrations",
    "for",
    "locks",
    "and",
    "report",
    "files",
    "when",
    "asked",
    "to",
    "generate",
    "charts",
    "from",
    "CSV",
    "tables",
    "(including",
    "nested)",
    "use",
    "this",
    "skill",
    "with",
    "tests",
    "before",
    "release",
    "deploy",
    "cluster",
    "logs",
    "explain",
    "errors",
    "in",
    "plain",
    "language",
    "PDF",
    "forms",
    "extract",
    "summarise",
    "e-mail",
    "threads",
    "style",
    "guide",
];

/// `count` files in the proportions seen in public repositories: a frontmatter of about 400 bytes, a
/// third with fields of their own, a sixth with flow collections, half of all metadata nested.
pub(crate) fn files(count: usize) -> Vec<File> {
    let mut random = Random(0x5eed_0000_0000_0001);
    (0..count).map(|index| file(index, &mut random)).collect()
}

fn file(index: usize, random: &mut Random) -> File {
    let name = format!("{}-{index}", WORDS[random.below(2)]);
    let mut text = format!("---\nname: {name}\n");
    let length = 90 + random.below(190);
    let description = random.prose(length);
    let _ = match random.below(20) {
        0..=12 => writeln!(text, "description: {description}"),
        13..=15 => writeln!(text, "description: \"{description}\""),
        16 | 17 => writeln!(
            text,
            "description: >\n  {}",
            description.replace(". ", ".\n  ")
        ),
        18 => writeln!(
            text,
            "description: |\n  {}",
            description.replace(". ", ".\n  ")
        ),
        _ => writeln!(text, "description: {}", description.replace(". ", ".\n  ")),
    };
    if !random.one_in(3) {
        text.push_str("license: Complete terms in LICENSE.txt\n");
    }
    if random.one_in(3) {
        text.push_str("allowed-tools: Bash(git:*) Read Grep\n");
    }
    if random.one_in(5) {
        text.push_str("compatibility: Needs Python 3.11 and a network\n");
    }
    if random.one_in(3) {
        let _ = writeln!(text, "author: {}", random.words(2));
        text.push_str("category: development\n");
    }
    if random.one_in(6) {
        text.push_str("tags: [pdf, forms, data-entry]\n");
    }
    if random.one_in(2) {
        text.push_str("metadata:\n  author: Example Org\n  version: \"1.0\"\n");
        if random.one_in(2) {
            text.push_str("  links:\n    home: example.org\n    docs: example.org/docs\n");
        }
    }
    text.push_str("---\n\n");
    let references = body(index, random, &mut text);
    File {
        name,
        text,
        references,
    }
}

fn body(index: usize, random: &mut Random, text: &mut String) -> Vec<String> {
    let _ = writeln!(text, "# Skill {index}\n");
    for section in 0..2 + random.below(5) {
        let _ = writeln!(text, "## Section {section}\n\n{}\n", random.prose(300));
        for _ in 0..random.below(6) {
            let _ = writeln!(text, "- **{}**: {}", random.words(2), random.prose(60));
        }
        if random.one_in(3) {
            let _ = writeln!(
                text,
                "\n```bash\npython3 scripts/run.py --input data.csv | head\n```\n"
            );
        }
    }
    let mut references = Vec::new();
    if text.contains("scripts/run.py") {
        references.push("scripts/run.py".to_owned());
    }
    if random.one_in(2) {
        text.push_str(
            "\nSee [the reference](references/REFERENCE.md) and [the site](https://example.org).\n",
        );
        references.push("references/REFERENCE.md".to_owned());
    }
    references
}

/// Files that try to take time or memory.
#[allow(clippy::too_many_lines, reason = "a table")]
pub(crate) fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let skill =
        |yaml: String| format!("---\nname: x\ndescription: d\n{yaml}\n---\nbody\n").into_bytes();
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for pair in ["a", "b", "c", "d", "e", "f", "g", "h", "i"].windows(2) {
        let aliases = vec![format!("*{}", pair[0]); 9].join(", ");
        let _ = writeln!(bomb, "{}: &{} [{aliases}]", pair[1], pair[1]);
    }
    let rows = |row: &str, count: usize| row.repeat(count);
    vec![
        ("alias bomb", skill(bomb)),
        (
            "text bomb",
            skill(format!(
                "a: &a {}\nb: [{}]",
                rows("x", 30_000),
                rows("*a, ", 8_000)
            )),
        ),
        (
            "depth 100",
            skill(format!("a: {}{}", rows("[", 100), rows("]", 100))),
        ),
        ("depth 60,000", skill(format!("a: {}", rows("[", 60_000)))),
        (
            "20,000 values",
            skill(format!("a: [{}x]", rows("x, ", 20_000))),
        ),
        (
            "9,000 keys",
            skill(
                (0..9_000)
                    .map(|n| ["k", &n.to_string(), ":\n"].concat())
                    .collect(),
            ),
        ),
        (
            "30,000 colons",
            skill(format!("a: {}", rows("b: ", 20_000))),
        ),
        ("one key 6,000 times", skill(rows("a: b: c\n", 6_000))),
        ("6,000 broken quotes", skill(rows("a: 'b'c\n", 6_000))),
        (
            "tabs",
            skill(format!("metadata:\n{}", rows("\ta: b\n", 9_000))),
        ),
        ("controls", skill(format!("a: {}", rows("\u{7}", 60_000)))),
        (
            "frontmatter of 1 MiB",
            skill(format!("a: {}", rows("x", 1 << 20))),
        ),
        (
            "frontmatter without end",
            format!("---\n{}", rows("a: b\n", 800_000)).into_bytes(),
        ),
        (
            "body of links",
            format!(
                "---\nname: x\ndescription: d\n---\n{}",
                rows("[a](b.md) ", 400_000)
            )
            .into_bytes(),
        ),
        (
            "body of brackets",
            format!(
                "---\nname: x\ndescription: d\n---\n{}",
                rows("[", 4_000_000)
            )
            .into_bytes(),
        ),
        (
            "body of emphasis",
            format!(
                "---\nname: x\ndescription: d\n---\n](a{}",
                rows("*a_b", 1_000_000)
            )
            .into_bytes(),
        ),
        (
            "body of paths",
            format!(
                "---\nname: x\ndescription: d\n---\n{}",
                rows("scripts/a.py ", 300_000)
            )
            .into_bytes(),
        ),
        (
            "body of quotes",
            format!(
                "---\nname: x\ndescription: d\n---\n[a](b)\n{}",
                rows("> ", 1_900_000)
            )
            .into_bytes(),
        ),
        (
            "returns",
            format!(
                "---\nname: x\ndescription: d\n---\n{}",
                rows("\r\n\n", 1_300_000)
            )
            .into_bytes(),
        ),
        ("zeros", vec![0; 4 << 20]),
        ("not UTF-8", vec![0xff; 4 << 20]),
        ("20 MiB", vec![b'a'; 20 << 20]),
    ]
}
